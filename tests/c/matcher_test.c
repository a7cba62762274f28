// Vocabularies and matchers: the trie holds the tokens and nothing else, masks are exactly the tokens that can be read,
// and steps can be taken back. The reference tries every token on its own.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "grammar/core/arena.h"
#include "grammar/json/json_layout.h"
#include "grammar/json/json_string.h"
#include "grammar/mask/masker.h"
#include "grammar/mask/matcher.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/string_list.h"
#include "grammar/terms/term.h"

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

// ---- vocabularies ----

enum { TOKENS = 1500, EOS = 2 };
static const char *const pieces[] = {"a",        "b",        "ab",       "\"", "\"", "\\", "n",  "u",    "00",
                                     "d8",       "\\u00e9",  "dc",       " ",  "{",  "}",  ",",  ":",    "[",
                                     "]",        "0",        "1",        "-",  ".",  "e",  "\t", "\xc3", "\xa9",
                                     "\xc3\xa9", "\xf0\x9f", "\x98\x80", "zz", "  ", "\n", "x"};
enum { PIECES = sizeof pieces / sizeof *pieces };

static uint32_t random_text(uint8_t *to, uint32_t most)
{
    uint32_t length = 0, repeated = random_below(8) ? PIECES : random_below(PIECES);
    for (uint32_t i = random_below(most) + 1; i-- > 0;) {
        const char *piece = pieces[repeated < PIECES ? repeated : random_below(PIECES)];
        memcpy(to + length, piece, strlen(piece));
        length += (uint32_t)strlen(piece);
    }
    return length;
}

static li_vocabulary *make_vocabulary(uint32_t tokens, uint32_t most, uint32_t alphabet)
{
    static uint8_t bytes[1 << 20];
    static uint32_t ends[TOKENS];
    uint32_t length = 0;
    for (uint32_t id = 0; id < tokens; id++) {
        bool is_silent = id < EOS || id == 3 || random_below(20) == 0;
        if (!is_silent && alphabet)
            for (uint32_t i = random_below(most) + 1; i-- > 0;) bytes[length++] = (uint8_t)random_below(alphabet);
        else if (!is_silent)
            length += random_text(bytes + length, most);
        ends[id] = length;
    }
    li_vocabulary *vocabulary = li_vocabulary_create(tokens, length, EOS);
    memcpy(li_vocabulary_ends(vocabulary), ends, tokens * sizeof *ends);
    memcpy(li_vocabulary_bytes(vocabulary), bytes, length);
    for (uint32_t i = 0; i < EOS; i++) li_vocabulary_eos(vocabulary)[i] = i;
    CHECK_EQ(li_vocabulary_prepare(vocabulary), LI_OK);
    return vocabulary;
}

static int compare_tokens(const li_vocabulary *vocabulary, uint32_t a, uint32_t b)
{
    uint32_t a_length, b_length;
    const uint8_t *a_bytes = li_token_bytes(vocabulary, a, &a_length),
                  *b_bytes = li_token_bytes(vocabulary, b, &b_length);
    int order = memcmp(a_bytes, b_bytes, a_length < b_length ? a_length : b_length);
    if (order == 0) order = a_length < b_length ? -1 : a_length > b_length;
    return order ? order : a < b ? -1 : a > b;
}

// The paths of the trie spell each token exactly once.
static uint32_t check_trie(const li_vocabulary *vocabulary, uint32_t node, uint8_t *path, uint32_t depth)
{
    const li_trie_node *nodes = vocabulary->nodes;
    uint32_t found = 0, end = node + nodes[node].size, before = 0, below = 0;
    for (uint32_t rank = nodes[node].first; rank < nodes[node + 1].first; rank++, found++) {
        uint32_t length;
        const uint8_t *bytes = li_token_bytes(vocabulary, vocabulary->ids[rank], &length);
        CHECK_EQ(length, depth);
        CHECK_BYTES(bytes, path, depth);
    }
    for (uint32_t child = node + 1; child < end; child += nodes[child].size) {
        path[depth] = (uint8_t)nodes[child].byte;
        CHECK(child == node + 1 || path[depth] > before);
        before = path[depth];
        found += check_trie(vocabulary, child, path, depth + 1);
        below |= vocabulary->below[child] | 1u << vocabulary->classes[before];
    }
    CHECK_EQ(vocabulary->below[node], below);
    CHECK_LE(depth, vocabulary->longest);
    return found;
}

static void check_vocabulary(const li_vocabulary *vocabulary)
{
    static uint8_t path[LI_TOKEN_LIMIT];
    uint32_t texts = 0, length;
    for (uint32_t id = 0; id < vocabulary->token_count; id++) {
        li_token_bytes(vocabulary, id, &length);
        texts += length > 0;
    }
    CHECK_EQ(vocabulary->ranked_count, texts);
    for (uint32_t rank = 1; rank < texts; rank++)
        CHECK_LT(compare_tokens(vocabulary, vocabulary->ids[rank - 1], vocabulary->ids[rank]), 0);
    CHECK_EQ(check_trie(vocabulary, 0, path, 0), texts);
}

static void test_the_trie_holds_every_token_once(void)
{
    const uint32_t kinds[][3] = {{3, 1, 0},        {TOKENS, 6, 0}, {TOKENS, 40, 2},
                                 {TOKENS, 3, 256}, {TOKENS, 9, 1}, {2, 1, 0}};
    for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        CHECK_CASE("i %u", i);
        li_vocabulary *vocabulary = make_vocabulary(kinds[i][0], kinds[i][1], kinds[i][2]);
        check_vocabulary(vocabulary);
        li_vocabulary_destroy(vocabulary);
    }
}

