// The search for the alternatives of a node for values of one type. An alternative is a list of plain conditions
// (atoms) that must all hold. The method is a tableau: schemas are taken apart into atoms and forks; each branch of a
// fork is tried in turn; a branch that contradicts the atoms is left at once.
#ifndef LI_TABLEAU_H
#define LI_TABLEAU_H

#include "grammar/nodes/node_table.h"

typedef enum li_atom_kind {
    LI_ATOM_CLAUSE,        // a keyword of this type holds
    LI_ATOM_NOT_CLAUSE,    // the keyword is violated; `key`: in which way, if there are several
    LI_ATOM_INTEGER,       // the number is an integer, or (`key` 1) is not
    LI_ATOM_EQUAL,         // the number is that of constant `key`
    LI_ATOM_ITEM,          // there is an item at index `key`, and it satisfies `claim`
    LI_ATOM_ITEMS,         // all items from index `key` on satisfy `claim`
    LI_ATOM_CONTAINS,      // at least `key` items satisfy `claim`
    LI_ATOM_FORBIDDEN,     // the property `key` is not there
    LI_ATOM_PROPERTY,      // if the property `key` is there, its value satisfies `claim`
    LI_ATOM_REMAINING,     // the values of all properties in the remainder satisfy `claim`
    LI_ATOM_NOT_REMAINING, // some property in the remainder has a value that satisfies `claim`
    LI_ATOM_SOME_VIOLATED, // some property violates one of the keywords of the schema about properties' values or names
    LI_ATOM_UNEVALUATED,   // unevaluated items or properties satisfy the keyword; becomes ITEMS or REMAINING
    LI_ATOM_NOT_UNEVALUATED, // some unevaluated item or property does not satisfy the keyword
    LI_ATOM_NEEDED,          // the property `key` is there; only as a part
    LI_ATOM_SOME_PART,       // one of `key` parts holds; a part is about one property, or is an obligation
} li_atom_kind;

// The properties that no clause of a list (PROPERTIES, PATTERN_PROPERTIES) names.
typedef struct li_remainder {
    const li_clause **clauses;
    uint32_t count;
} li_remainder;

typedef struct li_atom {
    uint32_t kind;
    uint32_t schema; // the schema with the keyword
    const li_clause *clause;
    uint32_t key;
    li_claim claim;
    const li_remainder *remainder; // NULL: the remainder of the schema itself
    const struct li_atom *parts;
} li_atom;

// The keyword to blame for too many alternatives.
typedef struct li_blame {
    uint32_t schema;
    li_clause *clause;
} li_blame;

// A claim on the present path of the search.
typedef struct li_made_claim {
    li_claim claim;
    bool is_observed; // an unevaluated keyword asks what the claim evaluates
    li_blame blame;
} li_made_claim;

typedef enum li_fork_kind {
    LI_FORK_ANY,       // a schema of anyOf
    LI_FORK_ONE,       // a schema of oneOf and none of the others
    LI_FORK_IF,        // the condition holds and so does then, or the condition fails and else holds
    LI_FORK_VALUE,     // a number, array or object of enum
    LI_FORK_DEPENDENT, // without the key, or with the conditions that depend on the key
    LI_FORK_HOLDS,     // `claim` holds, or does not hold
    LI_FORK_VIOLATION, // one way to violate the schema
    LI_FORK_ITEMS,     // which items before index `key` satisfy `claim`; some later item must too
} li_fork_kind;

typedef struct li_fork {
    li_fork_kind kind;
    bool is_observed;
    uint32_t schema;
    li_clause *clause;
    uint32_t key;
    li_claim claim;
    li_blame blame;
} li_fork;

// A property that must be there, and the node of its value as far as is known.
typedef struct li_needed {
    uint32_t key;
    li_node node;
} li_needed;

struct li_tableau {
    li_grammar *grammar;
    li_node node;
    uint32_t sort;
    bool is_trial;     // looks only whether there is an alternative
    bool is_found;     // a trial has found an alternative
    bool is_exhausted; // a limit was reached
    bool is_lazy;      // choices between properties are left open: tableau_defer.c
    uint32_t steps, leaves, leaf_limit, width;
    uint32_t constant;    // + 1: the constant of enum that was taken; 0: none
    uint32_t value_count; // constants taken so far; each adds to the allowed steps
    li_blame blame;       // for the widest fork
    LI_LIST(li_made_claim) claims;
    LI_LIST(li_atom) atoms;
    LI_LIST(li_fork) forks;
    LI_LIST(uint32_t) active; // forks that are open, level by level
    LI_LIST(li_needed) needed;
    LI_LIST(li_needed) replaced; // index and node: what to put back into `needed`
    LI_LIST(uint32_t) places;    // (room) for each text, its index in `needed` + 1
    uint32_t expanded;           // claims that have been taken apart
    // The results.
    LI_LIST(void *) found; // li_array_shape *, li_object_shape *
    LI_LIST(li_number_range) ranges;
    uint32_t next_id;             // above the numbers of the shapes found
    LI_LIST(li_decimal) decimals; // scratch of number_shape.c
};

// Begins a search within the present search, without claims; NULL: too many levels. li_tableau_leave ends the search.
li_tableau *li_tableau_enter(li_grammar *grammar, li_node node, uint32_t sort, bool is_trial);
void li_tableau_leave(li_grammar *grammar);

// The keyword to blame for too much work; without a clause if there is none.
li_blame li_tableau_blame(const li_tableau *search);
// Adds a shape with the number `id` to the results, once.
void li_tableau_keep(li_tableau *search, void *shape, uint32_t id);

// A state of the search to return to.
typedef struct li_tableau_mark {
    uint32_t claims, expanded, atoms, forks, needed, replaced;
} li_tableau_mark;
li_tableau_mark li_tableau_save(const li_tableau *search);
void li_tableau_restore(li_tableau *search, li_tableau_mark mark);

#endif
