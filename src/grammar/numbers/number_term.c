// The rest of a JSON number of a range.
//
// Numbers without bounds other than zero may have every spelling of JSON: unbounded_number.c. All other numbers are
// spelt plainly (12.50) or scientifically, with one nonzero digit before the point (1.25e1 or 1.25E+01). Each of the
// two spellings has its own states. number_range.h limits the length of spellings.
#include "grammar/numbers/number_term.h"

#include <string.h>

#include "grammar/numbers/number_digits.h"
#include "grammar/numbers/unbounded_number.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/first_bytes.h"
#include "grammar/terms/length_bounds.h"
#include "grammar/terms/term.h"

enum { MANY_DIGITS = 16 };

// The least exponent for which the number is in the lattice. False: there is none.
static bool find_least_exponent(li_grammar *grammar, const li_cursor *cursor, const li_lattice *lattice,
                                const uint32_t *residue, int32_t *least)
{
    struct li_numbers *numbers = grammar->numbers;
    li_lattice_modulus(lattice, 0, &numbers->modulus);
    li_bignum_load(&numbers->residue, residue, lattice->width);
    *least = (int32_t)cursor->significant - 1 + lattice->exponent;
    uint32_t factors = lattice->twos + lattice->fives; // one of them is 0
    for (uint32_t i = 0; i < factors && numbers->residue.length; i++, ++*least)
        li_bignum_shift_modulo(&numbers->residue, 1, &numbers->modulus);
    return numbers->residue.length == 0;
}

static bool is_hole(const li_cursor *cursor, int32_t exponent)
{
    if (cursor->pin == LI_NO_PIN) return false;
    const li_side *side = cursor->side;
    const li_decimal *special = &side->specials[cursor->pin];
    for (uint32_t i = LI_SPECIAL_OTHERS; i < side->special_count; i++) {
        const li_decimal *other = &side->specials[i];
        if (other->length == special->length && memcmp(other->digits, special->digits, other->length) == 0 &&
            li_special_top(other, true) == exponent)
            return true;
    }
    return false;
}

// A state after e. The text may end here if the exponent has a digit.
static li_term settle_power(li_grammar *grammar, const li_cursor *cursor)
{
    uint32_t left = LI_EXPONENT_DIGITS - cursor->power_digits;
    int64_t scale = 1;
    bool is_number = false, is_viable = false;
    for (uint32_t more = 0; more <= left && !is_viable; more++, scale *= 10) {
        if (more + cursor->power_digits == 0) continue;
        int64_t low = cursor->power * scale, high = low + scale - 1;
        if (low < cursor->least) low = cursor->least;
        if (high > cursor->most) high = cursor->most;
        for (; low <= high && !is_viable; low++)
            is_viable = !is_hole(cursor, (int32_t)(cursor->is_power_negative ? -low : low));
        if (more == 0) is_number = is_viable;
    }
    return is_viable ? li_cursor_store(grammar, cursor, is_number) : LI_TERM_NOTHING;
}

static li_term read_sign_of_power(li_grammar *grammar, li_cursor cursor, bool is_negative)
{
    int32_t least = cursor.least;
    cursor.phase = LI_NUMBER_POWER;
    cursor.is_power_negative = is_negative;
    if (is_negative) {
        cursor.least = -cursor.most;
        cursor.most = -least;
    }
    int32_t first = !grammar->spelling.canonical_numbers ? 0 : is_negative ? LI_CANONICAL_SMALL : LI_CANONICAL_LARGE;
    if (cursor.least < first) cursor.least = first;
    return settle_power(grammar, &cursor);
}

static li_term read_exponent(li_grammar *grammar, li_cursor *cursor)
{
    const li_range *range = cursor->range;
    if (!li_digits_unpin(grammar, cursor)) return LI_TERM_NOTHING;
    const uint32_t *residue = cursor->residues;
    for (uint32_t i = 0; i < range->lattice_count; residue += range->lattices[i++].width) {
        int32_t least;
        bool is_ever = find_least_exponent(grammar, cursor, &range->lattices[i], residue, &least);
        if (i == 0 && range->has_multiple) {
            if (!is_ever) return LI_TERM_NOTHING;
            if (least > cursor->least) cursor->least = least;
        } else if (is_ever && least <= cursor->most) {
            cursor->most = least - 1;
        }
    }
    cursor->phase = LI_NUMBER_EXPONENT;
    cursor->ends_in_zero = false;
    // The state is viable if an exponent without sign, with a plus or with a minus sign is possible.
    bool is_viable = read_sign_of_power(grammar, *cursor, false) != LI_TERM_NOTHING ||
                     read_sign_of_power(grammar, *cursor, true) != LI_TERM_NOTHING;
    return is_viable ? li_cursor_store(grammar, cursor, false) : LI_TERM_NOTHING;
}

