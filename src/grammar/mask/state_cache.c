// The numbering of states, their transitions and their loops.
#include "grammar/mask/state_cache.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "grammar/core/json_escape.h"
#include "grammar/distinct/forget.h"
#include "grammar/json/constant_term.h"
#include "grammar/terms/char_runs.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/first_bytes.h"
#include "grammar/terms/proposal.h"
#include "grammar/terms/term.h"

enum { FIRST_STATES = 64, LONG_LIST = 256, MANY_PASSED = 2048, MANY_MISSES = 4 };
enum { STATE_COST = 4 }; // fuel for the transitions of a new state
#define EXTENT_UNASKED UINT32_MAX
#define EXTENT_UNKNOWN (UINT32_MAX - 1)

static bool make_room(li_walker *walker, uint32_t room)
{
    LI_ASSERT(room > walker->room);
    size_t size = sizeof *walker->states;
    li_state_entry *states = li_memory_resize(walker->states, walker->room * size, room * size);
    if (!states) return false;
    walker->states = states;
    walker->room = room;
    return true;
}

static bool add_block(li_walker *walker)
{
    LI_ASSERT(walker->count % LI_STATES_PER_BLOCK == 0 && walker->count + LI_STATES_PER_BLOCK <= walker->room);
    li_transitions *block = li_memory_alloc(LI_STATES_PER_BLOCK * sizeof *block);
    if (!block) return false;
    for (uint32_t i = 0; i < LI_STATES_PER_BLOCK; i++) {
        block[i].state = (li_state)(walker->count + i);
        walker->states[walker->count + i].transitions = &block[i];
    }
    return true;
}

// The next state; its transitions must have been begun.
static li_state add_state(li_walker *walker, li_term term)
{
    LI_ASSERT(walker->count < walker->room && walker->states[walker->count].transitions);
    LI_ASSERT(li_table_find(&walker->by_term, term) == LI_TABLE_NONE); // the term has no state yet
    li_state_entry *entry = &walker->states[walker->count];
    *entry = (li_state_entry){.term = term,
                              .transitions = entry->transitions,
                              .extent = {.shortest = EXTENT_UNASKED},
                              .stops = (uint8_t)li_stops_of(walker->grammar, term)};
    li_table_put(&walker->by_term, term, walker->count);
    return (li_state)walker->count++;
}

void li_walker_forget(li_walker *walker)
{
    li_table_forget(&walker->by_term);
    for (uint32_t state = LI_STATES_PER_BLOCK; state < walker->count; state += LI_STATES_PER_BLOCK)
        li_memory_free(walker->states[state].transitions);
    walker->count = 0;
    add_state(walker, LI_TERM_NOTHING);
    add_state(walker, LI_TERM_EMPTY);
}

bool li_walker_init(li_walker *walker, li_grammar *grammar, const li_vocabulary *vocabulary)
{
    *walker = (li_walker){.grammar = grammar, .vocabulary = vocabulary};
    walker->ends = li_memory_alloc((vocabulary->longest + 1) * sizeof *walker->ends);
    walker->above = li_memory_alloc((vocabulary->longest + 1) * sizeof *walker->above);
    walker->terms_above = li_memory_alloc((vocabulary->longest + 1) * sizeof *walker->terms_above);
    walker->lists_above = li_memory_alloc((vocabulary->longest + 1) * sizeof *walker->lists_above);
    if (!walker->ends || !walker->above || !walker->terms_above || !walker->lists_above ||
        !make_room(walker, FIRST_STATES) || !li_table_reserve(&walker->by_term, FIRST_STATES) || !add_block(walker))
        return false;
    li_walker_forget(walker);
    return true;
}

void li_walker_clear(li_walker *walker)
{
    for (uint32_t state = 0; state < walker->count; state += LI_STATES_PER_BLOCK)
        li_memory_free(walker->states[state].transitions);
    li_memory_free(walker->states);
    li_memory_free(walker->stopped.at);
    li_table_clear(&walker->by_term);
    li_memory_free(walker->ends);
    li_memory_free(walker->above);
    li_memory_free(walker->terms_above);
    li_memory_free(walker->lists_above);
}

void li_walker_tidy(li_walker *walker)
{
    if (walker->count > LI_STATES_KEPT) li_walker_forget(walker);
}

