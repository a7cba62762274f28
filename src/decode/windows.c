// A hash set of windows, with open addressing. It holds positions in the history, not the windows, and compares tokens,
// so it is exact. Of equal windows the first has a place: a cut of the history takes the later ones with it. Places that
// a cut has left behind stay until the set grows: they fail the comparison, or are right again.
#include "decode/windows.h"

#include "base/memory.h"

static bool is_same(const li_history *history, uint32_t a, uint32_t b)
{
    const uint32_t *tokens = history->tokens;
    for (uint32_t i = 1; i <= history->windows.window; i++)
        if ((tokens[a - i] ^ tokens[b - i]) & ~LI_HISTORY_PROMPT) return false;
    return true;
}

// The place of the first token of the output that follows the window before `at`, and is no later than `last`; or a free
// place.
static uint32_t *find(const li_history *history, uint32_t at, uint32_t last)
{
    const li_windows *set = &history->windows;
    uint32_t hash = 0;
    for (uint32_t i = 1; i <= set->window; i++) {
        hash = (hash ^ (history->tokens[at - i] & ~LI_HISTORY_PROMPT)) * 0x9e3779b1u;
        hash ^= hash >> 15;
    }
    for (;; hash++) {
        uint32_t *place = &set->places[hash & (set->size - 1)];
        if (!*place) return place;
        if (*place <= last && !(history->tokens[*place] & LI_HISTORY_PROMPT) && is_same(history, *place, at))
            return place;
    }
}

// Makes room for `count` more windows, so that the set is at most half full. Otherwise starts it anew.
static li_status reserve(li_history *history, uint32_t window, uint32_t count)
{
    li_windows *set = &history->windows;
    if (set->size && window == set->window && ((uint64_t)set->taken + count) * 2 <= set->size) return LI_OK;
    // Twice that room, or the next cuts of the history would fill the set again.
    uint64_t size = 1024;
    while (size < (uint64_t)history->generated * 4) size *= 2;
    uint32_t *places = size <= UINT32_MAX / sizeof *places ? li_memory_alloc((size_t)size * sizeof *places) : NULL;
    if (!places) return LI_ERROR_OUT_OF_MEMORY;
    li_memory_free(set->places);
    *set = (li_windows){.places = places, .size = (uint32_t)size, .window = window};
    return LI_OK;
}

li_status li_windows_find(li_history *history, uint32_t window, bool *is_repeated)
{
    li_windows *set = &history->windows;
    const uint32_t length = history->length, generated = history->generated;
    LI_ASSERT(window && window <= length && set->read <= length);
    const uint32_t unread = length - set->read;
    li_status status = reserve(history, window, unread < generated ? unread : generated);
    if (status) return status;
    for (; set->read < length; set->read++) {
        if (set->read < window || history->tokens[set->read] & LI_HISTORY_PROMPT) continue;
        uint32_t *place = find(history, set->read, set->read);
        set->taken += !*place;
        if (!*place) *place = set->read;
    }
    *is_repeated = *find(history, length, length - 1) != 0;
    return LI_OK;
}
