// Includes base/parallel.c with a call of `step` before each of its atomic steps, except polls and `share`, which order
// nothing. Define `step` first, and POLLS and STEP where they matter.
#ifndef PARALLEL_STEPS_H
#define PARALLEL_STEPS_H

#include <stdatomic.h>

#undef atomic_load
#undef atomic_store
#undef atomic_fetch_add
#undef atomic_fetch_and
#undef atomic_compare_exchange_strong
#undef atomic_compare_exchange_weak
#define atomic_load(word)             (step(), __c11_atomic_load(word, __ATOMIC_SEQ_CST))
#define atomic_store(word, value)     (step(), __c11_atomic_store(word, value, __ATOMIC_SEQ_CST))
#define atomic_fetch_add(word, value) (step(), __c11_atomic_fetch_add(word, value, __ATOMIC_SEQ_CST))
#define atomic_fetch_and(word, value) (step(), __c11_atomic_fetch_and(word, value, __ATOMIC_SEQ_CST))
#define atomic_compare_exchange_strong(word, old, value)                                                               \
    (step(), __c11_atomic_compare_exchange_strong(word, old, value, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
#define atomic_compare_exchange_weak(word, old, value) (atomic_compare_exchange_strong(word, old, value))

#include "base/parallel.c"

#endif
