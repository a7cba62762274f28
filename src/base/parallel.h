// Parallel loops: several threads share the pieces. Without LI_THREADS or without helpers they are plain loops.
#ifndef LI_PARALLEL_H
#define LI_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

// Processes the indices from `first` up to, not including, `end`.
typedef void li_piece(const void *context, uint32_t first, uint32_t end);

// Runs `piece` for the indices 0 to count - 1 and returns when all are done: in one call, or with helpers `size`
// indices at a time in any order. Pieces must not depend on each other or start a loop. The same thread must make every
// call. Does nothing after a helper was lost.
void li_parallel_for(uint32_t count, uint32_t size, li_piece *piece, const void *context);

#ifdef LI_THREADS

// Whether a helper was lost: a helper began pieces of a loop and did not finish in time, so its thread must have ended.
// That loop stays unfinished, and no other loop runs.
bool li_parallel_has_lost_helper(void);

// From now on shares the loops among the caller and at most `threads` - 1 helpers, the first that entered
// li_parallel_help; other helpers sleep. With `is_final` the other helpers return, present and future, and the number
// cannot be raised again. The caller of li_parallel_for calls this function, while no loop runs.
void li_parallel_use(uint32_t threads, uint32_t is_final);

// The loop of a helper: runs pieces, and sleeps while there are none. Returns when li_parallel_use says so. The thread
// may also be ended from outside, but never while a loop runs.
void li_parallel_help(void);

#ifndef __wasm__
// Native threads exist only in tests, which define these functions. wait: sleeps while *word equals `value`; may return
// early; false after `limit` nanoseconds (negative: no limit). wake: wakes all threads that wait on `word`.
bool li_thread_wait(_Atomic uint32_t *word, uint32_t value, int64_t limit);
void li_thread_wake(_Atomic uint32_t *word);
#endif

#else
#define li_parallel_has_lost_helper() false
#endif

#endif
