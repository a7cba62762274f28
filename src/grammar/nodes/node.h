// Nodes: what a JSON value at one place must satisfy, as a set of schemas that must hold and schemas that must not, and
// its shape: an equal union of plain constraints per JSON type, without any not, oneOf or $ref left.
//
// This is a lazily determinised alternating tree automaton: allOf joins sets, anyOf and not split them, and since there
// are finitely many subschemas there are finitely many sets. Nodes are interned; recursion ends at a node seen before.
#ifndef LI_NODE_H
#define LI_NODE_H

#include "grammar/schema/schema_table.h"

typedef uint32_t li_node;
enum {
    LI_NODE_NONE = 0, // no value satisfies it
    LI_NODE_ANY = 1,  // every JSON value does
};

// The node of a subschema, or of its complement.
li_node li_node_of(li_grammar *grammar, uint32_t schema, bool is_negated);
// Both must hold.
li_node li_node_and(li_grammar *grammar, li_node a, li_node b);

li_node li_node_of_claim(li_grammar *grammar, li_claim claim);
li_nodes *li_nodes_of(li_grammar *grammar); // made on first use; NULL: failed
// Makes the part of the raw shape for a sort, where it is not known. False: the grammar has failed, or the part is
// being made right now.
bool li_node_make(li_grammar *grammar, li_node node, uint32_t sort);
// Whether it is seen at a glance that no value satisfies the node; `is_thorough`: also of arrays and objects. A search,
// so that what is false for now may later be true.
bool li_node_seems_empty(li_grammar *grammar, li_node node, bool is_thorough);

#endif
