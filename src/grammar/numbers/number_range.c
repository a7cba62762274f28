// The preparation of ranges of numbers.
#include "grammar/numbers/number_range.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/core/arena.h"

int32_t li_special_top(const li_decimal *special, bool is_scientific)
{
    int32_t top = special->exponent + (int32_t)special->length - 1;
    return !is_scientific && top < 0 ? 0 : top;
}

uint8_t li_digit_at(const li_decimal *decimal, int32_t place)
{
    int32_t index = decimal->exponent + (int32_t)decimal->length - 1 - place;
    return index >= 0 && index < (int32_t)decimal->length ? decimal->digits[index] : 0;
}

bool li_lattice_modulus(const li_lattice *lattice, int32_t power, li_bignum *modulus)
{
    LI_ASSERT(lattice->length);
    li_bignum_load(modulus, lattice->limbs, lattice->length);
    if (power > 0) return li_bignum_shift(modulus, (uint32_t)power);
    uint32_t down = power < 0 ? (uint32_t)-power : 0;
    for (uint32_t i = 0; i < down && i < lattice->twos; i++) li_bignum_divide_small(modulus, 2);
    for (uint32_t i = 0; i < down && i < lattice->fives; i++) li_bignum_divide_small(modulus, 5);
    return true;
}

bool li_residue_is_never(const uint32_t *residue, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        if (residue[i] != UINT32_MAX) return false;
    return true;
}

static uint32_t hash_decimal(uint32_t hash, const li_decimal *decimal)
{
    hash = (hash ^ (uint32_t)decimal->sign ^ (uint32_t)decimal->exponent << 2) * 0x9e3779b1u;
    for (uint32_t i = 0; i < decimal->length; i++) hash = (hash ^ decimal->digits[i]) * 0x01000193u;
    return hash;
}

static uint32_t hash_decimals(uint32_t hash, const li_decimal *decimals, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) hash = hash_decimal(hash, &decimals[i]);
    return hash * 0x85ebca77u + count;
}

static uint32_t hash_range(const li_number_range *range)
{
    uint32_t hash = (uint32_t)(range->has_minimum | range->has_maximum << 1 | range->excludes_minimum << 2 |
                               range->excludes_maximum << 3 | range->is_integer << 4 | range->is_not_integer << 5);
    if (range->has_minimum) hash = hash_decimal(hash, &range->minimum);
    if (range->has_maximum) hash = hash_decimal(hash + 1, &range->maximum);
    hash = hash_decimals(hash, range->multiples, range->multiple_count);
    hash = hash_decimals(hash, range->not_multiples, range->not_multiple_count);
    return hash_decimals(hash, range->not_values, range->not_count);
}

static bool are_equal(const li_decimal *a, const li_decimal *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (li_decimal_compare(&a[i], &b[i]) != 0) return false;
    return true;
}

static bool are_ranges_equal(const li_number_range *a, const li_number_range *b)
{
    return a->has_minimum == b->has_minimum && a->has_maximum == b->has_maximum &&
           a->excludes_minimum == b->excludes_minimum && a->excludes_maximum == b->excludes_maximum &&
           a->is_integer == b->is_integer && a->is_not_integer == b->is_not_integer &&
           a->multiple_count == b->multiple_count && a->not_multiple_count == b->not_multiple_count &&
           a->not_count == b->not_count && (!a->has_minimum || are_equal(&a->minimum, &b->minimum, 1)) &&
           (!a->has_maximum || are_equal(&a->maximum, &b->maximum, 1)) &&
           are_equal(a->multiples, b->multiples, a->multiple_count) &&
           are_equal(a->not_multiples, b->not_multiples, a->not_multiple_count) &&
           are_equal(a->not_values, b->not_values, a->not_count);
}

