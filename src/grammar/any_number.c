// Numbers without bounds other than zero, in every spelling that JSON has: 1, 1.0, 100e-2 and 0.1e1 are the integer 1.
//
// Nothing of an integer needs to be remembered but how far its point may move: to the left by the zeros it ends with,
// to the right at least by the digits of its fraction.
#include "grammar/range.h"

enum {
    PHASE_START,    // signs
    PHASE_SIGNED,   // a minus sign
    PHASE_WHOLE,    // digits before the point
    PHASE_POINT,    // the point
    PHASE_FRACTION, // digits behind it
    PHASE_EXPONENT, // e
    PHASE_POWER,    // e and its sign: a digit must come
    PHASE_DIGITS,   // digits of the exponent
};

enum { WORD_RANGE, WORD_PHASE, WORD_FLAGS, WORD_LEFT, WORD_READ, WORD_RIGHT, WORD_COUNT };

enum { MAY_BE_ZERO = 1, MAY_BE_OTHER = 2, IS_INTEGER = 4, IS_ZERO = 8, IS_DOWNWARD = 16 };
enum { IS_OPEN = MAY_BE_ZERO | MAY_BE_OTHER }; // a number that is not zero: it may be

typedef struct state {
    uint32_t phase, flags; // START: the signs for flags
    uint32_t left;         // integers: zeros at the end before the point; exponents: the most below zero
    uint32_t read;         // integers: digits of the fraction; exponents: what was read, up to what matters
    uint32_t right;        // integers: digits of the fraction up to the last that is not zero; exponents: the least
} state;

static li_term intern(li_grammar *grammar, state s)
{
    bool is_nullable = s.phase == PHASE_WHOLE || s.phase == PHASE_FRACTION || s.phase == PHASE_DIGITS;
    if (s.flags & IS_ZERO && !(s.flags & MAY_BE_ZERO)) is_nullable = false;
    if (s.phase <= PHASE_FRACTION && s.right) is_nullable = false;
    if (s.phase == PHASE_DIGITS && !(s.flags & IS_DOWNWARD) && s.read < s.right) is_nullable = false;
    uint32_t words[WORD_COUNT] = {LI_NO_LIMIT, s.phase, s.flags, s.left, s.read, s.right};
    uint32_t flags = LI_FLAG_REGULAR | LI_FLAG_TEXT | (is_nullable ? LI_FLAG_NULLABLE : 0);
    // 3.5e1, 0.1e1 and 30e-1 are integers, but no model that begins so means one: they are read, and masks do not propose
    // them.
    bool is_zero = s.flags & IS_ZERO && s.flags & IS_INTEGER;
    bool is_odd = (s.phase == PHASE_FRACTION && s.right) || (s.flags & IS_DOWNWARD && s.left != LI_NO_LIMIT) ||
                  (is_zero && (s.phase > PHASE_WHOLE || !(s.flags & MAY_BE_ZERO)));
    if (is_odd) flags |= LI_FLAG_OVERRUN;
    return li_term_intern(grammar, LI_KIND_NUMBER, flags, words, WORD_COUNT);
}

li_term li_any_number(li_grammar *grammar, uint32_t signs, bool is_integer)
{
    if (!signs) return LI_TERM_NOTHING;
    return intern(grammar, (state){.phase = PHASE_START, .flags = signs << 8 | (is_integer ? IS_INTEGER : 0)});
}

static li_term read_first(li_grammar *grammar, state s, uint32_t digit)
{
    if (!(s.flags & (digit ? MAY_BE_OTHER : MAY_BE_ZERO | MAY_BE_OTHER))) return LI_TERM_NOTHING;
    s.phase = PHASE_WHOLE;
    s.flags |= digit ? IS_OPEN : IS_ZERO;
    return intern(grammar, s);
}

static li_term read_digit(li_grammar *grammar, state s, uint32_t digit)
{
    bool is_integer = s.flags & IS_INTEGER;
    if (s.phase == PHASE_WHOLE) {
        if (s.flags & IS_ZERO) return LI_TERM_NOTHING;
        s.left = is_integer && !digit ? s.left + 1 : 0;
        return intern(grammar, s);
    }
    s.phase = PHASE_FRACTION;
    if (is_integer && s.flags & MAY_BE_OTHER) s.read++;
    if (digit) {
        if (!(s.flags & MAY_BE_OTHER)) return LI_TERM_NOTHING;
        s.flags = (s.flags | IS_OPEN) & ~(uint32_t)IS_ZERO;
        s.left = 0;
        if (is_integer) s.right = s.read;
    }
    return intern(grammar, s);
}

static li_term read_exponent(li_grammar *grammar, state s)
{
    bool is_zero = s.flags & IS_ZERO;
    if (is_zero && !(s.flags & MAY_BE_ZERO)) return LI_TERM_NOTHING;
    uint32_t left = is_zero || !(s.flags & IS_INTEGER) ? LI_NO_LIMIT : s.left;
    uint32_t right = is_zero ? 0 : s.right;
    uint32_t flags = is_zero ? IS_ZERO | MAY_BE_ZERO : 0;
    return intern(grammar, (state){.phase = PHASE_EXPONENT, .flags = flags, .left = left, .right = right});
}

