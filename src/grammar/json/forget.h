// Terms without the text that they record, for walks of the vocabulary: a state that records is another one after every
// byte, so that a walk would meet as many states as the vocabulary has nodes.
#ifndef LI_FORGET_H
#define LI_FORGET_H

#include "grammar/core/grammar.h"

// Where a term that forgets stops, and the term that records must be derived: a sum of these.
enum li_mark {
    LI_MARK_END = 1,   // behind a key or value on which all that follows depends; a number may end here or go on
    LI_MARK_BEGIN = 2, // before a value, or in its first byte, that differs from values read before
};

// The term without what it records. It reads what the term reads, up to a mark. Where a value at its front must differ
// from others it also reads on to nothing but these with `is_front`; else there is a mark.
li_term li_forget(li_grammar *grammar, li_term term, bool is_front);
// The marks that such a term has come to.
uint32_t li_marks_of(const li_grammar *grammar, li_term term);
// Of a term that records: whether a value at its front must differ from others, and may still become one of them. Adds
// the bytes by which it may; other bytes lead to where it cannot.
bool li_differs_from(li_grammar *grammar, li_term term, uint32_t set[8]);

#endif
