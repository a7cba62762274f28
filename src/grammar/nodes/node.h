// Nodes: what a JSON value at one place must satisfy, as a set of schemas that must hold and schemas that must not, and
// its shape: an equal union of plain constraints per JSON type, without any not, oneOf or $ref left.
//
// This is a lazily determinised alternating tree automaton: allOf joins sets, anyOf and not split them, and since there
// are finitely many subschemas there are finitely many sets. Nodes are interned; recursion ends at a node seen before.
#ifndef LI_NODE_H
#define LI_NODE_H

#include "grammar/numbers/number_term.h"
#include "grammar/schema/keywords.h"

typedef uint32_t li_node;
enum {
    LI_NODE_NONE = 0, // no value satisfies it
    LI_NODE_ANY = 1,  // every JSON value does
};

typedef struct li_text {
    const uint8_t *bytes; // UTF-8
    uint32_t length;
} li_text;

// A property that fulfils an obligation where its value also satisfies the node (ANY: any value will do, NONE: none).
typedef struct li_witness {
    uint32_t obligation;
    uint32_t property; // a known key, or known_count + a class
    li_node node;
    li_node other;     // the complement (of ANY: NONE), so that what a value witnesses can be told apart
    uint32_t may_miss; // of a known key: an object without it fulfils the obligation too
} li_witness;

// One way to be an object. A key is known, or in exactly one of the classes, or not allowed.
typedef struct li_object_shape {
    uint32_t id; // see li_object_shape_at
    uint32_t known_count;
    const li_text *known;       // distinct, in the schema's order
    const li_node *known_nodes; // what the value must satisfy; NONE: the key may not occur
    const bool *required;
    uint32_t class_count;
    const li_term *class_keys;  // languages of decoded keys, disjoint, without the known ones, never NOTHING
    const li_node *class_nodes; // never NONE
    uint32_t least, most;       // properties; most may be LI_NO_LIMIT
    uint32_t obligation_count;  // each has one witness at least
    uint32_t witness_count;
    const li_witness *witnesses; // by obligation
} li_object_shape;

enum { LI_CONTAINS_LIMIT = 16 };

typedef struct li_contains {
    li_node node;  // what counts
    li_node other; // its complement
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
    uint32_t contains_schema; // to blame where there are too many ways for an item to count
    bool is_unique;
    uint32_t unique_schema; // to blame where it is not found out whether different items are left
} li_array_shape;

typedef struct li_shape {
    bool has_null, has_false, has_true;
    li_term strings;       // of decoded text
    uint32_t number_count; // union
    const li_number_range *numbers;
    uint32_t object_count; // union; each can be finished
    const li_object_shape *objects;
    uint32_t array_count; // union; each can be finished
    const li_array_shape *arrays;
} li_shape;

// The node of a subschema, or of its complement.
li_node li_node_of(li_grammar *grammar, uint32_t schema, bool is_negated);
// Both must hold.
li_node li_node_and(li_grammar *grammar, li_node a, li_node b);
// Its shape, made on first use; lives as long as the grammar. NULL: the grammar has failed.
const li_shape *li_node_shape(li_grammar *grammar, li_node node);
// Whether any value satisfies it: exact, also for recursive schemas (least fixed point).
bool li_node_is_satisfiable(li_grammar *grammar, li_node node);
// Shapes by number, so that terms can name them.
const li_object_shape *li_object_shape_at(const li_grammar *grammar, uint32_t id);
const li_array_shape *li_array_shape_at(const li_grammar *grammar, uint32_t id);
// Visits everything that can be reached from the node, so that refusals come at compile time. For the compiler.
void li_node_explore(li_grammar *grammar, li_node node);

#endif
