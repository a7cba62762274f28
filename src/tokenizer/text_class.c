// Reads the classes of characters from runs of code points.
#include "tokenizer/text_class.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "tokenizer/unicode_table.h"

#define FIRST_MARK_BEYOND 0xe0100u // variation selectors, which are marks
#define LAST_MARK_BEYOND  0xe01efu

typedef struct range {
    uint16_t first, last;
} range;

static const range kana_han[] = {{0x3040, 0x30ff}, {0x4e00, 0x9fa5}};
static const range east[] = {{0x800, 0x9fa5}, {0xac00, 0xd7ff}};
static const range east_punctuation[] = {{0xff01, 0xff0f}, {0xff1a, 0xff5e}, {0x2018, 0x201f}, {0x3000, 0x3002}};

static void add_bit(li_char_classes *classes, uint32_t bit, const range *ranges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t point = ranges[i].first; point <= ranges[i].last; point++)
            classes->table[point] |= (uint8_t)(bit >> 12);
    }
}

// The runs are pairs of a gap and a length, each in one byte or, after 255, in two bytes.
static void add_cased(li_char_classes *classes)
{
    const uint8_t *from = li_cased_runs;
    const uint8_t *end = from + sizeof li_cased_runs;
    for (uint32_t point = 0, is_in = 0; from < end; is_in = !is_in) {
        uint32_t length = *from++;
        if (length == 255) {
            length = from[0] | (uint32_t)from[1] << 8;
            from += 2;
        }
        for (; length; length--, point++) {
            if (is_in) classes->table[point] |= LI_CHAR_CASED >> 12;
        }
    }
}

static void fill_table(li_char_classes *classes)
{
    uint32_t point = 0;
    for (uint32_t i = 0; i < sizeof li_unicode_runs;) {
        uint32_t kind = li_unicode_runs[i] >> 4;
        uint32_t length = (li_unicode_runs[i++] & 15u) + 1;
        bool has_two = length > LI_RUN_SHORT + 1;
        if (length > LI_RUN_SHORT) length = li_unicode_runs[i++];
        if (has_two) length |= li_unicode_runs[i++] * 256u;
        LI_ASSERT(point + length <= LI_CHAR_TABLE_SIZE);
        for (uint32_t j = 0; j < length; j++)
            classes->table[point++] = (uint8_t)(kind == LI_RUN_ALTERNATING ? 1 + (j & 1) : kind);
    }
    add_bit(classes, LI_CHAR_KANA_HAN, kana_han, sizeof kana_han / sizeof *kana_han);
    add_bit(classes, LI_CHAR_EAST, east, sizeof east / sizeof *east);
    add_bit(classes, LI_CHAR_EAST_PUNCT, east_punctuation, sizeof east_punctuation / sizeof *east_punctuation);
    add_cased(classes);
}

static inline uint32_t bits_of(uint8_t entry)
{
    return 1u << (entry & 15) | (uint32_t)(entry & 0xf0) << 12;
}

static uint32_t ascii_bits(uint32_t bits, uint8_t character)
{
    if (character == '\r' || character == '\n') return LI_CHAR_NEWLINE;
    if (character == ' ') return LI_CHAR_BLANK;
    if (character == '/') bits |= LI_CHAR_SLASH;
    if (character == '`') bits |= LI_CHAR_GRAVE;
    if (bits & LI_CHAR_ANY_LETTER) bits |= LI_CHAR_ASCII_LETTER;
    if (bits & LI_CHAR_NUMBER) bits |= LI_CHAR_ASCII_DIGIT;
    if (bits & (LI_CHAR_PUNCT | LI_CHAR_SYMBOL)) bits |= LI_CHAR_ASCII_PUNCT;
    if (bits & LI_CHAR_SYMBOL && character != '`') bits |= LI_CHAR_ASCII_SYMBOL;
    return bits;
}

li_char_classes *li_char_classes_create(void)
{
    li_char_classes *classes = li_memory_alloc(sizeof *classes);
    if (!classes) return NULL;
    fill_table(classes);
    for (uint8_t i = 0; i < 128; i++) classes->ascii[i] = ascii_bits(bits_of(classes->table[i]), i);
    return classes;
}

// Bytes of the character that begins with `first`.
static inline uint32_t char_length(uint8_t first)
{
    return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

static uint32_t code_point(const uint8_t *at, uint32_t length)
{
    LI_ASSERT(length >= 1 && length <= 4);
    uint32_t point = at[0] & (length == 1 ? 0x7fu : 0x7fu >> length);
    for (uint32_t i = 1; i < length; i++) point = point << 6 | (at[i] & 0x3fu);
    return point;
}

uint32_t li_char_class_at(const li_char_classes *classes, const uint8_t *at, uint32_t *length)
{
    LI_ASSERT((at[0] & 0xc0) != 0x80); // at the beginning of a character
    *length = char_length(at[0]);
    if (at[0] < 0x80) return classes->ascii[at[0]];
    uint32_t point = code_point(at, *length);
    if (point < LI_CHAR_TABLE_SIZE) return bits_of(classes->table[point]);
    return point >= FIRST_MARK_BEYOND && point <= LAST_MARK_BEYOND ? LI_CHAR_MARK : LI_CHAR_REST;
}

bool li_is_utf8(const uint8_t *bytes, uint32_t length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    for (uint32_t at = 0; at < length;) {
        if (bytes[at] < 0x80) {
            at++;
            continue;
        }
        uint32_t size = char_length(bytes[at]);
        if (size == 1 || bytes[at] > 0xf4 || size > length - at) return false;
        for (uint32_t i = 1; i < size; i++) {
            if ((bytes[at + i] & 0xc0) != 0x80) return false;
        }
        uint32_t point = code_point(bytes + at, size);
        if (point < least[size] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return false;
        at += size;
    }
    return true;
}
