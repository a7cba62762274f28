// Reading the form, one number or text at a time.
#include "grammar/core/form_reader.h"

void li_read_fail(li_reader *reader)
{
    li_grammar_fail(reader->grammar, LI_ERROR_GRAMMAR_FORM);
    reader->at = reader->end;
}

uint32_t li_read_number(li_reader *reader)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 35; shift += 7) {
        if (reader->at == reader->end) break;
        uint8_t byte = *reader->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128 && value <= UINT32_MAX) return (uint32_t)value;
    }
    li_read_fail(reader);
    return 0;
}

uint32_t li_read_count(li_reader *reader)
{
    uint32_t count = li_read_number(reader);
    if (count <= (size_t)(reader->end - reader->at)) return count;
    li_read_fail(reader);
    return 0;
}

const uint8_t *li_read_text(li_reader *reader, uint32_t *length)
{
    *length = li_read_count(reader);
    const uint8_t *text = reader->at;
    reader->at += *length;
    return text;
}

static bool is_utf8(const uint8_t *text, uint32_t length)
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

const uint8_t *li_read_utf8(li_reader *reader, uint32_t *length)
{
    const uint8_t *text = li_read_text(reader, length);
    if (!is_utf8(text, *length)) li_read_fail(reader);
    return text;
}
