/* How the threads of src/base/parallel.c sleep and wake, for the model checker Spin (`make test-spin`). A statement is an
atomic step of the C code, under the names that it has there; a variable that is not read again becomes 0, so that it
tells no states apart. Spin tries every order of the steps of a caller and two helpers that start at any time. No wait
has a time limit here, so a lost wake-up ends in a state where the caller stands.

CALLER says what the caller does. With FLAG_BESIDE the flags stand in words of their own, as they once did: there Spin
must find the fault. */

#define CALL_AND_END 1
#define CALL_AND_LEAVE 2
#define LOSE_A_HELPER 3
#define OTHER_NUMBERS 4

#define SLEEPS 1
#define is_same_count(word, other) ((word | SLEEPS) == (other | SLEEPS))

byte pieces_left, pieces_helped, generation, helpers, helpers_wanted = 6;
byte loop, visits; /* the current loop: its number, and the pieces that have run */
byte on_pieces, on_generation, on_wanted; /* who waits on a word: 1 the caller, 2 and 4 the helpers */
bool caller_asleep, helpers_asleep; /* of FLAG_BESIDE */
bool has_ended, has_returned[2], must_go[2];

inline thread_wait(word, value, waiting, who) {
    atomic { if :: word == value -> waiting = waiting | who :: else fi }
    !(waiting & who)
}

/* Adds to the count of a word. `is_asleep`: whether somebody may sleep on the word. */
inline add(word, count, flag) {
#ifdef FLAG_BESIDE
    word = word + 2 * (count);
    is_asleep = flag
#else
    atomic { is_asleep = word & SLEEPS; word = word + 2 * (count) }
#endif
}

/* wait_for_pieces and wait_for_loop. The first sets the flag only once: again it would change nothing. */
inline wait_for_change(word, seen, flag, waiting, who) {
#ifdef FLAG_BESIDE
    if :: word == seen -> flag = true :: else fi;
    do
    :: word == seen -> thread_wait(word, seen, waiting, who)
    :: word != seen -> break
    od
#else
    do
    :: atomic { is_same_count(word, seen) -> if :: word == (seen & ~SLEEPS) -> word = seen | SLEEPS :: else fi }
        thread_wait(word, (seen | SLEEPS), waiting, who)
    :: !is_same_count(word, seen) -> break
    od
#endif
}

inline wake_helpers() {
#ifdef FLAG_BESIDE
    atomic { is_asleep = helpers_asleep; helpers_asleep = false }
    if :: is_asleep -> atomic { on_generation = 0; is_asleep = false } :: else fi
#else
    atomic { generation = generation & ~SLEEPS; is_asleep = false }
    on_generation = 0
#endif
}

inline wake_caller() {
#ifdef FLAG_BESIDE
    atomic { is_asleep = caller_asleep; caller_asleep = false }
    if :: is_asleep -> atomic { on_pieces = 0; is_asleep = false } :: else fi
#else
    atomic { on_pieces = 0; is_asleep = false }
#endif
}

/* Where the exchange fails, `left` is what the word holds. */
inline run_pieces() {
    left = pieces_left;
    do
    :: left == 0 -> break
    :: left > 0 ->
        atomic {
            if :: pieces_left == left -> pieces_left = left - 1; mine++; at = loop :: else fi;
            left = pieces_left
        }
    od
}

/* The pieces that a thread took run before it counts them. None may run after its loop has returned. */
inline note_visits() {
    assert(!mine || at == loop);
    visits = visits + mine;
    at = 0
}

inline parallel_for(pieces) {
    atomic { loop++; visits = 0; pieces_helped = 0 }
    pieces_left = pieces;
    add(generation, 1, helpers_asleep);
    if
    :: is_asleep -> if :: wake_helpers() :: atomic { true -> is_asleep = false } fi /* whether it is worth waking */
    :: else
    fi;
    run_pieces();
    atomic { note_visits() }
    do
    :: helped = pieces_helped;
        if
        :: is_same_count(helped, 2 * (pieces - mine)) -> break
        :: else -> wait_for_change(pieces_helped, helped, caller_asleep, on_pieces, 1)
        fi
    od;
    atomic { assert(visits == pieces && pieces_left == 0); loop++; mine = 0; helped = 0 }
}

inline parallel_use(threads, is_final) {
    helpers_wanted = 2 * (threads - 1) + is_final;
    on_wanted = 0;
    add(generation, 1, helpers_asleep);
    if :: is_asleep -> wake_helpers() :: else fi
}

active proctype caller() {
    byte mine, left, helped, at;
    bool is_asleep;
#if CALLER == CALL_AND_END
    parallel_for(2);
    parallel_for(3);
    parallel_for(2);
    parallel_use(1, 1);
#elif CALLER == CALL_AND_LEAVE
    parallel_for(2);
    parallel_for(3);
    parallel_for(2);
#elif CALLER == LOSE_A_HELPER
    parallel_for(2);
    must_go[0] = true;
    parallel_for(3);
    parallel_for(2);
#elif CALLER == OTHER_NUMBERS
    parallel_use(1, 0);
    parallel_for(2);
    parallel_use(3, 0);
    parallel_for(2);
    parallel_use(2, 1);
    parallel_for(2);
#endif
    has_ended = true
}

active [2] proctype helper() {
    byte mine, left, seen, wanted, number, at;
    bool is_asleep;
    {
        atomic { number = helpers; helpers++ }
        do
        :: seen = generation;
            do
            :: wanted = helpers_wanted;
                if
                :: number < wanted / 2 -> wanted = 0; break
                :: number >= wanted / 2 && wanted % 2 -> goto returned
                :: else -> thread_wait(helpers_wanted, wanted, on_wanted, 1 << _pid)
                fi
            od;
            run_pieces();
            if
            :: mine ->
                atomic { note_visits() }
                add(pieces_helped, mine, caller_asleep);
                mine = 0;
                if :: is_asleep -> wake_caller() :: else fi
            :: else
            fi;
            wait_for_change(generation, seen, helpers_asleep, on_generation, 1 << _pid);
            seen = 0
        od;
returned:
        has_returned[_pid - 1] = true
    } unless { must_go[_pid - 1] }
}

/* Judges the states in which nobody can go on. Whoever sleeps then must be one that the next loop can wake. */
active proctype judge() {
    timeout -> atomic {
        assert(has_ended);
#ifdef FLAG_BESIDE
        assert(helpers_asleep || !(on_generation & (must_go[0] -> 4 : 6)));
#else
        assert(generation & SLEEPS || !(on_generation & (must_go[0] -> 4 : 6)));
#endif
#if CALLER == CALL_AND_END
        assert(has_returned[0] && has_returned[1])
#elif CALLER == OTHER_NUMBERS
        assert(has_returned[0] != has_returned[1])
#endif
    }
}