static void check_saving(uint32_t most, uint32_t alphabet)
{
    li_vocabulary *vocabulary = make_vocabulary(TOKENS, most, alphabet);
    uint32_t size = li_vocabulary_saved_size(vocabulary);
    uint8_t *saved = malloc(size), *again = malloc(size);
    li_vocabulary_save(vocabulary, saved);
    li_status status;
    li_vocabulary *loaded = li_vocabulary_load(saved, size, &status);
    CHECK_EQ(status, LI_OK);
    CHECK(loaded);
    CHECK_EQ(loaded->byte_count, vocabulary->byte_count);
    check_vocabulary(loaded);
    for (uint32_t id = 0; id < TOKENS; id++) {
        uint32_t length, other;
        const uint8_t *bytes = li_token_bytes(vocabulary, id, &length), *copied = li_token_bytes(loaded, id, &other);
        CHECK_EQ(length, other);
        CHECK_BYTES(bytes, copied, length);
    }
    CHECK_EQ(li_vocabulary_saved_size(loaded), size);
    CHECK_EQ(li_vocabulary_eos_count(loaded), EOS);
    li_vocabulary_save(loaded, again);
    CHECK_BYTES(saved, again, size);
    // Damaged bytes are refused, or are the bytes of another sound vocabulary.
    for (uint32_t i = 0; i < 1500; i++) {
        uint32_t left = i % 4 ? size : random_below(size) + 1;
        uint8_t *damaged = malloc(left);
        memcpy(damaged, saved, left);
        for (uint32_t flips = i % 3 + 1; flips-- > 0;)
            damaged[random_below(i % 2 && left > 60 ? 60 : left)] ^= (uint8_t)(1 << random_below(8));
        li_vocabulary *sound = li_vocabulary_load(damaged, left, &status);
        CHECK_EQ(sound != NULL, status == LI_OK);
        if (sound) check_vocabulary(sound);
        li_vocabulary_destroy(sound);
        free(damaged);
    }
    free(saved);
    free(again);
    li_vocabulary_destroy(loaded);
    li_vocabulary_destroy(vocabulary);
}

static void test_a_vocabulary_survives_saving(void)
{
    check_saving(6, 0);
    check_saving(3, 5);   // many tokens of equal bytes
    check_saving(400, 1); // long common prefixes
    check_saving(60, 0);
}

static void test_bytes_that_are_no_vocabulary_are_refused(void)
{
    CHECK(!li_vocabulary_create(LI_TOKEN_COUNT_LIMIT + 1, 1, 0));
    CHECK(!li_vocabulary_create(1, LI_TOKEN_BYTES_LIMIT, 0));
    li_vocabulary *vocabulary = li_vocabulary_create(2, 4, 1);
    uint32_t *ends = li_vocabulary_ends(vocabulary), *eos = li_vocabulary_eos(vocabulary);
    ends[0] = 5, ends[1] = 5;
    CHECK_EQ(li_vocabulary_prepare(vocabulary), LI_ERROR_BAD_ARGUMENT);
    ends[0] = 3, ends[1] = 2;
    CHECK_EQ(li_vocabulary_prepare(vocabulary), LI_ERROR_BAD_ARGUMENT);
    ends[0] = 0, ends[1] = 4, eos[0] = 2;
    CHECK_EQ(li_vocabulary_prepare(vocabulary), LI_ERROR_BAD_ARGUMENT);
    ends[0] = 0, ends[1] = 4, eos[0] = 1;
    CHECK_EQ(li_vocabulary_prepare(vocabulary), LI_ERROR_BAD_ARGUMENT);
    li_vocabulary_destroy(vocabulary);
}

// ---- masks ----

enum { FUEL = 4000000 }; // of each step, mask and reading

static li_grammar *empty_grammar(void)
{
    // Flags, run, three separators, schemas, rules, root: EMPTY.
    static const uint8_t form[] = {'L', 'I', 'G', 1, 0, 0, 0, 1, ',', 1, ':', 0, 0, 2};
    li_grammar *grammar = li_grammar_compile(form, sizeof form, 0);
    CHECK(grammar);
    CHECK_EQ(li_grammar_status(grammar), LI_OK);
    return grammar;
}

static li_term literal(li_grammar *grammar, const char *text)
{
    return li_literal(grammar, (const uint8_t *)text, (uint32_t)strlen(text));
}

static li_term random_character(li_grammar *grammar)
{
    switch (random_below(6)) {
    case 0:
        return li_byte_range(grammar, 'a', 'b');
    case 1:
        return li_class(grammar, (uint32_t[]){'a', 'z', 0xe0, 0xff}, 2);
    case 2:
        return li_class(grammar, (uint32_t[]){0, 0x10ffff}, 1);
    case 3:
        return li_class(grammar, (uint32_t[]){'"', '"', 'a', 'a', 0x1f600, 0x1f600}, 3);
    case 4:
        return li_byte_range(grammar, '0', '1');
    default:
        return li_byte_range(grammar, 'a', 'a');
    }
}

