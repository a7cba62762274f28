// Whether the digits of a number can be continued within its range: a search for a multiple between two bounds.
//
// If the place of the first digit is known, the digits that may follow are the integers 0 to 10^digits - 1 within the
// bounds. Division finds the first multiple. The search tries the next multiple only if the range excludes a multiple;
// few multiples in a row are excluded.
#include "grammar/numbers/digit_feasibility.h"

// Writes to `suffix` the number made of `count` digits of the special, the first of them `skip` places below `top`.
static void read_suffix(li_grammar *grammar, const li_decimal *special, int32_t top, uint32_t skip, uint32_t count,
                        li_bignum *suffix)
{
    uint8_t *digits = grammar->numbers->suffix;
    for (uint32_t i = 0; i < count; i++) digits[i] = li_digit_at(special, top - (int32_t)(skip + i));
    suffix->length = 0;
    li_bignum_append(suffix, digits, count);
}

// Compares the pinned digits with the same number of digits of another special, each from its first digit.
static int compare_prefix(const li_cursor *cursor, const li_decimal *other)
{
    const li_decimal *pinned = &cursor->side->specials[cursor->pin];
    int32_t top = li_special_top(pinned, cursor->is_scientific),
            other_top = li_special_top(other, cursor->is_scientific);
    for (int32_t i = 0; i < (int32_t)cursor->read; i++) {
        int difference = li_digit_at(pinned, top - i) - li_digit_at(other, other_top - i);
        if (difference) return difference;
    }
    return 0;
}

// One continuation: `digits` more digits of a number whose first digit is at place `top` and last at `bottom`.
typedef struct course {
    const li_cursor *cursor;
    int32_t top, bottom;
    uint32_t digits;
    bool has_zeros_only; // only zeros may follow
} course;

// Writes to `low` and `high` the least and greatest continuation within the bounds. False: there is none.
static bool find_bounds(li_grammar *grammar, const course *way)
{
    const li_cursor *cursor = way->cursor;
    const li_side *side = cursor->side;
    li_bignum *low = &grammar->numbers->low, *high = &grammar->numbers->high;
    li_bignum *unit = &grammar->numbers->unit;
    li_bignum_set(low, 0);
    li_bignum_set(high, 1);
    li_bignum_shift(high, way->digits);
    li_bignum_subtract(high, unit);
    if (cursor->pin == LI_NO_PIN) return true;
    const li_decimal *least = &side->specials[LI_SPECIAL_LOW], *greatest = &side->specials[LI_SPECIAL_HIGH];
    if (side->has_low && !(cursor->is_scientific && least->sign == 0)) {
        int32_t top = li_special_top(least, cursor->is_scientific);
        int order = way->top == top ? compare_prefix(cursor, least) : way->top - top;
        if (order < 0) return false;
        if (order == 0) {
            read_suffix(grammar, least, top, cursor->read, way->digits, low);
            if (side->excludes_low) li_bignum_add(low, unit);
        }
    }
    if (side->has_high) {
        if (cursor->is_scientific && greatest->sign == 0) return false;
        int32_t top = li_special_top(greatest, cursor->is_scientific);
        int order = way->top == top ? compare_prefix(cursor, greatest) : way->top - top;
        if (order > 0) return false;
        if (order == 0) {
            read_suffix(grammar, greatest, top, cursor->read, way->digits, high);
            if (side->excludes_high && high->length == 0) return false;
            if (side->excludes_high) li_bignum_subtract(high, unit);
        }
    }
    return true;
}

// Writes `modulus` and `residue`: the number is in the lattice if the modulus divides the continuation plus the
// residue. False: no continuation is in the lattice.
static bool find_residue(li_grammar *grammar, const course *way, const li_lattice *lattice, const uint32_t *known)
{
    const li_cursor *cursor = way->cursor;
    li_bignum *modulus = &grammar->numbers->modulus, *residue = &grammar->numbers->residue;
    int32_t power = lattice->exponent - way->bottom;
    uint32_t shift = way->digits, significant = cursor->read;
    if (cursor->is_scientific) {
        significant = cursor->significant;
        shift += cursor->read - significant;
        if (power > (int32_t)shift) return false; // the last nonzero digit lies below the lattice
    }
    if (cursor->pin != LI_NO_PIN) {
        const li_decimal *special = &cursor->side->specials[cursor->pin];
        read_suffix(grammar, special, li_special_top(special, cursor->is_scientific), 0, significant, residue);
    } else {
        if (li_residue_is_never(known, lattice->width)) return false;
        li_bignum_load(residue, known, lattice->width);
        int32_t whole = lattice->exponent < 0 ? -lattice->exponent : 0;
        if (!cursor->is_scientific && (int32_t)cursor->read > whole) shift += cursor->read - (uint32_t)whole;
    }
    li_lattice_modulus(lattice, power, modulus);
    li_bignum_divide(residue, modulus, NULL);
    li_bignum_shift_modulo(residue, shift, modulus);
    return true;
}