static li_term read_power(li_grammar *grammar, state s, uint32_t digit)
{
    uint64_t power = (uint64_t)s.read * 10 + digit;
    bool is_downward = s.flags & IS_DOWNWARD;
    if (is_downward && power > s.left) return LI_TERM_NOTHING;
    bool is_free = is_downward ? s.left == LI_NO_LIMIT : power >= s.right;
    if (is_free) return intern(grammar, (state){.phase = PHASE_DIGITS, .flags = s.flags & ~(uint32_t)IS_DOWNWARD});
    s.phase = PHASE_DIGITS;
    s.read = (uint32_t)power;
    return intern(grammar, s);
}

static li_term read_start(li_grammar *grammar, state s, uint8_t byte)
{
    uint32_t signs = s.flags >> 8, side = byte == '-' ? LI_SIGN_NEGATIVE : LI_SIGN_POSITIVE;
    s.flags = (s.flags & IS_INTEGER) | (signs & LI_SIGN_ZERO ? MAY_BE_ZERO : 0) | (signs & side ? MAY_BE_OTHER : 0);
    s.phase = PHASE_SIGNED;
    if (!(s.flags & (MAY_BE_ZERO | MAY_BE_OTHER))) return LI_TERM_NOTHING;
    if (byte == '-') return intern(grammar, s);
    return byte >= '0' && byte <= '9' ? read_first(grammar, s, byte - '0') : LI_TERM_NOTHING;
}

li_term li_any_number_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    const uint32_t *words = li_term_words(grammar, term);
    state s = {words[WORD_PHASE], words[WORD_FLAGS], words[WORD_LEFT], words[WORD_READ], words[WORD_RIGHT]};
    bool is_digit = byte >= '0' && byte <= '9', is_exponent = byte == 'e' || byte == 'E';
    uint32_t digit = (uint32_t)byte - '0';
    switch (s.phase) {
    case PHASE_START:
        return read_start(grammar, s, byte);
    case PHASE_SIGNED:
        return is_digit ? read_first(grammar, s, digit) : LI_TERM_NOTHING;
    case PHASE_WHOLE:
    case PHASE_FRACTION:
        if (is_exponent) return read_exponent(grammar, s);
        if (byte == '.' && s.phase == PHASE_WHOLE) {
            s.phase = PHASE_POINT;
            return intern(grammar, s);
        }
        return is_digit ? read_digit(grammar, s, digit) : LI_TERM_NOTHING;
    case PHASE_POINT:
        return is_digit ? read_digit(grammar, s, digit) : LI_TERM_NOTHING;
    case PHASE_EXPONENT:
        s.phase = PHASE_POWER;
        if (byte == '-' && s.right == 0) {
            s.flags |= IS_DOWNWARD;
            return intern(grammar, s);
        }
        s.left = 0;
        if (byte == '+') return intern(grammar, s);
        return is_digit ? read_power(grammar, s, digit) : LI_TERM_NOTHING;
    default:
        return is_digit ? read_power(grammar, s, digit) : LI_TERM_NOTHING;
    }
}

bool li_any_number_is_endless(const li_grammar *grammar, li_term term)
{
    const uint32_t *words = li_term_words(grammar, term);
    if (words[WORD_RANGE] != LI_NO_LIMIT) return false;
    uint32_t phase = words[WORD_PHASE], flags = words[WORD_FLAGS];
    if (phase == PHASE_START) return flags >> 8 & (LI_SIGN_NEGATIVE | LI_SIGN_POSITIVE);
    if (flags & IS_ZERO) return phase < PHASE_EXPONENT && !(flags & IS_INTEGER) && flags & MAY_BE_OTHER;
    if (phase == PHASE_SIGNED) return flags & MAY_BE_OTHER;
    return !(flags & IS_DOWNWARD && words[WORD_LEFT] != LI_NO_LIMIT);
}

const char *li_any_number_to_zero(const li_grammar *grammar, li_term term)
{
    const uint32_t *words = li_term_words(grammar, term);
    uint32_t phase = words[WORD_PHASE], flags = words[WORD_FLAGS];
    bool may_be_zero = phase == PHASE_START ? flags >> 8 & LI_SIGN_ZERO
                                            : flags & MAY_BE_ZERO && (phase == PHASE_SIGNED || flags & IS_ZERO);
    if (!may_be_zero || phase > PHASE_FRACTION) return NULL;
    return phase == PHASE_WHOLE || phase == PHASE_FRACTION ? "e0" : "0e0";
}

li_term li_any_number_nonzero(li_grammar *grammar, li_term term)
{
    const uint32_t *words = li_term_words(grammar, term);
    state s = {words[WORD_PHASE], words[WORD_FLAGS], words[WORD_LEFT], words[WORD_READ], words[WORD_RIGHT]};
    s.flags &= ~(uint32_t)(s.phase == PHASE_START ? LI_SIGN_ZERO << 8 : MAY_BE_ZERO);
    return intern(grammar, s);
}
