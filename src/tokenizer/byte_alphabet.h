// The alphabet of byte-level BPE: GPT-2 writes each byte as one printable character.
#ifndef LI_BYTE_ALPHABET_H
#define LI_BYTE_ALPHABET_H

#include <stdbool.h>
#include <stdint.h>

// Writes the bytes that text (length, UTF-8) stands for to `into` (length; may be text itself) and returns their
// number. A text with a character outside of the alphabet stands for itself.
uint32_t li_alphabet_decode(const uint8_t *text, uint32_t length, uint8_t *into);

// Writes the one or two bytes of the character that stands for `byte` and returns their number.
uint32_t li_alphabet_encode(uint8_t byte, uint8_t into[2]);

#endif
