// The walk, and the numbering of states.
#include "grammar/mask/state_cache.h"

#include <string.h>

#include "base/memory.h"
#include "grammar/json/forget.h"
#include "grammar/terms/char_runs.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/first_bytes.h"
#include "grammar/terms/proposal.h"
#include "grammar/terms/term.h"

enum { FIRST_STATES = 64, LONG_LIST = 256, MANY_PASSED = 2048 };
#define EXTENT_UNASKED UINT32_MAX
#define EXTENT_UNKNOWN (UINT32_MAX - 1)

static bool make_room(li_walker *walker, uint32_t room)
{
    li_term *terms = li_memory_resize(walker->terms, walker->room * sizeof *terms, room * sizeof *terms);
    if (!terms) return false;
    walker->terms = terms;
    uint16_t *notes = li_memory_resize(walker->notes, walker->room * sizeof *notes, room * sizeof *notes);
    if (!notes) return false;
    walker->notes = notes;
    uint32_t *loops = li_memory_resize(walker->loops, walker->room * sizeof *loops, room * sizeof *loops);
    if (!loops) return false;
    walker->loops = loops;
    uint8_t *spans = li_memory_resize(walker->spans, walker->room, room);
    if (!spans) return false;
    walker->spans = spans;
    li_extent *extents = li_memory_resize(walker->extents, walker->room * sizeof *extents, room * sizeof *extents);
    if (!extents) return false;
    walker->extents = extents;
    uint8_t *marks = li_memory_resize(walker->marks, walker->room, room);
    if (!marks) return false;
    walker->marks = marks;
    li_state **rows = li_memory_resize(walker->rows, walker->room * sizeof *rows, room * sizeof *rows);
    if (!rows) return false;
    walker->rows = rows;
    uint32_t *slots = li_memory_alloc(2 * room * sizeof *slots);
    if (!slots) return false;
    li_memory_free(walker->slots);
    walker->slots = slots;
    walker->slot_count = 2 * room;
    walker->room = room;
    return true;
}

// Each row begins with the number of its state.
enum { ROW_SIZE = 257 };

static bool add_block(li_walker *walker)
{
    li_state *block = li_memory_alloc(LI_STATES_PER_BLOCK * ROW_SIZE * sizeof *block);
    if (!block) return false;
    for (uint32_t i = 0; i < LI_STATES_PER_BLOCK; i++) {
        block[i * ROW_SIZE] = (li_state)(walker->count + i);
        walker->rows[walker->count + i] = block + i * ROW_SIZE + 1;
    }
    return true;
}

static uint32_t slot_of(const li_walker *walker, li_term term)
{
    uint32_t slot = (term * 0x9e3779b1u >> 7) & (walker->slot_count - 1);
    while (walker->slots[slot] && walker->terms[walker->slots[slot] - 1] != term)
        slot = (slot + 1) & (walker->slot_count - 1);
    return slot;
}

void li_walker_forget(li_walker *walker)
{
    memset(walker->slots, 0, walker->slot_count * sizeof *walker->slots);
    for (uint32_t state = LI_STATES_PER_BLOCK; state < walker->count; state += LI_STATES_PER_BLOCK)
        li_memory_free(walker->rows[state] - 1);
    memset(walker->notes, 0, walker->count * sizeof *walker->notes);
    walker->terms[LI_STATE_DEAD] = LI_TERM_NOTHING;
    walker->terms[LI_STATE_EMPTY] = LI_TERM_EMPTY;
    walker->marks[LI_STATE_DEAD] = walker->marks[LI_STATE_EMPTY] = 0;
    for (uint32_t state = 0; state < 2; state++) walker->slots[slot_of(walker, walker->terms[state])] = state + 1;
    walker->count = 2;
}

bool li_walker_init(li_walker *walker, li_grammar *grammar, const li_vocabulary *vocabulary)
{
    *walker = (li_walker){.grammar = grammar, .vocabulary = vocabulary};
    walker->ends = li_memory_alloc((vocabulary->longest + 1) * sizeof *walker->ends);
    walker->above = li_memory_alloc((vocabulary->longest + 1) * sizeof *walker->above);
    walker->terms_above = li_memory_alloc((vocabulary->longest + 1) * sizeof *walker->terms_above);
    if (!walker->ends || !walker->above || !walker->terms_above || !make_room(walker, FIRST_STATES) ||
        !add_block(walker))
        return false;
    li_walker_forget(walker);
    return true;
}

