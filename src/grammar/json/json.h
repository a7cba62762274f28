// JSON text: the terms of values, strings, objects and arrays.
#ifndef LI_JSON_H
#define LI_JSON_H

#include "grammar/nodes/node.h"

// value.c. A JSON value that satisfies the node, without space around it, at `level` of nesting (0 unless
// spelling.indents). NOTHING when there is none.
li_term li_value(li_grammar *grammar, li_node node, uint32_t level);
li_term li_value_expand(li_grammar *grammar, li_term term);

// quoted.c. The rest of a JSON string after its opening quote, with the closing one: any spelling (escapes) of a text
// in `inner`, a regular term over UTF-8. Lone surrogates are not texts.
li_term li_quoted(li_grammar *grammar, li_term inner);
li_term li_quoted_derive(li_grammar *grammar, li_term term, uint8_t byte);

// object.c. The rest of an object after its opening brace.
li_term li_object(li_grammar *grammar, const li_object_shape *shape, uint32_t level);
li_term li_object_expand(li_grammar *grammar, li_term term);
li_term li_key_derive(li_grammar *grammar, li_term term, uint8_t byte);
// The bytes that may come next in a KEY, or more.
void li_key_first_bytes(li_grammar *grammar, li_term term, uint32_t set[8]);
// Whether an object of this shape exists, given li_node_is_satisfiable of its nodes.
bool li_object_can_finish(li_grammar *grammar, const li_object_shape *shape);

// array.c. The rest of an array after its opening bracket.
li_term li_array(li_grammar *grammar, const li_array_shape *shape, uint32_t level);
li_term li_array_expand(li_grammar *grammar, li_term term);
// Whether it is known without a search which arrays of several contains can be finished, or the search is short.
bool li_contains_are_few(li_grammar *grammar, const li_array_shape *shape);
bool li_array_can_finish(li_grammar *grammar, const li_array_shape *shape);

// unique.c. A value that must differ from those read before in an array (uniqueItems), equal meaning equal as JSON.
li_term li_recorded_derive(li_grammar *grammar, li_term term, uint8_t byte);
// For masks: pushes terms on the scratch stack (term_table.h) whose union the term is, none of them a choice.
void li_push_alternatives(li_grammar *grammar, li_term term);
// For masks, of what is left after a byte: without the alternatives that have run over (LI_FLAG_OVERRUN).
li_term li_proposed(li_grammar *grammar, li_term term);

#endif
