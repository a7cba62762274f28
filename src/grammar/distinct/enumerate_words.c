#include "grammar/distinct/enumerate_words.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "grammar/core/term_set.h"
#include "grammar/json/canonical.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/proposal.h"
#include "grammar/terms/term.h"

enum { LONGEST_NUMBER = 400 };
// Steps of a search for numbers, and further steps for each wanted number.
enum { STEPS_OF_NUMBERS = 4096, STEPS_OF_NUMBER = 64 };

// A text under construction: its last byte and the step before. The first step has no byte.
typedef struct step {
    li_term rest;
    uint32_t before;
    uint32_t length;
    uint8_t byte;
} step;

typedef struct steps {
    li_grammar *grammar;
    LI_LIST(step) all;
    li_word_list *list;
} steps;

static bool add_step(steps *steps, uint32_t before, uint8_t byte, li_term rest)
{
    LI_ASSERT(before < steps->all.count || !steps->all.count);
    uint32_t length = steps->all.count ? steps->all.at[before].length + 1 : 0;
    return LI_HEAP_PUSH(steps->grammar, &steps->all, (step){rest, before, length, byte});
}

// Room for the bytes of one more word. NULL: no memory, and the grammar has failed.
static uint8_t *begin_word(li_grammar *grammar, li_word_list *list, uint32_t length)
{
    uint32_t start = list->ends.count ? list->ends.at[list->ends.count - 1] : 0;
    bool has_room = LI_HEAP_RESERVE(grammar, &list->bytes, start + length + 1) &&
                    LI_HEAP_PUSH(grammar, &list->ends, start + length);
    return has_room ? list->bytes.at + start : NULL;
}

static bool add_word(steps *steps, uint32_t at)
{
    uint32_t length = steps->all.at[at].length;
    uint8_t *bytes = begin_word(steps->grammar, steps->list, length);
    for (uint32_t i = bytes ? length : 0; i-- > 0; at = steps->all.at[at].before) bytes[i] = steps->all.at[at].byte;
    return bytes;
}

void li_word_list_clear(li_word_list *list)
{
    li_memory_free(list->bytes.at);
    li_memory_free(list->ends.at);
    *list = (li_word_list){0};
}

bool li_word_list_add(li_grammar *grammar, li_word_list *list, const uint8_t *bytes, uint32_t length)
{
    uint8_t *copy = begin_word(grammar, list, length);
    if (copy && length) memcpy(copy, bytes, length);
    return copy;
}

const uint8_t *li_word_at(const li_word_list *list, uint32_t index, uint32_t *length)
{
    LI_ASSERT(index < list->ends.count);
    uint32_t start = index ? list->ends.at[index - 1] : 0;
    *length = list->ends.at[index] - start;
    return list->bytes.at + start;
}

// Adds the shortest word that begins with the text of the step.
static bool add_shortest(steps *steps, uint32_t from)
{
    li_term_set met = {0};
    uint32_t first = steps->all.count, at = from;
    li_term_set_add(steps->grammar, &met, steps->all.at[from].rest);
    for (uint32_t next = first; !li_term_is_nullable(steps->grammar, steps->all.at[at].rest); at = next++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            li_term rest = li_derive(steps->grammar, steps->all.at[at].rest, (uint8_t)byte);
            if (rest != LI_TERM_NOTHING && li_term_set_add(steps->grammar, &met, rest) &&
                !add_step(steps, at, (uint8_t)byte, rest))
                break;
        }
        if (next == steps->all.count || !li_grammar_spend(steps->grammar)) break;
    }
    li_term_set_clear(&met);
    bool is_found = steps->grammar->status == LI_OK && li_term_is_nullable(steps->grammar, steps->all.at[at].rest);
    is_found = is_found && add_word(steps, at);
    steps->all.count = first;
    return is_found;
}

