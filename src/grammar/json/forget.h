// Terms without their recorded text, for walks of the vocabulary. A term that records text differs after every byte, so
// a walk would meet as many states as the vocabulary has nodes.
#ifndef LI_FORGET_H
#define LI_FORGET_H

#include "grammar/core/grammar.h"

// The places at which a term without recorded text stops, and the term with recorded text must be derived: a sum of
// these.
enum li_mark {
    LI_MARK_END = 1,   // behind a key or value on which the rest depends; a number may end here or go on
    LI_MARK_BEGIN = 2, // before a value, or in its first byte, that must differ from values read before
};

// The term without recorded text. The result reads the same texts up to a mark. Where a value at the front must differ
// from others: with `is_front` the result reads these other values too, else there is a mark.
li_term li_forget(li_grammar *grammar, li_term term, bool is_front);
// The marks at the front of such a term.
uint32_t li_marks_of(const li_grammar *grammar, li_term term);
// Of a term with recorded text: whether a value at the front must differ from others and may still become one of them.
// Adds the bytes after which it may; after other bytes it cannot.
bool li_differs_from(li_grammar *grammar, li_term term, uint32_t set[8]);

#endif