typedef enum verdict { ALLOWED, LEFT_OUT, ALL_LEFT_OUT } verdict;

// Whether the range excludes the candidate.
static verdict judge(li_grammar *grammar, const course *way)
{
    const li_cursor *cursor = way->cursor;
    const li_range *range = cursor->range;
    struct li_numbers *numbers = grammar->numbers;
    const uint32_t *known = cursor->residues;
    for (uint32_t i = 0; i < range->lattice_count; known += range->lattices[i++].width) {
        if ((i == 0 && range->has_multiple) || !find_residue(grammar, way, &range->lattices[i], known)) continue;
        li_bignum_add(&numbers->residue, &numbers->candidate);
        li_bignum_divide(&numbers->residue, &numbers->modulus, NULL);
        if (numbers->residue.length) continue;
        // The next candidate may be allowed, unless the excluded lattice contains every step.
        li_bignum_copy(&numbers->residue, &numbers->step);
        li_bignum_divide(&numbers->residue, &numbers->modulus, NULL);
        return numbers->residue.length ? LEFT_OUT : ALL_LEFT_OUT;
    }
    if (cursor->pin == LI_NO_PIN) return ALLOWED;
    for (uint32_t i = LI_SPECIAL_OTHERS; i < cursor->side->special_count; i++) {
        const li_decimal *special = &cursor->side->specials[i];
        if (i % LI_SPECIALS_PER_FUEL == 0 && !li_grammar_spend(grammar)) return ALL_LEFT_OUT;
        if (cursor->is_scientific && special->sign == 0) continue;
        int32_t top = li_special_top(special, cursor->is_scientific);
        if (top != way->top || compare_prefix(cursor, special) != 0) continue;
        read_suffix(grammar, special, top, cursor->read, way->digits, &numbers->residue);
        if (li_bignum_compare(&numbers->residue, &numbers->candidate) == 0) return LEFT_OUT;
    }
    return ALLOWED;
}

static bool has_number(li_grammar *grammar, const course *way)
{
    const li_range *range = way->cursor->range;
    struct li_numbers *numbers = grammar->numbers;
    li_bignum *candidate = &numbers->candidate, *step = &numbers->step;
    for (uint32_t cost = 0; cost <= way->digits; cost += 64)
        if (!li_grammar_spend(grammar)) return false;
    if (!find_bounds(grammar, way)) return false;
    if (way->cursor->ends_in_zero && numbers->low.length == 0) li_bignum_set(&numbers->low, 1);
    li_bignum_copy(candidate, &numbers->low);
    li_bignum_set(step, 1);
    if (range->has_multiple) {
        if (!find_residue(grammar, way, range->lattices, way->cursor->residues)) return false;
        li_bignum_copy(step, &numbers->modulus);
        li_bignum_add(&numbers->residue, candidate);
        li_bignum_divide(&numbers->residue, step, NULL);
        if (numbers->residue.length) {
            li_bignum_add(candidate, step);
            li_bignum_subtract(candidate, &numbers->residue);
        }
    }
    while (li_bignum_compare(candidate, &numbers->high) <= 0) {
        if (way->has_zeros_only && candidate->length) return false;
        if (!li_grammar_spend(grammar)) return false;
        verdict is = judge(grammar, way);
        if (is != LEFT_OUT) return is == ALLOWED;
        li_bignum_add(candidate, step);
    }
    return false;
}

