// Recorded text: the bytes read of a key or value, kept as a term, a chain of bytes.
#ifndef LI_RECORDED_TEXT_H
#define LI_RECORDED_TEXT_H

#include "grammar/core/grammar.h"

// The text with a byte appended; NOTHING is the empty text.
li_term li_record(li_grammar *grammar, li_term text, uint8_t byte);
uint32_t li_recorded_length(const li_grammar *grammar, li_term text);
// Copies the bytes, li_recorded_length of them.
void li_recorded_bytes(const li_grammar *grammar, li_term text, uint8_t *bytes);
// A copy, which the caller frees (li_memory_free). NULL: no memory, and the grammar has failed.
uint8_t *li_recorded_copy(li_grammar *grammar, li_term text, uint32_t *length);

// The bytes of a text in one piece. They stay with the grammar, so that a text costs only the bytes in which it differs
// from the text before. Valid until the next view.
typedef struct li_text_view {
    const uint8_t *bytes; // (length) NULL: no memory, and the grammar has failed
    const li_term *texts; // (length) the text that ends with each byte; NULL: not known
    uint32_t length;
} li_text_view;

li_text_view li_recorded_view(li_grammar *grammar, li_term text);
void li_recordings_destroy(li_grammar *grammar);
// The decoded text of a recorded JSON string, without quotes, as a literal term.
li_term li_recorded_text(li_grammar *grammar, li_term text);
// Of a term that records: the term of the rest of the key or value. NOTHING: the term does not record.
li_term li_recorded_rest(const li_grammar *grammar, li_term term);
// Decodes a valid JSON string without its quotes, in place too, and returns the number of bytes, at most `length`.
uint32_t li_unescape(const uint8_t *bytes, uint32_t length, uint8_t *decoded);

#endif