// a becomes the least common multiple of a * 10^*exponent and b * 10^other, without factors of ten.
static bool join(li_bignum *a, int32_t *exponent, li_bignum *b, int32_t other, li_bignum *spare, li_bignum *rest)
{
    LI_ASSERT(a->length && b->length);
    int32_t lower = *exponent < other ? *exponent : other;
    if (!li_bignum_shift(a, (uint32_t)(*exponent - lower)) || !li_bignum_shift(b, (uint32_t)(other - lower)))
        return false;
    *exponent = lower;
    // Euclid: spare becomes the greatest common divisor, rest is 0.
    li_bignum_copy(spare, a);
    li_bignum_copy(rest, b);
    while (rest->length) {
        li_bignum_divide(spare, rest, NULL);
        li_bignum swap = *spare;
        li_bignum_copy(spare, rest);
        li_bignum_copy(rest, &swap);
    }
    li_bignum_divide(b, spare, rest);
    if (!li_bignum_multiply(a, rest)) return false;
    for (;;) {
        li_bignum_copy(spare, a);
        if (li_bignum_divide_small(spare, 10)) return true;
        li_bignum_copy(a, spare);
        ++*exponent;
    }
}

static uint32_t count_factors(li_bignum *n, uint32_t factor, li_bignum *spare)
{
    LI_ASSERT(n->length && n != spare);
    for (uint32_t count = 0;; count++) {
        li_bignum_copy(spare, n);
        if (li_bignum_divide_small(spare, factor)) return count;
        li_bignum_copy(n, spare);
    }
}

static bool finish_lattice(li_grammar *grammar, const li_bignum *n, int32_t exponent, li_lattice *lattice)
{
    LI_ASSERT(n->length);
    struct li_numbers *numbers = grammar->numbers;
    uint32_t *limbs = li_grammar_alloc(grammar, n->length * sizeof *limbs);
    if (!limbs) return false;
    memcpy(limbs, n->limbs, n->length * sizeof *limbs);
    li_bignum_copy(&numbers->residue, n);
    *lattice = (li_lattice){.limbs = limbs, .length = n->length, .exponent = exponent};
    lattice->twos = count_factors(&numbers->residue, 2, &numbers->step);
    lattice->fives = count_factors(&numbers->residue, 5, &numbers->step);
    li_bignum_load(&numbers->residue, limbs, n->length);
    if (exponent > 0 && !li_bignum_shift(&numbers->residue, (uint32_t)exponent)) {
        li_grammar_exceed(grammar, LI_LIMIT_DIGITS);
        return false;
    }
    lattice->width = numbers->residue.length;
    return true;
}

static const li_decimal one = {1, 0, 1, (const uint8_t *)"\1"};

// The lattice of the common multiples.
static bool make_multiple(li_grammar *grammar, const li_number_range *range, li_lattice *lattice)
{
    struct li_numbers *numbers = grammar->numbers;
    li_bignum *all = &numbers->candidate;
    int32_t exponent = 0;
    uint32_t first = range->is_integer ? 0 : 1;
    all->length = 0;
    for (uint32_t i = first; i <= range->multiple_count; i++) {
        const li_decimal *multiple = i ? &range->multiples[i - 1] : &one;
        li_bignum *next = i == first ? all : &numbers->modulus;
        next->length = 0;
        li_bignum_append(next, multiple->digits, multiple->length);
        if (i == first) {
            exponent = multiple->exponent;
        } else if (!li_grammar_spend(grammar) ||
                   !join(all, &exponent, next, multiple->exponent, &numbers->step, &numbers->residue)) {
            li_grammar_exceed(grammar, LI_LIMIT_DIGITS);
            return false;
        }
    }
    return finish_lattice(grammar, all, exponent, lattice);
}

