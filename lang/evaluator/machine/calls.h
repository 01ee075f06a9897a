/* calls.h - primitives with a parameter that is not a value, for callers that have values only. */
#ifndef RT_EVALUATOR_CALLS_H
#define RT_EVALUATOR_CALLS_H

#include "world.h"   /* eval, load and environments */

static inline void evaluator_caught_signal(rt_value caught, rt_value signalled) {
    rt_caught_signal(caught, signalled != RT_FALSE);
}
static inline void evaluator_caught_replace(rt_value caught, rt_value message, rt_value irritants,
                                            rt_value hint, rt_value alike) {
    rt_caught_replace(caught, message, irritants, hint, alike != RT_FALSE);
}

#endif
