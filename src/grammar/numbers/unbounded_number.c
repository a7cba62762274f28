// Numbers without bounds other than zero and the largest double, in every spelling of JSON (1, 1.0, 100e-2 and 0.1e1
// are the integer 1), or in the canonical spelling (number_term.h).
//
// A state says by how many powers of ten the number may still grow, and how its digits compare with the digits of the
// largest double. The state of an integer also says how far an exponent may move the point: to the left at most by the
// zeros at the end, to the right at least by the digits of the fraction.
#include "grammar/numbers/unbounded_number.h"

#include "grammar/numbers/number_range.h"
#include "grammar/terms/length_bounds.h"
#include "grammar/terms/term.h"

enum {
    PHASE_START,    // signs
    PHASE_SIGNED,   // a minus sign
    PHASE_WHOLE,    // digits before the point
    PHASE_POINT,    // the point
    PHASE_FRACTION, // digits after the point
    PHASE_EXPONENT, // e
    PHASE_POWER,    // e and its sign: a digit must follow
    PHASE_DIGITS,   // digits of the exponent
};

enum { WORD_RANGE, WORD_PHASE, WORD_FLAGS, WORD_LEFT, WORD_READ, WORD_RIGHT, WORD_ROOM, WORD_MATCH, WORD_COUNT };

enum {
    MAY_BE_ZERO = 1,
    MAY_BE_OTHER = 2,
    IS_INTEGER = 4,
    IS_ZERO = 8,
    IS_SHORT = 16,     // one digit before the point, not 0
    ENDS_IN_ZERO = 32, // a canonical fraction that ends in zero or has no digit
    IS_ODD = 64,       // an exponent that the integer does not need
    IS_EASY = 128,     // no exponent and, for an integer, no point
    SIGNS = 8,         // shift of the signs allowed at the start
};
enum {
    IS_OPEN = MAY_BE_ZERO | MAY_BE_OTHER, // set after a nonzero digit
    POWER_OF_ZERO = IS_ZERO | MAY_BE_ZERO // kept in the exponent of zero, which changes nothing
};

enum { MATCH_LESS = LI_DOUBLE_DIGITS + 1, MATCH_MORE };
enum { MOST_ROOM = 1 << 18, LOW_ROOM = 16, MANY_DIGITS = 12, LONG_TOKEN = 64 };

typedef struct state {
    uint32_t phase, flags;
    uint32_t left;  // integers: zeros at the end before the point; exponents: the greatest
    uint32_t read;  // integers, canonical: digits of the fraction; exponents: the number read, as far as it matters
    uint32_t right; // integers: digits of the fraction up to the last nonzero digit; exponents: the least
    int32_t room;   // powers of ten from a first digit at this place to the first digit of the largest double
    uint32_t match; // how many first digits equal the digits of the largest double; or MATCH_LESS, MATCH_MORE
} state;
// After e, before its sign: exponents with a minus sign are `read` to `left`, other exponents `right` to `room`.

static state load(const li_grammar *grammar, li_term term)
{
    const uint32_t *words = li_term_words(grammar, term);
    return (state){words[WORD_PHASE], words[WORD_FLAGS],         words[WORD_LEFT], words[WORD_READ],
                   words[WORD_RIGHT], (int32_t)words[WORD_ROOM], words[WORD_MATCH]};
}

// The greatest exponent that the digits may have.
static int32_t reach(const state *s)
{
    return s->room - (s->match == MATCH_MORE);
}

static bool has_digits(const state *s)
{
    return s->phase >= PHASE_WHOLE && s->phase <= PHASE_FRACTION && !(s->flags & IS_ZERO);
}

static bool is_viable(const li_grammar *grammar, const state *s)
{
    if (!has_digits(s)) return true;
    if (s->flags & IS_INTEGER && s->right && (int32_t)s->right > reach(s)) return false;
    // A number that is too large needs a negative exponent.
    return reach(s) >= 0 || (!grammar->spelling.canonical_numbers &&
                             (!(s->flags & IS_INTEGER) || (!s->right && (int32_t)s->left >= -reach(s))));
}