static li_term random_regular(li_grammar *grammar, int depth)
{
    switch (random_below(depth > 0 ? 8 : 2)) {
    case 0:
        return random_character(grammar);
    case 1:
        return literal(grammar, pieces[random_below(3)]);
    case 2:
        return li_sequence(grammar, random_regular(grammar, depth - 1), random_regular(grammar, depth - 1));
    case 3:
        return li_either(grammar, random_regular(grammar, depth - 1), random_regular(grammar, depth - 1));
    case 4:
        return li_any_text(grammar);
    case 5:
        if (random_below(2))
            return li_both(grammar, li_repeat(grammar, random_character(grammar), random_below(3), LI_NO_LIMIT),
                           li_repeat(grammar, li_class(grammar, (uint32_t[]){0, 0x10ffff}, 1), random_below(3), 9));
        return li_both(grammar, li_any_text(grammar), li_not(grammar, random_regular(grammar, depth - 1)));
    default: {
        uint32_t least = random_below(3);
        li_term body = random_below(2) ? random_character(grammar) : random_regular(grammar, depth - 1);
        return li_repeat(grammar, body, least, random_below(2) ? LI_NO_LIMIT : least + random_below(12));
    }
    }
}

// Long lists and short lists are walked in different ways.
static li_term random_list(li_grammar *grammar)
{
    enum { WORDS = 400, ROOM = 64 };
    li_string words[WORDS];
    uint32_t count = random_below(2) ? WORDS : 20;
    uint8_t *bytes = li_grammar_alloc(grammar, WORDS * ROOM);
    for (uint32_t i = 0; i < count; i++) words[i] = (li_string){bytes + i * ROOM, random_text(bytes + i * ROOM, 5)};
    return li_strings(grammar, words, count);
}

static li_term random_part(li_grammar *grammar, int depth)
{
    switch (random_below(8)) {
    case 6: {
        li_term list = random_list(grammar);
        if (random_below(2) || !(li_term_flags(grammar, list) & LI_FLAG_TEXT)) return list;
        return li_sequence(grammar, literal(grammar, "\""), li_quoted(grammar, list));
    }
    case 0:
    case 1:
        return li_sequence(grammar, literal(grammar, "\""), li_quoted(grammar, random_regular(grammar, depth)));
    case 2:
        return random_regular(grammar, depth);
    case 3:
        return li_space(grammar, random_below(4));
    case 4:
        return li_term_intern(grammar, LI_KIND_SPECIAL, 0, &(uint32_t){2 + random_below(4)}, 1);
    case 5:
        return li_either(grammar, random_part(grammar, depth - 1), literal(grammar, pieces[random_below(PIECES)]));
    default:
        return literal(grammar, pieces[random_below(PIECES)]);
    }
}

static li_term random_state_of(li_grammar *grammar)
{
    li_grammar_begin(grammar, FUEL);
    li_term sum = LI_TERM_NOTHING;
    for (uint32_t i = random_below(3) + 1; i-- > 0;) {
        li_term term = LI_TERM_EMPTY;
        for (uint32_t j = random_below(5); j-- > 0;) term = li_sequence(grammar, random_part(grammar, 3), term);
        sum = li_either(grammar, sum, term);
    }
    CHECK_EQ(grammar->status, LI_OK);
    return sum;
}

// States side by side: alternatives that begin differently each read on their own.
enum { MOST_WAYS = 4096 };
typedef struct ways {
    li_term states[MOST_WAYS];
    uint32_t count;
} ways;

static void add_ways(li_grammar *grammar, ways *to, li_term state)
{
    if (li_term_kind(grammar, state) == LI_KIND_CHOICE && !(li_term_flags(grammar, state) & LI_FLAG_REGULAR)) {
        for (uint32_t i = 0; i < li_term_length(grammar, state); i++)
            add_ways(grammar, to, li_term_words(grammar, state)[i]);
        return;
    }
    for (uint32_t i = 0; i < to->count; i++)
        if (to->states[i] == state) return;
    if (state == LI_TERM_NOTHING) return;
    CHECK_LT(to->count, MOST_WAYS);
    to->states[to->count++] = state;
}

// Whether some way through all bytes is never overrun. The state at its beginning may be overrun.
static bool reads(li_grammar *grammar, li_term state, const uint8_t *bytes, uint32_t length)
{
    static ways lists[2];
    ways *here = &lists[0], *next = &lists[1];
    li_grammar_begin(grammar, FUEL);
    here->count = 0;
    add_ways(grammar, here, state);
    for (uint32_t i = 0; i < length; i++) {
        next->count = 0;
        for (uint32_t k = 0; k < here->count; k++) {
            if (i && li_term_flags(grammar, here->states[k]) & LI_FLAG_OVERRUN) continue;
            add_ways(grammar, next, li_derive(grammar, here->states[k], bytes[i]));
        }
        ways *swapped = here;
        here = next;
        next = swapped;
    }
    CHECK_EQ(grammar->status, LI_OK);
    for (uint32_t k = 0; k < here->count; k++)
        if (!(li_term_flags(grammar, here->states[k]) & LI_FLAG_OVERRUN)) return true;
    return false;
}

static uint32_t wrong_bits(li_masker *masker, li_term state)
{
    li_grammar *grammar = masker->grammar;
    const li_vocabulary *vocabulary = masker->vocabulary;
    uint32_t wrong = 0, length;
    for (uint32_t token = 0; token < vocabulary->token_count; token++) {
        const uint8_t *bytes = li_token_bytes(vocabulary, token, &length);
        bool allowed =
            length ? reads(grammar, state, bytes, length) : li_derive_special(grammar, state, token) != LI_TERM_NOTHING;
        if (token < EOS) allowed |= li_term_is_nullable(grammar, state);
        wrong += allowed != (masker->bits[token >> 5] >> (token & 31) & 1);
    }
    return wrong;
}

