// The part of a mask that comes from the term at the front of the state.
#include "grammar/mask/front_mask.h"

#include <string.h>

#include "base/memory.h"
#include "grammar/json/json_string.h"
#include "grammar/mask/front_key.h"
#include "grammar/mask/masker.h"
#include "grammar/mask/stopped_tokens.h"
#include "grammar/mask/trie_walk.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/kinds.h"
#include "grammar/terms/proposal.h"

// An entry of the cache for a term at the front: form, number of changes, number of crossings, used counts; then the
// changes (tokens, or bits); then the crossings: for whole strings a bit for each crossing of `inside`, else node and
// depth, none if there are too many.
enum { FORM_ADDED, FORM_REMOVED, FORM_BITS, HEADER = 4, MOST_CROSSINGS = 2048 };

typedef li_front front;

typedef struct part {
    uint32_t form, count, crossing_count, used, key;
    const uint32_t *list, *crossings;
} part;

static uint32_t key_of(li_term head)
{
    return 2 * head + 1;
}

const uint32_t *li_mask_base(const li_masker *masker, li_base base)
{
    const struct li_string_tokens *inside = masker->vocabulary->inside;
    switch (base.kind) {
    case LI_BASE_INSIDE:
        return inside->bits;
    case LI_BASE_ENDED:
        return inside->ended;
    case LI_BASE_WITHIN:
        return inside->within[base.value];
    case LI_BASE_HEAD:
        return masker->store.words + li_mask_store_find(&masker->store, base.value) + HEADER;
    default:
        return NULL;
    }
}

static bool keep(li_masker *masker, const front *front)
{
    li_front_scan *scan = &masker->scan;
    scan->inside = front->is_whole ? masker->vocabulary->inside : NULL;
    if (front->is_whole)
        scan->any = li_state_of(&masker->walker, li_quoted(masker->grammar, li_any_text(masker->grammar)));
    scan->has_standins = front->lowest_count != LI_NO_LIMIT;
    if (!li_front_scan_run(scan, li_state_of(&masker->walker, front->term))) return false;
    uint32_t form = scan->changes.is_full ? FORM_BITS : scan->is_relative ? FORM_REMOVED : FORM_ADDED;
    uint32_t crossing_words = 2 * scan->crossings.count, count = scan->changes.count;
    if (front->is_whole) crossing_words = (scan->inside->crossing_count + 31) / 32;
    if (form == FORM_BITS) count = masker->words;
    if (scan->crossings.count > MOST_CROSSINGS) {
        crossing_words = 0;
        if (!scan->has_standins) count = 0; // of no use
    }
    uint32_t at = li_mask_store_add(&masker->store, key_of(front->term), HEADER + count + crossing_words);
    if (!at) return false;
    uint32_t *words = masker->store.words + at;
    words[0] = form;
    words[1] = count;
    words[2] = scan->crossings.count;
    words[3] = scan->used;
    const uint32_t *changes = form == FORM_BITS ? scan->changes.bits : scan->changes.list;
    if (count) memcpy(words + HEADER, changes, count * sizeof *words);
    words += HEADER + count;
    if (crossing_words && front->is_whole)
        memcpy(words, scan->valid, crossing_words * sizeof *words);
    else if (crossing_words)
        memcpy(words, scan->crossings.at, crossing_words * sizeof *words);
    return true;
}

static bool is_kept(const li_grammar *grammar, const front *front, li_term tail)
{
    li_term term = front->term;
    li_string_range range;
    if (li_is_long_list(grammar, term, &range)) return false;
    if (term != front->bounded) return true;
    li_keep keep = li_kinds[li_term_kind(grammar, term)].keep;
    bool has_more = tail != LI_TERM_EMPTY && li_term_flags(grammar, term) & LI_FLAG_REGULAR;
    return keep == LI_KEEP_ALWAYS || (keep == LI_KEEP_BEFORE_MORE && has_more);
}

