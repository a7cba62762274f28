// A hash set of windows, with open addressing. It holds positions in the history, not the windows, and compares tokens,
// so it is exact. Of equal windows the first has a place: a cut of the history takes the later ones with it. Places
// that a cut has left behind stay until the set starts anew: they fail the comparison, or are right again.
#include "decode/windows.h"

#include "base/memory.h"

static bool is_same(const li_history *history, uint32_t a, uint32_t b)
{
    const uint32_t *tokens = history->tokens;
    for (uint32_t i = 1; i <= history->windows.window; i++)
        if ((tokens[a - i] ^ tokens[b - i]) & ~LI_HISTORY_PROMPT) return false;
    return true;
}

// The place of the first token of the output that follows the window before `at`, and is no later than `last`; or a
// free place.
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

const uint32_t *li_windows_find(li_history *history, uint32_t window)
{
    li_windows *set = &history->windows;
    LI_ASSERT(window && window <= history->length && set->read <= history->length);
    const uint32_t size = 4 * history->capacity; // a power of 2
    // With another size, other windows, or too many places left behind, the set starts anew: at most a quarter full.
    if (set->size != size || set->window != window || set->taken + history->length - set->read > size / 2) {
        uint32_t *places = li_memory_alloc(size * sizeof *places);
        if (!places) return NULL;
        li_memory_free(set->places);
        *set = (li_windows){.places = places, .size = size, .window = window};
    }
    for (; set->read < history->length; set->read++) {
        if (set->read < window || history->tokens[set->read] & LI_HISTORY_PROMPT) continue;
        uint32_t *place = find(history, set->read, set->read);
        set->taken += !*place;
        if (!*place) *place = set->read;
    }
    return find(history, history->length, history->length - 1);
}
