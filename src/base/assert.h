// LI_ASSERT(condition): what the surrounding code relies on. An outside caller's errors return a status instead. In
// checked builds (LI_CHECKED of the Makefile: debug, sanitizers, fuzzers) a false condition traps, and the sanitizers
// print the stack. In all others the condition is compiled but never evaluated, and costs no byte.
#ifndef LI_ASSERT_H
#define LI_ASSERT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef LI_CHECKED
#define LI_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define LI_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

// For conditions: whether numbers (count) strictly ascend.
static inline bool li_is_ascending(const uint32_t *numbers, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (numbers[i] <= numbers[i - 1]) return false;
    return true;
}

#endif
