// Character classes for the regular expressions of pre-tokenizers.
#ifndef LI_TEXT_CLASS_H
#define LI_TEXT_CLASS_H

#include <stdbool.h>
#include <stdint.h>

// Every code point has exactly one of these bits; sets are sums of bits.
#define LI_CHAR_REST     (1u << 0) // controls, formats, private use, unassigned
#define LI_CHAR_UPPER    (1u << 1)
#define LI_CHAR_LOWER    (1u << 2)
#define LI_CHAR_TITLE    (1u << 3)
#define LI_CHAR_MODIFIER (1u << 4)
#define LI_CHAR_CASELESS (1u << 5) // other letters
#define LI_CHAR_MARK     (1u << 6)
#define LI_CHAR_NUMBER   (1u << 7)
#define LI_CHAR_PUNCT    (1u << 8)
#define LI_CHAR_SYMBOL   (1u << 9)
#define LI_CHAR_WHITE    (1u << 10) // white space other than the two below
#define LI_CHAR_NEWLINE  (1u << 11) // \r and \n
#define LI_CHAR_BLANK    (1u << 12) // U+0020

// Additional sets, each for one pre-tokenizer or a few.
#define LI_CHAR_KANA_HAN     (1u << 16) // [一-龥぀-ゟ゠-ヿ]
#define LI_CHAR_EAST         (1u << 17) // [一-龥ࠀ-一가-퟿]
#define LI_CHAR_CASED        (1u << 18) // the letters that deepseek-llm lists
#define LI_CHAR_EAST_PUNCT   (1u << 19) // [！-／：-～‘-‟　-。]
#define LI_CHAR_SLASH        (1u << 20)
#define LI_CHAR_ASCII_LETTER (1u << 21)
#define LI_CHAR_ASCII_PUNCT  (1u << 22) // all of !-/ :-@ [-` {-~
#define LI_CHAR_ASCII_SYMBOL (1u << 23) // $+<=>^|~
#define LI_CHAR_GRAVE        (1u << 24)
#define LI_CHAR_ASCII_DIGIT  (1u << 25)

#define LI_CHAR_CASE_ANY   (LI_CHAR_MODIFIER | LI_CHAR_CASELESS | LI_CHAR_MARK)
#define LI_CHAR_ANY_LETTER (LI_CHAR_UPPER | LI_CHAR_LOWER | LI_CHAR_TITLE | LI_CHAR_MODIFIER | LI_CHAR_CASELESS)
#define LI_CHAR_ANY_SPACE  (LI_CHAR_WHITE | LI_CHAR_NEWLINE | LI_CHAR_BLANK)

#define LI_CHAR_TABLE_SIZE 0x323b0u // beyond are only tags, variation selectors and unassigned code points

typedef struct li_char_classes {
    uint32_t ascii[128];               // the bits of each character
    uint8_t table[LI_CHAR_TABLE_SIZE]; // low half: the number of the first bit; high half: bits 16 to 19
} li_char_classes;

// NULL: no memory. Freed by li_memory_free.
li_char_classes *li_char_classes_create(void);

// The bits of the character that begins at `at`, in valid UTF-8, and its bytes.
uint32_t li_char_class_at(const li_char_classes *classes, const uint8_t *at, uint32_t *length);

// Whether bytes (length) are UTF-8 without surrogates or overlong forms.
bool li_is_utf8(const uint8_t *bytes, uint32_t length);

#endif
