// Natural numbers of up to some 2,400 decimal digits, for exact remainders.
#ifndef LI_BIGNUM_H
#define LI_BIGNUM_H

#include <stdbool.h>
#include <stdint.h>

#define LI_NATURAL_LIMBS 256

typedef struct li_natural {
    uint32_t length; // limbs, the highest not zero; zero has none
    uint32_t limbs[LI_NATURAL_LIMBS];
} li_natural;

void li_natural_set(li_natural *n, uint32_t value);
void li_natural_copy(li_natural *n, const li_natural *from);
// From limbs that may have leading zeros.
void li_natural_load(li_natural *n, const uint32_t *limbs, uint32_t count);
int li_natural_compare(const li_natural *a, const li_natural *b);
void li_natural_subtract(li_natural *n, const li_natural *less); // less <= n

// False: the result does not fit, and n is undefined.
bool li_natural_add(li_natural *n, const li_natural *more);
bool li_natural_multiply_add(li_natural *n, uint32_t factor, uint32_t more);
bool li_natural_multiply(li_natural *n, const li_natural *factor);
bool li_natural_shift(li_natural *n, uint32_t digits);                        // times 10^digits
bool li_natural_append(li_natural *n, const uint8_t *digits, uint32_t count); // decimal digits

// n becomes the remainder, quotient (may be NULL) the quotient. divisor > 0.
void li_natural_divide(li_natural *n, const li_natural *divisor, li_natural *quotient);
uint32_t li_natural_divide_small(li_natural *n, uint32_t divisor); // n becomes the quotient; returns the remainder
// n becomes n * 10^digits modulo m, of which a limb must be free.
void li_natural_shift_modulo(li_natural *n, uint32_t digits, const li_natural *m);

#endif
