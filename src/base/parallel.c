// The calling thread never waits for a helper to start: the caller runs pieces until none are left, and then waits only
// for pieces that helpers have begun. Helpers that sleep or are suspended cost no time.
#include "base/parallel.h"

#include "base/assert.h"

#ifndef LI_THREADS

void li_parallel_for(uint32_t count, uint32_t size, li_piece *piece, const void *context)
{
    (void)size;
    LI_ASSERT(size && piece);
    if (count) piece(context, 0, count);
}

#else

#include <stdatomic.h>
#include <stdbool.h>

#ifdef __wasm__

static bool wait_for_wake(_Atomic uint32_t *word, uint32_t value, int64_t limit)
{
    enum { OK, NOT_EQUAL, TIMED_OUT };
    return __builtin_wasm_memory_atomic_wait32((int *)word, (int)value, limit) != TIMED_OUT;
}

// Through a pointer, so that no compiler merges the wait into its callers: the baseline compiler of V8 11.3 (Node 20)
// loses what the expression around memory.atomic.wait32 has set before, such as a count of waits.
static bool (*volatile li_thread_wait)(_Atomic uint32_t *word, uint32_t value, int64_t limit) = wait_for_wake;

static void li_thread_wake(_Atomic uint32_t *word)
{
    __builtin_wasm_memory_atomic_notify((int *)word, UINT32_MAX);
}

#endif

// How often a thread polls before it sleeps: 26 microseconds on a core of 3 GHz. That is longer than the time between
// two products of a forward pass, and short on a machine whose cores are all busy.
#ifndef POLLS
#define POLLS 100000u
#endif

// How many steps the caller waits for a helper that has begun a piece. A piece takes microseconds, or seconds for very
// long contexts. If the whole machine slept meanwhile, that time counts as one step.
#define PATIENCE 30u
#ifndef STEP
#define STEP INT64_C(1000000000) // ns
#endif

// How threads sleep. The caller sleeps on `pieces_helped`, helpers sleep on `generation`. Both words are counts times
// two, and bit 0 is a flag: somebody may sleep on this word.
//   Sleeper: sets the flag by a compare-and-exchange from the count that it has seen, then waits while the word is that
//            count with the flag. If the word has changed, one of the two steps fails and the sleeper looks again.
//   Waker:   changes the count in one atomic step, which returns the old word. If the old word has the flag, it wakes.
// So a change either comes before the flag is set and is seen, or finds the flag and wakes. A flag in a separate word
// would break this: a helper that pauses between its change and its look at the flag may take the flag of a later loop,
// and then nobody wakes that loop's caller. A late wake is harmless: the sleeper looks at the count and sleeps again.
// `pieces_helped` loses its flag when a loop starts, `generation` just before its sleepers are woken.
// tests/spin/parallel.pml models these steps and tries them in every order; tests/c/parallel_stress.c runs this code
// with random delays between them.
#define SLEEPS         1u
#define ONE_MORE       2u // what a count grows by

static bool is_same_count(uint32_t word, uint32_t other)
{
    return (word | SLEEPS) == (other | SLEEPS);
}

// A thread that lowers `pieces_left` has taken pieces of the current loop. Only then may the thread read the job: the
// caller starts no other job before these pieces are counted as done.
static _Alignas(64) struct {
    uint32_t count, size, pieces;
    li_piece *piece;
    const void *context;
} job;

// Each variable has a cache line of its own: different threads change them at different times.
static _Alignas(64) _Atomic uint32_t pieces_left;
static _Alignas(64) _Atomic uint32_t pieces_helped; // count of the pieces of this job that helpers have done; flag
static _Alignas(64) _Atomic uint32_t generation;    // count of the loops; flag
static _Alignas(64) _Atomic uint32_t helpers;       // that have entered li_parallel_help

// The number of helpers that share the loops, times two, plus one if the other helpers must return.
static _Atomic uint32_t helpers_wanted = UINT32_MAX - 1;

// When n pieces are left, a thread takes n / `share` at once, or one. So threads seldom contend for pieces, all end at
// about the same time, and a slow core takes fewer pieces.
static _Alignas(64) _Atomic uint32_t share = 1;

// Runs pieces until none are left. Returns the number it ran.
static uint32_t run_pieces(void)
{
    for (uint32_t found = 0, taken;; found += taken) {
        const uint32_t parts = atomic_load_explicit(&share, memory_order_relaxed);
        uint32_t left = atomic_load(&pieces_left);
        do {
            if (!left) return found;
            taken = left < parts ? 1 : left / parts;
        } while (!atomic_compare_exchange_weak(&pieces_left, &left, left - taken));
        const uint32_t first = (job.pieces - left) * job.size;
        LI_ASSERT(left <= job.pieces && taken && taken <= left && first < job.count);
        job.piece(job.context, first, taken == left ? job.count : first + taken * job.size);
    }
}

// Polls until the count of *word differs from that of `seen`. False: it still does not.
static bool has_changed_soon(_Atomic uint32_t *word, uint32_t seen)
{
    for (uint32_t i = 0; i < POLLS; i++)
        if (!is_same_count(atomic_load_explicit(word, memory_order_acquire), seen)) return true;
    return false;
}

