// Escapes of JSON strings, one byte at a time. The state within an escape is one word, so that terms can hold it; 0:
// outside of escapes.
#ifndef LI_JSON_ESCAPE_H
#define LI_JSON_ESCAPE_H

#include <stdbool.h>
#include <stdint.h>

enum { LI_ESCAPE_NONE = 0, LI_ESCAPE_BEGUN = 1u << 29 }; // after the backslash

typedef enum li_escape_step {
    LI_ESCAPE_REFUSED, // not an escape, or a lone surrogate
    LI_ESCAPE_OPEN,    // the escape is incomplete
    LI_ESCAPE_DONE,    // *character is the escaped character; the escape is LI_ESCAPE_NONE again
} li_escape_step;

li_escape_step li_escape_read(uint32_t *escape, uint8_t byte, uint32_t *character);

typedef struct li_character_range {
    uint32_t low, high;
} li_character_range;

// The characters that an open escape can still stand for: at most two ranges, none for an invalid escape.
uint32_t li_escape_ranges(uint32_t escape, li_character_range ranges[2]);
// Reduces an escape to the digits that decide whether it can become a character, for languages that treat all
// characters alike.
uint32_t li_escape_simplify(uint32_t escape);

#endif
