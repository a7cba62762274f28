#include "grammar/json/recorded_text.h"

#include "base/assert.h"
#include "base/memory.h"
#include "grammar/core/arena.h"
#include "grammar/core/json_escape.h"
#include "grammar/core/utf8.h"
#include "grammar/json/object_frame.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/term.h"

// Several views, because an item may hold items that are recorded too: their texts are asked for in turn.
enum { VIEWS = 8, NEAR_BYTES = 256, BYTES_OF_UNIT = 64 };

typedef struct kept_view {
    LI_LIST(uint8_t) bytes; // (texts.count)
    LI_LIST(li_term) texts;
} kept_view;

struct li_recordings {
    kept_view views[VIEWS];
    uint32_t next; // the view to replace
};

// Words: a mark, the text before, the last byte and above it the length, which is less than the number of terms. The
// mark is a number that is not a term, as in all terms that hold only words.
li_term li_record(li_grammar *grammar, li_term text, uint8_t byte)
{
    uint32_t last = (li_recorded_length(grammar, text) + 1) << 8 | byte;
    return li_term_intern(grammar, LI_KIND_RECORDED, 0, (uint32_t[]){UINT32_MAX, text, last}, 3);
}

uint32_t li_recorded_length(const li_grammar *grammar, li_term text)
{
    return text == LI_TERM_NOTHING ? 0 : li_term_payload(grammar, text)->recorded_text.last >> 8;
}

void li_recorded_bytes(const li_grammar *grammar, li_term text, uint8_t *bytes)
{
    for (uint32_t i = li_recorded_length(grammar, text); i-- > 0;
         text = li_term_payload(grammar, text)->recorded_text.before)
        bytes[i] = (uint8_t)li_term_payload(grammar, text)->recorded_text.last;
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

// The view of nearly this text, and how much they have in common. Other views stay, even if they begin alike.
static kept_view *find_view(li_grammar *grammar, li_term text, uint32_t *common)
{
    struct li_recordings *kept = grammar->recordings;
    uint32_t length = li_recorded_length(grammar, text), least = length > NEAR_BYTES ? length - NEAR_BYTES : 0;
    for (uint32_t at = length; at > least; at--, text = li_term_payload(grammar, text)->recorded_text.before)
        for (uint32_t i = 0; i < VIEWS; i++)
            if (at <= kept->views[i].texts.count && kept->views[i].texts.at[at - 1] == text) {
                *common = at;
                return &kept->views[i];
            }
    *common = 0;
    kept->next = (kept->next + 1) % VIEWS;
    return &kept->views[kept->next];
}

li_text_view li_recorded_view(li_grammar *grammar, li_term text)
{
    uint32_t length = li_recorded_length(grammar, text), common;
    if (!grammar->recordings) grammar->recordings = li_grammar_alloc(grammar, sizeof *grammar->recordings);
    if (!grammar->recordings) return (li_text_view){0};
    kept_view *view = find_view(grammar, text, &common);
    if (!LI_HEAP_RESERVE(grammar, &view->bytes, length + 1) || !LI_HEAP_RESERVE(grammar, &view->texts, length + 1))
        return (li_text_view){0};
    for (uint32_t at = length; at > common; at--) {
        const li_payload *of = li_term_payload(grammar, text);
        view->bytes.at[at - 1] = (uint8_t)of->recorded_text.last;
        view->texts.at[at - 1] = text;
        text = of->recorded_text.before;
    }
    if (common < length) view->texts.count = length;
    li_grammar_pay(grammar, (length - common) / BYTES_OF_UNIT);
    return (li_text_view){view->bytes.at, view->texts.at, length};
}

void li_recordings_destroy(li_grammar *grammar)
{
    for (uint32_t i = 0; grammar->recordings && i < VIEWS; i++) {
        li_memory_free(grammar->recordings->views[i].bytes.at);
        li_memory_free(grammar->recordings->views[i].texts.at);
    }
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
    if (text == LI_TERM_NOTHING) return LI_TERM_EMPTY;
    uint32_t length;
    uint8_t *bytes = li_recorded_copy(grammar, text, &length);
    if (!bytes) return LI_TERM_NOTHING;
    li_term literal = li_literal(grammar, bytes, li_unescape(bytes, length, bytes));
    li_memory_free(bytes);
    return literal;
}

li_term li_recorded_rest(const li_grammar *grammar, li_term term)
{
    li_kind kind = li_term_kind(grammar, term);
    if (kind == LI_KIND_RECORDED) return li_term_payload(grammar, term)->recorded.rest;
    if (kind == LI_KIND_KEY && li_term_length(grammar, term) == LI_RECORDED_KEY_WORDS)
        return li_term_words(grammar, term)[LI_OBJECT_WORDS + 1];
    return LI_TERM_NOTHING;
}