// To make or walk counts within counts may take more fuel than there is; that must stay rare.
static uint32_t masks_filled, masks_unfinished;

// Masks along a walk; earlier masks are asked for again.
static void check_walk(li_masker *masker, li_term state)
{
    enum { STEPS = 10 };
    li_term states[STEPS];
    uint32_t count = 0;
    li_grammar *grammar = masker->grammar;
    for (; count < STEPS && state != LI_TERM_NOTHING; count++) {
        states[count] = state;
        li_grammar_begin(grammar, FUEL);
        li_status status = li_mask_fill(masker, state);
        masks_filled++;
        if (status == LI_ERROR_GRAMMAR_FUEL) {
            masks_unfinished++;
            return;
        }
        CHECK_EQ(status, LI_OK);
        CHECK_EQ(wrong_bits(masker, state), 0);
        // A token of the mask, chosen uniformly; now and then a piece, which may be overrun.
        uint32_t chosen = 0, seen = 0, length;
        for (uint32_t token = 0; token < masker->vocabulary->token_count; token++) {
            li_token_bytes(masker->vocabulary, token, &length);
            if (length && masker->bits[token >> 5] >> (token & 31) & 1 && random_below(++seen) == 0) chosen = token;
        }
        const uint8_t *bytes = li_token_bytes(masker->vocabulary, chosen, &length);
        li_grammar_begin(grammar, FUEL);
        state = li_derive_bytes(grammar, state, bytes, seen ? length : 0);
        if (!seen) break;
        CHECK_NE(state, LI_TERM_NOTHING);
        if (random_below(8) == 0) {
            li_term over = li_derive(grammar, state, ' ');
            if (over != LI_TERM_NOTHING) state = over;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t again = random_below(count);
        li_grammar_begin(grammar, FUEL);
        CHECK_EQ(li_mask_fill(masker, states[again]), LI_OK);
        CHECK_EQ(wrong_bits(masker, states[again]), 0);
    }
}

static void test_masks_are_the_tokens_that_can_be_read(void)
{
    for (uint32_t round = 0; round < 60; round++) {
        CHECK_CASE("round %u", round);
        li_vocabulary *vocabulary = make_vocabulary(round % 3 ? 400 : TOKENS, 1 + round % 7, 0);
        li_masker *masker = li_masker_create(empty_grammar(), vocabulary, 0);
        li_vocabulary_destroy(vocabulary);
        for (uint32_t i = 0; i < 8; i++) check_walk(masker, random_state_of(masker->grammar));
        li_masker_destroy(masker);
    }
}

// Counts and lengths: a pattern of counted rounds, perhaps within bounds. States far from a limit share masks.
static li_term random_counted(li_grammar *grammar, int depth)
{
    static const uint32_t counts[] = {1, 2, 7, 8, 9, 12, 40, 300};
    li_term any = li_class(grammar, (uint32_t[]){0, 0x10ffff}, 1), term;
    switch (random_below(depth > 0 ? 7 : 2)) {
    case 0:
        term = random_below(3) ? random_character(grammar) : any;
        break;
    case 1:
        return li_byte_range(grammar, ' ', random_below(2) ? '"' : '/');
    case 2:
    case 3:
        return li_sequence(grammar, random_counted(grammar, depth - 1), random_counted(grammar, depth - 1));
    case 4:
        return li_either(grammar, random_counted(grammar, depth - 1), random_counted(grammar, depth - 1));
    default:
        term = random_counted(grammar, depth - 1);
    }
    uint32_t most = random_below(5) ? counts[random_below(8)] : LI_NO_LIMIT;
    return li_repeat(grammar, term, random_below(4) ? 0 : random_below(most < 12 ? most + 1 : 12), most);
}

static li_term random_bounded(li_grammar *grammar)
{
    li_term any = li_class(grammar, (uint32_t[]){0, 0x10ffff}, 1), term = random_counted(grammar, 4);
    uint32_t least = random_below(2) * random_below(12);
    li_term bounds = li_repeat(grammar, any, least, least + random_below(random_below(2) ? 6 : 60));
    return random_below(4) ? li_both(grammar, term, bounds) : term;
}

static void test_masks_near_and_far_from_limits_are_exact(void)
{
    for (uint32_t round = 0; round < (uint32_t)check_rounds(120); round++) {
        CHECK_CASE("round %u", round);
        li_vocabulary *vocabulary = make_vocabulary(round % 3 ? 400 : TOKENS, 2 + round % 11, 0);
        li_masker *masker = li_masker_create(empty_grammar(), vocabulary, 0);
        li_grammar *grammar = masker->grammar;
        li_vocabulary_destroy(vocabulary);
        for (uint32_t i = 0; i < 8; i++) {
            li_grammar_begin(grammar, FUEL);
            li_term term = random_bounded(grammar), tail = random_below(2) ? LI_TERM_EMPTY : random_part(grammar, 1);
            if (random_below(3)) term = li_quoted(grammar, term);
            term = li_sequence(grammar, term, tail);
            masks_unfinished += grammar->status == LI_ERROR_GRAMMAR_FUEL;
            if (grammar->status == LI_OK) check_walk(masker, term);
        }
        li_masker_destroy(masker);
    }
    CHECK_LT(1000 * masks_unfinished, masks_filled);
}

static void test_tokens_longer_than_a_far_limit(void)
{
    static const uint32_t lengths[] = {1, 2, 100, 199, 200, 201, 254, 255, 256, 257, 299, 300, 301, 320, 700};
    enum { WORDS = sizeof lengths / sizeof *lengths, BYTES = 4096 };
    li_vocabulary *vocabulary = li_vocabulary_create(WORDS, BYTES, 0);
    memset(li_vocabulary_bytes(vocabulary), 'a', BYTES);
    for (uint32_t i = 0, end = 0; i < WORDS; i++) li_vocabulary_ends(vocabulary)[i] = end += lengths[i];
    CHECK_EQ(li_vocabulary_prepare(vocabulary), LI_OK);
    for (uint32_t most = 190; most < 320; most++) {
        CHECK_CASE("most %u", most);
        li_masker *masker = li_masker_create(empty_grammar(), vocabulary, 0);
        li_grammar *grammar = masker->grammar;
        li_grammar_begin(grammar, FUEL);
        li_term run = li_repeat(grammar, li_byte_range(grammar, 'a', 'c'), 1, most);
        CHECK_EQ(li_mask_fill(masker, li_sequence(grammar, run, li_space(grammar, 2))), LI_OK);
        for (uint32_t i = 0; i < WORDS; i++) CHECK_EQ(masker->bits[i >> 5] >> (i & 31) & 1, lengths[i] <= most);
        li_masker_destroy(masker);
    }
    li_vocabulary_destroy(vocabulary);
}

// A hash, then a choice whose last alternative is a short run of letters. More and more alternatives come before, until
// the search for runs reaches its limit of nodes within the run.
static void test_masks_where_a_run_is_at_the_limit_of_the_search(void)
{
    enum { MOST_WAYS_BEFORE = 105, WORDS = 300, LENGTH = 5, FEW_LETTERS = 2 };
    li_vocabulary *vocabulary = li_vocabulary_create(WORDS, WORDS * LENGTH, 0);
    uint32_t *ends = li_vocabulary_ends(vocabulary);
    uint8_t *bytes = li_vocabulary_bytes(vocabulary);
    for (uint32_t i = 0, end = 0; i < WORDS; ends[i++] = end) {
        bytes[end++] = '#';
        for (uint32_t letters = random_below(LENGTH); letters-- > 0;) bytes[end++] = (uint8_t)('a' + random_below(3));
    }
    CHECK_EQ(li_vocabulary_prepare(vocabulary), LI_OK);
    for (uint32_t before = 80; before < MOST_WAYS_BEFORE; before++) {
        for (uint32_t more = 0; more < 3; more++) {
            li_masker *masker = li_masker_create(empty_grammar(), vocabulary, 0);
            li_grammar *grammar = masker->grammar;
            li_term ways[MOST_WAYS_BEFORE + 4];
            uint32_t count = 0;
            li_grammar_begin(grammar, FUEL);
            for (uint8_t byte = 0x80; byte < 0x80 + before; byte++)
                ways[count++] = li_sequence(grammar, li_byte_range(grammar, byte, byte),
                                            li_byte_range(grammar, byte - 0x7f, byte - 0x7f));
            for (uint8_t byte = 0xf4; byte < 0xf4 + more; byte++)
                ways[count++] = li_repeat(grammar, li_byte_range(grammar, byte, byte), 1, 2);
            ways[count++] = li_repeat(grammar, li_byte_range(grammar, 'a', 'z'), 1, FEW_LETTERS);
            li_term rest = li_sequence(grammar, literal(grammar, ","), li_space(grammar, 2));
            li_term state = li_sequence(grammar, literal(grammar, "#"),
                                        li_sequence(grammar, li_choice(grammar, ways, count), rest));
            CHECK_EQ(li_mask_fill(masker, state), LI_OK);
            for (uint32_t token = 0, length; token < WORDS; token++) {
                li_token_bytes(vocabulary, token, &length);
                CHECK_EQ(masker->bits[token >> 5] >> (token & 31) & 1, length <= 1 + FEW_LETTERS);
            }
            li_masker_destroy(masker);
        }
    }
    li_vocabulary_destroy(vocabulary);
}

// ---- matchers ----

// A matcher of the grammar with another root.
static li_matcher *matcher_of(li_masker *masker, li_term root)
{
    masker->grammar->root = root;
    return li_matcher_create(masker, NULL, 0);
}

static uint32_t any_token_of(const li_masker *masker, const uint32_t *mask)
{
    uint32_t chosen = UINT32_MAX, seen = 0;
    for (uint32_t token = 0; token < masker->vocabulary->token_count; token++)
        if (mask[token >> 5] >> (token & 31) & 1 && random_below(++seen) == 0) chosen = token;
    return chosen;
}

static uint32_t count_bits(const li_masker *masker, const uint32_t *mask)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < masker->words; i++) count += (uint32_t)__builtin_popcount(mask[i]);
    return count;
}

