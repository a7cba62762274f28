// Parallel loops: every index exactly once. `make test-c` builds this test twice: as plain loops, and with LI_THREADS
// under the thread sanitizer.
#include <string.h>

#include "base/parallel.h"
#include "check.h"
#include "helper_threads.h"

#define HELPERS 3

#ifdef LI_THREADS

static _Atomic uint32_t pieces_helped;

// Sometimes a thread yields in the middle of a piece, as on a busy machine.
static void note_piece(uint32_t first)
{
    if (is_helper && are_helpers_ending) pthread_exit(NULL);
    pieces_helped += is_helper;
    if (first % 16 == 0) sched_yield();
}

static bool enough_was_helped(void)
{
    return pieces_helped > 1000;
}

static int count_returned(void)
{
    return helpers_returned;
}

// The helper that ran the piece, as one bit.
static uint32_t which_helper(void)
{
    static _Atomic uint32_t last;
    static _Thread_local uint32_t mine;
    if (is_helper && !mine) mine = 1u << last++;
    return mine;
}

static const bool must_lose = true;

static void end_helpers(void)
{
    are_helpers_ending = true;
}

#else

static void note_piece(uint32_t first)
{
    (void)first;
}

static bool enough_was_helped(void)
{
    return true;
}

static int count_returned(void)
{
    return HELPERS - 1;
}

static uint32_t which_helper(void)
{
    return 1;
}

static const bool must_lose = false;

static void end_helpers(void)
{
}

#endif

#define LONGEST 3000u

// Not atomic on purpose: the thread sanitizer must find an index that two threads run, and results that the caller
// reads too early.
typedef struct tally {
    uint32_t loop;
    uint32_t *times; // (LONGEST) by index
} tally;

static void count_visits(const void *context, uint32_t first, uint32_t end)
{
    const tally *tally = context;
    note_piece(first);
    for (uint32_t i = first; i < end; i++) tally->times[i] += tally->loop;
}

static void run_loops(uint32_t loops)
{
    static uint32_t times[LONGEST], random = 1;
    for (uint32_t loop = 1; loop <= loops; loop++) {
        random = random * 1664525u + 1013904223u;
        uint32_t count = (random >> 8) % (loop % 64 ? 40 : LONGEST), size = 1 + (random >> 24) % 8, wrong = 0;
        tally tally = {loop, times};
        memset(times, 0, sizeof times);
        li_parallel_for(count, size, count_visits, &tally);
        for (uint32_t i = 0; i < LONGEST; i++) wrong += times[i] != (i < count ? loop : 0);
        CHECK_EQ(wrong, 0);
    }
}

static void test_every_index_is_visited_once(void)
{
    run_loops(100);
    start_helpers(HELPERS);
    run_loops((uint32_t)check_rounds(10000));
    for (int i = 0; i < 1000 && !enough_was_helped(); i++) run_loops(1000);
    CHECK(enough_was_helped());
}

static _Atomic uint32_t who_helped;

static void note_helper(const void *context, uint32_t first, uint32_t end)
{
    (void)context, (void)end;
    note_piece(first);
    who_helped |= which_helper();
}

// If one helper of three is wanted, the others return and this helper continues.
static void test_helpers_that_are_not_wanted_return(void)
{
#ifdef LI_THREADS
    li_parallel_use(1, false);
    run_loops(100);
    li_parallel_use(HELPERS + 1, false);
    run_loops(100);
    li_parallel_use(2, true);
#endif
    for (int i = 0; i < 100000 && count_returned() < HELPERS - 1; i++) run_loops(1);
    CHECK_EQ(count_returned(), HELPERS - 1);
    for (int i = 0; i < 100000 && !who_helped; i++) li_parallel_for(LONGEST, 1, note_helper, NULL);
    for (int i = 0; i < check_rounds(1000); i++) li_parallel_for(LONGEST, 1, note_helper, NULL);
    CHECK(who_helped == 1 || who_helped == 2 || who_helped == 4);
    run_loops(100);
    CHECK_EQ(count_returned(), HELPERS - 1);
}

static void do_nothing(const void *context, uint32_t first, uint32_t end)
{
    (void)context, (void)end;
    note_piece(first);
}

static void test_a_helper_that_ends_within_a_piece_is_lost(void)
{
    CHECK(!li_parallel_has_lost_helper());
    end_helpers();
    for (int i = 0; i < 1000000 && must_lose != li_parallel_has_lost_helper(); i++)
        li_parallel_for(LONGEST, 1, do_nothing, NULL);
    CHECK_EQ(must_lose, li_parallel_has_lost_helper());
    uint32_t times[1] = {0};
    li_parallel_for(1, 1, count_visits, &(tally){1, times});
    CHECK_EQ(times[0], !must_lose);
}

int main(void)
{
    test_every_index_is_visited_once();
    test_helpers_that_are_not_wanted_return();
    test_a_helper_that_ends_within_a_piece_is_lost();
    return check_done("parallel");
}
