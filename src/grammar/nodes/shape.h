// Shapes: the alternatives of an object or an array. Shapes have numbers; equal shapes have the same number.
#ifndef LI_SHAPE_H
#define LI_SHAPE_H

#include "grammar/nodes/node.h"
#include "grammar/numbers/number_range.h"

// A property that fulfils an obligation if its value satisfies the node too (ANY: any value does, NONE: no value does).
typedef struct li_witness {
    uint32_t obligation;
    uint32_t property; // a known key, or known_count + a class
    li_node node;
    li_node other;     // the complement (of ANY: NONE): the values that are not witnesses
    uint32_t may_miss; // of a known key: an object without it fulfils the obligation too
} li_witness;

// One alternative of an object. A key is known, or in exactly one class, or not allowed.
typedef struct li_object_shape {
    uint32_t id;       // see li_object_shape_at
    uint32_t constant; // + 1: the only value that the shape can have; 0: not known
    uint32_t known_count;
    const li_text *known;       // distinct, in the schema's order
    const li_node *known_nodes; // what the value must satisfy; NONE: the key may not occur
    const bool *required;
    uint32_t class_count;
    const li_term *class_keys;  // languages of decoded keys, disjoint, without known keys, never NOTHING
    const li_node *class_nodes; // never NONE
    uint32_t least, most;       // properties; most may be LI_NO_LIMIT
    uint32_t obligation_count;  // each has one witness at least
    uint32_t witness_count;
    const li_witness *witnesses; // by obligation
} li_object_shape;

enum { LI_CONTAINS_LIMIT = 16 };

typedef struct li_contains {
    li_node node;  // of the items that count
    li_node other; // the complement
    uint32_t least, most;
} li_contains;

typedef struct li_array_shape {
    uint32_t id; // see li_array_shape_at
    uint32_t prefix_count;
    const li_node *prefix; // NONE: the array ends before
    li_node rest;          // of all items after the prefix; NONE: there are none
    uint32_t least, most;  // items
    uint32_t contains_count;
    const li_contains *contains;
    uint32_t contains_schema; // refused if there are too many ways for an item to count
    bool is_unique;
    uint32_t unique_schema; // refused if the search for different items gives up
} li_array_shape;

typedef struct li_shape {
    bool has_null, has_false, has_true;
    li_term strings;       // of decoded text
    uint32_t number_count; // union
    const li_number_range *numbers;
    uint32_t object_count; // union; each can be finished
    const li_object_shape *objects;
    li_term constants;    // the texts of the objects that are constants (json/constant_text.h); NOTHING: they are few
    uint32_t array_count; // union; each can be finished
    const li_array_shape *arrays;
} li_shape;

// The shape of a number: terms hold numbers of shapes.
const li_object_shape *li_object_shape_at(const li_grammar *grammar, uint32_t id);
const li_array_shape *li_array_shape_at(const li_grammar *grammar, uint32_t id);

// The numbered shape with the same content; NULL: the grammar has failed. `blame`: see li_nodes.object_blames.
li_object_shape *li_object_shape_intern(li_grammar *grammar, const li_object_shape *shape, li_refusal blame);
li_array_shape *li_array_shape_intern(li_grammar *grammar, const li_array_shape *shape);
// Removes the witnesses of a property and renumbers the properties after it. Returns the number of witnesses left.
uint32_t li_witnesses_drop(li_witness *witnesses, uint32_t count, uint32_t property);

// Whether a value of a shape exists, given li_node_is_satisfiable of its nodes. The functions are in json/, the table
// is in compile/kind_table.c.
typedef struct li_shape_checks {
    bool (*finish_object)(li_grammar *grammar, const li_object_shape *shape);
    bool (*finish_array)(li_grammar *grammar, const li_array_shape *shape);
    // li_shape.constants of the objects.
    li_term (*list_constants)(li_grammar *grammar, const li_shape *shape);
    // Whether no search, or a short search, decides if arrays with several contains can be finished.
    bool (*are_few_contains)(li_grammar *grammar, const li_array_shape *shape);
} li_shape_checks;

extern const li_shape_checks li_shapes_can;

#endif
