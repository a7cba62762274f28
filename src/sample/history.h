// Every token that was read or emitted, how often each occurs in what the penalties look at, and what the
// mechanisms with feedback remember: all that changes from step to step, but for the number of draws.
#ifndef LI_HISTORY_H
#define LI_HISTORY_H

#include "base/inline.h"
#include "lastinch.h"

typedef enum li_scope { LI_SCOPE_CONTEXT = 0, LI_SCOPE_GENERATED = 1, LI_SCOPE_COUNT = 2 } li_scope;

typedef struct li_counts {
    uint32_t *listed;   // (vocab_size) 0: not in `distinct`; else 1 + occurrences in the window
    uint32_t *distinct; // (vocab_size) ids with occurrences, and some that have fallen out of the window
    uint32_t distinct_count;
} li_counts;

// State of the mechanisms that correct themselves by what was chosen.
typedef struct li_feedback {
    double mirostat_limit;  // surprise in bits beyond which tokens are cut: mu in the paper
    double adaptive_sum;    // of the probabilities of the tokens chosen, older ones counting less
    double adaptive_weight; // of that sum
} li_feedback;

typedef struct li_list {
    const uint32_t *words; // (count); NULL when there are none
    uint32_t count;
} li_list;

// Where dry's breaker lies that begins last, the longest of those that begin there; 0 while there is none.
typedef struct li_break {
    uint32_t start, end;
} li_break;

typedef struct li_history {
    uint32_t *tokens;  // (capacity) id, with LI_HISTORY_PROMPT set where it was read
    uint32_t *matches; // (capacity) result of li_history_match
    uint32_t length, capacity;
    uint32_t generated; // tokens that were emitted
    uint32_t vocab_size;
    uint32_t window; // tokens at the end that count; 0 = all
    bool is_counting;
    li_counts counts[LI_SCOPE_COUNT];
    li_feedback feedback;
    li_list breakers;    // of dry
    li_break last_break; // of all tokens, in the window or before
} li_history;

#define LI_HISTORY_PROMPT 0x80000000u

void li_history_destroy(li_history *history);
// Counts the tokens of the window from now on, or stops doing so, and looks for breakers. Takes memory the first time.
li_status li_history_set_counting(li_history *history, bool is_counting, uint32_t window, li_list breakers);
li_status li_history_reserve(li_history *history, uint32_t length);
// Appends within the reserved length.
void li_history_push(li_history *history, uint32_t token_with_flag);
// Takes the last token back, but for last_break, which the caller remembers.
void li_history_pop(li_history *history);
// Forgets the tokens, not the feedback.
void li_history_clear(li_history *history);

// Writes matches (window): how many of the tokens before each token, counted back from the last, also end the window.
void li_history_match(const li_history *history, uint32_t window);

// Occurrences of a listed id in the window: may be 0.
LI_INLINE uint32_t li_history_occurrences(const li_counts *counts, uint32_t id)
{
    return counts->listed[id] - 1;
}

// The id at a position counted back from the end, 0 being the last.
static inline uint32_t li_history_back(const li_history *history, uint32_t distance)
{
    return history->tokens[history->length - 1 - distance] & ~LI_HISTORY_PROMPT;
}

#endif
