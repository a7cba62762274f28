// Natural numbers in limbs of 32 bits, the lowest first.
#include "grammar/numbers/bignum.h"

#include "base/assert.h"

#include <stddef.h>
#include <string.h>

enum { DIGITS_PER_STEP = 9 };
static const uint32_t powers[DIGITS_PER_STEP + 1] = {1,      10,      100,      1000,      10000,
                                                     100000, 1000000, 10000000, 100000000, 1000000000};

static void trim(li_bignum *n)
{
    while (n->length && n->limbs[n->length - 1] == 0) n->length--;
}

void li_bignum_set(li_bignum *n, uint32_t value)
{
    n->limbs[0] = value;
    n->length = value != 0;
}

void li_bignum_load(li_bignum *n, const uint32_t *limbs, uint32_t count)
{
    LI_ASSERT(count <= LI_BIGNUM_LIMBS);
    n->length = count;
    if (count) memcpy(n->limbs, limbs, count * sizeof *limbs);
    trim(n);
}

void li_bignum_copy(li_bignum *n, const li_bignum *from)
{
    if (n != from) li_bignum_load(n, from->limbs, from->length);
}

int li_bignum_compare(const li_bignum *a, const li_bignum *b)
{
    if (a->length != b->length) return a->length < b->length ? -1 : 1;
    for (uint32_t i = a->length; i-- > 0;)
        if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

void li_bignum_subtract(li_bignum *n, const li_bignum *less)
{
    LI_ASSERT(li_bignum_compare(less, n) <= 0);
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < n->length; i++) {
        uint64_t limb = (uint64_t)n->limbs[i] - (i < less->length ? less->limbs[i] : 0) - borrow;
        n->limbs[i] = (uint32_t)limb;
        borrow = limb >> 63;
    }
    trim(n);
}

static bool push(li_bignum *n, uint64_t limb)
{
    LI_ASSERT(limb <= UINT32_MAX);
    if (!limb) return true;
    if (n->length == LI_BIGNUM_LIMBS) return false;
    n->limbs[n->length++] = (uint32_t)limb;
    return true;
}

