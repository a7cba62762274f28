// Compiles any bytes as the form of a grammar. If this succeeds, writes a text token by token from the masks: before
// the end no mask is empty (unless the state waits for a special token), and every token of a mask is accepted.
#include <stdlib.h>
#include <string.h>

#include "grammar/mask/masker.h"
#include "grammar/mask/matcher.h"
#include "grammar/terms/derivative.h"

enum { STEPS = 24, TOKENS = 262, EOS = 261 };
#define COMPILE_FUEL 60000
#define STEP_FUEL    60000

static void require(bool holds)
{
    if (!holds) abort();
}

// Every single byte, and a few longer tokens.
static li_vocabulary *make_vocabulary(void)
{
    static const char *const more[] = {"\"a", "\":", "\"}", ", ", "\\u00"};
    uint32_t longer = 0;
    for (int i = 0; i < 5; i++) longer += (uint32_t)strlen(more[i]);
    li_vocabulary *vocabulary = li_vocabulary_create(TOKENS, 256 + longer, 1);
    uint8_t *bytes = li_vocabulary_bytes(vocabulary);
    uint32_t *ends = li_vocabulary_ends(vocabulary), at = 0;
    for (uint32_t token = 0; token < TOKENS; token++) {
        if (token < 256) bytes[at++] = (uint8_t)token;
        for (const char *c = token < 256 || token == EOS ? "" : more[token - 256]; *c; c++) bytes[at++] = (uint8_t)*c;
        ends[token] = at;
    }
    li_vocabulary_eos(vocabulary)[0] = EOS;
    require(li_vocabulary_prepare(vocabulary) == LI_OK);
    return vocabulary;
}

// The n-th token of the mask, modulo their number.
static uint32_t nth_token(const uint32_t *mask, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t token = 0; token < TOKENS; token++) count += mask[token >> 5] >> (token & 31) & 1;
    require(count > 0);
    n %= count;
    for (uint32_t token = 0;; token++)
        if (mask[token >> 5] >> (token & 31) & 1 && n-- == 0) return token;
}

static void note(void *context, uint32_t token)
{
    (void)token;
    *(bool *)context = true;
}

// Whether the state waits for a special token: most that a form may name are not in the vocabulary.
static bool waits(const li_matcher *matcher)
{
    bool waits = false;
    if (matcher->state != LI_STATE_ENDED) li_visit_specials(matcher->masker->grammar, matcher->state, note, &waits);
    return waits;
}

static bool is_blank(const uint32_t *mask)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < (TOKENS + 31) / 32; i++) bits |= mask[i];
    return !bits;
}

static void write_text(li_matcher *matcher, uint32_t choices)
{
    uint8_t forced[16];
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint32_t *mask = li_matcher_mask(matcher);
        if (!mask) {
            require(li_matcher_status(matcher) == LI_ERROR_GRAMMAR_FUEL);
            return;
        }
        if (is_blank(mask) && waits(matcher)) return;
        uint32_t token = nth_token(mask, choices), other = (choices >> 8) % TOKENS;
        bool allows_other = mask[other >> 5] >> (other & 31) & 1;
        choices = choices * 1664525u + 1013904223u;
        int32_t count = li_matcher_forced(matcher, forced, sizeof forced);
        require(count >= 0 || count == LI_ERROR_GRAMMAR_FUEL);
        int32_t accepted = li_matcher_accept(matcher, token);
        require(accepted == 1 || accepted == LI_ERROR_GRAMMAR_FUEL);
        if (accepted != 1) return;
        if (count > 0 && token < 256) require(forced[0] == token);
        require(li_matcher_rollback(matcher, 1) == LI_OK);
        // A token outside the mask is refused, except for more whitespace than the mask allows.
        accepted = li_matcher_accept(matcher, other);
        if (allows_other) require(accepted == 1 || accepted == LI_ERROR_GRAMMAR_FUEL);
        if (accepted == 1) require(li_matcher_rollback(matcher, 1) == LI_OK);
        require(li_matcher_accept(matcher, token) == 1);
        if (li_matcher_flags(matcher) & LI_MATCHER_TERMINATED) return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2) return 0;
    li_grammar *grammar = li_grammar_compile(bytes + 1, (uint32_t)size - 1, COMPILE_FUEL);
    require(grammar);
    if (li_grammar_status(grammar) != LI_OK || li_grammar_is_empty(grammar)) {
        li_grammar_destroy(grammar);
        return 0;
    }
    li_vocabulary *vocabulary = make_vocabulary();
    li_masker *masker = li_masker_create(grammar, vocabulary, STEP_FUEL);
    require(masker);
    li_matcher *matcher = li_matcher_create(masker, NULL, 0);
    require(matcher);
    li_masker_destroy(masker);
    li_vocabulary_destroy(vocabulary);
    write_text(matcher, bytes[0] * 0x01010101u);
    li_matcher_destroy(matcher);
    return 0;
}
