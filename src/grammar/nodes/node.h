// A node: the conditions on a JSON value at one place, as a set of schemas that must hold and schemas that must not.
// The shape of a node (shape.h) is an equal union of plain constraints for each JSON type, without not, oneOf and $ref.
//
// Nodes form a lazily determinised alternating tree automaton: allOf joins sets, anyOf and not split sets. The number
// of subschemas is finite, so the number of sets is finite. Nodes are interned; recursion ends at a known node.
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
// The node of values that satisfy both.
li_node li_node_and(li_grammar *grammar, li_node a, li_node b);

li_node li_node_of_claim(li_grammar *grammar, li_claim claim);
li_nodes *li_nodes_of(li_grammar *grammar); // made on first use; NULL: failed
void li_nodes_destroy(li_grammar *grammar);

#endif
