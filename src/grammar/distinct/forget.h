// Terms without their recorded text, for walks of the vocabulary. A term that records text differs after every byte, so
// a walk would meet as many states as the vocabulary has nodes.
#ifndef LI_FORGET_H
#define LI_FORGET_H

#include "grammar/core/grammar.h"

// Places at which a term without recorded text stops, because the recorded text decides what follows. Stops are bits.
enum li_stop {
    LI_STOP_END = 1,   // after a key or value on which the rest depends; a number may end here or continue
    LI_STOP_BEGIN = 2, // before a value, or in its first byte, that must differ from values read before
};

// For grammars whose terms record (li_grammar.records); use the functions below.
li_term li_forget_recorded(li_grammar *grammar, li_term term, bool is_front);
uint32_t li_stops_at_front(const li_grammar *grammar, li_term term);

// The term without recorded text. The result reads the same texts up to a stop. Where a value at the front must differ
// from others: with `is_front` the result reads these other values too, else there is a stop. Inlined, because every
// state of every grammar asks and few grammars record text.
LI_INLINE li_term li_forget(li_grammar *grammar, li_term term, bool is_front)
{
    return grammar->records ? li_forget_recorded(grammar, term, is_front) : term;
}

// The stops at the front of such a term.
LI_INLINE uint32_t li_stops_of(const li_grammar *grammar, li_term term)
{
    return grammar->records ? li_stops_at_front(grammar, term) : 0;
}

// Of a term with recorded text: whether a value at the front must differ from excluded values and may still become an
// excluded value. Adds the bytes after which the value may; after other bytes the value cannot.
bool li_differs_from(li_grammar *grammar, li_term term, uint32_t set[8]);

#endif
