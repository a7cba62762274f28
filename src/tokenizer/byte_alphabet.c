// A byte that Latin-1 can print is written as that character. The other 68, in order, are U+0100, U+0101 …
#include "tokenizer/byte_alphabet.h"

#include "base/assert.h"

#include <string.h>

static bool is_printable(uint32_t byte)
{
    return (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte < 0x100 && byte != 0xad);
}

// The unprintable byte number `index`: 00 to 20, 7F to A0, AD.
static uint32_t hidden_byte(uint32_t index)
{
    LI_ASSERT(index < 0x44);
    return index < 0x21 ? index : index < 0x43 ? index - 0x21 + 0x7f : 0xad;
}

uint32_t li_alphabet_decode(const uint8_t *text, uint32_t length, uint8_t *into)
{
    for (int is_dry = 1;; is_dry = 0) {
        uint32_t count = 0;
        for (uint32_t at = 0; at < length; count++) {
            uint32_t point = text[at++];
            // All characters of the alphabet have one or two bytes.
            if (point >= 0x80 && at < length) point = (point - 0xc0) << 6 | (text[at++] & 0x3fu);
            bool is_hidden = point >= 0x100 && point < 0x144;
            if (!is_hidden && !is_printable(point)) {
                memmove(into, text, length);
                return length;
            }
            if (!is_dry) into[count] = (uint8_t)(is_hidden ? hidden_byte(point - 0x100) : point);
        }
        if (!is_dry) return count;
        LI_ASSERT(count <= length);
    }
}

uint32_t li_alphabet_encode(uint8_t byte, uint8_t into[2])
{
    uint32_t point = byte;
    if (!is_printable(byte)) point = 0x100u + (byte < 0x21 ? byte : byte == 0xad ? 0x43u : byte - 0x7fu + 0x21u);
    if (point < 0x80) {
        into[0] = (uint8_t)point;
        return 1;
    }
    into[0] = (uint8_t)(0xc0 | point >> 6);
    LI_ASSERT(point < 0x144);
    into[1] = (uint8_t)(0x80 | (point & 0x3f));
    return 2;
}