static li_term read_digit_of_power(li_grammar *grammar, li_cursor *cursor, uint32_t digit)
{
    if (cursor->power_digits == LI_EXPONENT_DIGITS) return LI_TERM_NOTHING;
    if (grammar->spelling.canonical_numbers && !cursor->power_digits && !digit) return LI_TERM_NOTHING;
    cursor->power = cursor->power * 10 + digit;
    cursor->power_digits++;
    return settle_power(grammar, cursor);
}

// The state before the first digit is viable if one of the ten digits may follow.
static li_term settle_start(li_grammar *grammar, const li_cursor *cursor)
{
    bool is_viable = false;
    for (uint8_t digit = 0; digit < 10 && !is_viable; digit++) {
        li_cursor next = *cursor;
        is_viable = li_digits_first(grammar, &next, digit) != LI_TERM_NOTHING;
    }
    return is_viable ? li_cursor_store(grammar, cursor, false) : LI_TERM_NOTHING;
}

static li_term read_minus(li_grammar *grammar, li_cursor cursor)
{
    cursor.phase = LI_NUMBER_SIGNED;
    cursor.is_negative = true;
    cursor.side = &cursor.range->sides[1];
    return settle_start(grammar, &cursor);
}

static li_term start(li_grammar *grammar, const li_range *range, bool is_scientific)
{
    li_cursor cursor = {.range = range, .side = &range->sides[0], .phase = LI_NUMBER_START, .pin = LI_NO_PIN};
    cursor.is_scientific = is_scientific;
    cursor.residues = grammar->numbers->residues;
    if (settle_start(grammar, &cursor) == LI_TERM_NOTHING && read_minus(grammar, cursor) == LI_TERM_NOTHING)
        return LI_TERM_NOTHING;
    return grammar->status == LI_OK ? li_cursor_store(grammar, &cursor, false) : LI_TERM_NOTHING;
}

static bool is_bound_zero(bool has_bound, const li_decimal *bound)
{
    return !has_bound || bound->sign == 0;
}

li_term li_number(li_grammar *grammar, const li_number_range *range)
{
    li_number_range doubles = li_range_of_doubles(grammar, range);
    const li_range *ready = li_range_of(grammar, &doubles);
    if (!ready) return LI_TERM_NOTHING;
    const li_lattice *multiple = ready->has_multiple ? ready->lattices : NULL;
    bool is_integer = multiple && multiple->exponent == 0 && multiple->length == 1 && multiple->limbs[0] == 1;
    bool is_plain = range->is_integer && grammar->spelling.plain_integers;
    bool lacks_zero = range->not_count == 1 && range->not_values[0].sign == 0;
    bool is_any = ready->lattice_count == is_integer && range->not_count == lacks_zero &&
                  is_bound_zero(range->has_minimum, &range->minimum) &&
                  is_bound_zero(range->has_maximum, &range->maximum);
    if (is_any) {
        bool has_zero = !lacks_zero && !(range->has_minimum && range->excludes_minimum) &&
                        !(range->has_maximum && range->excludes_maximum);
        uint32_t signs = (range->has_minimum ? 0 : LI_SIGN_NEGATIVE) | (has_zero ? LI_SIGN_ZERO : 0) |
                         (range->has_maximum ? 0 : LI_SIGN_POSITIVE);
        li_term number = li_unbounded_number(grammar, signs, is_integer);
        return is_plain && number != LI_TERM_NOTHING ? li_unbounded_number_easy(grammar, number) : number;
    }
    li_term plain = start(grammar, ready, false);
    bool has_powers = !is_plain && !(grammar->spelling.canonical_numbers && multiple && multiple->exponent >= 0);
    if (plain != LI_TERM_NOTHING && has_powers) plain = li_either(grammar, plain, start(grammar, ready, true));
    return grammar->status == LI_OK ? plain : LI_TERM_NOTHING;
}

bool li_number_is_empty(li_grammar *grammar, const li_number_range *range)
{
    return li_number(grammar, range) == LI_TERM_NOTHING;
}

