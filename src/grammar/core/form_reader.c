// The reader of the form: one number or text at a time.
#include "grammar/core/form_reader.h"

#include "base/assert.h"
#include "grammar/core/grammar.h"
#include "grammar/core/utf8.h"

void li_read_fail(li_reader *reader)
{
    li_grammar_fail(reader->grammar, LI_ERROR_GRAMMAR_FORM);
    reader->at = reader->end;
}

uint32_t li_read_number(li_reader *reader)
{
    LI_ASSERT(reader->at <= reader->end);
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
    LI_ASSERT(reader->at <= reader->end);
    return text;
}

const uint8_t *li_read_utf8(li_reader *reader, uint32_t *length)
{
    const uint8_t *text = li_read_text(reader, length);
    if (!li_utf8_is_valid(text, *length)) li_read_fail(reader);
    return text;
}