static bool make_lattices(li_grammar *grammar, li_range *range)
{
    const li_number_range *source = &range->source;
    struct li_numbers *numbers = grammar->numbers;
    li_lattice *lattices = li_grammar_alloc(grammar, (2 + (size_t)source->not_multiple_count) * sizeof *lattices);
    if (!lattices) return false;
    range->lattices = lattices;
    range->has_multiple = source->is_integer || source->multiple_count;
    if (range->has_multiple && !make_multiple(grammar, source, &lattices[range->lattice_count++])) return false;
    for (uint32_t i = source->is_not_integer ? 0 : 1; i <= source->not_multiple_count; i++) {
        const li_decimal *avoided = i ? &source->not_multiples[i - 1] : &one;
        li_bignum *n = &numbers->candidate;
        n->length = 0;
        li_bignum_append(n, avoided->digits, avoided->length);
        li_lattice *lattice = &lattices[range->lattice_count++];
        if (!li_grammar_spend(grammar) || !finish_lattice(grammar, n, avoided->exponent, lattice)) return false;
        // If the excluded modulus divides the required one, every multiple is excluded.
        int32_t power = lattice->exponent - lattices->exponent;
        if (!range->has_multiple || !li_lattice_modulus(lattice, power, &numbers->modulus)) continue;
        li_bignum_load(n, lattices->limbs, lattices->length);
        li_bignum_divide(n, &numbers->modulus, NULL);
        if (n->length == 0) range->is_empty = true;
    }
    for (uint32_t i = 0; i < range->lattice_count; i++) range->residue_words += lattices[i].width;
    return true;
}

static bool make_side(li_grammar *grammar, const li_number_range *range, int32_t sign, li_side *side)
{
    LI_ASSERT(sign == 1 || sign == -1);
    li_decimal *specials = li_grammar_alloc(grammar, (LI_SPECIAL_OTHERS + (size_t)range->not_count) * sizeof *specials);
    if (!specials) return false;
    bool swaps = sign < 0;
    const li_decimal *near = swaps ? &range->maximum : &range->minimum;
    const li_decimal *far = swaps ? &range->minimum : &range->maximum;
    bool has_near = swaps ? range->has_maximum : range->has_minimum;
    bool has_far = swaps ? range->has_minimum : range->has_maximum;
    side->excludes_low = swaps ? range->excludes_maximum : range->excludes_minimum;
    side->excludes_high = swaps ? range->excludes_minimum : range->excludes_maximum;
    side->has_low = has_near && (near->sign == sign || (near->sign == 0 && side->excludes_low));
    side->has_high = has_far;
    side->exists = !has_far || far->sign == sign || (far->sign == 0 && !side->excludes_high);
    bool lacks_zero = swaps && grammar->spelling.canonical_numbers && !(has_near && near->sign == sign);
    if (lacks_zero) {
        static const li_decimal zero;
        near = &zero;
        side->has_low = side->excludes_low = true;
        side->exists &= !has_far || far->sign == sign;
    }
    if (side->has_low) specials[LI_SPECIAL_LOW] = *near;
    if (side->has_high) specials[LI_SPECIAL_HIGH] = *far;
    side->specials = specials;
    side->special_count = LI_SPECIAL_OTHERS;
    for (uint32_t i = 0; i < range->not_count; i++)
        if (range->not_values[i].sign != -sign) specials[side->special_count++] = range->not_values[i];
    return true;
}

static void widen(li_range *range, const li_decimal *decimal, const uint8_t *end)
{
    bool is_end =
        decimal->digits && decimal->length == LI_DOUBLE_DIGITS && !memcmp(decimal->digits, end, LI_DOUBLE_DIGITS);
    if (!decimal->sign || is_end) return;
    int32_t top = li_special_top(decimal, true), reach = top < 0 ? -top : top;
    if (-decimal->exponent > (int32_t)range->fraction_digits) range->fraction_digits = (uint32_t)-decimal->exponent;
    if (decimal->length > range->mantissa_digits) range->mantissa_digits = decimal->length;
    if (reach > range->exponent_limit) range->exponent_limit = reach;
}