// False: the part is not cached, or the grammar has failed.
static bool find_part(li_masker *masker, front *front, li_term tail, part *part)
{
    uint32_t at = li_mask_store_find(&masker->store, key_of(front->term));
    if (!at && !keep(masker, front)) return false;
    if (!at) at = li_mask_store_find(&masker->store, key_of(front->term));
    const uint32_t *words = masker->store.words + at;
    part->form = words[0];
    part->count = words[1];
    part->crossing_count = words[2];
    part->used = words[3];
    part->list = words + HEADER;
    part->crossings = words + HEADER + part->count;
    part->key = key_of(front->term);
    bool may_end = part->used >= front->lowest_count || part->used >= LI_COUNT_MOST_USED;
    if (front->lowest_count != LI_NO_LIMIT && may_end) {
        // Some token reaches the end of a count.
        front->term = front->counted;
        front->lowest_count = LI_NO_LIMIT;
        return is_kept(masker->grammar, front, tail) && find_part(masker, front, tail, part);
    }
    bool ends_here = tail == LI_TERM_EMPTY && front->lowest_count != LI_NO_LIMIT;
    return ends_here || part->crossing_count <= MOST_CROSSINGS;
}

// Whether the string reads all bytes, as masks read them.
static bool reads(li_masker *masker, const front *front, const uint8_t *bytes, uint32_t length)
{
    li_grammar *grammar = masker->grammar;
    li_term term = front->bounded;
    for (uint32_t i = 0; i < length && term != LI_TERM_NOTHING; i++)
        term = li_proposed(grammar, li_derive(grammar, term, bytes[i]));
    return term != LI_TERM_NOTHING;
}

// Finds where the string may end within its bounds: masker->scan.valid. Returns the number of places.
static uint32_t bound_crossings(li_masker *masker, const front *front, const part *part)
{
    const struct li_string_tokens *inside = masker->vocabulary->inside;
    uint32_t *valid = masker->scan.valid, count = 0;
    for (uint32_t i = 0; i < inside->crossing_count; i++) {
        uint32_t characters = inside->crossing_characters[i], bit = part->crossings[i / 32] >> i % 32 & 1;
        uint32_t depth = inside->crossings[i].depth;
        bit &= characters >= front->least && characters <= front->most;
        // Near its bound a string allows fewer characters, which decides which characters may be escaped.
        if (bit && characters + front->reach > front->most) {
            const uint8_t *bytes = li_token_path(masker->vocabulary, inside->crossings[i].node);
            if (memchr(bytes, '\\', depth)) bit = reads(masker, front, bytes, depth);
        }
        valid[i / 32] = (i % 32 ? valid[i / 32] : 0) | bit << i % 32;
        count += bit;
    }
    return count;
}

// Results for tokens, cached by the state to which a token leads and its number of characters.
enum { FITS_KEPT = 256 };
typedef struct fitting {
    const front *front;
    li_state from;
    struct {
        li_state state;
        bool fits;
    } kept[FITS_KEPT];
} fitting;

static void start_fitting(li_masker *masker, const front *front, fitting *fitting)
{
    memset(fitting, 0, sizeof *fitting);
    fitting->front = front;
    fitting->from = li_state_of(&masker->walker, front->term);
}

static bool find_fit(li_masker *masker, const front *front, li_state state, uint32_t token)
{
    uint32_t length, count = masker->vocabulary->inside->characters[token], left = front->most - count;
    const uint8_t *bytes = li_token_bytes(masker->vocabulary, token, &length);
    li_extent extent;
    if (!li_state_extent(&masker->walker, state, &extent)) return reads(masker, front, bytes, length);
    if (extent.shortest > left) return false;
    return extent.dense <= left || count + extent.shortest >= front->least || reads(masker, front, bytes, length);
}

// Whether the text that the front reads can be finished within its bounds.
static bool fits(li_masker *masker, fitting *fitting, uint32_t token)
{
    li_walker *walker = &masker->walker;
    uint32_t length, count = masker->vocabulary->inside->characters[token];
    const uint8_t *bytes = li_token_bytes(masker->vocabulary, token, &length);
    li_state state = fitting->from;
    if (count == 255) return reads(masker, fitting->front, bytes, length); // 255 or more
    for (uint32_t i = 0; i < length; i++) {
        if (bytes[i] == '\\') return reads(masker, fitting->front, bytes, length);
        state = li_state_next(walker, state, bytes[i]);
    }
    if (state == LI_STATE_DEAD) return false;
    uint32_t at = (state * 31u + count) % FITS_KEPT; // of one state each count has a place of its own
    if (fitting->kept[at].state != state) {
        fitting->kept[at].fits = find_fit(masker, fitting->front, state, token);
        fitting->kept[at].state = state;
    }
    return fitting->kept[at].fits;
}

