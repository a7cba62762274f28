// The count of words, by derivatives.
#include "grammar/terms/word_count.h"

#include "base/memory.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/term.h"

// Breadth first. No pending term is NOTHING, so each stands for at least one text.
uint32_t li_words_count(li_grammar *grammar, li_term term, uint32_t most)
{
    if (term == LI_TERM_NOTHING || most == 0) return 0;
    if (most == 1) return 1;
    uint32_t wanted = most;
    if (most > LI_WORDS_MOST) most = LI_WORDS_MOST;
    li_term *pending = li_memory_alloc(2 * (size_t)most * sizeof *pending);
    if (!pending) {
        li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
        return 0;
    }
    li_term *next = pending + most;
    uint32_t words = 0, count = 1;
    pending[0] = term;
    while (count && words + count < most && li_grammar_spend(grammar)) {
        uint32_t next_count = 0;
        for (uint32_t i = 0; i < count && words + next_count < most; i++) {
            words += li_term_is_nullable(grammar, pending[i]);
            for (uint32_t byte = 0; byte < 256 && words + next_count < most; byte++) {
                li_term rest = li_derive(grammar, pending[i], (uint8_t)byte);
                if (rest != LI_TERM_NOTHING) next[next_count++] = rest;
            }
        }
        li_term *swapped = pending;
        pending = next;
        next = swapped;
        count = next_count;
    }
    li_memory_free(pending < next ? pending : next);
    if (words + count < most) return words + count;
    // The count stopped at LI_WORDS_MOST, so whether there are enough words is unknown.
    if (wanted > most) li_grammar_exceed(grammar, LI_LIMIT_VALUES);
    return most;
}
