// Natural numbers of up to some 2,400 decimal digits, for exact remainders.
#ifndef LI_BIGNUM_H
#define LI_BIGNUM_H

#include <stdbool.h>
#include <stdint.h>

#define LI_BIGNUM_LIMBS 256

typedef struct li_bignum {
    uint32_t length; // limbs, the highest not zero; zero has none
    uint32_t limbs[LI_BIGNUM_LIMBS];
} li_bignum;

void li_bignum_set(li_bignum *n, uint32_t value);
void li_bignum_copy(li_bignum *n, const li_bignum *from);
// From limbs that may have leading zeros.
void li_bignum_load(li_bignum *n, const uint32_t *limbs, uint32_t count);
int li_bignum_compare(const li_bignum *a, const li_bignum *b);
void li_bignum_subtract(li_bignum *n, const li_bignum *less); // less <= n

// False: the result does not fit, and n is undefined.
bool li_bignum_add(li_bignum *n, const li_bignum *more);
bool li_bignum_multiply_add(li_bignum *n, uint32_t factor, uint32_t more);
bool li_bignum_multiply(li_bignum *n, const li_bignum *factor);
bool li_bignum_shift(li_bignum *n, uint32_t digits);                        // times 10^digits
bool li_bignum_append(li_bignum *n, const uint8_t *digits, uint32_t count); // decimal digits

// n becomes the remainder, quotient (may be NULL) the quotient. divisor > 0.
void li_bignum_divide(li_bignum *n, const li_bignum *divisor, li_bignum *quotient);
uint32_t li_bignum_divide_small(li_bignum *n, uint32_t divisor); // n becomes the quotient; returns the remainder
// n becomes n * 10^digits modulo m, which has fewer than LI_BIGNUM_LIMBS limbs.
void li_bignum_shift_modulo(li_bignum *n, uint32_t digits, const li_bignum *m);

#endif