static li_term intern(li_grammar *grammar, state s)
{
    if (!is_viable(grammar, &s)) return LI_TERM_NOTHING;
    bool is_large = has_digits(&s) && reach(&s) < 0, ends_in_zero = s.phase == PHASE_FRACTION && s.flags & ENDS_IN_ZERO;
    bool is_nullable = s.phase == PHASE_WHOLE || s.phase == PHASE_FRACTION || s.phase == PHASE_DIGITS;
    if ((s.flags & IS_ZERO && !(s.flags & MAY_BE_ZERO)) || is_large || ends_in_zero) is_nullable = false;
    if (s.phase <= PHASE_FRACTION && s.right) is_nullable = false;
    if (s.phase == PHASE_DIGITS && s.read < s.right) is_nullable = false;
    uint32_t words[WORD_COUNT] = {LI_NO_LIMIT, s.phase, s.flags, s.left, s.read, s.right, (uint32_t)s.room, s.match};
    uint32_t flags = LI_FLAG_REGULAR | LI_FLAG_TEXT | (is_nullable ? LI_FLAG_NULLABLE : 0);
    // 3.5e1, 0.1e1 and 30e-1 are integers, but a model that begins so does not mean an integer. The matcher reads these
    // spellings; masks do not propose them.
    bool is_zero = s.flags & IS_ZERO && s.flags & IS_INTEGER;
    bool is_odd = (s.phase == PHASE_FRACTION && s.right) || s.flags & IS_ODD || is_large ||
                  (is_zero && (s.phase > PHASE_WHOLE || !(s.flags & MAY_BE_ZERO)));
    if (is_odd) flags |= LI_FLAG_OVERRUN;
    return li_term_intern(grammar, LI_KIND_NUMBER, flags, words, WORD_COUNT);
}

li_term li_unbounded_number(li_grammar *grammar, uint32_t signs, bool is_integer)
{
    if (!signs) return LI_TERM_NOTHING;
    return intern(grammar, (state){.phase = PHASE_START, .flags = signs << SIGNS | (is_integer ? IS_INTEGER : 0)});
}

static void compare_digit(state *s, uint32_t digit)
{
    if (s->match >= LI_DOUBLE_DIGITS) return;
    uint32_t end = (uint32_t)li_double_end[s->match] - '0';
    s->match = digit < end ? MATCH_LESS : digit > end ? MATCH_MORE : s->match + 1;
    if (s->match == LI_DOUBLE_DIGITS) s->match = MATCH_MORE;
}

static li_term read_first(li_grammar *grammar, state s, uint32_t digit)
{
    bool is_canonical = grammar->spelling.canonical_numbers;
    if (!(s.flags & (digit ? MAY_BE_OTHER : MAY_BE_ZERO | MAY_BE_OTHER))) return LI_TERM_NOTHING;
    if (is_canonical && !digit && s.flags & IS_INTEGER && !(s.flags & MAY_BE_ZERO)) return LI_TERM_NOTHING;
    s.phase = PHASE_WHOLE;
    s.flags |= digit ? IS_OPEN | IS_SHORT : IS_ZERO;
    s.room = LI_DOUBLE_DIGITS - 1;
    if (digit) compare_digit(&s, digit);
    return intern(grammar, s);
}

static li_term read_digit(li_grammar *grammar, state s, uint32_t digit)
{
    bool is_integer = s.flags & IS_INTEGER, is_canonical = grammar->spelling.canonical_numbers;
    if (s.phase == PHASE_WHOLE) {
        if (s.flags & IS_ZERO) return LI_TERM_NOTHING;
        s.flags &= ~(uint32_t)IS_SHORT;
        s.left = is_integer && !is_canonical && !digit ? s.left + 1 : 0;
        s.room--;
        compare_digit(&s, digit);
        return intern(grammar, s);
    }
    s.phase = PHASE_FRACTION;
    if (is_canonical || (is_integer && s.flags & MAY_BE_OTHER)) s.read++;
    if (is_canonical && s.read + !digit > LI_CANONICAL_DIGITS) return LI_TERM_NOTHING;
    if (s.flags & IS_ZERO && s.flags & MAY_BE_OTHER && s.room < MOST_ROOM) s.room++;
    s.flags = (s.flags & ~(uint32_t)ENDS_IN_ZERO) | (is_canonical && !digit ? ENDS_IN_ZERO : 0);
    if (digit) {
        if (!(s.flags & MAY_BE_OTHER)) return LI_TERM_NOTHING;
        s.flags = (s.flags | IS_OPEN) & ~(uint32_t)IS_ZERO;
        s.left = 0;
        if (is_integer) s.right = s.read;
    }
    if (!(s.flags & IS_ZERO)) compare_digit(&s, digit);
    return intern(grammar, s);
}