static void set_flag(_Atomic uint32_t *word, uint32_t seen)
{
    uint32_t awake = seen & ~SLEEPS;
    (void)atomic_compare_exchange_strong(word, &awake, seen | SLEEPS);
}

// The caller waits until helpers have done more pieces than it has seen. The flag stays until the next loop. False:
// helpers did nothing for PATIENCE steps.
static bool wait_for_pieces(uint32_t seen)
{
    if (has_changed_soon(&pieces_helped, seen)) return true;
    set_flag(&pieces_helped, seen);
    for (uint32_t steps = 0; is_same_count(atomic_load(&pieces_helped), seen);) {
        bool is_woken = li_thread_wait(&pieces_helped, seen | SLEEPS, STEP);
        if (!is_woken && ++steps == PATIENCE) return false;
    }
    return true;
}

// A helper waits for a loop that it has not seen. A late wake for an older loop may have taken the flag.
static void wait_for_loop(uint32_t seen)
{
    if (has_changed_soon(&generation, seen)) return;
    while (is_same_count(atomic_load(&generation), seen)) {
        set_flag(&generation, seen);
        (void)li_thread_wait(&generation, seen | SLEEPS, -1);
    }
}

static void wake_helpers(void)
{
    atomic_fetch_and(&generation, ~SLEEPS);
    li_thread_wake(&generation);
}

// Waking a thread is slow, and on a busy machine the thread may take the caller's core. So the caller backs off: each
// time helpers went back to sleep after a few loops, it lets twice as many loops pass before it wakes them again.
#define LOOPS_THAT_PAY 3u
#define LOOPS_AT_MOST  255u
static uint32_t loops_helped, loops_to_pass, loops_passed_last; // since the last waking; only the caller uses them

static bool is_worth_waking(void)
{
    if (loops_to_pass) {
        loops_to_pass--;
        return false;
    }
    bool has_paid = loops_helped >= LOOPS_THAT_PAY;
    loops_passed_last = has_paid ? 0 : loops_passed_last < LOOPS_AT_MOST ? 2 * loops_passed_last + 1 : LOOPS_AT_MOST;
    loops_to_pass = loops_passed_last;
    loops_helped = 0;
    return true;
}

static bool has_lost_helper; // only the caller uses it

bool li_parallel_has_lost_helper(void)
{
    return has_lost_helper;
}

void li_parallel_for(uint32_t count, uint32_t size, li_piece *piece, const void *context)
{
    // A lost helper may still write to its old loop, so no other loop may run beside it.
    if (has_lost_helper) return;
    LI_ASSERT(size && piece);
    LI_ASSERT(atomic_load(&pieces_left) == 0); // the previous loop has ended
    const uint32_t wanted = atomic_load(&helpers_wanted) / 2, here = atomic_load(&helpers);
    const uint32_t pieces = count / size + (count % size != 0), threads = 1 + (here < wanted ? here : wanted);
    if (pieces < 2 || threads < 2) {
        if (count) piece(context, 0, count);
        return;
    }
    job.count = count;
    job.size = size;
    job.pieces = pieces;
    job.piece = piece;
    job.context = context;
    atomic_store_explicit(&share, 2 * threads, memory_order_relaxed);
    atomic_store(&pieces_helped, 0);
    atomic_store(&pieces_left, pieces);
    const bool do_helpers_sleep = atomic_fetch_add(&generation, ONE_MORE) & SLEEPS;
    if (do_helpers_sleep && is_worth_waking()) wake_helpers();
    const uint32_t mine = run_pieces(), all = (pieces - mine) * ONE_MORE;
    LI_ASSERT(mine <= pieces);
    loops_helped += mine < pieces;
    for (uint32_t helped; !is_same_count(helped = atomic_load(&pieces_helped), all) && !has_lost_helper;)
        has_lost_helper = !wait_for_pieces(helped);
}

void li_parallel_use(uint32_t threads, uint32_t is_final)
{
    LI_ASSERT(threads);
    LI_ASSERT(has_lost_helper || atomic_load(&pieces_left) == 0); // no loop runs
    atomic_store(&helpers_wanted, 2 * (threads - 1) + (is_final != 0));
    li_thread_wake(&helpers_wanted);
    // Helpers that were wanted until now sleep on `generation`.
    if (atomic_fetch_add(&generation, ONE_MORE) & SLEEPS) wake_helpers();
    loops_to_pass = loops_passed_last = 0;
}

// Sleeps while the helper with this number is not wanted. False: the helper must return.
static bool wait_until_wanted(uint32_t number)
{
    uint32_t wanted;
    while (number >= (wanted = atomic_load(&helpers_wanted)) / 2) {
        if (wanted % 2) return false;
        (void)li_thread_wait(&helpers_wanted, wanted, -1);
    }
    return true;
}

void li_parallel_help(void)
{
    const uint32_t number = atomic_fetch_add(&helpers, 1);
    for (;;) {
        const uint32_t seen = atomic_load(&generation);
        if (!wait_until_wanted(number)) return;
        const uint32_t mine = run_pieces();
        if (mine && atomic_fetch_add(&pieces_helped, mine * ONE_MORE) & SLEEPS) li_thread_wake(&pieces_helped);
        wait_for_loop(seen);
    }
}

#endif
