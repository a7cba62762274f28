// Native waiting for base/parallel.c: Linux's futex does what WebAssembly's memory.atomic.wait32 does.
#ifndef FUTEX_H
#define FUTEX_H

#include <errno.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Sleeps while *word equals `value`, or returns early. False: `limit` nanoseconds went by.
static inline bool futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t limit)
{
    const struct timespec time = {limit / 1000000000, limit % 1000000000};
    return syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &time, NULL, 0) == 0 || errno != ETIMEDOUT;
}

static inline void futex_wake(_Atomic uint32_t *word)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

#endif
