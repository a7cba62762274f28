// The mask of a state.
#include "grammar/masker.h"

#include <string.h>

#include "base/memory.h"

enum { DEFAULT_FUEL = 4000000 };

li_masker *li_masker_create(li_grammar *grammar, li_vocabulary *vocabulary, uint32_t fuel)
{
    li_masker *masker = li_memory_alloc(sizeof *masker);
    if (!masker) return NULL;
    masker->users = 1;
    masker->vocabulary = vocabulary;
    vocabulary->users++;
    masker->fuel = fuel ? fuel : DEFAULT_FUEL;
    masker->words = (vocabulary->token_count + 31) / 32;
    masker->bits = li_memory_alloc(masker->words * sizeof *masker->bits);
    if (masker->bits && li_walker_init(&masker->walker, grammar, vocabulary)) {
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
    li_grammar_destroy(masker->grammar);
    li_vocabulary_destroy(masker->vocabulary);
    li_memory_free(masker->bits);
    li_memory_free(masker);
}

static void visit_specials(li_grammar *grammar, li_term term, uint32_t depth,
                           void (*visit)(void *context, uint32_t token), void *context)
{
    while (!(li_term_flags(grammar, term) & LI_FLAG_REGULAR) && depth++ < 200) {
        const uint32_t *words = li_term_words(grammar, term);
        switch (li_term_kind(grammar, term)) {
        case LI_KIND_SPECIAL:
            visit(context, words[0]);
            return;
        case LI_KIND_RULE:
            term = li_expand(grammar, term);
            break;
        case LI_KIND_REPEAT:
            term = words[0];
            break;
        case LI_KIND_SEQUENCE: {
            li_term head = words[0], tail = words[1];
            if (!li_term_is_nullable(grammar, head)) {
                term = head;
                break;
            }
            visit_specials(grammar, head, depth, visit, context);
            term = tail;
            break;
        }
        case LI_KIND_CHOICE:
            for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++)
                visit_specials(grammar, li_term_words(grammar, term)[i], depth, visit, context);
            return;
        default:
            return;
        }
    }
}

void li_mask_specials(li_grammar *grammar, li_term state, void (*visit)(void *context, uint32_t token), void *context)
{
    visit_specials(grammar, state, 0, visit, context);
}

static void add_special(void *context, uint32_t token)
{
    li_masker *masker = context;
    if (token < masker->vocabulary->token_count) masker->bits[token >> 5] |= 1u << (token & 31);
}

li_status li_mask_fill(li_masker *masker, li_term state)
{
    li_grammar *grammar = masker->grammar;
    li_walker_tidy(&masker->walker);
    memset(masker->bits, 0, masker->words * sizeof *masker->bits);
    li_found found = {.bits = masker->bits};
    li_walk(&masker->walker, li_state_of(&masker->walker, state), 0, &found);
    li_mask_specials(grammar, state, add_special, masker);
    if (grammar->status != LI_OK) memset(masker->bits, 0, masker->words * sizeof *masker->bits);
    return grammar->status;
}
