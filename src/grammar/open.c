// The states that can be come to are met by a character of each kind, and those that are not open then found backwards
// from where some character cannot follow.
#include "grammar/open.h"

#include "grammar/escape.h"
#include "grammar/first.h"
#include "grammar/json.h"

enum { STATES = 64, EDGES = 512, BOUNDS = 40, NODES = 3000, LONG_COUNT = 8, ANY = UINT8_MAX };
enum { PENDING = LI_NOTE_OPEN | LI_NOTE_CLOSED };

typedef struct explorer {
    li_walker *walker;
    li_grammar *grammar;
    uint32_t bounds[BOUNDS]; // where kinds of characters beyond ASCII begin
    uint32_t bound_count, nodes, *steps, count, edge_count;
    li_state states[STATES];
    uint8_t depths[STATES]; // as far as is known
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

// By what comes after a character more.
static bool lower(uint8_t *depth, uint8_t after)
{
    uint8_t most = after < ANY - 1 ? after + 1 : after;
    if (most >= *depth) return false;
    *depth = most;
    return true;
}

// What is left of the state at `from` may be `inner`. False: there are too many.
static bool reach(explorer *at, uint32_t from, li_term inner)
{
    li_walker *walker = at->walker;
    li_state to = LI_STATE_DEAD;
    if (inner != LI_TERM_NOTHING) to = li_state_of(walker, li_quoted(at->grammar, inner));
    uint32_t known = walker->notes[to] & PENDING, index = 0;
    if (to == LI_STATE_DEAD) at->depths[from] = 0;
    if (known == LI_NOTE_CLOSED) lower(&at->depths[from], walker->depths[to]);
    if (to == LI_STATE_DEAD || known == LI_NOTE_OPEN || known == LI_NOTE_CLOSED) return true;
    while (index < at->count && at->states[index] != to) index++;
    if (index == STATES || at->edge_count == EDGES) return false;
    if (index == at->count) {
        at->depths[at->count] = ANY;
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

static bool take_step(explorer *at, uint32_t from, const uint8_t *character, uint32_t length)
{
    li_term inner = li_term_words(at->grammar, at->walker->terms[at->states[from]])[0];
    if (!*at->steps) return false;
    --*at->steps;
    return reach(at, from, li_derive_bytes(at->grammar, inner, character, length));
}

static bool leave(explorer *at, uint32_t from)
{
    li_grammar *grammar = at->grammar;
    li_term inner = li_term_words(grammar, at->walker->terms[at->states[from]])[0];
    uint8_t classes[128], bytes[4];
    if (!li_find_alike(grammar, inner, classes)) return false;
    for (uint32_t byte = 0, done = 0; byte < 128 && at->depths[from]; byte++) {
        if (classes[byte] != done) continue;
        done++;
        bytes[0] = (uint8_t)byte;
        if (!take_step(at, from, bytes, 1)) return false;
    }
    for (uint32_t i = 0; i < at->bound_count && at->depths[from]; i++)
        if (!take_step(at, from, bytes, li_character_write(at->bounds[i], bytes))) return false;
    return grammar->status == LI_OK;
}

void li_open_find(li_walker *walker, li_state state, uint32_t *steps)
{
    explorer at = {.walker = walker, .grammar = walker->grammar, .nodes = NODES, .steps = steps};
    li_term inner = li_term_words(walker->grammar, walker->terms[state])[0];
    at.states[at.count++] = state;
    at.bounds[at.bound_count++] = 128;
    walker->notes[state] |= PENDING;
    if (has_every_first(walker->grammar, inner) && find_bounds(&at, inner)) {
        uint32_t next = 0;
        at.depths[0] = ANY;
        while (next < at.count && leave(&at, next)) next++;
        // Of those that were not come to nothing is known.
        for (; next < at.count; next++) at.depths[next] = 0;
    }
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t i = at.edge_count; i-- > 0;) {
            uint8_t after = at.depths[at.edges[i][1]];
            if (after != ANY && lower(&at.depths[at.edges[i][0]], after)) changes = true;
        }
    }
    for (uint32_t i = 0; i < at.count; i++) {
        walker->notes[at.states[i]] &= (uint16_t) ~(at.depths[i] == ANY ? LI_NOTE_CLOSED : LI_NOTE_OPEN);
        walker->depths[at.states[i]] = at.depths[i];
    }
}
