#include "grammar/json/recorded_text.h"

#include "base/assert.h"
#include "base/memory.h"
#include "grammar/core/json_escape.h"
#include "grammar/core/utf8.h"
#include "grammar/json/object_frame.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/term.h"

// Words: a mark, the text before, the last byte. The mark is a number that is no term, as in all terms that hold words
// only.
li_term li_record(li_grammar *grammar, li_term text, uint8_t byte)
{
    return li_term_intern(grammar, LI_KIND_RECORDED, 0, (uint32_t[]){UINT32_MAX, text, byte}, 3);
}

uint32_t li_recorded_length(const li_grammar *grammar, li_term text)
{
    uint32_t length = 0;
    for (; text != LI_TERM_NOTHING; text = li_term_words(grammar, text)[1]) length++;
    return length;
}

void li_recorded_bytes(const li_grammar *grammar, li_term text, uint8_t *bytes)
{
    for (uint32_t i = li_recorded_length(grammar, text); i-- > 0; text = li_term_words(grammar, text)[1])
        bytes[i] = (uint8_t)li_term_words(grammar, text)[2];
}

uint8_t *li_recorded_copy(li_grammar *grammar, li_term text, uint32_t *length)
{
    *length = li_recorded_length(grammar, text);
    uint8_t *bytes = li_memory_alloc(*length + 1);
    if (bytes)
        li_recorded_bytes(grammar, text, bytes);
    else
        li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
    return bytes;
}

uint32_t li_unescape(const uint8_t *bytes, uint32_t length, uint8_t *decoded)
{
    LI_ASSERT(bytes && decoded);
    uint32_t count = 0, escape = LI_ESCAPE_NONE, character;
    for (uint32_t i = 0; i < length; i++) {
        if (escape == LI_ESCAPE_NONE && bytes[i] != '\\')
            decoded[count++] = bytes[i];
        else if (escape == LI_ESCAPE_NONE)
            escape = LI_ESCAPE_BEGUN;
        else if (li_escape_read(&escape, bytes[i], &character) == LI_ESCAPE_DONE)
            count += li_utf8_write(character, decoded + count);
    }
    return count;
}

li_term li_recorded_text(li_grammar *grammar, li_term text)
{
    uint32_t length;
    uint8_t *bytes = text == LI_TERM_NOTHING ? NULL : li_recorded_copy(grammar, text, &length);
    if (!bytes) return text == LI_TERM_NOTHING ? LI_TERM_EMPTY : LI_TERM_NOTHING;
    li_term literal = li_literal(grammar, bytes, li_unescape(bytes, length, bytes));
    li_memory_free(bytes);
    return literal;
}

li_term li_recorded_rest(const li_grammar *grammar, li_term term)
{
    li_kind kind = li_term_kind(grammar, term);
    const uint32_t *words = li_term_words(grammar, term);
    if (kind == LI_KIND_RECORDED) return words[0];
    if (kind == LI_KIND_KEY && li_term_length(grammar, term) == LI_RECORDED_KEY_WORDS)
        return words[LI_OBJECT_WORDS + 1];
    return LI_TERM_NOTHING;
}