static li_term read_point(li_grammar *grammar, state s)
{
    bool is_canonical = grammar->spelling.canonical_numbers;
    if (s.flags & IS_INTEGER && (is_canonical || s.flags & IS_EASY)) return LI_TERM_NOTHING;
    if (is_canonical && !(s.flags & MAY_BE_OTHER)) return LI_TERM_NOTHING;
    s.phase = PHASE_POINT;
    return intern(grammar, s);
}

static li_term read_exponent(li_grammar *grammar, state s)
{
    bool is_zero = s.flags & IS_ZERO, is_integer = s.flags & IS_INTEGER;
    if (s.flags & IS_EASY || (is_zero && !(s.flags & MAY_BE_ZERO))) return LI_TERM_NOTHING;
    state next = {.phase = PHASE_EXPONENT, .left = LI_NO_LIMIT, .room = INT32_MAX};
    if (is_zero) next.flags = POWER_OF_ZERO;
    if (is_zero) return grammar->spelling.canonical_numbers ? LI_TERM_NOTHING : intern(grammar, next);
    next.room = reach(&s);
    if (grammar->spelling.canonical_numbers) {
        if (is_integer || !(s.flags & IS_SHORT) || s.flags & ENDS_IN_ZERO) return LI_TERM_NOTHING;
        next.right = LI_CANONICAL_LARGE;
        next.read = LI_CANONICAL_SMALL;
        next.left = LI_CANONICAL_LEAST;
        return intern(grammar, next);
    }
    next.right = s.right;
    next.read = s.right ? 1 : next.room < 0 ? (uint32_t)-next.room : 0;
    if (is_integer) next.left = s.left;
    if (is_integer && !next.read) next.flags = IS_INTEGER;
    return intern(grammar, next);
}

// Whether a number from `right` to `left` begins with the digits of `power`.
static bool can_become(const state *s, uint32_t power)
{
    uint64_t low = power, high = power;
    while (low <= s->left && high < s->right) {
        low *= 10;
        high = high * 10 + 9;
    }
    return low <= s->left;
}

static li_term read_power(li_grammar *grammar, state s, uint32_t digit)
{
    uint64_t power = (uint64_t)s.read * 10 + digit;
    if (grammar->spelling.canonical_numbers && s.phase == PHASE_POWER && !digit) return LI_TERM_NOTHING;
    s.phase = PHASE_DIGITS;
    if (s.left == LI_NO_LIMIT && power >= s.right)
        return intern(grammar, (state){.phase = s.phase, .flags = s.flags & POWER_OF_ZERO, .left = s.left});
    if (power > s.left || !can_become(&s, (uint32_t)power)) return LI_TERM_NOTHING;
    if (power && power * 10 > s.left) return LI_TERM_EMPTY;
    s.read = (uint32_t)power;
    if (s.left > LI_COUNT_STANDIN / 2) return intern(grammar, s);
    // If any digits may follow up to some number of digits, only this number matters, not the digits read.
    for (uint64_t low = power, high = power, last = 1; power >= s.right && power; low *= 10, last *= 10) {
        if (low * 10 > s.left) {
            s = (state){.phase = s.phase, .read = 1, .left = (uint32_t)(2 * last - 1)};
            break;
        }
        high = high * 10 + 9;
        if (high > s.left) break;
    }
    return intern(grammar, s);
}

static li_term read_sign(li_grammar *grammar, state s, bool is_negative)
{
    state next = {.phase = PHASE_POWER, .flags = s.flags & POWER_OF_ZERO, .left = s.left, .right = s.read};
    if (is_negative && s.read > s.left) return LI_TERM_NOTHING;
    if (is_negative && s.flags & IS_INTEGER) next.flags |= IS_ODD;
    if (is_negative) return intern(grammar, next);
    if (s.room < 0) return LI_TERM_NOTHING;
    next.left = s.room == INT32_MAX ? LI_NO_LIMIT : (uint32_t)s.room;
    next.right = s.right;
    return intern(grammar, next);
}