// Limits the digits of spellings: the digits that the numbers of the range need, and some more.
static bool make_limits(li_grammar *grammar, li_range *range)
{
    const li_number_range *source = &range->source;
    const uint8_t *end = grammar->numbers->end;
    if (source->has_minimum) widen(range, &source->minimum, end);
    if (source->has_maximum) widen(range, &source->maximum, end);
    for (uint32_t i = 0; i < source->not_count; i++) widen(range, &source->not_values[i], end);
    for (uint32_t i = 0; i < range->lattice_count; i++) {
        const li_lattice *lattice = &range->lattices[i];
        uint32_t digits = lattice->length * 10; // at least the digits of the modulus
        // Of two consecutive multiples one lattice excludes at most one; further lattices need more multiples.
        range->wide += digits + (lattice->exponent > 0 ? (uint32_t)lattice->exponent : 0) + 1;
        widen(range, &(li_decimal){1, lattice->exponent, lattice->length > 1 ? digits : 1, NULL}, end);
    }
    uint32_t spare = grammar->spelling.canonical_numbers ? LI_CANONICAL_DIGITS : LI_NUMBER_SPARE;
    range->fraction_digits += spare;
    range->mantissa_digits += spare;
    // With required and excluded multiples the search may have to try every exponent.
    bool is_slow = range->has_multiple && range->lattice_count > 1;
    range->exponent_limit += is_slow ? LI_NUMBER_SPARE : LI_NUMBER_SPARE_EXPONENT;
    // The numbers of digit_feasibility.c must fit, with a limb to spare.
    for (uint32_t i = 0; i < range->lattice_count; i++) {
        const li_lattice *lattice = &range->lattices[i];
        int32_t power = lattice->exponent + (int32_t)range->fraction_digits;
        if (power < (int32_t)range->mantissa_digits) power = (int32_t)range->mantissa_digits;
        li_bignum *modulus = &grammar->numbers->modulus;
        if (li_lattice_modulus(lattice, power, modulus) && modulus->length < LI_BIGNUM_LIMBS - 1) continue;
        li_grammar_exceed(grammar, LI_LIMIT_DIGITS);
        return false;
    }
    return true;
}

bool li_exponents_canonical(const li_grammar *grammar, int32_t *least, int32_t *most)
{
    bool is_canonical = grammar->spelling.canonical_numbers;
    if (is_canonical && *least > -LI_CANONICAL_SMALL && *least < LI_CANONICAL_LARGE) *least = LI_CANONICAL_LARGE;
    if (is_canonical && *most<LI_CANONICAL_LARGE && * most> - LI_CANONICAL_SMALL) *most = -LI_CANONICAL_SMALL;
    return *least <= *most;
}

static void *copy(li_grammar *grammar, const li_decimal *decimals, uint32_t count)
{
    li_decimal *copied = li_grammar_alloc(grammar, (count + (size_t)1) * sizeof *copied);
    if (copied && count) memcpy(copied, decimals, count * sizeof *copied);
    return copied;
}

static bool make_ready(li_grammar *grammar, li_range *range)
{
    li_number_range *source = &range->source;
    source->multiples = copy(grammar, source->multiples, source->multiple_count);
    source->not_multiples = copy(grammar, source->not_multiples, source->not_multiple_count);
    source->not_values = copy(grammar, source->not_values, source->not_count);
    return grammar->status == LI_OK && make_lattices(grammar, range) &&
           make_side(grammar, source, 1, &range->sides[0]) && make_side(grammar, source, -1, &range->sides[1]) &&
           make_limits(grammar, range);
}

static bool make_room(li_grammar *grammar, struct li_numbers *numbers, const li_range *range)
{
    if (numbers->range_count == numbers->range_room) {
        uint32_t room = numbers->range_room ? numbers->range_room * 2 : 16;
        li_range **ranges = li_grammar_alloc(grammar, room * sizeof *ranges);
        if (!ranges) return false;
        if (numbers->range_count) memcpy(ranges, numbers->ranges, numbers->range_count * sizeof(li_range *));
        numbers->ranges = ranges;
        numbers->range_room = room;
    }
    if (!numbers->words || range->residue_words > numbers->residue_room) {
        numbers->residue_room = range->residue_words;
        numbers->residues = li_grammar_alloc(grammar, (numbers->residue_room + 1) * sizeof(uint32_t));
        numbers->words = li_grammar_alloc(grammar, (numbers->residue_room + 16) * sizeof(uint32_t));
    }
    return grammar->status == LI_OK;
}

