// The digits of a number of a range, before its exponent.
#include "grammar/numbers/number_digits.h"

#include <string.h>

#include "grammar/numbers/digit_feasibility.h"

// The state of a mantissa, or NOTHING if no number of the range continues it.
static li_term settle(li_grammar *grammar, const li_cursor *cursor, bool may_end)
{
    if (!li_cursor_is_viable(grammar, cursor)) return LI_TERM_NOTHING;
    bool is_nullable = may_end && !cursor->is_scientific && li_cursor_is_complete(grammar, cursor);
    return grammar->status == LI_OK ? li_cursor_store(grammar, cursor, is_nullable) : LI_TERM_NOTHING;
}

static void save_natural(const li_bignum *n, uint32_t *residue, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++) residue[i] = i < n->length ? n->limbs[i] : 0;
}

// The modulus of the residues after `fraction` digits of the fraction of a plain number.
static void plain_modulus(const li_lattice *lattice, uint32_t fraction, li_bignum *modulus)
{
    int32_t least = lattice->exponent > 0 ? lattice->exponent : 0, power = lattice->exponent + (int32_t)fraction;
    li_lattice_modulus(lattice, power < least ? power : least, modulus);
}

// The number of read digits of the fraction that lie below the lattice. These digits must be zero.
static uint32_t digits_below(const li_lattice *lattice, uint32_t fraction)
{
    uint32_t whole = lattice->exponent < 0 ? (uint32_t)-lattice->exponent : 0;
    return fraction > whole ? fraction - whole : 0;
}

// Adds a digit to the residues of a cursor that is not pinned. The cursor is in its state before the digit.
static void advance_residues(li_grammar *grammar, const li_cursor *cursor, uint8_t digit)
{
    struct li_numbers *numbers = grammar->numbers;
    uint32_t *residue = cursor->residues;
    for (uint32_t i = 0; i < cursor->range->lattice_count; residue += cursor->range->lattices[i++].width) {
        const li_lattice *lattice = &cursor->range->lattices[i];
        uint32_t shift = 1;
        if (cursor->is_scientific) {
            if (digit == 0) continue;
            shift = cursor->read - cursor->significant + 1;
            li_lattice_modulus(lattice, 0, &numbers->modulus);
        } else {
            uint32_t fraction = cursor->phase == LI_NUMBER_FRACTION ? cursor->read + 1 : 0;
            if (li_residue_is_never(residue, lattice->width)) continue;
            if (digits_below(lattice, fraction)) {
                if (digit) memset(residue, 0xff, lattice->width * sizeof *residue);
                continue;
            }
            plain_modulus(lattice, fraction, &numbers->modulus);
        }
        li_bignum_load(&numbers->residue, residue, lattice->width);
        li_bignum_shift_modulo(&numbers->residue, shift, &numbers->modulus);
        li_bignum_set(&numbers->candidate, digit);
        li_bignum_add(&numbers->residue, &numbers->candidate);
        li_bignum_divide(&numbers->residue, &numbers->modulus, NULL);
        save_natural(&numbers->residue, residue, lattice->width);
    }
}

// The residues of known digits; the last `fraction` digits stand after the point.
static void make_residues(li_grammar *grammar, const li_cursor *cursor, uint32_t count, uint32_t fraction)
{
    struct li_numbers *numbers = grammar->numbers;
    uint32_t *residue = cursor->residues;
    for (uint32_t i = 0; i < cursor->range->lattice_count; residue += cursor->range->lattices[i++].width) {
        const li_lattice *lattice = &cursor->range->lattices[i];
        uint32_t taken = cursor->significant;
        bool is_never = false;
        if (cursor->is_scientific) {
            li_lattice_modulus(lattice, 0, &numbers->modulus);
        } else {
            taken = count - digits_below(lattice, fraction);
            for (uint32_t j = taken; j < count; j++) is_never |= numbers->digits[j] != 0;
            plain_modulus(lattice, fraction, &numbers->modulus);
        }
        numbers->residue.length = 0;
        li_bignum_append(&numbers->residue, numbers->digits, taken);
        li_bignum_divide(&numbers->residue, &numbers->modulus, NULL);
        save_natural(&numbers->residue, residue, lattice->width);
        if (is_never) memset(residue, 0xff, lattice->width * sizeof *residue);
    }
}

// Compares known digits with the first digits of a special.
static int compare_digits(const uint8_t *digits, uint32_t count, const li_decimal *special, bool is_scientific)
{
    int32_t top = li_special_top(special, is_scientific);
    for (uint32_t i = 0; i < count; i++) {
        int difference = digits[i] - li_digit_at(special, top - (int32_t)i);
        if (difference) return difference;
    }
    return 0;
}

