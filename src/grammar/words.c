#include "grammar/words.h"

#include <string.h>

#include "base/memory.h"
#include "grammar/term_set.h"

enum { MOST = LI_WORDS_MOST, LONGEST_NUMBER = 400, LONGEST_FRACTION = 40 };

// Breadth first: every pending term stands for a text of its own at least, since none of them is NOTHING.
uint32_t li_words_count(li_grammar *grammar, li_term term, uint32_t most)
{
    if (term == LI_TERM_NOTHING || most == 0) return 0;
    if (most == 1) return 1;
    uint32_t wanted = most;
    if (most > MOST) most = MOST;
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
    // Not counted to the end: there may be enough of them, or not.
    if (wanted > most) li_grammar_fail(grammar, LI_ERROR_GRAMMAR_FUEL);
    return most;
}

// A text on the way: its last byte, and the step before. The first step has no byte.
typedef struct step {
    li_term rest;
    uint32_t before;
    uint32_t length;
    uint8_t byte;
} step;

typedef struct steps {
    li_grammar *grammar;
    step *steps;
    uint32_t count, room;
    li_word_list *list;
} steps;

static bool make_room(li_grammar *grammar, void **array, uint32_t *room, uint32_t count, size_t size)
{
    if (count <= *room) return true;
    uint32_t larger = 2 * count;
    void *moved = li_memory_resize(*array, *room * size, larger * size);
    if (!moved) {
        li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
        return false;
    }
    *array = moved;
    *room = larger;
    return true;
}

static bool add_step(steps *steps, uint32_t before, uint8_t byte, li_term rest)
{
    if (!make_room(steps->grammar, (void **)&steps->steps, &steps->room, steps->count + 1, sizeof *steps->steps))
        return false;
    uint32_t length = steps->count ? steps->steps[before].length + 1 : 0;
    steps->steps[steps->count++] = (step){rest, before, length, byte};
    return true;
}

static bool add_word(steps *steps, uint32_t at)
{
    li_word_list *list = steps->list;
    uint32_t length = steps->steps[at].length, start = list->count ? list->ends[list->count - 1] : 0;
    if (!make_room(steps->grammar, (void **)&list->bytes, &list->byte_room, start + length, 1) ||
        !make_room(steps->grammar, (void **)&list->ends, &list->end_room, list->count + 1, sizeof *list->ends))
        return false;
    list->ends[list->count++] = start + length;
    for (uint32_t i = start + length; i-- > start; at = steps->steps[at].before) list->bytes[i] = steps->steps[at].byte;
    return true;
}

void li_word_list_clear(li_word_list *list)
{
    li_memory_free(list->bytes);
    li_memory_free(list->ends);
    *list = (li_word_list){0};
}

bool li_word_list_add(li_grammar *grammar, li_word_list *list, const uint8_t *bytes, uint32_t length)
{
    uint32_t start = list->count ? list->ends[list->count - 1] : 0;
    if (!make_room(grammar, (void **)&list->bytes, &list->byte_room, start + length, 1) ||
        !make_room(grammar, (void **)&list->ends, &list->end_room, list->count + 1, sizeof *list->ends))
        return false;
    if (length) memcpy(list->bytes + start, bytes, length);
    list->ends[list->count++] = start + length;
    return true;
}

const uint8_t *li_word_at(const li_word_list *list, uint32_t index, uint32_t *length)
{
    uint32_t start = index ? list->ends[index - 1] : 0;
    *length = list->ends[index] - start;
    return *length ? list->bytes + start : (const uint8_t *)"";
}

// Adds the shortest word that begins as the step does.
static bool add_shortest(steps *steps, uint32_t from)
{
    li_term_set met = {0};
    uint32_t first = steps->count, at = from;
    li_term_set_add(steps->grammar, &met, steps->steps[from].rest);
    for (uint32_t next = first; !li_term_is_nullable(steps->grammar, steps->steps[at].rest); at = next++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            li_term rest = li_derive(steps->grammar, steps->steps[at].rest, (uint8_t)byte);
            if (rest != LI_TERM_NOTHING && li_term_set_add(steps->grammar, &met, rest) &&
                !add_step(steps, at, (uint8_t)byte, rest))
                break;
        }
        if (next == steps->count || !li_grammar_spend(steps->grammar)) break;
    }
    li_term_set_clear(&met);
    bool is_found = steps->grammar->status == LI_OK && li_term_is_nullable(steps->grammar, steps->steps[at].rest);
    is_found = is_found && add_word(steps, at);
    steps->count = first;
    return is_found;
}

