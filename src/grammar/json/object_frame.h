// How far an object has been read: what the terms of objects and keys hold.
#ifndef LI_OBJECT_FRAME_H
#define LI_OBJECT_FRAME_H

#include "grammar/nodes/shape.h"

// What does not change while an object of a shape is read.
typedef struct li_object_table {
    const li_object_shape *shape;
    bool *usable;             // known keys whose value exists
    uint32_t *order;          // known keys by bytes
    uint32_t *required_after; // of known keys from an index on, how many are required
    uint32_t *usable_after;   // likewise
    uint32_t *next_required;  // the first one from an index on; known_count: none
    uint32_t *set;            // room for the words of a set of known keys, or of obligations
    uint32_t set_length;
    bool has_classes; // with a value
} li_object_table;

typedef struct li_object_frame {
    const li_object_shape *shape;
    const li_object_table *table; // NULL: what is satisfiable is still being found out
    uint32_t level;
    bool has_items;
    uint32_t place;    // schema order: the next known key; any order: the set of those read (a term, NOTHING: none)
    uint32_t needed;   // properties to come at least; 0 where those that are required are enough
    uint32_t room;     // for properties; LI_NO_LIMIT where it cannot run out
    li_term fulfilled; // the set of the obligations that are
    li_term seen;      // keys of classes that may not come again: a choice of them
    // Not in terms:
    uint32_t required_left, usable_left; // known keys
    uint32_t taken;                      // a property that is being read: as in witnesses; LI_NO_LIMIT: none
} li_object_frame;

enum { LI_OBJECT_WORDS = 7, LI_RECORDED_KEY_WORDS = LI_OBJECT_WORDS + 3 };

// The table of a shape, made on first use. NULL: no memory, and the grammar has failed.
const li_object_table *li_object_table_of(li_grammar *grammar, const li_object_shape *shape);

// False: the grammar has failed.
bool li_object_load(li_grammar *grammar, const uint32_t words[LI_OBJECT_WORDS], li_object_frame *frame);
void li_object_store(const li_object_frame *frame, uint32_t words[LI_OBJECT_WORDS]);

// Whether as many properties as needed can come, though so many known keys that could cannot.
bool li_object_has_enough(li_grammar *grammar, const li_object_frame *frame, uint32_t lost);
bool li_object_set_has(const li_grammar *grammar, li_term set, uint32_t bit);
bool li_object_is_left(const li_grammar *grammar, const li_object_frame *frame, uint32_t known);
// Whether a class has this many keys left.
bool li_object_supplies(li_grammar *grammar, const li_object_frame *frame, uint32_t class_index, uint32_t count);

// Whether the value of a known key exists.
bool li_object_is_usable(li_grammar *grammar, const li_object_frame *frame, uint32_t known);
// The set with one member more.
li_term li_object_set_with(li_grammar *grammar, const li_object_frame *frame, li_term set, uint32_t bit);
// The place (a set: any order) with one known key more.
li_term li_object_place_with(li_grammar *grammar, const li_object_frame *frame, uint32_t known);
// Gives frames with the same future one form.
void li_object_simplify(li_object_frame *frame);
// The keys that a class has left.
li_term li_object_class_keys(li_grammar *grammar, const li_object_frame *frame, uint32_t class_index);
// Fulfils the obligations that known keys from `first` to before `last` fulfil by not coming.
void li_object_pass_over(li_grammar *grammar, li_object_frame *next, uint32_t first, uint32_t last);

#endif