bool li_bignum_add(li_bignum *n, const li_bignum *more)
{
    while (n->length < more->length) n->limbs[n->length++] = 0;
    uint64_t carry = 0;
    for (uint32_t i = 0; i < n->length; i++) {
        carry += (uint64_t)n->limbs[i] + (i < more->length ? more->limbs[i] : 0);
        n->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return push(n, carry);
}

bool li_bignum_multiply_add(li_bignum *n, uint32_t factor, uint32_t more)
{
    uint64_t carry = more;
    for (uint32_t i = 0; i < n->length; i++) {
        carry += (uint64_t)n->limbs[i] * factor;
        n->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return push(n, carry);
}

bool li_bignum_multiply(li_bignum *n, const li_bignum *factor)
{
    li_bignum product;
    if (n->length + factor->length > LI_BIGNUM_LIMBS) return false;
    product.length = n->length + factor->length;
    memset(product.limbs, 0, product.length * sizeof *product.limbs);
    for (uint32_t i = 0; i < n->length; i++) {
        uint64_t carry = 0;
        for (uint32_t j = 0; j < factor->length; j++) {
            carry += (uint64_t)n->limbs[i] * factor->limbs[j] + product.limbs[i + j];
            product.limbs[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        product.limbs[i + factor->length] = (uint32_t)carry;
    }
    trim(&product);
    li_bignum_copy(n, &product);
    return true;
}

bool li_bignum_shift(li_bignum *n, uint32_t digits)
{
    while (digits && n->length) {
        uint32_t step = digits < DIGITS_PER_STEP ? digits : DIGITS_PER_STEP;
        if (!li_bignum_multiply_add(n, powers[step], 0)) return false;
        digits -= step;
    }
    return true;
}

bool li_bignum_append(li_bignum *n, const uint8_t *digits, uint32_t count)
{
    while (count) {
        uint32_t step = count < DIGITS_PER_STEP ? count : DIGITS_PER_STEP, value = 0;
        for (uint32_t i = 0; i < step; i++) value = value * 10 + *digits++;
        if (!li_bignum_multiply_add(n, powers[step], value)) return false;
        count -= step;
    }
    return true;
}

uint32_t li_bignum_divide_small(li_bignum *n, uint32_t divisor)
{
    LI_ASSERT(divisor);
    uint64_t remainder = 0;
    for (uint32_t i = n->length; i-- > 0;) {
        remainder = remainder << 32 | n->limbs[i];
        n->limbs[i] = (uint32_t)(remainder / divisor);
        remainder %= divisor;
    }
    trim(n);
    return (uint32_t)remainder;
}

// Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D.
static void divide_long(li_bignum *n, const li_bignum *divisor, li_bignum *quotient)
{
    LI_ASSERT(divisor->length >= 2 && divisor->limbs[divisor->length - 1] && n->length >= divisor->length);
    LI_ASSERT(!quotient || (quotient != n && quotient != divisor));
    uint32_t shift = (uint32_t)__builtin_clz(divisor->limbs[divisor->length - 1]);
    uint32_t count = divisor->length, top = n->length;
    uint32_t scaled[LI_BIGNUM_LIMBS], rest[LI_BIGNUM_LIMBS + 1];
    for (uint32_t i = count; i-- > 0;)
        scaled[i] = divisor->limbs[i] << shift | (shift && i ? divisor->limbs[i - 1] >> (32 - shift) : 0);
    rest[top] = shift ? n->limbs[top - 1] >> (32 - shift) : 0;
    for (uint32_t i = top; i-- > 0;)
        rest[i] = n->limbs[i] << shift | (shift && i ? n->limbs[i - 1] >> (32 - shift) : 0);
    for (uint32_t at = top - count + 1; at-- > 0;) {
        uint64_t pair = (uint64_t)rest[at + count] << 32 | rest[at + count - 1];
        uint64_t guess = pair / scaled[count - 1], left = pair % scaled[count - 1];
        while (guess >> 32 || guess * scaled[count - 2] > (left << 32 | rest[at + count - 2])) {
            guess--;
            left += scaled[count - 1];
            if (left >> 32) break;
        }
        uint64_t carry = 0, borrow = 0;
        for (uint32_t i = 0; i <= count; i++) {
            carry += i < count ? guess * scaled[i] : 0;
            uint64_t limb = (uint64_t)rest[at + i] - (uint32_t)carry - borrow;
            rest[at + i] = (uint32_t)limb;
            borrow = limb >> 63;
            carry >>= 32;
        }
        if (borrow) { // the guess was one too high
            guess--;
            carry = 0;
            for (uint32_t i = 0; i <= count; i++) {
                carry += (uint64_t)rest[at + i] + (i < count ? scaled[i] : 0);
                rest[at + i] = (uint32_t)carry;
                carry >>= 32;
            }
        }
        if (quotient) quotient->limbs[at] = (uint32_t)guess;
    }
    if (quotient) {
        quotient->length = top - count + 1;
        trim(quotient);
    }
    for (uint32_t i = 0; i < count; i++) n->limbs[i] = rest[i] >> shift | (shift ? rest[i + 1] << (32 - shift) : 0);
    n->length = count;
    trim(n);
}

void li_bignum_divide(li_bignum *n, const li_bignum *divisor, li_bignum *quotient)
{
    LI_ASSERT(divisor->length && n != divisor);
    if (li_bignum_compare(n, divisor) < 0) {
        if (quotient) quotient->length = 0;
    } else if (divisor->length == 1) {
        uint32_t remainder;
        if (quotient) {
            li_bignum_copy(quotient, n);
            remainder = li_bignum_divide_small(quotient, divisor->limbs[0]);
        } else {
            remainder = li_bignum_divide_small(n, divisor->limbs[0]);
        }
        li_bignum_set(n, remainder);
    } else {
        divide_long(n, divisor, quotient);
    }
}

void li_bignum_shift_modulo(li_bignum *n, uint32_t digits, const li_bignum *m)
{
    LI_ASSERT(m->length && m->length < LI_BIGNUM_LIMBS && li_bignum_compare(n, m) < 0);
    while (digits && n->length) {
        uint32_t step = digits < DIGITS_PER_STEP ? digits : DIGITS_PER_STEP;
        li_bignum_multiply_add(n, powers[step], 0);
        li_bignum_divide(n, m, NULL);
        digits -= step;
    }
}
