// UTF-8, one code point at a time.
#include "grammar/core/utf8.h"

#include "base/assert.h"

uint32_t li_utf8_write(uint32_t character, uint8_t bytes[4])
{
    LI_ASSERT(character <= 0x10ffff);
    if (character < 0x80) {
        bytes[0] = (uint8_t)character;
        return 1;
    }
    uint32_t length = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (uint32_t i = length; --i > 0; character >>= 6) bytes[i] = (uint8_t)(0x80 | (character & 0x3f));
    bytes[0] = (uint8_t)((0xf00 >> length & 0xf0) | character);
    return length;
}

uint32_t li_utf8_read(const uint8_t *bytes, uint32_t *length)
{
    LI_ASSERT((bytes[0] & 0xc0) != 0x80 && bytes[0] < 0xf8);
    uint32_t first = bytes[0];
    *length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (*length == 1) return first;
    uint32_t character = first & (0x7fu >> *length);
    for (uint32_t i = 1; i < *length; i++) character = character << 6 | (bytes[i] & 0x3fu);
    return character;
}

bool li_utf8_is_valid(const uint8_t *text, uint32_t length)
{
    for (uint32_t i = 0; i < length;) {
        uint8_t lead = text[i++], low = 0x80, high = 0xbf;
        uint32_t more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
        if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || more > length - i) return false;
        if (lead == 0xe0) low = 0xa0;
        if (lead == 0xed) high = 0x9f; // no surrogates
        if (lead == 0xf0) low = 0x90;
        if (lead == 0xf4) high = 0x8f;
        for (; more--; low = 0x80, high = 0xbf, i++)
            if (text[i] < low || text[i] > high) return false;
    }
    return true;
}
