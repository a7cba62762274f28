#include "sample/history.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

void li_history_destroy(li_history *history)
{
    li_memory_free(history->tokens);
    li_memory_free(history->matches);
    li_memory_free(history->windows.places);
    for (int scope = 0; scope < LI_SCOPE_COUNT; scope++) {
        li_memory_free(history->counts[scope].listed);
        li_memory_free(history->counts[scope].distinct);
    }
}

LI_INLINE void count_in(li_counts *counts, uint32_t id)
{
    LI_ASSERT(counts->listed[id] < UINT32_MAX);
    if (counts->listed[id] == 0) {
        counts->distinct[counts->distinct_count++] = id;
        counts->listed[id] = 1;
    }
    counts->listed[id]++;
}

// Ids outside the window stay listed until there are more of them than the window has tokens. So the list stays short,
// and no search is needed when a token leaves the window.
static void drop_unused(li_counts *counts)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < counts->distinct_count; i++) {
        uint32_t id = counts->distinct[i];
        if (counts->listed[id] > 1)
            counts->distinct[kept++] = id;
        else
            counts->listed[id] = 0;
    }
    counts->distinct_count = kept;
}

static bool is_of(li_scope scope, uint32_t token_with_flag)
{
    return scope == LI_SCOPE_CONTEXT || !(token_with_flag & LI_HISTORY_PROMPT);
}

// Looks for a breaker that ends with the last token.
static void find_break(li_history *history)
{
    LI_ASSERT(history->length);
    li_break *last = &history->last_break;
    for (uint32_t i = 0, length; i < history->breakers.count; i += 1 + length) {
        const uint32_t *words = history->breakers.words + i;
        uint32_t same = 0;
        length = *words;
        // A breaker that begins earlier is no better. Of breakers with one start the longest ends last.
        if (length > history->length - last->start) continue;
        LI_ASSERT(length && i + length < history->breakers.count);
        while (same < length && li_history_back(history, same) == words[length - same]) same++;
        if (same == length) *last = (li_break){history->length - length, history->length};
    }
}

void li_history_push(li_history *history, uint32_t token_with_flag)
{
    LI_ASSERT(history->length < history->capacity);
    LI_ASSERT((token_with_flag & ~LI_HISTORY_PROMPT) < history->vocab_size);
    uint32_t window = history->window, position = history->length++;
    history->tokens[position] = token_with_flag;
    history->generated += !(token_with_flag & LI_HISTORY_PROMPT);
    find_break(history);
    for (li_scope scope = 0; scope < LI_SCOPE_COUNT && history->is_counting; scope++) {
        li_counts *counts = &history->counts[scope];
        if (is_of(scope, token_with_flag)) count_in(counts, token_with_flag & ~LI_HISTORY_PROMPT);
        LI_ASSERT(counts->distinct_count <= history->vocab_size);
        if (window == 0 || position < window) continue;
        uint32_t left = history->tokens[position - window];
        LI_ASSERT(!is_of(scope, left) || counts->listed[left & ~LI_HISTORY_PROMPT] > 1);
        if (is_of(scope, left)) counts->listed[left & ~LI_HISTORY_PROMPT]--;
        if (counts->distinct_count / 2 > window) drop_unused(counts);
    }
}

void li_history_clear(li_history *history)
{
    for (int scope = 0; scope < LI_SCOPE_COUNT; scope++) {
        li_counts *counts = &history->counts[scope];
        for (uint32_t i = 0; i < counts->distinct_count; i++) counts->listed[counts->distinct[i]] = 0;
        counts->distinct_count = 0;
    }
    history->length = history->generated = history->windows.read = 0;
    history->last_break = (li_break){0};
}

li_status li_history_set_counting(li_history *history, bool is_counting, uint32_t window, li_list breakers)
{
    LI_ASSERT(!breakers.count == !breakers.words);
    if (is_counting == history->is_counting && window == history->window && breakers.words == history->breakers.words)
        return LI_OK;
    for (int scope = 0; scope < LI_SCOPE_COUNT && is_counting; scope++) {
        li_counts *counts = &history->counts[scope];
        if (!counts->listed) counts->listed = li_memory_alloc(history->vocab_size * sizeof *counts->listed);
        if (!counts->distinct) counts->distinct = li_memory_alloc(history->vocab_size * sizeof *counts->distinct);
        if (!counts->listed || !counts->distinct) return LI_ERROR_OUT_OF_MEMORY;
    }
    uint32_t length = history->length;
    li_history_clear(history);
    history->is_counting = is_counting;
    history->window = window;
    history->breakers = breakers;
    for (uint32_t i = 0; i < length; i++) li_history_push(history, history->tokens[i]);
    return LI_OK;
}

li_status li_history_reserve(li_history *history, uint32_t length)
{
    if (length <= history->capacity) return LI_OK;
    uint64_t capacity = history->capacity ? history->capacity : 1024;
    while (capacity < length) capacity *= 2;
    // The largest array, of windows, has four words a token.
    if (capacity > UINT32_MAX / 16) return LI_ERROR_OUT_OF_MEMORY;
    size_t size = (size_t)capacity * sizeof(uint32_t);
    uint32_t *tokens = li_memory_resize(history->tokens, history->length * sizeof *tokens, size);
    if (!tokens) return LI_ERROR_OUT_OF_MEMORY;
    history->tokens = tokens;
    uint32_t *matches = li_memory_resize(history->matches, 0, size);
    if (!matches) return LI_ERROR_OUT_OF_MEMORY;
    history->matches = matches;
    history->capacity = (uint32_t)capacity;
    LI_ASSERT(history->capacity >= length);
    return LI_OK;
}

void li_history_pop(li_history *history)
{
    LI_ASSERT(history->length);
    uint32_t position = --history->length, token = history->tokens[position], window = history->window;
    if (history->windows.read > position) history->windows.read = position;
    history->generated -= !(token & LI_HISTORY_PROMPT);
    for (li_scope scope = 0; scope < LI_SCOPE_COUNT && history->is_counting; scope++) {
        li_counts *counts = &history->counts[scope];
        if (is_of(scope, token)) counts->listed[token & ~LI_HISTORY_PROMPT]--;
        LI_ASSERT(!is_of(scope, token) || counts->listed[token & ~LI_HISTORY_PROMPT]);
        if (window == 0 || position < window) continue;
        uint32_t back = history->tokens[position - window];
        if (is_of(scope, back)) count_in(counts, back & ~LI_HISTORY_PROMPT);
    }
}

void li_history_cut(li_history *history, uint32_t count)
{
    LI_ASSERT(count <= history->length);
    while (count--) li_history_pop(history);
    uint32_t length = history->length;
    if (history->last_break.end <= length) return;
    history->last_break = (li_break){0};
    for (history->length = 0; history->length < length;) {
        history->length++;
        find_break(history);
    }
}

// Gusfield's Z-algorithm, "Algorithms on strings, trees and sequences", 1997.
void li_history_match(const li_history *history, uint32_t window)
{
    LI_ASSERT(window <= history->length && window <= history->capacity);
    uint32_t *matches = history->matches;
    for (uint32_t i = 1, left = 0, right = 0; i <= window; i++) {
        uint32_t length = 0;
        if (i < right) {
            length = matches[i - left - 1];
            if (length > right - i) length = right - i;
        }
        while (i + length < window && li_history_back(history, length) == li_history_back(history, i + length))
            length++;
        matches[i - 1] = length;
        if (i + length > right) {
            left = i;
            right = i + length;
        }
    }
}
