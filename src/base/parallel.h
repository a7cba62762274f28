// A loop whose pieces several threads share. Without LI_THREADS, and without helpers, a plain loop.
#ifndef LI_PARALLEL_H
#define LI_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

// Does what is to be done for the indices from `first` to before `end`.
typedef void li_piece(const void *context, uint32_t first, uint32_t end);

// Runs `piece` for 0 .. count and returns when all is done: at once, or where threads share it `size` indices at a time
// and in any order. Pieces must not depend on each other. One thread calls this, always the same, and no piece does.
// It does nothing once a helper is lost.
void li_parallel_for(uint32_t count, uint32_t size, li_piece *piece, const void *context);

#ifdef LI_THREADS

// Whether a helper has kept pieces of a loop for so long that its thread must have ended in the middle of them. That
// loop was left unfinished, and no other will run.
bool li_parallel_has_lost_helper(void);

// What a helper does until its thread is ended from outside, which must not happen while a loop runs. It sleeps while
// there is nothing to do.
_Noreturn void li_parallel_help(void);

#ifndef __wasm__
// Natively only a test has threads, and brings these. wait: sleeps while *word is `value`, but may return early; false:
// because `limit` nanoseconds have passed (negative: there is no limit). wake: ends the sleep of all that wait on
// `word`.
bool li_thread_wait(_Atomic uint32_t *word, uint32_t value, int64_t limit);
void li_thread_wake(_Atomic uint32_t *word);
#endif

#else
#define li_parallel_has_lost_helper() false
#endif

#endif
