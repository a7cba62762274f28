// The part that the term at the front of a state has in its mask.
#include <string.h>

#include "grammar/json.h"
#include "grammar/masker.h"

// Terms at the front as they are kept: form, number of changes, number of crossings, then the changes (tokens, or bits),
// then the crossings.
enum { FORM_ADDED, FORM_REMOVED, FORM_BITS, FORM_NONE, HEADER = 3, MOST_CROSSINGS = 2048 };

// A string of characters of one class, of which only the number matters.
typedef struct bounds {
    uint32_t least, most;
} bounds;

typedef struct part {
    const uint32_t *list; // tokens
    const uint32_t *crossings;
    uint32_t form, count, crossing_count;
    uint32_t key;
} part;

static uint32_t key_of(li_term head)
{
    return 2 * head + 1;
}

const uint32_t *li_mask_base(const li_masker *masker, li_base base)
{
    const struct li_inside *inside = masker->vocabulary->inside;
    if (base.kind == LI_BASE_INSIDE && base.value < LI_INSIDE_LENGTHS && inside->within[base.value])
        return inside->within[base.value];
    if (base.kind == LI_BASE_INSIDE) return inside->bits;
    if (base.kind == LI_BASE_HEAD) return masker->store.words + li_store_find(&masker->store, base.value) + HEADER;
    return NULL;
}

static bool is_character(const li_grammar *grammar, li_term term)
{
    const uint32_t *words = li_term_words(grammar, term);
    if (li_term_kind(grammar, term) == LI_KIND_CLASS) return true;
    return li_term_kind(grammar, term) == LI_KIND_BYTES && !(words[4] | words[5] | words[6] | words[7]);
}

// The same string of any length, and the bounds of this one.
static li_term unbounded(li_grammar *grammar, li_term head, bounds *bounds)
{
    const uint32_t *words = li_term_words(grammar, head);
    li_term inner = words[0];
    bool is_begun = words[1] != 0; // in the middle of an escape
    words = li_term_words(grammar, inner);
    if (is_begun || li_term_kind(grammar, inner) != LI_KIND_REPEAT || !is_character(grammar, words[0])) return head;
    bounds->least = words[1];
    bounds->most = words[2];
    return li_quoted(grammar, li_repeat(grammar, words[0], 0, LI_NO_LIMIT));
}

// Whether a string is at the beginning of a character: what it reads, any string reads there.
static bool is_whole(const li_grammar *grammar, li_term head)
{
    const uint32_t *words = li_term_words(grammar, head);
    return words[1] == 0 && li_term_flags(grammar, words[0]) & LI_FLAG_TEXT;
}

static bool keep(li_masker *masker, li_term head, bool is_string)
{
    li_scan *scan = &masker->scan;
    scan->any = LI_STATE_DEAD;
    if (is_string && is_whole(masker->grammar, head)) {
        scan->inside = masker->vocabulary->inside;
        scan->any = li_state_of(&masker->walker, li_quoted(masker->grammar, li_any_text(masker->grammar)));
    }
    if (!li_scan_run(scan, li_state_of(&masker->walker, head))) return false;
    bool has_list = !scan->changes.is_full;
    uint32_t form = !has_list ? FORM_BITS : scan->is_relative ? FORM_REMOVED : FORM_ADDED;
    if (!is_string && scan->crossing_count > MOST_CROSSINGS) {
        form = FORM_NONE;
        scan->crossing_count = scan->changes.count = 0;
    }
    uint32_t count = form == FORM_BITS ? masker->words : scan->changes.count;
    uint32_t at = li_store_add(&masker->store, key_of(head), HEADER + count + 2 * scan->crossing_count);
    if (!at) return false;
    uint32_t *words = masker->store.words + at;
    words[0] = form;
    words[1] = count;
    words[2] = scan->crossing_count;
    if (count)
        memcpy(words + HEADER, form == FORM_BITS ? scan->changes.bits : scan->changes.list, count * sizeof *words);
    if (scan->crossing_count)
        memcpy(words + HEADER + count, scan->crossings, scan->crossing_count * sizeof *scan->crossings);
    return true;
}

static bool find_part(li_masker *masker, li_term head, bool is_string, part *part)
{
    uint32_t at = li_store_find(&masker->store, key_of(head));
    if (!at && !keep(masker, head, is_string)) return false;
    if (!at) at = li_store_find(&masker->store, key_of(head));
    const uint32_t *words = masker->store.words + at;
    part->form = words[0];
    part->count = words[1];
    part->crossing_count = words[2];
    part->list = words + HEADER;
    part->crossings = words + HEADER + part->count;
    part->key = key_of(head);
    return part->form != FORM_NONE;
}