// Makes room for one more state. False: the grammar has failed.
static bool reserve(li_walker *walker)
{
    if (walker->count >= LI_STATE_LIMIT) {
        li_grammar_exceed(walker->grammar, LI_LIMIT_STATES);
        return false;
    }
    bool has_room = (walker->count < walker->room || make_room(walker, walker->room * 2)) &&
                    li_table_reserve(&walker->by_term, walker->count + 1);
    if (has_room && walker->count % LI_STATES_PER_BLOCK == 0) has_room = add_block(walker);
    if (!has_room) li_grammar_fail(walker->grammar, LI_ERROR_OUT_OF_MEMORY);
    return has_room;
}

// Sets the entries of four bytes at once: UNKNOWN (all bits set) for the bytes of the set, DEAD (no bits) for others.
static void begin_transitions(li_transitions *transitions, const uint32_t set[8])
{
    static const uint16_t quarters[16][4] = {
#define QUARTER(i) {(i)&1 ? 0xffff : 0, (i)&2 ? 0xffff : 0, (i)&4 ? 0xffff : 0, (i)&8 ? 0xffff : 0}
        QUARTER(0), QUARTER(1), QUARTER(2),  QUARTER(3),  QUARTER(4),  QUARTER(5),  QUARTER(6),  QUARTER(7),
        QUARTER(8), QUARTER(9), QUARTER(10), QUARTER(11), QUARTER(12), QUARTER(13), QUARTER(14), QUARTER(15)};
    for (uint32_t i = 0; i < 64; i++) memcpy(transitions->next + 4 * i, quarters[set[i / 8] >> 4 * (i % 8) & 15], 8);
}

li_state li_state_of(li_walker *walker, li_term term)
{
    term = li_forget(walker->grammar, term, false);
    uint32_t known = li_table_find(&walker->by_term, term);
    if (known != LI_TABLE_NONE) return (li_state)known;
    uint32_t set[8] = {0};
    li_first_bytes(walker->grammar, term, set);
    for (uint32_t i = 0; i < STATE_COST; i++) li_grammar_spend(walker->grammar);
    if (walker->grammar->status != LI_OK || !reserve(walker)) return LI_STATE_DEAD;
    begin_transitions(walker->states[walker->count].transitions, set);
    return add_state(walker, term);
}

static li_state derive(li_walker *walker, li_state state, uint8_t byte)
{
    LI_ASSERT(state < walker->count);
    li_term term = li_derive(walker->grammar, walker->states[state].term, byte);
    return li_state_of(walker, li_proposed(walker->grammar, term));
}

// Fills in the unknown transitions of a state: those of ASCII, or all others, which continue or begin longer
// characters.
static void resolve_alike(li_walker *walker, li_state state, bool is_ascii)
{
    li_byte_classes classes = {.grammar = walker->grammar, .has_leads = !is_ascii};
    li_state by_class[256], *next_states = walker->states[state].transitions->next;
    uint32_t low = is_ascii ? 0 : 128, high = low + 128;
    if (!li_find_alike(&classes, walker->states[state].term)) return;
    memset(by_class, 0xff, sizeof by_class); // UNKNOWN
    for (uint32_t byte = low; byte < high; byte++)
        if (next_states[byte] != LI_STATE_UNKNOWN && next_states[byte] != LI_STATE_DEAD)
            by_class[classes.of[byte]] = next_states[byte];
    for (uint32_t byte = low; byte < high && walker->grammar->status == LI_OK; byte++) {
        if (next_states[byte] != LI_STATE_UNKNOWN) continue;
        li_state *next = &by_class[classes.of[byte]];
        if (*next == LI_STATE_UNKNOWN) *next = derive(walker, state, (uint8_t)byte);
        if (walker->grammar->status == LI_OK) next_states[byte] = *next;
    }
}

li_state li_state_resolve(li_walker *walker, li_transitions *transitions, uint8_t byte)
{
    LI_ASSERT(transitions->state < walker->count && transitions->next[byte] == LI_STATE_UNKNOWN);
    li_state_entry *entry = &walker->states[transitions->state];
    if (++entry->misses == MANY_MISSES) {
        entry->misses = 0;
        resolve_alike(walker, transitions->state, byte < 128);
        if (transitions->next[byte] != LI_STATE_UNKNOWN) return transitions->next[byte];
    }
    li_state next = derive(walker, transitions->state, byte);
    if (walker->grammar->status != LI_OK) return LI_STATE_DEAD;
    return transitions->next[byte] = next;
}