// Plain numbers before the point, which may get more digits.
static bool is_whole_viable(li_grammar *grammar, const li_cursor *cursor)
{
    const li_range *range = cursor->range;
    const li_side *side = cursor->side;
    uint32_t need = cursor->need, room = cursor->room;
    int32_t last = 0; // place of the first digit if the point follows
    if (cursor->pin != LI_NO_PIN) {
        const li_decimal *special = &side->specials[cursor->pin];
        last = (int32_t)cursor->read - 1;
        need = 0;
        room = LI_NO_LIMIT;
        if (side->has_high) {
            int32_t top = li_special_top(&side->specials[LI_SPECIAL_HIGH], false);
            if (top < last) return false;
            room = (uint32_t)(top - last);
        }
        if (li_digit_at(special, li_special_top(special, false)) == 0) room = 0;
    }
    // With enough room there is a multiple that nothing excludes.
    if (room == LI_NO_LIMIT || (cursor->pin == LI_NO_PIN && !range->lattice_count)) return true;
    int32_t low = side->has_low ? li_special_top(&side->specials[LI_SPECIAL_LOW], false) : 0;
    bool is_between = cursor->pin == LI_NO_PIN || last + (int32_t)room > low + 1;
    if (is_between && room > need + range->wide && !range->is_empty) return true;
    // A multiple with a zero appended is a multiple.
    if (cursor->pin == LI_NO_PIN && range->has_multiple && range->lattice_count == 1) need = room;
    for (uint32_t more = room + 1; more-- > need;) {
        course way = {.cursor = cursor, .top = last + (int32_t)more, .bottom = -(int32_t)range->fraction_digits};
        way.digits = more + range->fraction_digits;
        if (has_number(grammar, &way)) return true;
        if (grammar->status != LI_OK) return false;
    }
    return false;
}

static course fraction_course(const li_cursor *cursor)
{
    const li_range *range = cursor->range;
    course way = {.cursor = cursor, .bottom = -(int32_t)range->fraction_digits};
    way.digits = range->fraction_digits - cursor->read;
    if (cursor->pin == LI_NO_PIN) return way;
    way.top = cursor->phase == LI_NUMBER_WHOLE ? (int32_t)cursor->read - 1
                                               : li_special_top(&cursor->side->specials[cursor->pin], false);
    way.digits += (uint32_t)way.top + 1;
    return way;
}

static bool is_mantissa_viable(li_grammar *grammar, const li_cursor *cursor)
{
    const li_range *range = cursor->range;
    const li_side *side = cursor->side;
    int32_t least = cursor->least, most = cursor->most;
    if (cursor->pin != LI_NO_PIN) {
        const li_decimal *low = &side->specials[LI_SPECIAL_LOW], *high = &side->specials[LI_SPECIAL_HIGH];
        least = side->has_low && low->sign ? li_special_top(low, true) : -range->exponent_limit;
        most = side->has_high ? li_special_top(high, true) : range->exponent_limit;
        if (side->has_high && high->sign == 0) return false;
    } else if (!range->lattice_count) {
        return least <= most && (!cursor->ends_in_zero || cursor->read < range->mantissa_digits);
    }
    if (!li_exponents_canonical(grammar, &least, &most)) return false;
    if (cursor->pin == LI_NO_PIN && range->has_multiple && range->lattice_count == 1 && least < most) least = most;
    for (int32_t i = 0; i <= most - least; i++) {
        // Large numbers are more often multiples; small numbers are seldom excluded multiples.
        course way = {.cursor = cursor, .top = range->has_multiple ? most - i : least + i};
        int32_t top = way.top;
        if (!li_exponents_canonical(grammar, &top, &top)) continue;
        way.bottom = way.top - (int32_t)range->mantissa_digits + 1;
        way.digits = range->mantissa_digits - cursor->read;
        if (has_number(grammar, &way)) return true;
        if (grammar->status != LI_OK) return false;
    }
    return false;
}

bool li_cursor_is_viable(li_grammar *grammar, const li_cursor *cursor)
{
    if (cursor->range->is_empty || !cursor->side->exists) return false;
    if (cursor->is_scientific) return is_mantissa_viable(grammar, cursor);
    if (cursor->phase == LI_NUMBER_WHOLE) return is_whole_viable(grammar, cursor);
    if (cursor->pin == LI_NO_PIN && !cursor->range->lattice_count)
        return !cursor->ends_in_zero || cursor->read < cursor->range->fraction_digits;
    course way = fraction_course(cursor);
    return has_number(grammar, &way);
}

bool li_cursor_is_complete(li_grammar *grammar, const li_cursor *cursor)
{
    if (cursor->ends_in_zero || (cursor->pin == LI_NO_PIN && cursor->need)) return false;
    if (cursor->pin == LI_NO_PIN && !cursor->range->lattice_count) return true;
    course way = fraction_course(cursor);
    way.has_zeros_only = true;
    return has_number(grammar, &way);
}
