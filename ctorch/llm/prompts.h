// prompts.h - attention of a prompt's queries, for processors that multiply bfloat16.
#pragma once

#include <stdint.h>

namespace ct {

// Attention of queries next to each other, of heads that share a head of keys, which each see the
// keys up to their own position.  All in bfloat16; strides are in elements.
struct PromptTask {
    const void *query;                   // of the first head, at position `start`
    void *result;
    int64_t query_stride, query_head;    // from a position, or from a head, to the next
    int64_t result_stride, result_head;
    int64_t start, count, group, width;  // count: of queries; group: of heads
    const void *keys, *values;           // of position 0
    int64_t key_stride, value_stride;
    int64_t window, padding;             // window 0: none; padding: positions at the left
    float scale, softcap;                // softcap 0: none
    char *room;
};

struct PromptKernel {
    void (*attend)(const PromptTask &task);
    int64_t (*room)(const PromptTask &task);  // bytes; a task's room begins at a multiple of 64
};

#if defined(__x86_64__)
extern const PromptKernel PROMPT_KERNEL;  // kernel_prompts.h
#endif

}  // namespace ct