static void test_steps_can_be_taken_back(void)
{
    enum { STEPS = 12 };
    for (uint32_t round = 0; round < 60; round++) {
        CHECK_CASE("round %u", round);
        li_vocabulary *vocabulary = make_vocabulary(400, 4, 0);
        li_masker *masker = li_masker_create(empty_grammar(), vocabulary, 0);
        li_vocabulary_destroy(vocabulary);
        li_matcher *matcher = matcher_of(masker, random_state_of(masker->grammar)), *clone = NULL;
        li_term states[STEPS + 1];
        uint32_t count = 0, cloned_at = random_below(STEPS);
        for (; count < STEPS; count++) {
            states[count] = matcher->state;
            if (count == cloned_at) clone = li_matcher_clone(matcher);
            const uint32_t *mask = li_matcher_mask(matcher);
            uint32_t token = mask ? any_token_of(masker, mask) : UINT32_MAX;
            if (token == UINT32_MAX) break;
            CHECK_EQ(li_matcher_accept(matcher, token), 1);
            // A token outside the mask is refused and changes nothing; whitespace may be overrun.
            uint32_t other = random_below(400);
            li_term before = matcher->state;
            if (li_matcher_accept(matcher, other) == 0)
                CHECK_EQ(matcher->state, before);
            else {
                CHECK_EQ(li_matcher_rollback(matcher, 1), LI_OK);
                CHECK_EQ(matcher->state, before);
            }
        }
        states[count] = matcher->state;
        CHECK_EQ(li_matcher_rollback(matcher, count + 1), LI_ERROR_BAD_ARGUMENT);
        CHECK_EQ(matcher->state, states[count]);
        uint32_t back = random_below(count + 1);
        CHECK_EQ(li_matcher_rollback(matcher, back), LI_OK);
        CHECK_EQ(matcher->state, states[count - back]);
        CHECK_EQ(li_matcher_rollback(matcher, count - back), LI_OK);
        CHECK_EQ(matcher->state, states[0]);
        if (clone) {
            CHECK_EQ(clone->state, states[cloned_at]);
            CHECK_EQ(li_matcher_rollback(clone, cloned_at), LI_OK);
            CHECK_EQ(clone->state, states[0]);
        }
        li_matcher_destroy(matcher);
        li_masker_destroy(masker);
        li_matcher_destroy(clone); // the last user
    }
}