void li_walker_clear(li_walker *walker)
{
    for (uint32_t state = 0; state < walker->count; state += LI_STATES_PER_BLOCK)
        li_memory_free(walker->rows[state] - 1);
    li_memory_free(walker->terms);
    li_memory_free(walker->rows);
    li_memory_free(walker->notes);
    li_memory_free(walker->loops);
    li_memory_free(walker->spans);
    li_memory_free(walker->extents);
    li_memory_free(walker->marks);
    li_memory_free(walker->marked);
    li_memory_free(walker->slots);
    li_memory_free(walker->ends);
    li_memory_free(walker->above);
    li_memory_free(walker->terms_above);
}

void li_walker_tidy(li_walker *walker)
{
    if (walker->count > LI_STATES_KEPT) li_walker_forget(walker);
}

// Room for one more state; false: the grammar has failed.
static bool reserve(li_walker *walker)
{
    if (walker->count >= LI_STATE_LIMIT) {
        li_grammar_exceed(walker->grammar, LI_LIMIT_STATES);
        return false;
    }
    bool has_room = walker->count < walker->room;
    if (!has_room && make_room(walker, walker->room * 2)) {
        has_room = true;
        for (uint32_t state = 0; state < walker->count; state++)
            walker->slots[slot_of(walker, walker->terms[state])] = state + 1;
    }
    if (has_room && walker->count % LI_STATES_PER_BLOCK == 0) has_room = add_block(walker);
    if (!has_room) li_grammar_fail(walker->grammar, LI_ERROR_OUT_OF_MEMORY);
    return has_room;
}

// UNKNOWN, all bits set, for the bytes of the set, else DEAD, none: four at once.
static void begin_row(li_state *row, const uint32_t set[8])
{
    static const uint16_t quarters[16][4] = {
#define QUARTER(i) {(i)&1 ? 0xffff : 0, (i)&2 ? 0xffff : 0, (i)&4 ? 0xffff : 0, (i)&8 ? 0xffff : 0}
        QUARTER(0), QUARTER(1), QUARTER(2),  QUARTER(3),  QUARTER(4),  QUARTER(5),  QUARTER(6),  QUARTER(7),
        QUARTER(8), QUARTER(9), QUARTER(10), QUARTER(11), QUARTER(12), QUARTER(13), QUARTER(14), QUARTER(15)};
    for (uint32_t i = 0; i < 64; i++) memcpy(row + 4 * i, quarters[set[i / 8] >> 4 * (i % 8) & 15], 8);
}

li_state li_state_of(li_walker *walker, li_term term)
{
    term = li_forget(walker->grammar, term, false);
    uint32_t slot = slot_of(walker, term);
    if (walker->slots[slot]) return (li_state)(walker->slots[slot] - 1);
    uint32_t set[8] = {0};
    li_first_bytes(walker->grammar, term, set);
    if (walker->grammar->status != LI_OK || !reserve(walker)) return LI_STATE_DEAD;
    begin_row(walker->rows[walker->count], set);
    walker->terms[walker->count] = term;
    walker->loops[walker->count] = 0;
    walker->extents[walker->count] = (li_extent){.shortest = EXTENT_UNASKED};
    walker->marks[walker->count] = (uint8_t)li_marks_of(walker->grammar, term);
    walker->slots[slot_of(walker, term)] = walker->count + 1;
    return (li_state)walker->count++;
}

static li_state derive(li_walker *walker, li_state state, uint8_t byte)
{
    li_term term = li_derive(walker->grammar, walker->terms[state], byte);
    return li_state_of(walker, li_proposed(walker->grammar, term));
}

// Finds out all that is not known yet of bytes of ASCII.
static void resolve_alike(li_walker *walker, li_state state)
{
    uint8_t classes[128];
    li_state by_class[128], *row = walker->rows[state];
    if (!li_find_alike(walker->grammar, walker->terms[state], classes)) return;
    memset(by_class, 0xff, sizeof by_class); // UNKNOWN
    for (uint32_t byte = 0; byte < 128; byte++)
        if (row[byte] != LI_STATE_UNKNOWN && row[byte] != LI_STATE_DEAD) by_class[classes[byte]] = row[byte];
    for (uint32_t byte = 0; byte < 128 && walker->grammar->status == LI_OK; byte++) {
        if (row[byte] != LI_STATE_UNKNOWN) continue;
        li_state *next = &by_class[classes[byte]];
        if (*next == LI_STATE_UNKNOWN) *next = derive(walker, state, (uint8_t)byte);
        if (walker->grammar->status == LI_OK) row[byte] = *next;
    }
}

