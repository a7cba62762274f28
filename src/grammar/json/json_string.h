// JSON strings.
#ifndef LI_JSON_STRING_H
#define LI_JSON_STRING_H

#include "grammar/terms/first_bytes.h"

// The rest of a JSON string after its opening quote, with the closing quote: any spelling, with escapes, of a text of
// `inner`, a regular term over UTF-8. Lone surrogates are refused.
li_term li_quoted(li_grammar *grammar, li_term inner);
// Whether the escape (json_escape.h) can become the first character of a text of `inner`; true outside of escapes.
// *flags: LI_FLAG_OVERRUN, or 0.
bool li_quoted_leads_on(li_grammar *grammar, li_term inner, uint32_t escape, uint32_t *flags);
li_term li_quoted_derive(li_grammar *grammar, li_term term, uint8_t byte);
bool li_quoted_refuses(const li_grammar *grammar, li_term term, uint8_t byte);
void li_quoted_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
li_term li_quoted_split(li_byte_classes *classes, li_term term);
uint32_t li_quoted_counts_used(const li_grammar *grammar, li_term term, uint32_t *nodes);

#endif
