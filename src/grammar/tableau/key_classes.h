// The keys of an object that are not known one by one, split by the patterns that tell them apart.
#ifndef LI_KEY_CLASSES_H
#define LI_KEY_CLASSES_H

#include "grammar/tableau/tableau.h"

enum { LI_PATTERN_LIMIT = 64 };

typedef struct li_key_class {
    li_term keys;
    uint64_t patterns; // those that match all of its keys; the others match none
    li_node node;
} li_key_class;

typedef struct li_key_classes {
    li_term patterns[LI_PATTERN_LIMIT];
    uint32_t pattern_count;
    li_key_class *classes;
    uint32_t count, room;
} li_key_classes;

// The classes that the atoms leave, those with no value left out; known keys still in them. False: failed or refused.
bool li_key_classes_make(li_search *search, li_key_classes *classes);
// What a property must satisfy to fulfil an obligation, if its key is known, or in a class; FALSE: it cannot.
li_claim li_key_witness(li_search *search, uint32_t key, const li_atom *atom);
li_claim li_key_class_witness(li_search *search, const li_key_classes *classes, const li_key_class *of,
                              const li_atom *atom);
// Whether the atom asks for some property with a certain key or value.
bool li_atom_is_obligation(const li_atom *atom);

#endif