li_state li_state_resolve(li_walker *walker, li_state *row, uint8_t byte)
{
    li_state state = row[-1];
    if (byte < 128 && (walker->notes[state] += LI_NOTE_MISS) & LI_NOTE_MISSED) {
        walker->notes[state] &= (uint16_t)~LI_NOTE_MISSED;
        resolve_alike(walker, state);
        if (row[byte] != LI_STATE_UNKNOWN) return row[byte];
    }
    li_state next = derive(walker, state, byte);
    if (walker->grammar->status != LI_OK) return LI_STATE_DEAD;
    return row[byte] = next;
}

// Of what is at the front, where the state is not that again it is another one. What has a context of its own and can
// end is not worth it.
static uint32_t find_loops(li_walker *walker, li_state state)
{
    li_grammar *grammar = walker->grammar;
    li_term term = walker->terms[state];
    bool is_regular = li_term_flags(grammar, term) & LI_FLAG_REGULAR;
    if (!is_regular && li_term_kind(grammar, term) == LI_KIND_SEQUENCE) {
        li_term head = li_term_words(grammar, term)[0];
        if (li_term_is_nullable(grammar, head)) return 0;
        li_state front = li_state_of(walker, head);
        uint32_t loops = li_state_loops(walker, front, MANY_PASSED);
        walker->spans[state] = walker->spans[front]; // a run may have been seen there, of few nodes less
        return loops;
    }
    if (!is_regular && li_term_kind(grammar, term) != LI_KIND_QUOTED) return 0;
    uint32_t loops = LI_ASCII_CLASSES;
    for (uint32_t byte = 0; byte < 128; byte++) {
        uint32_t bit = 1u << walker->vocabulary->classes[byte];
        if (loops & bit && li_state_next(walker, walker->rows[state], (uint8_t)byte) != state) loops &= ~bit;
    }
    return loops;
}

// By the form of the term, which takes no derivatives.
static uint32_t find_run(li_walker *walker, li_state state)
{
    li_run run = li_run_of(walker->grammar, walker->terms[state]);
    uint32_t lost = 0;
    if (!(run.beyond & LI_RUN_E2)) lost |= 1u << LI_CLASS_E2;
    if (!(run.beyond & LI_RUN_BEYOND)) lost |= 1u << LI_CLASS_BEYOND;
    for (uint32_t byte = 0; byte < 128; byte++)
        if (!(run.ascii[byte / 32] >> byte % 32 & 1)) lost |= 1u << walker->vocabulary->classes[byte];
    bool is_any = run.most == LI_NO_LIMIT;
    walker->spans[state] = (uint8_t)(is_any ? LI_SPAN_ANY : run.most < LI_SPAN_COUNTED ? run.most : LI_SPAN_COUNTED);
    return ~lost;
}

uint32_t li_state_find_loops(li_walker *walker, li_state state, uint32_t size)
{
    // Until they are known the nodes that might have been passed over are counted in their place.
    uint32_t *passed = &walker->loops[state];
    if (*passed == 0) {
        uint32_t loops = find_run(walker, state);
        if (loops) {
            walker->notes[state] |= LI_NOTE_LOOPS | LI_NOTE_RUN;
            return walker->loops[state] = loops;
        }
        walker->spans[state] = LI_SPAN_ANY;
    }
    *passed += size;
    // To look for them takes as many derivatives as a walk of many nodes.
    if (*passed < MANY_PASSED) return 0;
    walker->notes[state] |= LI_NOTE_LOOPS;
    uint32_t loops = find_loops(walker, state) & LI_ASCII_CLASSES;
    return walker->loops[state] = loops;
}

bool li_state_extent(li_walker *walker, li_state state, li_extent *extent)
{
    li_extent *kept = &walker->extents[state];
    if (kept->shortest == EXTENT_UNASKED) {
        li_term inner = li_term_words(walker->grammar, walker->terms[state])[0];
        if (!li_extent_of(walker->grammar, inner, kept)) kept->shortest = EXTENT_UNKNOWN;
    }
    *extent = *kept;
    return kept->shortest != EXTENT_UNKNOWN;
}

bool li_is_long_list(const li_grammar *grammar, li_term term)
{
    if (li_term_kind(grammar, term) == LI_KIND_SEQUENCE) term = li_term_words(grammar, term)[0];
    if (li_term_kind(grammar, term) == LI_KIND_QUOTED) term = li_term_words(grammar, term)[0];
    const uint32_t *words = li_term_words(grammar, term);
    return li_term_kind(grammar, term) == LI_KIND_STRINGS && words[2] - words[1] > LONG_LIST;
}
