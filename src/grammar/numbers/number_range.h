// Ranges of numbers: the conditions of schemas, and their prepared form for reading digits, with magnitudes for each
// sign and multiples as lattices.
#ifndef LI_NUMBER_RANGE_H
#define LI_NUMBER_RANGE_H

#include "grammar/core/grammar.h"
#include "grammar/numbers/bignum.h"
#include "grammar/numbers/decimal.h"

// The numbers for which all conditions hold.
typedef struct li_number_range {
    bool has_minimum, has_maximum, excludes_minimum, excludes_maximum;
    bool is_integer, is_not_integer;
    li_decimal minimum, maximum;
    uint32_t multiple_count, not_multiple_count, not_count;
    const li_decimal *multiples;     // positive; a number is a multiple of each
    const li_decimal *not_multiples; // positive; a number is a multiple of none
    const li_decimal *not_values;    // excluded numbers
} li_number_range;

// Whether the value is in the range.
bool li_number_contains(li_grammar *grammar, const li_number_range *range, const li_decimal *value);

// Digits beyond those of the range's own numbers.
#define LI_NUMBER_SPARE 30
// Exponents beyond those of the range's own numbers: all exponents of double precision.
#define LI_NUMBER_SPARE_EXPONENT 350
#define LI_EXPONENT_DIGITS       6
// Canonical spelling: the most digits after the point; the least exponent that JSON.stringify writes with a plus sign;
// the least and the greatest that it writes with a minus sign.
#define LI_CANONICAL_DIGITS 22
#define LI_CANONICAL_LARGE  21
#define LI_CANONICAL_SMALL  7
#define LI_CANONICAL_LEAST  324

// The multiples of limbs * 10^exponent; the limbs are not divisible by ten.
typedef struct li_lattice {
    const uint32_t *limbs;
    uint32_t length;
    int32_t exponent;
    uint32_t twos, fives; // how often 2 and 5 divide the limbs
    uint32_t width;       // words of a remainder
} li_lattice;

// The magnitudes of one sign. Specials are numbers whose digits are followed exactly: specials[0] is the least
// magnitude, specials[1] the greatest, if they exist; then come the excluded numbers.
enum { LI_SPECIAL_LOW, LI_SPECIAL_HIGH, LI_SPECIAL_OTHERS };

typedef struct li_side {
    bool exists, has_low, has_high, excludes_low, excludes_high;
    uint32_t special_count;
    const li_decimal *specials;
} li_side;

typedef struct li_range {
    li_number_range source;
    uint32_t hash, id;
    struct li_range *next; // of the same chain
    li_side sides[2];      // spelt without and with a minus sign; zero is in both
    bool is_empty;         // every multiple is excluded
    bool has_multiple;
    uint32_t lattice_count; // if has_multiple, the lattice of the multiples; then the lattices to avoid
    const li_lattice *lattices;
    uint32_t residue_words;
    uint32_t fraction_digits; // of plain spelling, at most
    uint32_t mantissa_digits; // of scientific spelling, at most
    int32_t exponent_limit;
    uint32_t wide; // this many digits before the point make a number of the range, whatever digits precede them
} li_range;

// The range with the bounds of doubles in place of missing bounds and bounds beyond doubles.
li_number_range li_range_of_doubles(li_grammar *grammar, const li_number_range *range);

// Scratch memory, too large for the stack, and the ranges met so far.
enum { LI_RANGE_CHAINS = 256 };
struct li_numbers {
    li_range *chains[LI_RANGE_CHAINS]; // by hash
    li_range **ranges;
    uint32_t range_count, range_room, residue_room;
    uint32_t *residues, *words;
    uint8_t *digits, *suffix; // LI_DIGIT_ROOM each
    uint8_t *end;             // (LI_DOUBLE_DIGITS) digits of li_double_end
    li_bignum low, high, candidate, modulus, step, residue, unit;
};

#define LI_DIGIT_ROOM        4096
#define LI_SPECIALS_PER_FUEL 64

// The prepared range; equal ranges give the same pointer. NULL: the grammar has failed (fuel: numbers too long).
const li_range *li_range_of(li_grammar *grammar, const li_number_range *range);

// Place of the first digit, 0 being the units; plain spelling begins at the units at least.
int32_t li_special_top(const li_decimal *special, bool is_scientific);
uint8_t li_digit_at(const li_decimal *decimal, int32_t place);
// Whether a residue says that no further digits make a multiple.
bool li_residue_is_never(const uint32_t *residue, uint32_t width);
// limbs * 10^power, the modulus for the shifted digits of a multiple. A negative power divides by the factors 2 and 5
// of ten as often as they occur. False: the result does not fit.
bool li_lattice_modulus(const li_lattice *lattice, int32_t power, li_bignum *modulus);

// Narrows the exponents from `least` to `most` to the exponents of canonical spelling, if the grammar uses canonical
// spelling. False: no exponent is left.
bool li_exponents_canonical(const li_grammar *grammar, int32_t *least, int32_t *most);

#endif
