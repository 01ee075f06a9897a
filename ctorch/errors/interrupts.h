// interrupts.h - Ctrl-C in long calls: the loops of readers poll for it.  C++ only, without
// LibTorch.
//
//     Polls polls;
//     for (...) polls.step();     throws Raised if the caller of ct_procedure wants to end
//
// What a call has built by then is released as after a Failure.
#pragma once

#include <cstdint>
#include <exception>

namespace ct {

// A callback has failed; its caller keeps the error.  It passes through LibTorch's engine, which
// lets only a std::exception through.
struct Raised final : std::exception {};

// What ct_set_poll has set: nothing interrupts a program that has not called it.
inline const volatile int never = 0;
inline const volatile int *interrupt_waits = &never;
inline int (*interrupt_poll)() = nullptr;

// Whether this thread is in a call of a procedure, which may end with CT_RAISED: no other thread
// may call Lisp.
inline thread_local bool may_be_interrupted = false;

inline void poll_interrupt()
{
    if (*interrupt_waits && may_be_interrupted && interrupt_poll()) throw Raised();
}

// For loops whose iterations are short.
class Polls {
public:
    void step()
    {
        if (++steps_ % EACH == 0) poll_interrupt();
    }

private:
    static constexpr uint32_t EACH = 4096;
    uint32_t steps_ = 0;
};

}  // namespace ct