li_term li_number_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    bool is_canonical = grammar->spelling.canonical_numbers;
    bool is_digit = byte >= '0' && byte <= '9', is_exponent = byte == 'e' || (byte == 'E' && !is_canonical);
    if (!is_digit && !is_exponent && byte != '.' && byte != '-' && byte != '+') return LI_TERM_NOTHING;
    if (li_term_words(grammar, term)[LI_CURSOR_RANGE] == LI_NO_LIMIT)
        return li_unbounded_number_derive(grammar, term, byte);
    li_cursor cursor;
    li_cursor_load(grammar, term, &cursor);
    uint8_t digit = (uint8_t)(byte - '0');
    switch (cursor.phase) {
    case LI_NUMBER_START:
        if (byte == '-') return read_minus(grammar, cursor);
        return is_digit ? li_digits_first(grammar, &cursor, digit) : LI_TERM_NOTHING;
    case LI_NUMBER_SIGNED:
        return is_digit ? li_digits_first(grammar, &cursor, digit) : LI_TERM_NOTHING;
    case LI_NUMBER_WHOLE:
    case LI_NUMBER_FRACTION:
        if (is_digit) return li_digits_next(grammar, &cursor, digit);
        if (byte == '.') return li_digits_point(grammar, &cursor);
        if (!is_exponent || !cursor.is_scientific) return LI_TERM_NOTHING;
        if (cursor.phase == LI_NUMBER_FRACTION && cursor.read == 1) return LI_TERM_NOTHING;
        if (cursor.ends_in_zero) return LI_TERM_NOTHING;
        return read_exponent(grammar, &cursor);
    case LI_NUMBER_EXPONENT:
        if (byte == '-' || byte == '+') return read_sign_of_power(grammar, cursor, byte == '-');
        cursor.phase = LI_NUMBER_POWER;
        if (cursor.least < 0) cursor.least = 0;
        return is_digit && !is_canonical ? read_digit_of_power(grammar, &cursor, digit) : LI_TERM_NOTHING;
    case LI_NUMBER_POWER:
        return is_digit ? read_digit_of_power(grammar, &cursor, digit) : LI_TERM_NOTHING;
    }
    return LI_TERM_NOTHING;
}

uint32_t li_number_lowest_count(const li_grammar *grammar, li_term term, uint32_t *nodes)
{
    (void)nodes;
    if (li_term_words(grammar, term)[LI_CURSOR_RANGE] == LI_NO_LIMIT) return li_unbounded_number_room(grammar, term);
    const uint32_t *words = li_term_words(grammar, term);
    bool is_whole = (words[LI_CURSOR_PHASE] & 31) == LI_NUMBER_WHOLE && words[LI_CURSOR_PIN] == LI_NO_PIN;
    const li_range *range = grammar->numbers->ranges[words[LI_CURSOR_RANGE]];
    bool is_far = is_whole && words[LI_CURSOR_D] != LI_NO_LIMIT &&
                  words[LI_CURSOR_D] >= words[LI_CURSOR_C] + range->wide + MANY_DIGITS;
    return is_far ? words[LI_CURSOR_D] - words[LI_CURSOR_C] - range->wide : LI_NO_LIMIT;
}

li_term li_number_without_counts(li_grammar *grammar, li_term term, uint32_t *nodes)
{
    if (li_number_lowest_count(grammar, term, nodes) == LI_NO_LIMIT) return term;
    if (li_term_words(grammar, term)[LI_CURSOR_RANGE] == LI_NO_LIMIT) return li_unbounded_number_far(grammar, term);
    li_cursor cursor;
    li_cursor_load(grammar, term, &cursor);
    cursor.room = LI_COUNT_STANDIN;
    return li_cursor_store(grammar, &cursor, li_term_is_nullable(grammar, term));
}

uint32_t li_number_counts_used(const li_grammar *grammar, li_term term, uint32_t *nodes)
{
    (void)nodes;
    const uint32_t *words = li_term_words(grammar, term);
    if (words[LI_CURSOR_RANGE] == LI_NO_LIMIT) return li_unbounded_number_used(grammar, term);
    bool is_far = (words[LI_CURSOR_PHASE] & 31) == LI_NUMBER_WHOLE && words[LI_CURSOR_PIN] == LI_NO_PIN &&
                  words[LI_CURSOR_D] > LI_COUNT_STANDIN / 2 && words[LI_CURSOR_D] < LI_COUNT_STANDIN;
    return is_far ? LI_COUNT_STANDIN - words[LI_CURSOR_D] : 0;
}

void li_number_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    (void)grammar, (void)term, (void)depth;
    li_byte_set_add(set, '+', '9');
    li_byte_set_add(set, 'E', 'E');
    li_byte_set_add(set, 'e', 'e');
}
