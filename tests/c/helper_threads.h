// Starts helper threads in native builds with LI_THREADS; does nothing in other builds.
#ifndef HELPER_THREADS_H
#define HELPER_THREADS_H

#include "base/parallel.h"

#ifdef LI_THREADS

#include <pthread.h>
#include <sched.h>

extern _Thread_local bool is_helper;
extern _Atomic bool are_helpers_ending; // from now on a wait with a limit ends at once
extern _Atomic int helpers_returned;

void start_helpers(int count);

#else

static inline void start_helpers(int count)
{
    (void)count;
}

#endif

#endif