bool li_words_list(li_grammar *grammar, li_term term, uint32_t most, li_word_list *list)
{
    if (term == LI_TERM_NOTHING || most == 0) return grammar->status == LI_OK;
    steps steps = {.grammar = grammar, .list = list};
    uint32_t at = 0, words = 0;
    bool goes_on = add_step(&steps, 0, 0, term);
    for (; goes_on && at < steps.count && words + (steps.count - at) < most; at++) {
        goes_on = li_grammar_spend(grammar);
        if (li_term_is_nullable(grammar, steps.steps[at].rest)) goes_on = goes_on && ++words && add_word(&steps, at);
        for (uint32_t byte = 0; goes_on && byte < 256; byte++) {
            li_term rest = li_derive(grammar, steps.steps[at].rest, (uint8_t)byte);
            if (rest != LI_TERM_NOTHING) goes_on = add_step(&steps, at, (uint8_t)byte, rest);
        }
    }
    // As many as are asked for lie ahead of different texts: one word of each will do.
    for (uint32_t end = steps.count; goes_on && at < end && words < most; at++, words++)
        goes_on = add_shortest(&steps, at);
    li_memory_free(steps.steps);
    return grammar->status == LI_OK;
}

// Whether the step spells a number that no other plain word spells: no zero ends a fraction, nor is zero negative.
static bool is_plain(const steps *steps, uint32_t at, const uint8_t *before, uint32_t before_length)
{
    bool has_point = false, is_zero = true, is_negative = false;
    for (uint32_t i = 0; i < before_length; i++) {
        has_point |= before[i] == '.';
        is_negative |= before[i] == '-';
        is_zero &= before[i] < '1';
    }
    uint8_t last = steps->steps[at].length ? steps->steps[at].byte : before_length ? before[before_length - 1] : 0;
    for (; steps->steps[at].length; at = steps->steps[at].before) {
        has_point |= steps->steps[at].byte == '.';
        is_negative |= steps->steps[at].byte == '-';
        is_zero &= steps->steps[at].byte < '1';
    }
    return !(has_point && last == '0') && !(is_zero && is_negative);
}

// The bytes since the point; 0: there is none yet.
static uint32_t fraction_length(const steps *steps, uint32_t at, const uint8_t *before, uint32_t before_length)
{
    uint32_t length = 0;
    for (; steps->steps[at].length; at = steps->steps[at].before, length++)
        if (steps->steps[at].byte == '.') return length + 1;
    for (uint32_t i = before_length; i-- > 0; length++)
        if (before[i] == '.') return length + 1;
    return 0;
}

bool li_words_of_number(li_grammar *grammar, li_term term, const uint8_t *before, uint32_t before_length, uint32_t most,
                        li_word_list *list)
{
    static const char marks[] = "1234567890-.";
    for (uint32_t i = 0; i < before_length; i++)
        if ((before[i] | 32) == 'e') return li_words_list(grammar, term, most, list);
    steps steps = {.grammar = grammar, .list = list};
    bool goes_on = add_step(&steps, 0, 0, term);
    for (uint32_t at = 0, words = 0; goes_on && at < steps.count && words < most; at++) {
        goes_on = li_grammar_spend(grammar);
        if (li_term_is_nullable(grammar, steps.steps[at].rest) && is_plain(&steps, at, before, before_length))
            goes_on = goes_on && ++words && add_word(&steps, at);
        // Enough are on the way: no more branches.
        uint32_t room = most > steps.count - at ? UINT32_MAX : 1;
        if (steps.steps[at].length >= LONGEST_NUMBER ||
            fraction_length(&steps, at, before, before_length) > LONGEST_FRACTION)
            continue;
        for (uint32_t i = 0; goes_on && room && marks[i]; i++) {
            li_term rest = li_derive(grammar, steps.steps[at].rest, (uint8_t)marks[i]);
            if (rest == LI_TERM_NOTHING) continue;
            goes_on = add_step(&steps, at, (uint8_t)marks[i], rest);
            room--;
        }
    }
    li_memory_free(steps.steps);
    return grammar->status == LI_OK;
}