// Removes tokens that the front reads but cannot finish within the bound.
static void drop_unfit(li_masker *masker, const front *front)
{
    struct li_string_tokens *inside = masker->vocabulary->inside;
    uint32_t most = front->most < 254 ? front->most : 254, sure = most > front->reach ? most - front->reach : 0;
    li_string_tokens_bound bound;
    if (front->reach == 0 || sure >= inside->most) return;
    fitting fitting;
    start_fitting(masker, front, &fitting);
    if (!li_string_tokens_within(inside, masker->vocabulary, sure, &bound)) {
        li_grammar_fail(masker->grammar, LI_ERROR_OUT_OF_MEMORY);
        return;
    }
    for (uint32_t i = 0; i < bound.longer_count; i++) {
        uint32_t token = inside->longest[i];
        bool is_in = masker->bits[token >> 5] >> (token & 31) & 1;
        if (is_in && !fits(masker, &fitting, token)) li_token_set_drop(&masker->removed, token);
    }
    for (uint32_t i = 0; !bound.longer_count && i < masker->words; i++)
        for (uint32_t unsure = masker->bits[i] & inside->bits[i] & ~bound.bits[i]; unsure; unsure &= unsure - 1) {
            uint32_t token = 32 * i + (uint32_t)__builtin_ctz(unsure);
            if (!fits(masker, &fitting, token)) li_token_set_drop(&masker->removed, token);
        }
}

static void drop_all(li_token_set *found, const uint32_t *tokens, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) li_token_set_drop(found, tokens[i]);
}

// Adds the tokens that end with the string where the string may end, or drops them where the string may not end.
static void change_ends(li_masker *masker, bool adds)
{
    const li_vocabulary *vocabulary = masker->vocabulary;
    const struct li_string_tokens *inside = vocabulary->inside;
    for (uint32_t i = 0; i < inside->crossing_count; i++) {
        bool is_valid = masker->scan.valid[i / 32] >> i % 32 & 1;
        if (is_valid != adds) continue;
        uint32_t node = inside->crossings[i].node;
        if (adds)
            li_token_set_add_nodes(&masker->added, vocabulary, node, node + 1);
        else
            li_token_set_drop_nodes(&masker->removed, vocabulary, node, node + 1);
    }
}

// Sets masker->bits to the tokens that stay within a whole string or end with the string.
static bool set_string(li_masker *masker, const front *front, const part *part, li_base *base)
{
    struct li_string_tokens *inside = masker->vocabulary->inside;
    size_t size = masker->words * sizeof *masker->bits;
    li_string_tokens_bound bound;
    if (!li_string_tokens_within(inside, masker->vocabulary, front->most, &bound)) {
        li_grammar_fail(masker->grammar, LI_ERROR_OUT_OF_MEMORY);
        return false;
    }
    bool is_cut = bound.bits != inside->bits, ends_mostly = false;
    uint32_t ends = bound_crossings(masker, front, part);
    if (part->form == FORM_ADDED) {
        *base = (li_base){LI_BASE_NONE, 0};
        memset(masker->bits, 0, size);
        fitting fitting;
        start_fitting(masker, front, &fitting);
        for (uint32_t i = 0; i < part->count; i++) {
            uint32_t token = part->list[i], characters = inside->characters[token];
            bool is_sure = front->most == LI_NO_LIMIT || (characters < 255 && characters + front->reach <= front->most);
            if (is_sure || (characters <= front->most && fits(masker, &fitting, token)))
                li_token_set_add(&masker->added, token);
        }
        change_ends(masker, true);
        return true;
    }
    if (part->form == FORM_REMOVED) {
        ends_mostly = !is_cut && 2 * ends > inside->crossing_count;
        uint32_t most = front->most < 254 ? front->most : 254;
        *base = (li_base){is_cut ? LI_BASE_WITHIN : ends_mostly ? LI_BASE_ENDED : LI_BASE_INSIDE, is_cut ? most : 0};
        memcpy(masker->bits, ends_mostly ? inside->ended : bound.bits, size);
        drop_all(&masker->removed, part->list, part->count);
    } else {
        *base = (li_base){is_cut ? LI_BASE_OWN : LI_BASE_HEAD, part->key};
        memcpy(masker->bits, part->list, size);
        for (uint32_t i = 0; is_cut && i < masker->words; i++) masker->bits[i] &= bound.bits[i];
    }
    drop_all(&masker->removed, inside->longest, bound.longer_count);
    drop_unfit(masker, front);
    change_ends(masker, !ends_mostly);
    return true;
}