// Two eos tokens, then a token each for "a" and "ab".
static li_vocabulary *make_small_vocabulary(void)
{
    static const uint32_t ends[] = {0, 0, 1, 3};
    li_vocabulary *vocabulary = li_vocabulary_create(4, 3, EOS);
    memcpy(li_vocabulary_ends(vocabulary), ends, sizeof ends);
    memcpy(li_vocabulary_bytes(vocabulary), "aab", 3);
    for (uint32_t i = 0; i < EOS; i++) li_vocabulary_eos(vocabulary)[i] = i;
    CHECK_EQ(li_vocabulary_prepare(vocabulary), LI_OK);
    return vocabulary;
}

static void test_a_text_ends_by_an_eos_token(void)
{
    li_vocabulary *vocabulary = make_small_vocabulary();
    li_masker *masker = li_masker_create(empty_grammar(), vocabulary, 0);
    li_matcher *matcher = matcher_of(masker, li_repeat(masker->grammar, literal(masker->grammar, "ab"), 1, 2));
    CHECK_EQ(li_matcher_flags(matcher), 0);
    CHECK_EQ(li_matcher_accept(matcher, 1), 0);
    CHECK_EQ(li_matcher_accept_bytes(matcher, (const uint8_t *)"abb", 3), 0);
    CHECK_EQ(matcher->history_count, 0);
    CHECK_EQ(li_matcher_accept_bytes(matcher, (const uint8_t *)"ab", 2), 1);
    CHECK_EQ(li_matcher_flags(matcher), LI_MATCHER_ACCEPTING);
    const uint32_t *mask = li_matcher_mask(matcher);
    CHECK(mask);
    CHECK_EQ(mask[0] & 3, 3);
    CHECK_EQ(count_bits(masker, mask), EOS + 2);
    CHECK_EQ(li_matcher_accept(matcher, 1), 1);
    CHECK_EQ(li_matcher_flags(matcher), LI_MATCHER_ACCEPTING | LI_MATCHER_TERMINATED);
    mask = li_matcher_mask(matcher);
    CHECK(mask);
    CHECK_EQ(mask[0] & 3, 3);
    CHECK_EQ(count_bits(masker, mask), EOS);
    CHECK_EQ(li_matcher_accept_bytes(matcher, (const uint8_t *)"ab", 2), 0);
    CHECK_EQ(li_matcher_accept(matcher, 3), 0);
    CHECK_EQ(li_matcher_rollback(matcher, 1), LI_OK);
    CHECK_EQ(li_matcher_flags(matcher), LI_MATCHER_ACCEPTING);
    CHECK_EQ(li_matcher_accept(matcher, 1000000), 0);
    li_matcher_destroy(matcher);
    masker->grammar->root = LI_TERM_NOTHING;
    matcher = li_matcher_create(masker, (const uint8_t *)"a", 1);
    CHECK_EQ(li_matcher_flags(matcher), LI_MATCHER_EMPTY);
    CHECK_EQ(count_bits(masker, li_matcher_mask(matcher)), 0);
    li_matcher_destroy(matcher);
    li_masker_destroy(masker);
    li_vocabulary_destroy(vocabulary);
}

