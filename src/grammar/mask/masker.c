// The mask of a state.
#include "grammar/mask/masker.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "grammar/distinct/forget.h"
#include "grammar/mask/front_mask.h"
#include "grammar/mask/stopped_tokens.h"
#include "grammar/mask/trie_walk.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/proposal.h"
#include "grammar/terms/scratch.h"
#include "grammar/terms/term.h"

// Listed alternatives are checked one by one, so a large grammar gets more fuel.
enum { DEFAULT_FUEL = 120000, DEFAULT_FUEL_PER_BYTE = 4, DEFAULT_TEXT_FUEL = 4000000 };
enum { KEPT_WORDS = 1 << 20, MANY_TERMS = 500000 };
enum { CROWD = 32 };         // more lists of strings than this are walked together
enum { CHECKS_OF_UNIT = 8 }; // tokens checked one by one for a unit of fuel
enum { FEW_LACKING = 12 };   // few lacking tokens: at most a twelfth of the vocabulary

// A cached mask: base, number of tokens of the base that the mask lacks, number of tokens that the mask has besides,
// then these tokens; or its own bits.
enum { BASE_KIND, BASE_VALUE, REMOVED_COUNT, ADDED_COUNT, HEADER };

static uint32_t *room_for(uint32_t words)
{
    return li_memory_alloc(words * sizeof(uint32_t));
}

static bool take_memory(li_masker *masker, li_grammar *grammar)
{
    uint32_t words = masker->words;
    masker->bits = room_for(words);
    masker->added = (li_token_set){.bits = masker->bits, .list = room_for(words), .room = words};
    masker->removed = (li_token_set){.bits = masker->bits, .list = room_for(words), .room = words};
    masker->scan.walker = &masker->walker;
    masker->scan.changes = (li_token_set){.bits = room_for(words), .list = room_for(words), .room = words};
    return masker->bits && masker->added.list && masker->removed.list && masker->scan.changes.bits &&
           masker->scan.changes.list && li_mask_store_init(&masker->store, KEPT_WORDS + 16 * words) &&
           li_vocabulary_find_heights(masker->vocabulary) &&
           li_walker_init(&masker->walker, grammar, masker->vocabulary);
}

li_masker *li_masker_create(li_grammar *grammar, li_vocabulary *vocabulary, uint32_t fuel)
{
    li_masker *masker = li_memory_alloc(sizeof *masker);
    if (!masker) return NULL;
    masker->users = 1;
    masker->vocabulary = vocabulary;
    vocabulary->users++;
    masker->fuel = fuel ? fuel : DEFAULT_FUEL + (uint64_t)DEFAULT_FUEL_PER_BYTE * grammar->form_length;
    masker->text_fuel = fuel ? fuel : DEFAULT_TEXT_FUEL;
    masker->words = (vocabulary->token_count + 31) / 32;
    if (take_memory(masker, grammar)) {
        masker->grammar = grammar;
        return masker;
    }
    li_masker_destroy(masker);
    return NULL;
}

void li_masker_destroy(li_masker *masker)
{
    if (!masker || --masker->users) return;
    li_walker_clear(&masker->walker);
    li_mask_store_clear(&masker->store);
    li_grammar_destroy(masker->grammar);
    li_vocabulary_destroy(masker->vocabulary);
    li_memory_free(masker->bits);
    li_memory_free(masker->added.list);
    li_memory_free(masker->removed.list);
    li_memory_free(masker->scan.changes.bits);
    li_memory_free(masker->scan.changes.list);
    li_memory_free(masker->scan.crossings.at);
    li_memory_free(masker->scan.valid);
    li_memory_free(masker->parts);
    li_memory_free(masker);
}

bool li_masker_renew(li_masker *masker)
{
    li_grammar *former = masker->grammar;
    if (li_terms_count(former) < MANY_TERMS) return false;
    li_grammar *grammar = li_grammar_compile(former->form, former->form_length, former->form_fuel);
    if (!grammar || grammar->status != LI_OK || li_terms_count(grammar) >= MANY_TERMS / 2) {
        li_grammar_destroy(grammar);
        return false;
    }
    li_walker_forget(&masker->walker);
    li_mask_store_forget(&masker->store);
    masker->shown = 0;
    masker->grammar = masker->walker.grammar = grammar;
    li_grammar_destroy(former);
    return true;
}

static void add_special(void *context, uint32_t token)
{
    li_masker *masker = context;
    uint32_t length = 1;
    if (token < masker->vocabulary->token_count) li_token_bytes(masker->vocabulary, token, &length);
    if (!length) li_token_set_add(&masker->added, token);
}

static void set_all(uint32_t *bits, const uint32_t *tokens, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) bits[tokens[i] >> 5] |= 1u << (tokens[i] & 31);
}