// Sets masker->bits to the tokens that stay within another term.
static void set_other(li_masker *masker, const part *part, li_base *base)
{
    size_t size = masker->words * sizeof *masker->bits;
    if (part->form == FORM_BITS) {
        *base = (li_base){LI_BASE_HEAD, part->key};
        memcpy(masker->bits, part->list, size);
        return;
    }
    *base = (li_base){LI_BASE_NONE, 0};
    memset(masker->bits, 0, size);
    for (uint32_t i = 0; i < part->count; i++) li_token_set_add(&masker->added, part->list[i]);
}

// Adds the tokens that continue after a whole string.
static void cross_string(li_masker *masker, li_state tail)
{
    struct li_string_tokens *inside = masker->vocabulary->inside;
    li_token_set *found = &inside->rests_found;
    uint32_t stopped = masker->walker.stopped.count;
    li_walk(&masker->walker, inside->rests, tail, 0, found);
    for (uint32_t i = 0; i < found->count; i++) {
        uint32_t entry = found->list[i], crossing = inside->rest_crossings[entry];
        found->bits[entry / 32] = 0;
        if (masker->scan.valid[crossing / 32] >> crossing % 32 & 1)
            li_token_set_add(&masker->added, inside->rest_tokens[entry]);
    }
    found->count = 0;
    if (masker->walker.stopped.count > stopped) li_mask_stop_at_crossings(masker, stopped);
}

static void cross_other(li_masker *masker, const part *part, li_state tail)
{
    for (uint32_t i = 0; i < part->crossing_count; i++) {
        uint32_t node = part->crossings[2 * i];
        li_token_set_add_nodes(&masker->added, masker->vocabulary, node, node + 1);
        if (tail != LI_STATE_EMPTY) li_walk(&masker->walker, masker->vocabulary, tail, node, &masker->added);
    }
}

static void cross(li_masker *masker, const front *front, const part *part, li_term tail)
{
    li_state state = li_state_of(&masker->walker, tail);
    if (!front->is_whole && part->crossing_count <= MOST_CROSSINGS)
        cross_other(masker, part, state);
    else if (front->is_whole && state != LI_STATE_EMPTY)
        cross_string(masker, state);
}

bool li_mask_head_is_known(const li_masker *masker, li_term head)
{
    front front = li_front_of(masker->grammar, head);
    return li_mask_store_find(&masker->store, key_of(front.term)) != 0;
}

bool li_mask_head(li_masker *masker, li_term head, li_term tail, bool is_first, li_base *base)
{
    front front = li_front_of(masker->grammar, head);
    if (!is_kept(masker->grammar, &front, tail)) return false;
    if (front.is_whole && !masker->scan.valid) {
        struct li_string_tokens *inside = li_string_tokens_of(&masker->walker, masker->vocabulary);
        if (!inside) return false;
        masker->scan.valid = li_memory_alloc((inside->crossing_count + 31) / 32 * sizeof(uint32_t));
        if (!masker->scan.valid) {
            li_grammar_fail(masker->grammar, LI_ERROR_OUT_OF_MEMORY);
            return false;
        }
    }
    part part;
    if (!find_part(masker, &front, tail, &part)) return false;
    // With another part, the mask has the tokens of both.
    uint32_t *others = masker->scan.changes.bits;
    if (!is_first) memcpy(others, masker->bits, masker->words * sizeof *others);
    if (!front.is_whole)
        set_other(masker, &part, base);
    else if (!set_string(masker, &front, &part, base))
        return false;
    cross(masker, &front, &part, tail);
    if (!is_first) {
        for (uint32_t i = 0; i < masker->words; i++) masker->bits[i] |= others[i];
        base->kind = LI_BASE_OWN;
    }
    return true;
}
