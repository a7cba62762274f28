// The alphabet of byte-level BPE: GPT-2 writes each byte as one printable character.
#ifndef LI_BYTE_ALPHABET_H
#define LI_BYTE_ALPHABET_H

#include <stdbool.h>
#include <stdint.h>

// Decodes text (length, UTF-8) to `into` (length; may be text itself) and returns the number of bytes. A text with a
// character outside the alphabet is copied.
uint32_t li_alphabet_decode(const uint8_t *text, uint32_t length, uint8_t *into);

// Writes the character of `byte` in UTF-8, one or two bytes, and returns their number.
uint32_t li_alphabet_encode(uint8_t byte, uint8_t into[2]);

#endif
