// Starts helper threads in native builds with LI_THREADS; does nothing in other builds.
#ifndef HELPER_THREADS_H
#define HELPER_THREADS_H

#include "base/parallel.h"

#ifdef LI_THREADS

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;

static _Thread_local bool is_helper;
static _Atomic bool are_helpers_ending;
static _Atomic int helpers_returned;

bool li_thread_wait(_Atomic uint32_t *word, uint32_t value, int64_t limit)
{
    // No limit while helpers live: on a busy machine they may take any time.
    if (limit >= 0 && are_helpers_ending) {
        sched_yield();
        return false;
    }
    pthread_mutex_lock(&mutex);
    if (atomic_load(word) == value) pthread_cond_wait(&woken, &mutex);
    pthread_mutex_unlock(&mutex);
    return true;
}

void li_thread_wake(_Atomic uint32_t *word)
{
    (void)word;
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&woken);
    pthread_mutex_unlock(&mutex);
}

static void *help(void *unused)
{
    (void)unused;
    is_helper = true;
    li_parallel_help();
    helpers_returned++;
    return NULL;
}

static inline void start_helpers(int count)
{
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, help, NULL) == 0) pthread_detach(thread);
    }
}

#else

static inline void start_helpers(int count)
{
    (void)count;
}

#endif

#endif
