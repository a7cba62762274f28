// How native tests wait, and the helpers that they start.
#include "helper_threads.h"

#include <execinfo.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "futex.h"

_Thread_local bool is_helper;
_Atomic bool are_helpers_ending;
_Atomic int helpers_returned;

// The caller's wait has a limit. While helpers live it is a minute, since they may be slow on a busy machine. After
// that minute the test has hung, so it prints the caller's stack and aborts.
bool li_thread_wait(_Atomic uint32_t *word, uint32_t value, int64_t limit)
{
    if (limit < 0) return futex_wait(word, value, INT64_MAX);
    if (are_helpers_ending) {
        sched_yield();
        return false;
    }
    if (futex_wait(word, value, INT64_C(60000000000))) return true;
    void *stack[64];
    printf("FAILED: a wait of a minute for %u to change, which is %u\n", value, atomic_load(word));
    fflush(stdout);
    backtrace_symbols_fd(stack, backtrace(stack, 64), STDOUT_FILENO);
    abort();
}

void li_thread_wake(_Atomic uint32_t *word)
{
    futex_wake(word);
}

static void *help(void *unused)
{
    (void)unused;
    is_helper = true;
    li_parallel_help();
    helpers_returned++;
    return NULL;
}

void start_helpers(int count)
{
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, help, NULL) == 0) pthread_detach(thread);
    }
}
