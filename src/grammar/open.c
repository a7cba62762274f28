// The states that can be come to are met by a character of each kind, and those that are not open then found backwards
// from where some character cannot follow.
#include "grammar/open.h"

#include "grammar/escape.h"
#include "grammar/first.h"
#include "grammar/json.h"

enum { STATES = 64, EDGES = 512, BOUNDS = 40, NODES = 3000, STEPS = 800, LONG_COUNT = 8 };
enum { PENDING = LI_NOTE_OPEN | LI_NOTE_CLOSED };

typedef struct explorer {
    li_walker *walker;
    li_grammar *grammar;
    uint32_t bounds[BOUNDS]; // where kinds of characters beyond ASCII begin
    uint32_t bound_count, nodes, steps, count, edge_count;
    li_state states[STATES];
    bool is_closed[STATES];
    uint8_t edges[EDGES][2];
} explorer;

static bool add_bound(explorer *at, uint32_t code)
{
    bool is_known = code <= 128 || code > 0x10ffff || code == 0xd800;
    for (uint32_t i = 0; i < at->bound_count && !is_known; i++) is_known = at->bounds[i] == code;
    if (!is_known && at->bound_count < BOUNDS) at->bounds[at->bound_count++] = code;
    return at->bound_count < BOUNDS;
}

// Finds where the term tells characters apart. False: it has other kinds, or counts too far.
static bool find_bounds(explorer *at, li_term term)
{
    const li_grammar *grammar = at->grammar;
    while (at->nodes) {
        const uint32_t *words = li_term_words(grammar, term);
        uint32_t last = li_term_length(grammar, term) - 1;
        at->nodes--;
        switch (li_term_kind(grammar, term)) {
        case LI_KIND_NOTHING:
        case LI_KIND_EMPTY:
            return true;
        case LI_KIND_BYTES:
            return !(words[4] | words[5] | words[6] | words[7]);
        case LI_KIND_CLASS:
            for (uint32_t i = 0; i < last; i += 2)
                if (!add_bound(at, words[i]) || !add_bound(at, words[i + 1] + 1)) return false;
            return true;
        case LI_KIND_SEQUENCE:
        case LI_KIND_CHOICE:
        case LI_KIND_BOTH:
            for (uint32_t i = 0; i < last; i++)
                if (!find_bounds(at, words[i])) return false;
            term = words[last];
            break;
        case LI_KIND_REPEAT:
            if (words[2] > LONG_COUNT && words[2] != LI_NO_LIMIT) return false;
            term = words[0];
            break;
        case LI_KIND_NOT:
            term = words[0];
            break;
        default:
            return false;
        }
    }
    return false;
}

// What is left of the state at `from` may be `inner`. False: there are too many.
static bool reach(explorer *at, uint32_t from, li_term inner)
{
    li_walker *walker = at->walker;
    li_state to = LI_STATE_DEAD;
    if (inner != LI_TERM_NOTHING) to = li_state_of(walker, li_quoted(at->grammar, inner));
    uint32_t known = walker->notes[to] & PENDING, index = 0;
    if (to == LI_STATE_DEAD || known == LI_NOTE_CLOSED) {
        at->is_closed[from] = true;
        return true;
    }
    if (known == LI_NOTE_OPEN) return true;
    while (index < at->count && at->states[index] != to) index++;
    if (index == STATES || at->edge_count == EDGES) return false;
    if (index == at->count) {
        at->states[at->count++] = to;
        walker->notes[to] |= PENDING;
    }
    at->edges[at->edge_count][0] = (uint8_t)from;
    at->edges[at->edge_count++][1] = (uint8_t)index;
    return true;
}

static bool has_every_first(li_grammar *grammar, li_term inner)
{
    static const uint32_t all[8] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0, 0, ~3u, 0x001fffff};
    uint32_t first[8] = {0}, lacks = 0;
    li_first_bytes(grammar, inner, first);
    for (uint32_t i = 0; i < 8; i++) lacks |= all[i] & ~first[i];
    return !lacks;
}

static bool step(explorer *at, uint32_t from)
{
    li_grammar *grammar = at->grammar;
    li_term inner = li_term_words(grammar, at->walker->terms[at->states[from]])[0];
    uint8_t classes[128], bytes[4];
    if (!has_every_first(grammar, inner)) {
        at->is_closed[from] = true;
        return true;
    }
    if (!li_find_alike(grammar, inner, classes)) return false;
    for (uint32_t byte = 0, done = 0; byte < 128 && !at->is_closed[from]; byte++) {
        if (classes[byte] != done) continue;
        done++;
        if (!at->steps-- || !reach(at, from, li_derive(grammar, inner, (uint8_t)byte))) return false;
    }
    for (uint32_t i = 0; i < at->bound_count && !at->is_closed[from]; i++) {
        uint32_t length = li_character_write(at->bounds[i], bytes);
        if (!at->steps-- || !reach(at, from, li_derive_bytes(grammar, inner, bytes, length))) return false;
    }
    return grammar->status == LI_OK;
}

bool li_open_find(li_walker *walker, li_state state)
{
    explorer at = {.walker = walker, .grammar = walker->grammar, .nodes = NODES, .steps = STEPS};
    li_term inner = li_term_words(walker->grammar, walker->terms[state])[0];
    bool is_known = false;
    at.states[at.count++] = state;
    at.bounds[at.bound_count++] = 128;
    walker->notes[state] |= PENDING;
    if (!has_every_first(walker->grammar, inner)) {
        at.is_closed[0] = is_known = true;
    } else if (find_bounds(&at, inner)) {
        uint32_t next = 0;
        while (next < at.count && step(&at, next)) next++;
        is_known = next == at.count;
    }
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t i = at.edge_count; i-- > 0;) {
            bool *is_closed = &at.is_closed[at.edges[i][0]];
            if (*is_closed || !at.is_closed[at.edges[i][1]]) continue;
            *is_closed = changes = true;
        }
    }
    for (uint32_t i = 0; i < at.count; i++)
        walker->notes[at.states[i]] &= (uint16_t) ~(at.is_closed[i] || !is_known ? LI_NOTE_OPEN : LI_NOTE_CLOSED);
    return is_known;
}
