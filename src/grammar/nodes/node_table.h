// How nodes are stored, and the state of the search for satisfiable nodes. Without a .c file: node.c makes the table.
#ifndef LI_NODE_TABLE_H
#define LI_NODE_TABLE_H

#include "grammar/core/table.h"
#include "grammar/nodes/shape.h"

typedef enum li_verdict { LI_UNDECIDED, LI_WAITING, LI_SATISFIABLE, LI_UNSATISFIABLE } li_verdict;

// A node with its raw shape, which has a part for each sort. Sorts are bits (LI_SORT_NUMBER ...).
typedef struct li_node_entry {
    const li_claim *claims; // ascending
    uint32_t claim_count;
    uint8_t sorts;   // that may have values
    uint8_t plain;   // the values of null, false and true that satisfy the node
    uint8_t known;   // sorts whose part below has been made
    uint8_t busy;    // being made
    uint8_t empty;   // sorts found to have no value
    uint8_t filled;  // sorts that a quick search does not find to have no value
    uint8_t verdict; // li_verdict
    bool is_queued;  // see satisfiable.c
    bool is_explored;
    uint32_t dependent; // first of the nodes that wait for this node, + 1
    li_string_set *texts;
    uint32_t number_count, array_count, object_count;
    const li_number_range *numbers;
    li_array_shape **arrays; // shared between nodes; some may have no value
    li_object_shape **objects;
    li_shape *shape; // the final shape: node_shape.c
} li_node_entry;

// Keeps whether a search has found values of a sort.
static inline void li_node_note(li_node_entry *entry, uint32_t sort, bool has_values)
{
    if (has_values)
        entry->filled |= (uint8_t)sort;
    else
        entry->empty |= (uint8_t)sort;
}

typedef struct li_dependency {
    li_node node;
    uint32_t next; // + 1
} li_dependency;

// An array of different items for which distinct_items.c is searching for a value.
typedef struct li_explored {
    uint32_t id;                    // of its shape
    const struct li_explored *next; // the array around it
    uint32_t depth;
} li_explored;

typedef struct li_tableau li_tableau; // tableau/tableau.h

enum { LI_TABLEAU_DEPTH = 4 };

struct li_nodes {
    LI_LIST(li_node_entry) all;
    li_table by_claims;
    LI_LIST(li_claim) scratch; // its count stays 0
    // Shapes by number, and by content.
    LI_LIST(li_object_shape *) objects;
    LI_LIST(li_array_shape *) arrays;
    LI_LIST(li_refusal) object_blames; // the keyword to refuse where an object has too many alternatives
    li_table by_object, by_array;
    // Satisfiability.
    LI_LIST(li_node) queue; // from `queue_first` on
    uint32_t queue_first;
    LI_LIST(li_node) touched; // undecided before this run
    LI_LIST(li_dependency) dependencies;
    li_node current; // being judged; NONE: no run is going on
    const li_explored *explored;
    uint32_t distinct_depth; // nested searches of distinct_items.c
    li_tableau *searches[LI_TABLEAU_DEPTH];
    uint32_t search_depth;
    LI_LIST(uint32_t) slots_of_texts; // scratch of object_shape.c: for each text, its place among the keys + 1
};

#endif
