// Classes of keys: the keys of an object that the schema does not name, split by the patterns that they match.
#ifndef LI_KEY_CLASSES_H
#define LI_KEY_CLASSES_H

#include "grammar/tableau/tableau.h"

enum { LI_PATTERN_LIMIT = 64 };

typedef struct li_key_class {
    li_term keys;
    uint64_t patterns; // bits of the patterns that match all keys of the class; other patterns match none
    li_node node;
} li_key_class;

typedef struct li_key_classes {
    li_term patterns[LI_PATTERN_LIMIT];
    uint32_t pattern_count;
    LI_LIST(li_key_class) all;
} li_key_classes;

// Makes the classes, except classes whose node is NONE. The keys that the schema names are still in the classes. False:
// the grammar has failed, or a keyword was refused.
bool li_key_classes_make(li_tableau *search, li_key_classes *classes);
// The claim that the value of a property with a known key, or with a key of a class, must satisfy to fulfil an
// obligation; FALSE: the property cannot fulfil the obligation.
li_claim li_key_witness(li_tableau *search, uint32_t key, const li_atom *atom);
li_claim li_key_class_witness(li_tableau *search, const li_key_classes *classes, const li_key_class *of,
                              const li_atom *atom);
// Whether a property with this key is in the remainder that the atom is about.
bool li_remainder_has(const li_tableau *search, const li_atom *atom, uint32_t key);
// Whether the atom demands a property with a certain key or value.
bool li_atom_is_obligation(const li_atom *atom);

#endif
