// The tokens of prompt and output, their counts in the penalties' window, and the state of mechanisms with feedback:
// all that changes from step to step, except the number of draws.
#ifndef LI_HISTORY_H
#define LI_HISTORY_H

#include "base/assert.h"
#include "base/inline.h"
#include "lastinch.h"

typedef enum li_scope { LI_SCOPE_CONTEXT = 0, LI_SCOPE_GENERATED = 1, LI_SCOPE_COUNT = 2 } li_scope;

typedef struct li_counts {
    uint32_t *listed; // (vocab_size) 0: not in `distinct`; else 1 + occurrences in the window
    uint32_t
        *distinct; // (distinct_count of vocab_size) ids that occur in the window, and some that have left the window
    uint32_t distinct_count;
} li_counts;

// State of the mechanisms that learn from the chosen tokens.
typedef struct li_feedback {
    double mirostat_limit;  // largest surprise in bits that is kept: mu in the paper
    double adaptive_sum;    // decayed sum of the chosen tokens' probabilities
    double adaptive_weight; // decayed sum of ones, with the same decay
} li_feedback;

typedef struct li_list {
    const uint32_t *words; // (count); NULL when count is 0
    uint32_t count;
} li_list;

// The last breaker of DRY in the history: the breaker that begins last, the longest of these. start and end are 0 if
// there is none.
typedef struct li_break {
    uint32_t start, end;
} li_break;

// Which windows of tokens the output has had, for watermarks (decode/windows.c). Samplers without a mark take no memory
// for it.
typedef struct li_windows {
    uint32_t *places; // (size, 4 * capacity or 0) positions of tokens after a window; 0: free
    uint32_t size, taken;
    uint32_t window; // tokens of a window
    uint32_t read;   // tokens of the history that `places` know
} li_windows;

typedef struct li_history {
    uint32_t *tokens;          // (length of capacity) ids, with LI_HISTORY_PROMPT set for tokens of the prompt
    uint32_t *matches;         // (capacity) result of li_history_match
    uint32_t length, capacity; // capacity: a power of 2
    uint32_t generated;        // tokens of the output
    uint32_t vocab_size;
    uint32_t window; // number of last tokens that are counted; 0 = all
    bool is_counting;
    li_counts counts[LI_SCOPE_COUNT];
    li_feedback feedback;
    li_windows windows;
    li_list breakers;    // of dry
    li_break last_break; // among all tokens, not only those of the window
} li_history;

#define LI_HISTORY_PROMPT 0x80000000u

void li_history_destroy(li_history *history);
// Starts or stops counting the tokens of the window, and finds breakers. The first start takes memory.
li_status li_history_set_counting(li_history *history, bool is_counting, uint32_t window, li_list breakers);
li_status li_history_reserve(li_history *history, uint32_t length);
// Appends a token, after li_history_reserve.
void li_history_push(li_history *history, uint32_t token_with_flag);
// Removes the last token. The caller restores last_break.
void li_history_pop(li_history *history);
// Removes the last `count` tokens, and finds the last breaker among the others.
void li_history_cut(li_history *history, uint32_t count);
// Forgets the tokens, not the feedback.
void li_history_clear(li_history *history);

// Writes matches (window): for each token, counted back from the last, how many tokens before it equal the last tokens
// of the window.
void li_history_match(const li_history *history, uint32_t window);

// Occurrences of a listed id in the window; may be 0.
LI_INLINE uint32_t li_history_occurrences(const li_counts *counts, uint32_t id)
{
    LI_ASSERT(counts->listed[id]);
    return counts->listed[id] - 1;
}

// The id at `distance` from the end; 0 is the last token.
static inline uint32_t li_history_back(const li_history *history, uint32_t distance)
{
    LI_ASSERT(distance < history->length);
    return history->tokens[history->length - 1 - distance] & ~LI_HISTORY_PROMPT;
}

#endif