static struct li_numbers *find_numbers(li_grammar *grammar)
{
    if (grammar->numbers) return grammar->numbers;
    struct li_numbers *numbers = li_grammar_alloc(grammar, sizeof *numbers);
    if (!numbers) return NULL;
    numbers->digits = li_grammar_alloc(grammar, LI_DIGIT_ROOM);
    numbers->suffix = li_grammar_alloc(grammar, LI_DIGIT_ROOM);
    numbers->end = li_grammar_alloc(grammar, LI_DOUBLE_DIGITS);
    for (uint32_t i = 0; numbers->end && i < LI_DOUBLE_DIGITS; i++) numbers->end[i] = (uint8_t)(li_double_end[i] - '0');
    li_bignum_set(&numbers->unit, 1);
    if (grammar->status == LI_OK) grammar->numbers = numbers;
    return grammar->numbers;
}

li_number_range li_range_of_doubles(li_grammar *grammar, const li_number_range *source)
{
    li_number_range range = *source;
    struct li_numbers *numbers = find_numbers(grammar);
    if (!numbers) return range;
    li_decimal most = {1, 0, LI_DOUBLE_DIGITS, numbers->end}, least = {-1, 0, LI_DOUBLE_DIGITS, numbers->end};
    bool is_above = source->has_minimum && li_decimal_compare(&source->minimum, &most) >= 0;
    bool is_below = source->has_maximum && li_decimal_compare(&source->maximum, &least) <= 0;
    if (!is_above && !(source->has_maximum && li_decimal_compare(&source->maximum, &most) < 0)) {
        range.has_maximum = range.excludes_maximum = true;
        range.maximum = most;
    }
    if (!is_below && !(source->has_minimum && li_decimal_compare(&source->minimum, &least) > 0)) {
        range.has_minimum = range.excludes_minimum = true;
        range.minimum = least;
    }
    return range;
}

const li_range *li_range_of(li_grammar *grammar, const li_number_range *source)
{
    struct li_numbers *numbers = find_numbers(grammar);
    if (!numbers || !li_grammar_spend(grammar)) return NULL;
    uint32_t hash = hash_range(source);
    li_range **chain = &numbers->chains[hash % LI_RANGE_CHAINS];
    for (li_range *known = *chain; known; known = known->next)
        if (known->hash == hash && are_ranges_equal(&known->source, source)) return known;
    li_range *range = li_grammar_alloc(grammar, sizeof *range);
    if (!range) return NULL;
    range->source = *source;
    range->hash = hash;
    range->id = numbers->range_count;
    if (!make_ready(grammar, range) || !make_room(grammar, numbers, range)) return NULL;
    range->next = *chain;
    *chain = range;
    return numbers->ranges[numbers->range_count++] = range;
}

bool li_number_contains(li_grammar *grammar, const li_number_range *range, const li_decimal *value)
{
    int low = range->has_minimum ? li_decimal_compare(value, &range->minimum) : 1;
    int high = range->has_maximum ? li_decimal_compare(value, &range->maximum) : -1;
    if (low < 0 || (low == 0 && range->excludes_minimum)) return false;
    if (high > 0 || (high == 0 && range->excludes_maximum)) return false;
    bool is_integer = li_decimal_is_integer(value);
    if ((range->is_integer && !is_integer) || (range->is_not_integer && is_integer)) return false;
    for (uint32_t i = 0; i < range->multiple_count; i++)
        if (!li_decimal_is_multiple(grammar, value, &range->multiples[i])) return false;
    for (uint32_t i = 0; i < range->not_multiple_count; i++)
        if (li_decimal_is_multiple(grammar, value, &range->not_multiples[i])) return false;
    for (uint32_t i = 0; i < range->not_count; i++)
        if (li_decimal_compare(value, &range->not_values[i]) == 0) return false;
    return grammar->status == LI_OK;
}
