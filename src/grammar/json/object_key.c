// Keys of objects. First come the words of the object (object_frame.h). Further words of known keys: the first and
// last + 1 of the keys, by bytes, that begin with the text read; the number of bytes read; the state within an escape.
// Further words of a recorded key of a class: its index as in witnesses, the term of its rest, the text read.
#include "grammar/json/object_key.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/core/json_escape.h"
#include "grammar/core/utf8.h"
#include "grammar/json/json_string.h"
#include "grammar/json/object_term.h"
#include "grammar/json/recorded_text.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/term.h"

enum { KNOWN_WORDS = LI_OBJECT_WORDS + 4 };

typedef struct known_keys {
    li_object_frame frame;
    uint32_t first, last, depth, escape;
    uint32_t allowed[2]; // two keys that the object allows, or LI_NO_LIMIT
} known_keys;

static const li_text *text_of(const known_keys *keys, uint32_t at)
{
    LI_ASSERT(at < keys->frame.shape->known_count);
    return &keys->frame.shape->known[keys->frame.table->order[at]];
}

static bool fits(li_grammar *grammar, const known_keys *keys, uint32_t at)
{
    const li_text *text = text_of(keys, at);
    bool is_allowed = at == keys->allowed[0] || at == keys->allowed[1];
    if (!is_allowed && !li_object_allows(grammar, &keys->frame, keys->frame.table->order[at])) return false;
    if (keys->escape == LI_ESCAPE_NONE) return true;
    if (text->length <= keys->depth || (text->bytes[keys->depth] & 0xc0) == 0x80) return false;
    uint32_t length, character = li_utf8_read(text->bytes + keys->depth, &length);
    li_character_range ranges[2];
    for (uint32_t i = li_escape_ranges(keys->escape, ranges); i-- > 0;)
        if (character >= ranges[i].low && character <= ranges[i].high) return true;
    return false;
}

// Whether the next character of any of the keys must be escaped.
static bool needs_escape(const known_keys *keys)
{
    for (uint32_t i = keys->first; i < keys->last; i++) {
        const li_text *text = text_of(keys, i);
        if (text->length <= keys->depth) continue;
        uint8_t next = text->bytes[keys->depth];
        if (next < 0x20 || next == '"' || next == '\\') return true;
    }
    return false;
}

static li_term make(li_grammar *grammar, known_keys *keys)
{
    while (keys->first < keys->last && !fits(grammar, keys, keys->first)) keys->first++;
    if (keys->first == keys->last) return LI_TERM_NOTHING;
    // Without fuel even the first key does not fit.
    while (keys->last > keys->first && !fits(grammar, keys, keys->last - 1)) keys->last--;
    if (grammar->status != LI_OK) return LI_TERM_NOTHING;
    uint32_t words[KNOWN_WORDS];
    li_object_store(&keys->frame, words);
    memcpy(words + LI_OBJECT_WORDS, (uint32_t[]){keys->first, keys->last, keys->depth, keys->escape},
           4 * sizeof *words);
    // Masks propose no needless escape, so that keys are forced.
    uint32_t flags = keys->escape == LI_ESCAPE_BEGUN && !needs_escape(keys) ? LI_FLAG_OVERRUN : 0;
    return li_term_intern(grammar, LI_KIND_KEY, flags, words, KNOWN_WORDS);
}

li_term li_known_keys(li_grammar *grammar, const li_object_frame *frame)
{
    known_keys keys = {.frame = *frame, .last = frame->shape->known_count, .allowed = {LI_NO_LIMIT, LI_NO_LIMIT}};
    return make(grammar, &keys);
}