static void test_forced_bytes_are_the_only_ones(void)
{
    uint32_t forced_bytes = 0;
    for (uint32_t round = 0; round < 400; round++) {
        CHECK_CASE("round %u", round);
        li_vocabulary *vocabulary = make_vocabulary(10, 2, 0);
        li_masker *masker = li_masker_create(empty_grammar(), vocabulary, 0);
        li_grammar *grammar = masker->grammar;
        li_vocabulary_destroy(vocabulary);
        li_matcher *matcher = matcher_of(masker, random_state_of(grammar));
        uint8_t forced[40];
        int32_t count = li_matcher_forced(matcher, forced, sizeof forced);
        CHECK_GE(count, 0);
        li_term state = matcher->state;
        for (int32_t i = 0; i <= count && state != LI_TERM_NOTHING; i++) {
            uint32_t ways = li_term_is_nullable(grammar, state), byte = 0;
            for (uint32_t other = 0; other < 256; other++) {
                li_term rest = li_derive(grammar, state, (uint8_t)other);
                if (rest == LI_TERM_NOTHING || li_term_flags(grammar, rest) & LI_FLAG_OVERRUN) continue;
                byte = other;
                ways++;
            }
            for (uint32_t token = 0; token < 10; token++)
                ways += li_derive_special(grammar, state, token) != LI_TERM_NOTHING;
            CHECK(i < count ? ways == 1 && byte == forced[i] : ways != 1 || count == sizeof forced || !byte);
            if (i < count) state = li_derive(grammar, state, forced[i]);
        }
        forced_bytes += (uint32_t)count;
        li_matcher_destroy(matcher);
        li_masker_destroy(masker);
    }
    CHECK_GT(forced_bytes, 20);
}

static void test_a_byte_of_zero_can_be_forced(void)
{
    li_vocabulary *vocabulary = make_vocabulary(10, 2, 0);
    li_masker *masker = li_masker_create(empty_grammar(), vocabulary, 0);
    li_matcher *matcher = matcher_of(masker, li_literal(masker->grammar, (const uint8_t *)"x\0y", 3));
    uint8_t forced[4];
    CHECK_EQ(li_matcher_forced(matcher, forced, sizeof forced), 3);
    CHECK_BYTES(forced, "x\0y", 3);
    li_matcher_destroy(matcher);
    li_masker_destroy(masker);
    li_vocabulary_destroy(vocabulary);
}

static void test_bytes_to_heal_come_first(void)
{
    li_vocabulary *vocabulary = make_vocabulary(100, 3, 0);
    li_masker *masker = li_masker_create(empty_grammar(), vocabulary, 0);
    masker->grammar->root = literal(masker->grammar, "b\"");
    li_matcher *matcher = li_matcher_create(masker, (const uint8_t *)" a", 2);
    uint8_t forced[8];
    CHECK_EQ(li_matcher_forced(matcher, forced, 8), 4);
    CHECK_BYTES(forced, " ab\"", 4);
    CHECK_EQ(li_matcher_accept_bytes(matcher, (const uint8_t *)"b", 1), 0);
    CHECK_EQ(li_matcher_accept_bytes(matcher, forced, 4), 1);
    CHECK_EQ(li_matcher_flags(matcher), LI_MATCHER_ACCEPTING);
    li_matcher_destroy(matcher);
    li_masker_destroy(masker);
    li_vocabulary_destroy(vocabulary);
}

static void test_running_out_of_fuel_changes_nothing(void)
{
    li_vocabulary *vocabulary = make_vocabulary(400, 6, 0);
    li_masker *masker = li_masker_create(empty_grammar(), vocabulary, 10);
    li_matcher *matcher = matcher_of(masker, li_sequence(masker->grammar, literal(masker->grammar, "\""),
                                                         li_quoted(masker->grammar, li_any_text(masker->grammar))));
    li_term before = matcher->state;
    CHECK(!li_matcher_mask(matcher));
    CHECK_EQ(li_matcher_status(matcher), LI_ERROR_GRAMMAR_FUEL);
    CHECK_EQ(matcher->state, before);
    CHECK_EQ(li_matcher_accept_bytes(matcher, (const uint8_t *)"\"a", 2), 1);
    masker->fuel = 1000000;
    CHECK(li_matcher_mask(matcher));
    CHECK_EQ(wrong_bits(masker, matcher->state), 0);
    li_matcher_destroy(matcher);
    li_masker_destroy(masker);
    li_vocabulary_destroy(vocabulary);
}

// Each rule occurs twice in the rule before it, and the last is empty or "a": the paths to the first byte double
// with each rule.
static void test_a_mask_has_a_bound_of_work(void)
{
    enum { RULES = 60 };
    uint8_t form[16 + 6 * RULES] = {'L', 'I', 'G', 1, 0, 0, 0, 1, ',', 1, ':', 0, RULES + 1};
    uint32_t length = 13;
    for (uint8_t rule = 1; rule <= RULES; rule++) {
        const uint8_t twice[] = {6, 2, 17, rule, 17, rule}; // SEQUENCE of two RULEs
        memcpy(form + length, twice, sizeof twice);
        length += sizeof twice;
    }
    const uint8_t last[] = {10, 0, 2, 3, 1, 'a'}, root[] = {17, 0}; // REPEAT of a TEXT
    uint8_t whole[sizeof form + sizeof last + sizeof root];
    memcpy(whole, form, length);
    memcpy(whole + length, last, sizeof last);
    memcpy(whole + length + sizeof last, root, sizeof root);
    length += sizeof last + sizeof root;
    li_vocabulary *vocabulary = make_vocabulary(100, 3, 0);
    li_grammar *grammar = li_grammar_compile(whole, length, 0);
    CHECK_EQ(li_grammar_status(grammar), LI_OK);
    li_masker *masker = li_masker_create(grammar, vocabulary, 0);
    CHECK_EQ(masker->fuel, 120000 + 4 * length);
    CHECK_EQ(masker->text_fuel, 4000000);
    li_matcher *matcher = li_matcher_create(masker, NULL, 0);
    CHECK(!li_matcher_mask(matcher));
    CHECK_EQ(li_matcher_status(matcher), LI_ERROR_GRAMMAR_FUEL);
    CHECK_EQ(li_matcher_limit(matcher), LI_LIMIT_FUEL);
    CHECK_EQ(li_matcher_flags(matcher), LI_MATCHER_ACCEPTING);
    li_grammar_begin(grammar, 1000);
    matcher->state = literal(grammar, "b");
    CHECK(li_matcher_mask(matcher));
    CHECK_EQ(wrong_bits(masker, matcher->state), 0);
    CHECK_EQ(li_matcher_accept_bytes(matcher, (const uint8_t *)"b", 1), 1);
    li_matcher_destroy(matcher);
    li_masker_destroy(masker);
    li_vocabulary_destroy(vocabulary);
}