bool li_words_list(li_grammar *grammar, li_term term, uint32_t most, li_word_list *list)
{
    if (term == LI_TERM_NOTHING || most == 0) return grammar->status == LI_OK;
    steps steps = {.grammar = grammar, .list = list};
    uint32_t at = 0, words = 0;
    bool goes_on = add_step(&steps, 0, 0, term);
    for (; goes_on && at < steps.all.count && words + (steps.all.count - at) < most; at++) {
        goes_on = li_grammar_spend(grammar);
        if (li_term_is_nullable(grammar, steps.all.at[at].rest)) goes_on = goes_on && ++words && add_word(&steps, at);
        for (uint32_t byte = 0; goes_on && byte < 256; byte++) {
            li_term rest = li_derive(grammar, steps.all.at[at].rest, (uint8_t)byte);
            if (rest != LI_TERM_NOTHING) goes_on = add_step(&steps, at, (uint8_t)byte, rest);
        }
    }
    // Enough different texts are pending: one word of each suffices.
    for (uint32_t end = steps.all.count; goes_on && at < end && words < most; at++, words++)
        goes_on = add_shortest(&steps, at);
    list->is_cut = words >= most;
    li_memory_free(steps.all.at);
    return grammar->status == LI_OK;
}

// The text of a number: the bytes read before, then the bytes of a step.
typedef struct spelling {
    uint8_t *bytes;
    uint32_t own, length;    // where the bytes of the step begin
    uint32_t point, power;   // the places of the point and of the e; `length`: there is none
    uint32_t digits;         // where the digits of the exponent begin
    bool is_zero, is_naught; // only zeros before the e, and after the e
} spelling;

static void spell(const steps *steps, uint32_t at, spelling *text)
{
    text->length = text->own + steps->all.at[at].length;
    for (uint32_t i = text->length; i-- > text->own; at = steps->all.at[at].before)
        text->bytes[i] = steps->all.at[at].byte;
    text->point = text->power = text->digits = text->length;
    text->is_zero = text->is_naught = true;
    for (uint32_t i = 0; i < text->length; i++) {
        uint8_t byte = text->bytes[i];
        if (byte == '.') text->point = i;
        if ((byte | 32) == 'e') text->power = i;
        if (byte >= '1' && byte <= '9') *(text->power == text->length ? &text->is_zero : &text->is_naught) = false;
    }
    if (text->power == text->length) return;
    text->digits = text->power + 1;
    if (text->digits < text->length && text->bytes[text->digits] < '0') text->digits++;
}

// Whether a zero that the step did not need ends the fraction.
static bool has_idle_zero(const spelling *text, uint32_t end)
{
    bool ends_so = end > text->own && text->point < end && text->bytes[end - 1] == '0';
    return ends_so && !(end == text->own + 1 && text->point + 1 == text->own);
}

// Whether another spelling, not longer, leads to all numbers to which this spelling leads.
static bool is_needless(const spelling *text)
{
    if (text->power == text->length || text->length == text->own) return false;
    uint8_t last = text->bytes[text->length - 1];
    if (text->power + 1 == text->length) return text->is_zero || has_idle_zero(text, text->power);
    if (text->digits == text->length) return false;
    uint32_t zeros = text->digits; // the end of the zeros at the beginning of the exponent
    while (zeros < text->length && text->bytes[zeros] == '0') zeros++;
    bool is_first = text->digits + 1 == text->length;
    if (text->is_zero) return !is_first || last != '0';
    return !is_first && zeros > text->digits && (zeros > text->own || last == '0');
}

// Whether the text is the listed spelling of its number: no zero ends a fraction, and zero is not negative.
static bool is_plain(const spelling *text)
{
    if (text->length == text->own) return true;
    bool puts_sign = text->bytes[text->own] == '-';
    if (text->power == text->length) return !has_idle_zero(text, text->length) && !(text->is_zero && puts_sign);
    return !(text->is_naught && text->digits > text->own && text->bytes[text->digits - 1] == '-');
}

typedef struct numbers {
    steps steps;
    spelling text;
    bool has_powers; // spellings with exponents are tried too
    bool is_thin;    // no more branches where enough texts are pending
    bool is_cut;
    li_term_set values; // found so far; needed if spellings with and without exponents mix
} numbers;

static bool add_number(numbers *numbers, uint32_t at, uint32_t *words)
{
    li_grammar *grammar = numbers->steps.grammar;
    if (numbers->has_powers) {
        li_decimal decimal;
        if (!li_decimal_read(grammar, numbers->text.bytes, numbers->text.length, &decimal)) {
            numbers->is_cut = true;
            return grammar->status == LI_OK;
        }
        li_term value = li_canonical(grammar, numbers->text.bytes, numbers->text.length);
        if (!li_term_set_add(grammar, &numbers->values, value)) return grammar->status == LI_OK;
    }
    ++*words;
    return add_word(&numbers->steps, at);
}