static bool has_special(const li_side *side, uint32_t index)
{
    return index == LI_SPECIAL_LOW ? side->has_low : index == LI_SPECIAL_HIGH ? side->has_high : true;
}

// The first special that begins with the digits, or LI_NO_PIN. `whole`: the number of digits before the point; used in
// a fraction.
static uint32_t find_pin(const li_cursor *cursor, const uint8_t *digits, uint32_t count, uint32_t whole)
{
    for (uint32_t i = 0; i < cursor->side->special_count; i++) {
        if (!has_special(cursor->side, i)) continue;
        const li_decimal *special = &cursor->side->specials[i];
        uint32_t length = (uint32_t)li_special_top(special, false) + 1;
        if (cursor->is_scientific ? special->sign == 0
                                  : (cursor->phase == LI_NUMBER_FRACTION ? length != whole : length < count))
            continue;
        if (compare_digits(digits, count, special, cursor->is_scientific) == 0) return i;
    }
    return LI_NO_PIN;
}

// How many more digits must and may stand before the point of a plain number whose known digits are not the first
// digits of a bound. False: the number is outside the bounds.
static bool find_lengths(li_cursor *cursor, const uint8_t *digits, uint32_t count, uint32_t whole)
{
    const li_side *side = cursor->side;
    bool is_fraction = cursor->phase == LI_NUMBER_FRACTION;
    uint32_t before_point = is_fraction ? whole : count;
    int64_t need = 0, room = is_fraction || digits[0] == 0 ? 0 : LI_NO_LIMIT;
    if (side->has_low) {
        const li_decimal *low = &side->specials[LI_SPECIAL_LOW];
        int64_t length = li_special_top(low, false) + 1;
        bool is_above = before_point <= length && compare_digits(digits, count, low, false) > 0;
        need = length - before_point + (is_above || before_point > length ? 0 : 1);
        if (need < 0) need = 0;
    }
    if (side->has_high) {
        const li_decimal *high = &side->specials[LI_SPECIAL_HIGH];
        int64_t length = li_special_top(high, false) + 1;
        bool is_below = before_point <= length && compare_digits(digits, count, high, false) < 0;
        int64_t left = length - before_point - (is_below ? 0 : 1);
        if (left < room) room = left;
    }
    if (need > room) return false;
    cursor->need = (uint32_t)need;
    cursor->room = (uint32_t)room;
    return true;
}

// The exponents within the bounds for a mantissa of these digits. A bound with the same digits counts as equal, as if
// zeros followed. False: no exponent is possible.
static bool find_exponents(const li_grammar *grammar, li_cursor *cursor, const uint8_t *digits, uint32_t count)
{
    const li_side *side = cursor->side;
    cursor->least = -cursor->range->exponent_limit;
    cursor->most = cursor->range->exponent_limit;
    if (side->has_low && side->specials[LI_SPECIAL_LOW].sign) {
        const li_decimal *low = &side->specials[LI_SPECIAL_LOW];
        int order = compare_digits(digits, count, low, true);
        bool is_longer = order == 0 && low->length > count;
        cursor->least = li_special_top(low, true);
        if (order < 0 || is_longer || (order == 0 && side->excludes_low)) cursor->least++;
    }
    if (side->has_high) {
        const li_decimal *high = &side->specials[LI_SPECIAL_HIGH];
        if (!high->sign) return false;
        int order = compare_digits(digits, count, high, true);
        bool is_longer = order == 0 && high->length > count;
        cursor->most = li_special_top(high, true);
        if (order > 0 || (order == 0 && !is_longer && side->excludes_high)) cursor->most--;
    }
    return li_exponents_canonical(grammar, &cursor->least, &cursor->most);
}

// The state of `count` known digits.
static li_term settle_digits(li_grammar *grammar, li_cursor *cursor, uint32_t count, uint32_t whole)
{
    const uint8_t *digits = grammar->numbers->digits;
    bool is_fraction = cursor->phase == LI_NUMBER_FRACTION, is_scientific = cursor->is_scientific;
    for (uint32_t cost = 0; cost < cursor->side->special_count; cost += LI_SPECIALS_PER_FUEL)
        if (!li_grammar_spend(grammar)) return LI_TERM_NOTHING;
    cursor->pin = find_pin(cursor, digits, count, whole);
    cursor->read = count;
    cursor->significant = cursor->need = cursor->room = 0;
    cursor->least = cursor->most = 0;
    if (is_scientific && cursor->range->lattice_count)
        for (cursor->significant = count; digits[cursor->significant - 1] == 0;) cursor->significant--;
    if (cursor->pin == LI_NO_PIN) {
        if (is_scientific ? !find_exponents(grammar, cursor, digits, count)
                          : !find_lengths(cursor, digits, count, whole))
            return LI_TERM_NOTHING;
        make_residues(grammar, cursor, count, is_fraction ? count - whole : 0);
        if (!is_scientific) cursor->read = is_fraction ? count - whole : 0;
    }
    return settle(grammar, cursor, !is_fraction || count > whole);
}

