// Loops of base/parallel.c with random delays before its atomic steps, so that threads meet in rare orders. Natively
// with pthreads, and as a WebAssembly module that tests/vectors/parallel-stress.js runs.
#include <stdatomic.h>
#include <stdint.h>

#define POLLS 30u
#define STEP  INT64_C(100000000) // ns

// Mostly nothing, sometimes a delay of up to some microseconds, which is how long the polls take.
static void step(void)
{
    static _Atomic uint32_t steps;
    uint32_t random = __c11_atomic_fetch_add(&steps, 1, __ATOMIC_RELAXED) * 2654435761u;
    random ^= random >> 15;
    if (random % 8) return;
    for (volatile uint32_t rest = random >> 8 & 1023; rest; rest--) {
    }
}

// Waits that ran into their limit: all of them, and those whose word had changed, so that somebody forgot to wake.
static _Atomic uint32_t slow_waits, lost_wakes, wakes;

static void pause_a_step(void);

// On a busy machine a wake may come long after its change, so the first loss is counted only after ten seconds.
static void note_wait(const _Atomic uint32_t *word, uint32_t value, uint32_t wakes_before)
{
    __c11_atomic_fetch_add(&slow_waits, 1, __ATOMIC_RELAXED);
    if (*word == value) return;
    for (uint32_t steps = 0; steps < 100 && !lost_wakes; steps++) {
        if (wakes != wakes_before) return;
        pause_a_step();
    }
    __c11_atomic_fetch_add(&lost_wakes, 1, __ATOMIC_RELAXED);
}

#ifdef __wasm__

static void pause_a_step(void)
{
    static int idle;
    (void)__builtin_wasm_memory_atomic_wait32(&idle, 0, STEP);
}

static int wait_and_note(int *address, int value, int64_t limit)
{
    const uint32_t wakes_before = wakes;
    int found = __builtin_wasm_memory_atomic_wait32(address, value, limit);
    if (found == 2) note_wait((_Atomic uint32_t *)address, (uint32_t)value, wakes_before);
    return found;
}

static void count_and_wake(int *address, uint32_t count)
{
    __c11_atomic_fetch_add(&wakes, 1, __ATOMIC_RELAXED);
    (void)__builtin_wasm_memory_atomic_notify(address, count);
}
#define __builtin_wasm_memory_atomic_wait32 wait_and_note
#define __builtin_wasm_memory_atomic_notify count_and_wake

#endif

#include "parallel_steps.h"

enum { INDICES = 24 };

static uint32_t visits[INDICES], wrong_loops, helped_loops;

static void visit(const void *context, uint32_t first, uint32_t end)
{
    (void)context;
    for (uint32_t i = 0; i < 8; i++) step();
    for (uint32_t i = first; i < end; i++) visits[i]++;
}

// Loops whose indices were not visited once each when the loop returned.
static uint32_t run_loops(uint32_t loops)
{
    for (uint32_t loop = 0; loop < loops; loop++) {
        const uint32_t count = 2 + loop * 7 % (INDICES - 1);
        for (uint32_t i = 0; i < INDICES; i++) visits[i] = 0;
        if (loop % 8 == 0)
            li_parallel_use(3, false); // wakes the helpers, which loops as short as these would let sleep
        li_parallel_for(count, 1, visit, 0);
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < INDICES; i++) wrong |= visits[i] != (i < count);
        wrong_loops += wrong;
        helped_loops += pieces_helped >= ONE_MORE;
    }
    return wrong_loops;
}

#ifdef __wasm__

// What the page or Node calls: loops that went wrong and that helpers shared, lost wakes, waits of more than 100 ms.
uint32_t stress_loops(uint32_t loops);
uint32_t stress_helped_loops(void);
uint32_t stress_lost_wakes(void);
uint32_t stress_slow_waits(void);
unsigned char *stress_stack(uint32_t helper); // its end, of 16 KB

uint32_t stress_loops(uint32_t loops)
{
    return run_loops(loops);
}

uint32_t stress_helped_loops(void)
{
    return helped_loops;
}

uint32_t stress_lost_wakes(void)
{
    return lost_wakes;
}

uint32_t stress_slow_waits(void)
{
    return slow_waits;
}

unsigned char *stress_stack(uint32_t helper)
{
    static _Alignas(64) unsigned char stacks[2][1 << 14];
    return stacks[helper % 2] + sizeof stacks[0];
}

#else

#include <pthread.h>

#include "check.h"
#include "futex.h"

static void pause_a_step(void)
{
    static _Atomic uint32_t idle;
    (void)futex_wait(&idle, 0, STEP);
}

bool li_thread_wait(_Atomic uint32_t *word, uint32_t value, int64_t limit)
{
    const uint32_t wakes_before = wakes;
    const bool is_in_time = futex_wait(word, value, limit < 0 ? INT64_MAX : limit);
    if (!is_in_time) note_wait(word, value, wakes_before);
    return is_in_time;
}

void li_thread_wake(_Atomic uint32_t *word)
{
    __c11_atomic_fetch_add(&wakes, 1, __ATOMIC_RELAXED);
    futex_wake(word);
}

static void *help(void *unused)
{
    li_parallel_help();
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) CHECK_EQ(pthread_create(&threads[i], NULL, help, NULL), 0);
    CHECK_EQ(run_loops((uint32_t)check_rounds(3000000)), 0);
    CHECK_EQ(lost_wakes, 0);
    CHECK_GT(helped_loops, 0);
    printf("parallel_stress: %u loops shared, %u waits of more than 100 ms\n", helped_loops, slow_waits);
    li_parallel_use(1, true);
    for (int i = 0; i < 2; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
    return check_done("parallel_stress");
}

#endif
