// Exact decimal numbers.
#include "grammar/numbers/decimal.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/core/arena.h"
#include "grammar/core/grammar.h"
#include "grammar/numbers/bignum.h"

const char li_double_end[LI_DOUBLE_DIGITS + 1] =
    "1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070"
    "9633028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447"
    "5730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904"
    "174497792";

static bool is_digit(const uint8_t *at, const uint8_t *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

// Reads the exponent "-12" of "e-12". Beyond the exponents that a decimal may have, the value is not exact.
static const uint8_t *read_exponent(const uint8_t *at, const uint8_t *end, int32_t *exponent)
{
    bool is_negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (!is_digit(at, end)) return NULL;
    for (*exponent = 0; is_digit(at, end); at++)
        if (*exponent < 100000000) *exponent = *exponent * 10 + (*at - '0');
    if (is_negative) *exponent = -*exponent;
    return at;
}

bool li_decimal_read(li_grammar *grammar, const uint8_t *text, uint32_t length, li_decimal *decimal)
{
    const uint8_t *at = text, *end = text + length;
    *decimal = (li_decimal){0};
    bool is_negative = at < end && *at == '-';
    if (is_negative) at++;
    const uint8_t *mantissa = at;
    if (!is_digit(at, end) || (*at == '0' && is_digit(at + 1, end))) return false;
    while (is_digit(at, end)) at++;
    const uint8_t *point = at;
    if (at < end && *at == '.') {
        if (!is_digit(++at, end)) return false;
        while (is_digit(at, end)) at++;
    }
    const uint8_t *mantissa_end = at;
    int32_t exponent = 0;
    if (at < end && (*at == 'e' || *at == 'E') && !(at = read_exponent(at + 1, end, &exponent))) return false;
    if (at != end) return false;

    const uint8_t *first = NULL, *last = NULL; // nonzero digits
    for (at = mantissa; at < mantissa_end; at++)
        if (*at >= '1' && *at <= '9') {
            if (!first) first = at;
            last = at;
        }
    if (!first) return true;
    // Places of the last and the first nonzero digit; the place of the units is 0.
    int64_t bottom = exponent + (last < point ? point - 1 - last : point - last);
    int64_t top = exponent + (first < point ? point - 1 - first : point - first);
    if (top - bottom >= LI_DECIMAL_LIMIT || top > LI_DECIMAL_LIMIT || bottom < -LI_DECIMAL_LIMIT) return false;
    uint8_t *digits = li_grammar_alloc(grammar, (size_t)(top - bottom + 1));
    if (!digits) return false;
    uint32_t count = 0;
    for (at = first; at <= last; at++)
        if (*at != '.') digits[count++] = (uint8_t)(*at - '0');
    *decimal = (li_decimal){is_negative ? -1 : 1, (int32_t)bottom, count, digits};
    return true;
}

static int64_t top_place(const li_decimal *a)
{
    return (int64_t)a->exponent + a->length;
}

int li_decimal_compare(const li_decimal *a, const li_decimal *b)
{
    LI_ASSERT(!a->sign == !a->length && !b->sign == !b->length);
    LI_ASSERT(!a->length || (a->digits[0] && a->digits[a->length - 1])); // canonical
    if (a->sign != b->sign) return a->sign < b->sign ? -1 : 1;
    int order = 0;
    if (a->sign && top_place(a) != top_place(b)) {
        order = top_place(a) < top_place(b) ? -1 : 1;
    } else if (a->sign) {
        uint32_t shared = a->length < b->length ? a->length : b->length;
        order = memcmp(a->digits, b->digits, shared);
        if (!order && a->length != b->length) order = a->length < b->length ? -1 : 1;
    }
    return ((order > 0) - (order < 0)) * a->sign;
}

bool li_decimal_is_integer(const li_decimal *a)
{
    return a->exponent >= 0;
}

bool li_decimal_is_multiple(li_grammar *grammar, const li_decimal *a, const li_decimal *of)
{
    LI_ASSERT(of->sign > 0 && of->length);
    if (!li_grammar_spend(grammar)) return false;
    if (!a->sign) return true;
    if (a->exponent < of->exponent) return false; // the last digit is not zero
    li_bignum rest, divisor;
    rest.length = divisor.length = 0;
    li_bignum_append(&rest, a->digits, a->length);
    li_bignum_append(&divisor, of->digits, of->length);
    li_bignum_divide(&rest, &divisor, NULL);
    li_bignum_shift_modulo(&rest, (uint32_t)(a->exponent - of->exponent), &divisor);
    return rest.length == 0;
}