static void clear_all(uint32_t *bits, const uint32_t *tokens, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) bits[tokens[i] >> 5] &= ~(1u << (tokens[i] & 31));
}

// Turns `bits` into a cached mask: changes the present mask if both have the same base, otherwise the base.
static void show(li_masker *masker, uint32_t at)
{
    LI_ASSERT(at && at < masker->store.used);
    if (at == masker->shown) return;
    const uint32_t *kept = masker->store.words + at, *former = masker->store.words + masker->shown;
    const uint32_t *removed = kept + HEADER, *added = removed + kept[REMOVED_COUNT];
    size_t size = masker->words * sizeof *masker->bits;
    li_base base = {kept[BASE_KIND], kept[BASE_VALUE]};
    bool is_alike =
        masker->shown && base.kind != LI_BASE_OWN && base.kind == former[BASE_KIND] && base.value == former[BASE_VALUE];
    masker->shown = at;
    if (base.kind == LI_BASE_OWN) {
        memcpy(masker->bits, removed, size);
        return;
    }
    if (is_alike) {
        clear_all(masker->bits, former + HEADER + former[REMOVED_COUNT], former[ADDED_COUNT]);
        set_all(masker->bits, former + HEADER, former[REMOVED_COUNT]);
    } else if (base.kind == LI_BASE_NONE) {
        memset(masker->bits, 0, size);
    } else {
        memcpy(masker->bits, li_mask_base(masker, base), size);
    }
    clear_all(masker->bits, removed, kept[REMOVED_COUNT]);
    set_all(masker->bits, added, kept[ADDED_COUNT]);
}

static void keep(li_masker *masker, uint32_t key, li_base base)
{
    LI_ASSERT(base.kind <= LI_BASE_OWN);
    const li_token_set *removed = &masker->removed, *added = &masker->added;
    bool is_own = base.kind == LI_BASE_OWN || removed->is_full || added->is_full ||
                  removed->count + added->count >= masker->words;
    uint32_t count = is_own ? masker->words : removed->count + added->count;
    masker->shown = li_mask_store_add(&masker->store, key, HEADER + count);
    if (!masker->shown) return;
    uint32_t *kept = masker->store.words + masker->shown, *tokens = kept + HEADER;
    kept[BASE_KIND] = is_own ? LI_BASE_OWN : base.kind;
    kept[BASE_VALUE] = base.value;
    kept[REMOVED_COUNT] = is_own ? 0 : removed->count;
    kept[ADDED_COUNT] = is_own ? 0 : added->count;
    if (is_own) {
        memcpy(tokens, masker->bits, count * sizeof *tokens);
        return;
    }
    if (removed->count) memcpy(tokens, removed->list, removed->count * sizeof *tokens);
    if (added->count) memcpy(tokens + removed->count, added->list, added->count * sizeof *tokens);
}

// The alternatives of the state, in masker->parts; 0: the grammar has failed.
static uint32_t split(li_masker *masker, li_term state)
{
    li_grammar *grammar = masker->grammar;
    uint32_t mark = li_scratch_mark(grammar);
    li_push_alternatives(grammar, state);
    uint32_t count = grammar->scratch.count - mark;
    if (count > masker->part_room) {
        li_term *parts = room_for(2 * count);
        if (!parts) {
            li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
            return 0;
        }
        li_memory_free(masker->parts);
        masker->parts = parts;
        masker->part_room = 2 * count;
    }
    if (count) memcpy(masker->parts, grammar->scratch.at + mark, count * sizeof state);
    li_scratch_drop(grammar, mark);
    return grammar->status == LI_OK ? count : 0;
}

static bool is_listed(const li_grammar *grammar, li_term head)
{
    return li_term_kind(grammar, head) == LI_KIND_QUOTED &&
           li_term_kind(grammar, li_term_payload(grammar, head)->quoted.text) == LI_KIND_STRINGS;
}

// The state after the token; LI_STATE_DEAD also if a stop ends the walk, which sets *is_stopped.
static li_state state_after(li_walker *walker, li_state from, uint32_t token, bool *is_stopped)
{
    LI_ASSERT(token < walker->vocabulary->token_count && from < walker->count);
    uint32_t length;
    const uint8_t *bytes = li_token_bytes(walker->vocabulary, token, &length);
    li_state state = length ? from : LI_STATE_DEAD;
    for (uint32_t at = 0; at < length && state != LI_STATE_DEAD; at++) {
        *is_stopped |= walker->states[state].stops;
        state = *is_stopped ? LI_STATE_DEAD : li_state_next(walker, state, bytes[at]);
    }
    return state;
}

