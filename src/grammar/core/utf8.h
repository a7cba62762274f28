// UTF-8: bytes of code points, code points of bytes, and whether bytes are a text.
#ifndef LI_UTF8_H
#define LI_UTF8_H

#include <stdbool.h>
#include <stdint.h>

// Writes the UTF-8 of a code point (1 to 4 bytes) and returns its length.
uint32_t li_utf8_write(uint32_t character, uint8_t bytes[4]);
// The code point at the front of valid UTF-8, and the number of its bytes.
uint32_t li_utf8_read(const uint8_t *bytes, uint32_t *length);
// Whether the bytes are UTF-8: shortest forms only, no surrogates.
bool li_utf8_is_valid(const uint8_t *text, uint32_t length);

#endif