// The text "a", many times.
static const uint8_t many_as[] = {'L', 'I', 'G', 1, 0, 0, 0, 1, ',', 1, ':', 0, 0, 10, 0, 0, 3, 1, 'a'};

static void make_many_terms(li_grammar *grammar)
{
    for (uint32_t i = 0; grammar->status == LI_OK && li_terms_count(grammar) < 500000; i++) {
        grammar->fuel = 100000; // enough for a larger table too
        li_term_intern(grammar, LI_KIND_SPECIAL, 0, &i, 1);
    }
}

static void test_many_terms_are_dropped_at_the_start(void)
{
    li_vocabulary *vocabulary = make_vocabulary(100, 3, 0);
    li_grammar *grammar = li_grammar_compile(many_as, sizeof many_as, 0);
    CHECK_EQ(li_grammar_status(grammar), LI_OK);
    li_masker *masker = li_masker_create(grammar, vocabulary, 0);
    li_matcher *matcher = li_matcher_create(masker, NULL, 0);
    CHECK_EQ(li_matcher_accept_bytes(matcher, (const uint8_t *)"aa", 2), 1);
    CHECK(li_matcher_mask(matcher));
    make_many_terms(grammar);
    CHECK_EQ(li_matcher_rollback(matcher, 1), LI_OK);
    CHECK_LT(li_terms_count(masker->grammar), 1000);
    CHECK(li_matcher_mask(matcher));
    CHECK_EQ(wrong_bits(masker, matcher->state), 0);
    CHECK_EQ(li_matcher_accept_bytes(matcher, (const uint8_t *)"aaa", 3), 1);
    li_matcher_destroy(matcher);
    li_masker_destroy(masker);
    li_vocabulary_destroy(vocabulary);
}

static void test_terms_stay_as_long_as_a_text_uses_them(void)
{
    li_vocabulary *vocabulary = make_vocabulary(100, 3, 0);
    li_masker *masker = li_masker_create(li_grammar_compile(many_as, sizeof many_as, 0), vocabulary, 0);
    li_matcher *first = li_matcher_create(masker, NULL, 0);
    CHECK_EQ(li_matcher_accept_bytes(first, (const uint8_t *)"a", 1), 1);
    make_many_terms(masker->grammar);
    li_matcher *second = li_matcher_create(masker, NULL, 0);
    CHECK_GE(li_terms_count(masker->grammar), 500000);
    CHECK(li_matcher_mask(first));
    CHECK_EQ(wrong_bits(masker, first->state), 0);
    CHECK_EQ(li_matcher_accept_bytes(first, (const uint8_t *)"a", 1), 1);
    li_matcher_destroy(first);
    li_matcher_destroy(second);
    li_matcher *third = li_matcher_create(masker, NULL, 0);
    CHECK_LT(li_terms_count(masker->grammar), 1000);
    CHECK_EQ(li_matcher_accept_bytes(third, (const uint8_t *)"aa", 2), 1);
    li_matcher_destroy(third);
    li_masker_destroy(masker);
    li_vocabulary_destroy(vocabulary);
}

int main(void)
{
    const uint32_t first = (uint32_t)check_number("CHECK_FIRST", 1);
    const uint32_t seeds = (uint32_t)check_number("CHECK_COUNT", check_rounds(3));
    for (uint32_t seed = first; seed < first + seeds; seed++) {
        CHECK_CASE("seed %u", seed);
        random_state = seed;
        test_the_trie_holds_every_token_once();
        test_a_vocabulary_survives_saving();
        test_bytes_that_are_no_vocabulary_are_refused();
        test_masks_are_the_tokens_that_can_be_read();
        test_masks_near_and_far_from_limits_are_exact();
        test_tokens_longer_than_a_far_limit();
        test_masks_where_a_run_is_at_the_limit_of_the_search();
        test_steps_can_be_taken_back();
        test_a_text_ends_by_an_eos_token();
        test_forced_bytes_are_the_only_ones();
        test_a_byte_of_zero_can_be_forced();
        test_bytes_to_heal_come_first();
        test_running_out_of_fuel_changes_nothing();
        test_a_mask_has_a_bound_of_work();
        test_many_terms_are_dropped_at_the_start();
        test_terms_stay_as_long_as_a_text_uses_them();
    }
    return check_done("matcher");
}