static void drop_all(li_found *found, const uint32_t *tokens, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) li_found_drop(found, tokens[i]);
}

// Makes masker->bits what the part has inside of the term.
static bool set_inside(li_masker *masker, const part *part, uint32_t most, li_base *base)
{
    struct li_inside *inside = masker->vocabulary->inside;
    size_t size = masker->words * sizeof *masker->bits;
    li_inside_bound bound = {0};
    bool is_bound = most != LI_NO_LIMIT;
    if ((is_bound || part->form == FORM_REMOVED) && !li_inside_within(inside, masker->vocabulary, most, &bound)) {
        li_grammar_fail(masker->grammar, LI_ERROR_OUT_OF_MEMORY);
        return false;
    }
    switch (part->form) {
    case FORM_ADDED:
        *base = (li_base){LI_BASE_NONE, 0};
        memset(masker->bits, 0, size);
        for (uint32_t i = 0; i < part->count; i++)
            if (!is_bound || inside->characters[part->list[i]] <= most) li_found_add(&masker->added, part->list[i]);
        return true;
    case FORM_REMOVED:
        *base = (li_base){LI_BASE_INSIDE, bound.bits == inside->bits ? LI_INSIDE_LENGTHS : most};
        memcpy(masker->bits, bound.bits, size);
        drop_all(&masker->removed, part->list, part->count);
        break;
    default:
        *base = (li_base){LI_BASE_HEAD, part->key};
        memcpy(masker->bits, part->list, size);
        if (is_bound && bound.bits != inside->bits) {
            base->kind = LI_BASE_OWN;
            for (uint32_t i = 0; i < masker->words; i++) masker->bits[i] &= bound.bits[i];
        }
    }
    drop_all(&masker->removed, inside ? inside->longest : NULL, bound.longer_count);
    return true;
}

// Adds what reads on beyond the term, and tokens that end with it.
static void cross(li_masker *masker, const part *part, bounds bounds, li_term tail)
{
    const li_vocabulary *vocabulary = masker->vocabulary;
    const li_trie_node *nodes = vocabulary->nodes;
    li_state state = li_state_of(&masker->walker, tail);
    for (uint32_t i = 0; i < part->crossing_count && masker->grammar->status == LI_OK; i++) {
        uint32_t node = part->crossings[2 * i], characters = part->crossings[2 * i + 1];
        if (characters < bounds.least || characters > bounds.most) continue;
        for (uint32_t rank = nodes[node].first, last = nodes[node + 1].first; rank < last; rank++)
            li_found_add(&masker->added, vocabulary->ids[rank]);
        if (state != LI_STATE_EMPTY && nodes[node].byte_and_size >> 8 > 1)
            li_walk(&masker->walker, state, node, &masker->added);
    }
}

static bool is_kept(const li_grammar *grammar, li_term head, li_term tail)
{
    switch (li_term_kind(grammar, head)) {
    case LI_KIND_QUOTED:
    case LI_KIND_NUMBER:
        return true;
    case LI_KIND_REPEAT:
    case LI_KIND_BOTH:
    case LI_KIND_NOT:
    case LI_KIND_STRINGS:
    case LI_KIND_PATTERN:
        return tail != LI_TERM_EMPTY && li_term_flags(grammar, head) & LI_FLAG_REGULAR;
    default:
        return false;
    }
}

bool li_mask_head(li_masker *masker, li_term head, li_term tail, bool is_first, li_base *base)
{
    li_grammar *grammar = masker->grammar;
    if (!is_kept(grammar, head, tail)) return false;
    bool is_string = li_term_kind(grammar, head) == LI_KIND_QUOTED;
    bounds bounds = {0, LI_NO_LIMIT};
    part part = {.form = FORM_REMOVED};
    if (is_string) {
        const struct li_inside *inside = li_inside_of(&masker->walker, masker->vocabulary);
        if (!inside) return false;
        head = unbounded(grammar, head, &bounds);
        part.crossings = (const uint32_t *)inside->crossings;
        part.crossing_count = inside->crossing_count;
    }
    bool is_any = is_string && head == li_quoted(grammar, li_any_text(grammar));
    if (!is_any && !find_part(masker, head, is_string, &part)) return false;
    if (is_first) {
        if (!set_inside(masker, &part, bounds.most, base)) return false;
    } else {
        // Beside another part: the tokens of both.
        uint32_t *others = masker->scan.changes.bits;
        memcpy(others, masker->bits, masker->words * sizeof *others);
        if (!set_inside(masker, &part, bounds.most, base)) return false;
        for (uint32_t i = 0; i < masker->words; i++) masker->bits[i] |= others[i];
        base->kind = LI_BASE_OWN;
    }
    cross(masker, &part, bounds, tail);
    return true;
}