// Writes the digits of a pinned cursor.
static void recall_digits(li_grammar *grammar, const li_cursor *cursor)
{
    const li_decimal *special = &cursor->side->specials[cursor->pin];
    int32_t top = li_special_top(special, cursor->is_scientific);
    for (uint32_t i = 0; i < cursor->read; i++) grammar->numbers->digits[i] = li_digit_at(special, top - (int32_t)i);
}

li_term li_digits_first(li_grammar *grammar, li_cursor *cursor, uint8_t digit)
{
    if (cursor->is_scientific && digit == 0) return LI_TERM_NOTHING;
    cursor->phase = LI_NUMBER_WHOLE;
    grammar->numbers->digits[0] = digit;
    return settle_digits(grammar, cursor, 1, 1);
}

// The number of digits read before the point.
static uint32_t count_whole(const li_cursor *cursor)
{
    if (cursor->is_scientific) return 1;
    if (cursor->phase == LI_NUMBER_WHOLE) return cursor->read;
    return (uint32_t)li_special_top(&cursor->side->specials[cursor->pin], false) + 1;
}

li_term li_digits_next(li_grammar *grammar, li_cursor *cursor, uint8_t digit)
{
    const li_range *range = cursor->range;
    bool is_fraction = cursor->phase == LI_NUMBER_FRACTION;
    cursor->ends_in_zero = is_fraction && !digit && grammar->spelling.canonical_numbers;
    if (cursor->is_scientific && (!is_fraction || cursor->read == range->mantissa_digits)) return LI_TERM_NOTHING;
    if (cursor->pin != LI_NO_PIN) {
        uint8_t *digits = grammar->numbers->digits;
        uint32_t whole = count_whole(cursor);
        recall_digits(grammar, cursor);
        if (is_fraction ? cursor->read == whole + range->fraction_digits && !cursor->is_scientific : digits[0] == 0)
            return LI_TERM_NOTHING;
        digits[cursor->read] = digit;
        return settle_digits(grammar, cursor, cursor->read + 1, whole);
    }
    if (!cursor->is_scientific && (is_fraction ? cursor->read == range->fraction_digits : cursor->room == 0))
        return LI_TERM_NOTHING;
    advance_residues(grammar, cursor, digit);
    if (cursor->is_scientific || is_fraction) {
        cursor->read++;
        if (cursor->is_scientific && digit && range->lattice_count) cursor->significant = cursor->read;
    } else {
        if (cursor->need) cursor->need--;
        if (cursor->room != LI_NO_LIMIT) cursor->room--;
    }
    return settle(grammar, cursor, true);
}

li_term li_digits_point(li_grammar *grammar, li_cursor *cursor)
{
    if (cursor->phase != LI_NUMBER_WHOLE) return LI_TERM_NOTHING;
    if (cursor->range->source.is_integer && grammar->spelling.plain_integers) return LI_TERM_NOTHING;
    cursor->phase = LI_NUMBER_FRACTION;
    cursor->ends_in_zero = grammar->spelling.canonical_numbers;
    if (cursor->is_scientific) return settle(grammar, cursor, false);
    if (cursor->pin != LI_NO_PIN) {
        recall_digits(grammar, cursor);
        return settle_digits(grammar, cursor, cursor->read, cursor->read);
    }
    if (cursor->need) return LI_TERM_NOTHING;
    cursor->room = 0;
    return settle(grammar, cursor, false);
}

bool li_digits_unpin(li_grammar *grammar, li_cursor *cursor)
{
    if (cursor->pin == LI_NO_PIN) return true;
    const uint8_t *digits = grammar->numbers->digits;
    recall_digits(grammar, cursor);
    cursor->pin = LI_NO_PIN;
    if (!find_exponents(grammar, cursor, digits, cursor->read)) return false;
    make_residues(grammar, cursor, cursor->read, 0);
    for (uint32_t i = LI_SPECIAL_OTHERS; i < cursor->side->special_count; i++) {
        const li_decimal *special = &cursor->side->specials[i];
        if (!special->sign || special->length > cursor->read) continue;
        if (compare_digits(digits, cursor->read, special, true) != 0) continue;
        cursor->pin = i;
        break;
    }
    return true;
}