static li_term read_start(li_grammar *grammar, state s, uint8_t byte)
{
    uint32_t signs = s.flags >> SIGNS, side = byte == '-' ? LI_SIGN_NEGATIVE : LI_SIGN_POSITIVE;
    bool may_be_zero = signs & LI_SIGN_ZERO && !(byte == '-' && grammar->spelling.canonical_numbers);
    s.flags = (s.flags & (IS_INTEGER | IS_EASY)) | (may_be_zero ? MAY_BE_ZERO : 0) | (signs & side ? MAY_BE_OTHER : 0);
    s.phase = PHASE_SIGNED;
    if (!(s.flags & (MAY_BE_ZERO | MAY_BE_OTHER))) return LI_TERM_NOTHING;
    if (byte == '-') return intern(grammar, s);
    return byte >= '0' && byte <= '9' ? read_first(grammar, s, byte - '0') : LI_TERM_NOTHING;
}

li_term li_unbounded_number_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    state s = load(grammar, term);
    bool is_digit = byte >= '0' && byte <= '9', is_canonical = grammar->spelling.canonical_numbers;
    uint32_t digit = (uint32_t)byte - '0';
    switch (s.phase) {
    case PHASE_START:
        return read_start(grammar, s, byte);
    case PHASE_SIGNED:
        return is_digit ? read_first(grammar, s, digit) : LI_TERM_NOTHING;
    case PHASE_WHOLE:
    case PHASE_FRACTION:
        if (byte == 'e' || (byte == 'E' && !is_canonical)) return read_exponent(grammar, s);
        if (byte == '.' && s.phase == PHASE_WHOLE) return read_point(grammar, s);
        return is_digit ? read_digit(grammar, s, digit) : LI_TERM_NOTHING;
    case PHASE_POINT:
        return is_digit ? read_digit(grammar, s, digit) : LI_TERM_NOTHING;
    case PHASE_EXPONENT: {
        if (byte == '-' || byte == '+') return read_sign(grammar, s, byte == '-');
        if (!is_digit || is_canonical) return LI_TERM_NOTHING;
        li_term positive = read_sign(grammar, s, false);
        return positive == LI_TERM_NOTHING ? positive : read_power(grammar, load(grammar, positive), digit);
    }
    default:
        return is_digit ? read_power(grammar, s, digit) : LI_TERM_NOTHING;
    }
}

bool li_unbounded_number_is_endless(const li_grammar *grammar, li_term term)
{
    if (li_term_words(grammar, term)[WORD_RANGE] != LI_NO_LIMIT) return false;
    state s = load(grammar, term);
    bool has_fraction = !(s.flags & IS_INTEGER) &&
                        (!grammar->spelling.canonical_numbers || s.read + MANY_DIGITS <= LI_CANONICAL_DIGITS);
    if (s.phase == PHASE_START) return s.flags >> SIGNS & (LI_SIGN_NEGATIVE | LI_SIGN_POSITIVE);
    if (s.phase >= PHASE_EXPONENT) return s.left == LI_NO_LIMIT && !(s.flags & IS_ZERO);
    if (s.flags & IS_ZERO) return has_fraction && s.flags & MAY_BE_OTHER;
    if (s.phase == PHASE_SIGNED) return s.flags & MAY_BE_OTHER;
    if (has_fraction) return reach(&s) >= 0;
    return s.phase == PHASE_WHOLE && s.flags & IS_INTEGER && s.room > LONG_TOKEN + MANY_DIGITS;
}

li_term li_unbounded_number_easy(li_grammar *grammar, li_term term)
{
    state s = load(grammar, term);
    s.flags |= IS_EASY;
    return intern(grammar, s);
}

uint32_t li_unbounded_number_room(const li_grammar *grammar, li_term term)
{
    state s = load(grammar, term);
    return has_digits(&s) && reach(&s) >= LOW_ROOM ? (uint32_t)reach(&s) : LI_NO_LIMIT;
}

li_term li_unbounded_number_far(li_grammar *grammar, li_term term)
{
    state s = load(grammar, term);
    s.room = LI_COUNT_STANDIN;
    s.match = MATCH_LESS;
    return intern(grammar, s);
}

uint32_t li_unbounded_number_used(const li_grammar *grammar, li_term term)
{
    state s = load(grammar, term);
    uint32_t room = s.phase >= PHASE_POWER ? s.left : (uint32_t)s.room;
    if (s.phase <= PHASE_SIGNED || room <= LI_COUNT_STANDIN / 2 || room > LI_COUNT_STANDIN) return 0;
    uint32_t used = LI_COUNT_STANDIN - room + s.right;
    if (s.phase < PHASE_EXPONENT) return used;
    return s.read < LI_COUNT_MOST_USED ? used + 10 * s.read + 9 : LI_COUNT_MOST_USED;
}