// Loops of the term at the front are loops of the state, unless the front may end, as free text between calls may.
static uint32_t find_loops(li_walker *walker, li_state state)
{
    li_grammar *grammar = walker->grammar;
    li_term term = walker->states[state].term;
    bool is_regular = li_term_flags(grammar, term) & LI_FLAG_REGULAR;
    li_kind kind = li_term_kind(grammar, term);
    li_term head = kind == LI_KIND_SEQUENCE ? li_term_payload(grammar, term)->sequence.head : LI_TERM_EMPTY;
    if (!is_regular && kind == LI_KIND_SEQUENCE && !li_term_is_nullable(grammar, head)) {
        li_state front = li_state_of(walker, head);
        uint32_t loops = li_state_loops(walker, front, MANY_PASSED);
        walker->states[state].span = walker->states[front].span; // a run may have been seen there, of fewer nodes
        return loops;
    }
    bool may_return = kind == LI_KIND_QUOTED || kind == LI_KIND_SEQUENCE || kind == LI_KIND_CHOICE;
    if (!is_regular && (!may_return || walker->states[state].stops)) return 0;
    uint32_t loops = LI_ASCII_CLASSES;
    for (uint32_t byte = 0; byte < 128; byte++) {
        uint32_t bit = 1u << walker->vocabulary->classes[byte];
        if (loops & bit && li_state_next(walker, state, (uint8_t)byte) != state) loops &= ~bit;
    }
    return loops;
}

// From the structure of the term, without derivatives.
static uint32_t find_run(li_walker *walker, li_state state)
{
    li_run run = li_run_of(walker->grammar, walker->states[state].term);
    uint32_t lost = 0;
    if (!(run.beyond & LI_RUN_E2)) lost |= 1u << LI_CLASS_E2;
    if (!(run.beyond & LI_RUN_BEYOND)) lost |= 1u << LI_CLASS_BEYOND;
    for (uint32_t byte = 0; byte < 128; byte++)
        if (!(run.ascii[byte / 32] >> byte % 32 & 1)) lost |= 1u << walker->vocabulary->classes[byte];
    bool is_any = run.most == LI_NO_LIMIT;
    walker->states[state].span = (uint8_t)(is_any                       ? LI_SPAN_ANY
                                           : run.most < LI_SPAN_COUNTED ? run.most
                                                                        : LI_SPAN_COUNTED);
    return ~lost;
}

uint32_t li_state_find_loops(li_walker *walker, li_state state, uint32_t size)
{
    LI_ASSERT(!(walker->states[state].flags & LI_STATE_LOOPS));
    // Until the loops are known, the field counts the nodes that loops could have skipped.
    li_state_entry *entry = &walker->states[state];
    if (entry->loops == 0) {
        uint32_t loops = find_run(walker, state);
        if (loops) {
            entry->flags |= LI_STATE_LOOPS | LI_STATE_RUN;
            return entry->loops = loops;
        }
        entry->span = LI_SPAN_ANY;
    }
    entry->loops += size;
    // The search takes as many derivatives as a walk through many nodes.
    if (entry->loops < MANY_PASSED) return 0;
    entry->flags |= LI_STATE_LOOPS;
    uint32_t loops = find_loops(walker, state) & LI_ASCII_CLASSES; // may move the states
    return walker->states[state].loops = loops;
}

bool li_state_extent(li_walker *walker, li_state state, li_extent *extent)
{
    LI_ASSERT(li_term_kind(walker->grammar, walker->states[state].term) == LI_KIND_QUOTED);
    li_extent *kept = &walker->states[state].extent;
    if (kept->shortest == EXTENT_UNASKED) {
        li_term inner = li_term_payload(walker->grammar, walker->states[state].term)->quoted.text;
        if (!li_extent_of(walker->grammar, inner, kept)) kept->shortest = EXTENT_UNKNOWN;
    }
    *extent = *kept;
    return kept->shortest != EXTENT_UNKNOWN;
}

bool li_is_long_list(const li_grammar *grammar, li_term term, li_string_range *range)
{
    if (li_term_kind(grammar, term) == LI_KIND_SEQUENCE) term = li_term_payload(grammar, term)->sequence.head;
    const li_payload *of = li_term_payload(grammar, term);
    li_kind kind = li_term_kind(grammar, term);
    li_term list = term, direct = LI_TERM_NOTHING;
    if (kind == LI_KIND_QUOTED) list = of->quoted.text;
    if (kind == LI_KIND_CONSTANT_TEXT) list = of->constant_text.texts;
    if (kind == LI_KIND_QUOTED && of->quoted.escape == LI_ESCAPE_NONE) direct = list;
    if (kind == LI_KIND_CONSTANT_TEXT) direct = li_constant_text_left(grammar, term);
    if (li_term_kind(grammar, list) != LI_KIND_STRINGS) return false;
    *range = li_strings_range(grammar, list);
    bool is_long = range->end - range->first > LONG_LIST;
    if (direct == LI_TERM_NOTHING) range->end = range->first;
    return is_long;
}
