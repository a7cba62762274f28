// Steps through a text, and back. A state is a term: a matcher keeps the terms of earlier steps to go back.
#include "grammar/mask/matcher.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "grammar/mask/masker.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/term.h"

enum { FIRST_STEPS = 64 };

// Each call starts with new fuel, also after a failure.
static li_grammar *begin(const li_matcher *matcher)
{
    li_grammar *grammar = matcher->masker->grammar;
    li_grammar_begin(grammar, matcher->masker->fuel);
    return grammar;
}

static li_grammar *begin_text(const li_matcher *matcher)
{
    li_grammar *grammar = matcher->masker->grammar;
    li_grammar_begin(grammar, matcher->masker->text_fuel);
    return grammar;
}

li_matcher *li_matcher_create(li_masker *masker, const uint8_t *heal, uint32_t length)
{
    li_matcher *matcher = li_memory_alloc(sizeof *matcher);
    if (!matcher) return NULL;
    matcher->masker = masker;
    masker->users++;
    if (masker->matchers++ == 0) li_masker_renew(masker);
    li_grammar *grammar = begin_text(matcher);
    matcher->state = li_sequence(grammar, li_literal(grammar, heal, length), grammar->root);
    if (grammar->status == LI_OK) return matcher;
    li_matcher_destroy(matcher);
    return NULL;
}

li_matcher *li_matcher_clone(const li_matcher *matcher)
{
    li_matcher *copy = li_memory_alloc(sizeof *copy);
    if (!copy) return NULL;
    *copy = *matcher;
    copy->masker->users++;
    copy->masker->matchers++;
    copy->history_room = matcher->history_count;
    copy->history = li_memory_alloc(copy->history_room * sizeof *copy->history);
    if (!copy->history) {
        li_matcher_destroy(copy);
        return NULL;
    }
    if (copy->history_count) memcpy(copy->history, matcher->history, copy->history_count * sizeof *copy->history);
    return copy;
}

void li_matcher_destroy(li_matcher *matcher)
{
    LI_ASSERT(!matcher || (matcher->masker->matchers && matcher->masker->users));
    if (!matcher) return;
    matcher->masker->matchers--;
    li_masker_destroy(matcher->masker);
    li_memory_free(matcher->history);
    li_memory_free(matcher);
}

li_status li_matcher_status(const li_matcher *matcher)
{
    return matcher->masker->grammar->status;
}

uint32_t li_matcher_limit(const li_matcher *matcher)
{
    return matcher->masker->grammar->limit;
}

uint32_t li_matcher_spent(const li_matcher *matcher)
{
    return li_grammar_spent(matcher->masker->grammar);
}

const uint32_t *li_matcher_mask(li_matcher *matcher)
{
    begin(matcher);
    return li_mask_fill(matcher->masker, matcher->state) == LI_OK ? matcher->masker->bits : NULL;
}

static bool is_eos(const li_vocabulary *vocabulary, uint32_t token)
{
    for (uint32_t i = 0; i < vocabulary->eos_count; i++)
        if (vocabulary->eos[i] == token) return true;
    return false;
}

static int32_t step_to(li_matcher *matcher, li_term state)
{
    LI_ASSERT(state != LI_TERM_NOTHING); // no dead end
    if (matcher->history_count == matcher->history_room) {
        uint32_t room = matcher->history_room ? matcher->history_room * 2 : FIRST_STEPS;
        size_t old_size = matcher->history_room * sizeof *matcher->history;
        li_term *history = li_memory_resize(matcher->history, old_size, room * sizeof *history);
        if (!history) return LI_ERROR_OUT_OF_MEMORY;
        matcher->history = history;
        matcher->history_room = room;
    }
    matcher->history[matcher->history_count++] = matcher->state;
    matcher->state = state;
    return 1;
}

int32_t li_matcher_accept(li_matcher *matcher, uint32_t token)
{
    const li_vocabulary *vocabulary = matcher->masker->vocabulary;
    li_grammar *grammar = begin(matcher);
    if (token >= vocabulary->token_count) return 0;
    bool has_ended = matcher->state == LI_STATE_ENDED;
    uint32_t length;
    const uint8_t *bytes = li_token_bytes(vocabulary, token, &length);
    if (!length && (has_ended || li_term_is_nullable(grammar, matcher->state)) && is_eos(vocabulary, token))
        return step_to(matcher, LI_STATE_ENDED);
    if (has_ended) return 0;
    li_term next = length ? li_derive_bytes(grammar, matcher->state, bytes, length)
                          : li_derive_special(grammar, matcher->state, token);
    if (grammar->status != LI_OK) return grammar->status;
    return next == LI_TERM_NOTHING ? 0 : step_to(matcher, next);
}

int32_t li_matcher_accept_bytes(li_matcher *matcher, const uint8_t *bytes, uint32_t length)
{
    li_grammar *grammar = begin_text(matcher);
    if (matcher->state == LI_STATE_ENDED) return length ? 0 : step_to(matcher, LI_STATE_ENDED);
    li_term next = li_derive_bytes(grammar, matcher->state, bytes, length);
    if (grammar->status != LI_OK) return grammar->status;
    return next == LI_TERM_NOTHING ? 0 : step_to(matcher, next);
}

uint32_t li_matcher_flags(const li_matcher *matcher)
{
    const li_grammar *grammar = matcher->masker->grammar;
    if (matcher->state == LI_STATE_ENDED) return LI_MATCHER_ACCEPTING | LI_MATCHER_TERMINATED;
    return (li_term_is_nullable(grammar, matcher->state) ? LI_MATCHER_ACCEPTING : 0) |
           (grammar->root == LI_TERM_NOTHING ? LI_MATCHER_EMPTY : 0);
}

static void note_special(void *context, uint32_t token)
{
    (void)token;
    *(bool *)context = true;
}

int32_t li_matcher_forced(li_matcher *matcher, uint8_t *to, uint32_t room)
{
    li_grammar *grammar = begin_text(matcher);
    li_term state = matcher->state;
    uint32_t count = 0;
    if (state == LI_STATE_ENDED) return 0;
    while (count < room && state != LI_TERM_NOTHING && !li_term_is_nullable(grammar, state)) {
        bool has_special = false;
        li_visit_specials(grammar, state, note_special, &has_special);
        if (has_special) break;
        int32_t byte = li_only_byte(grammar, state);
        if (grammar->status != LI_OK) return grammar->status;
        if (byte < 0) break;
        to[count++] = (uint8_t)byte;
        state = li_derive(grammar, state, (uint8_t)byte);
    }
    return grammar->status == LI_OK ? (int32_t)count : grammar->status;
}

li_status li_matcher_rollback(li_matcher *matcher, uint32_t count)
{
    if (count > matcher->history_count) return LI_ERROR_BAD_ARGUMENT;
    if (count) {
        matcher->history_count -= count;
        matcher->state = matcher->history[matcher->history_count];
    }
    li_masker *masker = matcher->masker;
    bool is_alone = masker->matchers == 1 && matcher->history_count == 0 && matcher->state == masker->grammar->root;
    if (is_alone && li_masker_renew(masker)) matcher->state = masker->grammar->root;
    return LI_OK;
}