// Adds words until there are `most`. False: the grammar has failed.
static bool find_numbers(numbers *numbers, li_term term, uint32_t most, uint32_t *words)
{
    // Except in canonical spelling, a plus sign after the e leads to no new number.
    const char *marks = numbers->steps.grammar->spelling.canonical_numbers ? "1234567890-.+e" : "1234567890-.e";
    steps *steps = &numbers->steps;
    li_grammar *grammar = steps->grammar;
    uint64_t end = STEPS_OF_NUMBERS + (uint64_t)STEPS_OF_NUMBER * most;
    // Spellings that masks do not propose give no new numbers, unless such a spelling has begun.
    bool is_odd = li_term_flags(grammar, term) & LI_FLAG_OVERRUN;
    steps->all.count = 0;
    numbers->is_cut = false;
    bool goes_on = add_step(steps, 0, 0, term);
    for (uint32_t at = 0; goes_on && at < steps->all.count && *words < most; at++) {
        goes_on = li_grammar_spend(grammar);
        spell(steps, at, &numbers->text);
        if (is_needless(&numbers->text)) continue;
        if (li_term_is_nullable(grammar, steps->all.at[at].rest) && is_plain(&numbers->text))
            goes_on = goes_on && add_number(numbers, at, words);
        if (steps->all.at[at].length >= LONGEST_NUMBER || at >= end) {
            numbers->is_cut = true;
            continue;
        }
        bool is_fraction = numbers->text.point < numbers->text.length && numbers->text.power == numbers->text.length;
        uint32_t room = !numbers->is_thin || most > steps->all.count - at ? UINT32_MAX : 1;
        for (uint32_t i = 0; goes_on && marks[i] && (marks[i] != 'e' || numbers->has_powers); i++) {
            li_term rest = li_derive(grammar, steps->all.at[at].rest, (uint8_t)marks[i]);
            if (!is_odd) rest = li_proposed(grammar, rest);
            if (rest == LI_TERM_NOTHING) continue;
            // More zeros lead to no new number.
            if (is_fraction && marks[i] == '0' && rest == steps->all.at[at].rest) continue;
            if (room == 0) {
                numbers->is_cut = true;
                break;
            }
            goes_on = add_step(steps, at, (uint8_t)marks[i], rest);
            room--;
        }
    }
    return grammar->status == LI_OK;
}

bool li_words_of_number(li_grammar *grammar, li_term term, const uint8_t *before, uint32_t before_length, uint32_t most,
                        li_word_list *list)
{
    uint32_t start = list->ends.count, words = 0;
    numbers numbers = {.steps = {.grammar = grammar, .list = list}, .text = {.own = before_length}};
    numbers.text.bytes = li_memory_alloc(before_length + LONGEST_NUMBER + 1);
    if (!numbers.text.bytes) li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
    if (numbers.text.bytes && before_length) memcpy(numbers.text.bytes, before, before_length);
    for (uint32_t i = 0; i < before_length; i++) numbers.has_powers |= before[i] == '.' || (before[i] | 32) == 'e';
    // The spellings without exponents give all values of a whole number: see li_number.
    bool is_whole = before_length == 0 && li_term_kind(grammar, term) == LI_KIND_CHOICE;
    bool goes_on = grammar->status == LI_OK;
    numbers.is_thin = true;
    while (goes_on) {
        list->ends.count = start;
        li_term_set_clear(&numbers.values);
        words = 0;
        goes_on = find_numbers(&numbers, term, most, &words) && words < most;
        if (numbers.is_thin && numbers.is_cut)
            numbers.is_thin = false;
        else if (!numbers.has_powers && !is_whole)
            numbers.has_powers = numbers.is_thin = true;
        else
            break;
    }
    list->is_cut = words >= most || numbers.is_cut;
    li_term_set_clear(&numbers.values);
    li_memory_free(numbers.steps.all.at);
    li_memory_free(numbers.text.bytes);
    return grammar->status == LI_OK;
}