// The first key in the range whose next byte is at least `byte`.
static uint32_t bound(const known_keys *keys, uint32_t byte)
{
    LI_ASSERT(keys->first <= keys->last);
    uint32_t low = keys->first, high = keys->last;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const li_text *text = text_of(keys, middle);
        if (text->length <= keys->depth || text->bytes[keys->depth] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void narrow(known_keys *keys, uint8_t byte)
{
    uint32_t first = bound(keys, byte), last = bound(keys, byte + 1u);
    keys->first = first;
    keys->last = last;
    keys->depth++;
}

static li_term derive_known(li_grammar *grammar, known_keys *keys, uint8_t byte)
{
    if (keys->escape != LI_ESCAPE_NONE) {
        uint32_t character;
        li_escape_step step = li_escape_read(&keys->escape, byte, &character);
        if (step == LI_ESCAPE_REFUSED) return LI_TERM_NOTHING;
        if (step == LI_ESCAPE_DONE) {
            uint8_t bytes[4];
            uint32_t length = li_utf8_write(character, bytes);
            for (uint32_t i = 0; i < length; i++) narrow(keys, bytes[i]);
        }
        return make(grammar, keys);
    }
    if (byte == '"') {
        if (text_of(keys, keys->first)->length != keys->depth) return LI_TERM_NOTHING;
        return li_object_property(grammar, &keys->frame, keys->frame.table->order[keys->first], LI_TERM_NOTHING);
    }
    if (byte < 0x20) return LI_TERM_NOTHING;
    if (byte == '\\')
        keys->escape = LI_ESCAPE_BEGUN;
    else
        narrow(keys, byte);
    return make(grammar, keys);
}

static li_term make_recorded(li_grammar *grammar, const uint32_t *object, uint32_t property, li_term rest, li_term text)
{
    if (rest == LI_TERM_NOTHING) return LI_TERM_NOTHING;
    uint32_t words[LI_RECORDED_KEY_WORDS];
    memcpy(words, object, LI_OBJECT_WORDS * sizeof *words);
    words[LI_OBJECT_WORDS] = property;
    words[LI_OBJECT_WORDS + 1] = rest;
    words[LI_OBJECT_WORDS + 2] = text;
    grammar->records = true;
    uint32_t flags = li_term_flags(grammar, rest) & LI_FLAG_OVERRUN;
    return li_term_intern(grammar, LI_KIND_KEY, flags, words, LI_RECORDED_KEY_WORDS);
}

li_term li_recorded_key(li_grammar *grammar, const li_object_frame *frame, uint32_t property, li_term language)
{
    uint32_t object[LI_OBJECT_WORDS];
    li_object_store(frame, object);
    return make_recorded(grammar, object, property, li_quoted(grammar, language), LI_TERM_NOTHING);
}

static li_term derive_recorded(li_grammar *grammar, const uint32_t words[LI_RECORDED_KEY_WORDS], uint8_t byte)
{
    uint32_t property = words[LI_OBJECT_WORDS], text = words[LI_OBJECT_WORDS + 2];
    li_term rest = li_derive(grammar, words[LI_OBJECT_WORDS + 1], byte);
    if (rest == LI_TERM_NOTHING) return LI_TERM_NOTHING;
    if (rest != LI_TERM_EMPTY) return make_recorded(grammar, words, property, rest, li_record(grammar, text, byte));
    li_object_frame frame;
    if (!li_object_load(grammar, words, &frame)) return LI_TERM_NOTHING;
    return li_object_property(grammar, &frame, property, li_recorded_text(grammar, text));
}

li_term li_key_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    LI_ASSERT(li_term_length(grammar, term) <= KNOWN_WORDS);
    uint32_t words[KNOWN_WORDS], length = li_term_length(grammar, term);
    memcpy(words, li_term_words(grammar, term), length * sizeof *words);
    if (length == LI_RECORDED_KEY_WORDS) return derive_recorded(grammar, words, byte);
    known_keys keys = {.first = words[LI_OBJECT_WORDS],
                       .last = words[LI_OBJECT_WORDS + 1],
                       .depth = words[LI_OBJECT_WORDS + 2],
                       .escape = words[LI_OBJECT_WORDS + 3],
                       .allowed = {words[LI_OBJECT_WORDS], words[LI_OBJECT_WORDS + 1] - 1}};
    return li_object_load(grammar, words, &keys.frame) ? derive_known(grammar, &keys, byte) : LI_TERM_NOTHING;
}

// Adds the next bytes of the known keys that begin with the text read. False: the bytes are not known.
static bool add_known(li_grammar *grammar, li_term term, uint32_t set[8])
{
    uint32_t words[KNOWN_WORDS];
    if (li_term_length(grammar, term) != KNOWN_WORDS) return false;
    memcpy(words, li_term_words(grammar, term), sizeof words);
    known_keys keys = {.first = words[LI_OBJECT_WORDS],
                       .last = words[LI_OBJECT_WORDS + 1],
                       .depth = words[LI_OBJECT_WORDS + 2],
                       .escape = words[LI_OBJECT_WORDS + 3]};
    if (keys.escape != LI_ESCAPE_NONE || !li_object_load(grammar, words, &keys.frame)) return false;
    set['\\' / 32] |= 1u << '\\' % 32;
    for (uint32_t at = keys.first; at < keys.last;) {
        const li_text *text = text_of(&keys, at);
        bool is_end = text->length == keys.depth;
        uint32_t byte = is_end ? '"' : text->bytes[keys.depth];
        set[byte / 32] |= 1u << byte % 32;
        at = is_end ? at + 1 : bound(&keys, byte + 1);
    }
    return true;
}

void li_key_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    (void)depth;
    if (add_known(grammar, term, set)) return;
    for (uint32_t i = 1; i < 8; i++) set[i] = UINT32_MAX; // control characters are escaped
}
