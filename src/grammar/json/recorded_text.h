// Text that is remembered while it is read, as a term: a chain of bytes, so that states stay words.
#ifndef LI_RECORDED_TEXT_H
#define LI_RECORDED_TEXT_H

#include "grammar/core/grammar.h"

// The text and one byte more; NOTHING is the empty text.
li_term li_record(li_grammar *grammar, li_term text, uint8_t byte);
uint32_t li_recorded_length(const li_grammar *grammar, li_term text);
// Copies the bytes, as many as li_recorded_length says.
void li_recorded_bytes(const li_grammar *grammar, li_term text, uint8_t *bytes);
// A copy of its own, for li_memory_free. NULL: no memory, and the grammar has failed.
uint8_t *li_recorded_copy(li_grammar *grammar, li_term text, uint32_t *length);
// What a JSON string means whose text was recorded, without quotes, as a literal term.
li_term li_recorded_text(li_grammar *grammar, li_term text);
// Of a term of keys or values that are remembered: the term of what is left of them. NOTHING: it is no such term.
li_term li_recorded_rest(const li_grammar *grammar, li_term term);
// Decodes a valid JSON string without its quotes into as many bytes at most; in place too. Returns how many.
uint32_t li_unescape(const uint8_t *bytes, uint32_t length, uint8_t *decoded);

#endif