// Adds the tokens of a string if masker->bits lacks so few tokens that a check of each costs less than a walk. Classes
// of keys that patterns tell apart each allow nearly any text. False: more tokens or stops remain, so some tokens may
// be missing.
static bool add_lacking(li_masker *masker, li_term part)
{
    const uint32_t token_count = masker->vocabulary->token_count;
    uint32_t lacking = token_count;
    bool is_stopped = false;
    for (uint32_t i = 0; i < masker->words; i++) lacking -= (uint32_t)__builtin_popcount(masker->bits[i]);
    if (lacking > token_count / FEW_LACKING) return false;
    li_grammar_pay(masker->grammar, lacking / CHECKS_OF_UNIT);
    li_state from = li_state_of(&masker->walker, part);
    for (uint32_t i = 0; i < masker->words; i++)
        for (uint32_t rest = ~masker->bits[i]; rest; rest &= rest - 1) {
            uint32_t token = 32 * i + (uint32_t)__builtin_ctz(rest);
            if (token >= token_count) break;
            li_state state = state_after(&masker->walker, from, token, &is_stopped);
            if (is_stopped) return false;
            if (masker->grammar->status != LI_OK) return true;
            if (state != LI_STATE_DEAD) li_token_set_add(&masker->added, token);
        }
    return true;
}

// Whether the head reads almost any text and may end after most tokens. Then so many tokens continue with the tail that
// one walk of both costs less than a walk of the head and a walk from each of its ends.
static bool ends_anywhere(li_grammar *grammar, li_term head)
{
    li_kind kind = li_term_kind(grammar, head);
    bool is_free = kind == LI_KIND_NOT || kind == LI_KIND_BOTH || head == li_any_text(grammar);
    return is_free && li_term_is_nullable(grammar, head);
}

static li_base make(li_masker *masker, li_term state)
{
    li_grammar *grammar = masker->grammar;
    li_base base = {LI_BASE_NONE, 0};
    bool is_first = true;
    li_term plain = li_forget(grammar, state, true);
    masker->state = state;
    masker->walker.stopped.count = 0;
    uint32_t count = split(masker, plain), others = 0;
    bool is_crowd = count > CROWD;
    for (uint32_t i = 0; i < count; i++) {
        li_term part = masker->parts[i], head = part, tail = LI_TERM_EMPTY;
        if (li_term_kind(grammar, part) == LI_KIND_SEQUENCE && !(li_term_flags(grammar, part) & LI_FLAG_REGULAR)) {
            const li_payload *of = li_term_payload(grammar, part);
            head = of->sequence.head;
            tail = of->sequence.tail;
        }
        bool is_string = li_term_kind(grammar, head) == LI_KIND_QUOTED;
        if (is_crowd && is_listed(grammar, head))
            masker->parts[others++] = part;
        else if (tail != LI_TERM_EMPTY && ends_anywhere(grammar, head))
            masker->parts[others++] = part;
        else if (!is_first && is_string && !li_mask_head_is_known(masker, head) && add_lacking(masker, part))
            continue;
        else if (li_mask_head(masker, head, tail, is_first, &base))
            is_first = false;
        else
            masker->parts[others++] = part;
    }
    if (is_first) memset(masker->bits, 0, masker->words * sizeof *masker->bits);
    if (others) {
        li_term rest = others == count ? plain : li_choice(grammar, masker->parts, others);
        li_walk(&masker->walker, masker->vocabulary, li_state_of(&masker->walker, rest), 0, &masker->added);
    }
    li_visit_specials(grammar, state, add_special, masker);
    if (plain != state || masker->walker.stopped.count)
        if (li_mask_follow_stops(masker)) base.kind = LI_BASE_OWN;
    return base;
}

li_status li_mask_fill(li_masker *masker, li_term state)
{
    li_grammar *grammar = masker->grammar;
    const li_vocabulary *vocabulary = masker->vocabulary;
    bool has_ended = state == LI_STATE_ENDED;
    uint32_t key = has_ended ? state - 1 : 2 * state, at = li_mask_store_find(&masker->store, key);
    if (at) {
        show(masker, at);
        return LI_OK;
    }
    li_walker_tidy(&masker->walker);
    if (masker->store.used > masker->store.limit / 4 * 3) li_mask_store_forget(&masker->store);
    masker->shown = masker->added.count = masker->removed.count = 0;
    masker->added.is_full = masker->removed.is_full = false;
    li_base base = make(masker, has_ended ? LI_TERM_NOTHING : state);
    if (has_ended || li_term_is_nullable(grammar, state))
        for (uint32_t i = 0; i < vocabulary->eos_count; i++) li_token_set_add(&masker->added, vocabulary->eos[i]);
    if (grammar->status == LI_OK) keep(masker, key, base);
    return grammar->status;
}
