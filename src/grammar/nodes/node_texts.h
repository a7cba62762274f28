// The strings that satisfy a node.
#ifndef LI_NODE_TEXTS_H
#define LI_NODE_TEXTS_H

#include "grammar/nodes/node.h"

// Makes the strings of a node (li_node_entry.texts), unless they are known. False: the grammar has failed.
bool li_node_make_texts(li_grammar *grammar, li_node node);
// Whether no string satisfies the node.
bool li_node_texts_are_empty(li_grammar *grammar, li_node node);

#endif
