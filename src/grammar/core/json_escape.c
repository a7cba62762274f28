// The word of an escape: stage, number of hexadecimal digits read, high surrogate's 10 bits, value of the digits.
#include "grammar/core/json_escape.h"

#include "base/assert.h"

enum { STAGE_LETTER = 1, STAGE_HEX, STAGE_PAIR_BACKSLASH, STAGE_PAIR_U, STAGE_PAIR_HEX };

static uint32_t pack(uint32_t stage, uint32_t digits, uint32_t high, uint32_t value)
{
    LI_ASSERT(stage && stage <= STAGE_PAIR_HEX && digits <= 4 && high < 0x400 && value <= 0xffff);
    return stage << 29 | digits << 26 | high << 16 | value;
}

static li_escape_step read_letter(uint32_t *escape, uint8_t byte, uint32_t *character)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (byte == 'u') {
        *escape = pack(STAGE_HEX, 0, 0, 0);
        return LI_ESCAPE_OPEN;
    }
    for (int i = 0; letters[i]; i++)
        if (letters[i] == byte) {
            *character = (uint8_t)meanings[i];
            *escape = LI_ESCAPE_NONE;
            return LI_ESCAPE_DONE;
        }
    return LI_ESCAPE_REFUSED;
}

static li_escape_step read_digit(uint32_t *escape, uint8_t byte, uint32_t *character)
{
    uint32_t stage = *escape >> 29, digits = (*escape >> 26 & 7) + 1, high = *escape >> 16 & 0x3ff;
    uint32_t lower = byte | 0x20u, digit;
    if (byte >= '0' && byte <= '9')
        digit = byte - '0';
    else if (lower >= 'a' && lower <= 'f')
        digit = lower - 'a' + 10;
    else
        return LI_ESCAPE_REFUSED;
    uint32_t value = (*escape << 4 | digit) & 0xffff;
    *escape = pack(stage, digits, high, value);
    li_character_range ranges[2];
    // A lone low surrogate is refused at its second digit.
    if (digits < 4) return li_escape_ranges(*escape, ranges) ? LI_ESCAPE_OPEN : LI_ESCAPE_REFUSED;
    if (stage == STAGE_PAIR_HEX) {
        if (value < 0xdc00 || value > 0xdfff) return LI_ESCAPE_REFUSED;
        *character = 0x10000 + (high << 10) + (value - 0xdc00);
    } else if (value >= 0xd800 && value <= 0xdbff) {
        *escape = pack(STAGE_PAIR_BACKSLASH, 0, value - 0xd800, 0);
        return LI_ESCAPE_OPEN;
    } else {
        *character = value;
    }
    *escape = LI_ESCAPE_NONE;
    return LI_ESCAPE_DONE;
}

li_escape_step li_escape_read(uint32_t *escape, uint8_t byte, uint32_t *character)
{
    LI_ASSERT(*escape != LI_ESCAPE_NONE); // the caller has read the backslash
    uint32_t high = *escape >> 16 & 0x3ff;
    switch (*escape >> 29) {
    case STAGE_LETTER:
        return read_letter(escape, byte, character);
    case STAGE_PAIR_BACKSLASH:
        *escape = pack(STAGE_PAIR_U, 0, high, 0);
        return byte == '\\' ? LI_ESCAPE_OPEN : LI_ESCAPE_REFUSED;
    case STAGE_PAIR_U:
        *escape = pack(STAGE_PAIR_HEX, 0, high, 0);
        return byte == 'u' ? LI_ESCAPE_OPEN : LI_ESCAPE_REFUSED;
    default:
        return read_digit(escape, byte, character);
    }
}

static uint32_t add_range(li_character_range ranges[2], uint32_t count, uint32_t low, uint32_t high)
{
    LI_ASSERT(low > high || count < 2);
    if (low > high) return count;
    ranges[count] = (li_character_range){low, high};
    return count + 1;
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t sooner(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t li_escape_ranges(uint32_t escape, li_character_range ranges[2])
{
    LI_ASSERT(escape != LI_ESCAPE_NONE);
    uint32_t stage = escape >> 29, digits = escape >> 26 & 7, high = escape >> 16 & 0x3ff, value = escape & 0xffff;
    if (stage == STAGE_LETTER || (stage == STAGE_HEX && digits == 0)) {
        add_range(ranges, 0, 0, 0xd7ff);
        return add_range(ranges, 1, 0xe000, 0x10ffff);
    }
    uint32_t left = 4 * (4 - digits), low = value << left, last = low | ((1u << left) - 1);
    if (stage == STAGE_HEX) {
        uint32_t count = add_range(ranges, 0, low, sooner(last, 0xd7ff));
        // Code points that begin with D end below E000, and no other code point is a surrogate: two ranges at most.
        if (low >= 0xe000) return add_range(ranges, count, low, last);
        low = later(low, 0xd800);
        last = sooner(last, 0xdbff);
        if (low > last) return count;
        return add_range(ranges, count, 0x10000 + ((low - 0xd800) << 10), 0x103ff + ((last - 0xd800) << 10));
    }
    if (stage != STAGE_PAIR_HEX) return add_range(ranges, 0, 0x10000 + (high << 10), 0x103ff + (high << 10));
    low = later(low, 0xdc00);
    last = sooner(last, 0xdfff);
    return add_range(ranges, 0, 0x10000 + (high << 10) + low - 0xdc00, 0x10000 + (high << 10) + last - 0xdc00);
}

uint32_t li_escape_simplify(uint32_t escape)
{
    LI_ASSERT(escape != LI_ESCAPE_NONE);
    uint32_t stage = escape >> 29, digits = escape >> 26 & 7, value = escape & 0xffff;
    uint32_t first = digits ? value >> 4 * (digits - 1) : 0, second = digits > 1 ? value >> 4 * (digits - 2) & 15 : 0;
    uint32_t kept = 0;
    if (stage == STAGE_HEX && first == 13 && (digits == 1 || second >= 8)) kept = digits == 1 ? 0xd : 0xd8;
    if (stage == STAGE_PAIR_HEX && digits) kept = digits == 1 ? 0xd : 0xdc;
    return pack(stage, digits, 0, digits == 3 ? kept << 4 : kept);
}
