// A compiled grammar: the owner of its terms and of all tables that terms refer to.
#ifndef LI_GRAMMAR_H
#define LI_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/inline.h"
#include "grammar/core/list.h"
#include "lastinch.h"

// Errors are sticky. A function that fails sets `status`, unless an earlier failure has set the status, and returns
// LI_TERM_NOTHING, NULL or false. Public functions read the status before they return. Fuel bounds the work of a public
// call. Each new term, each derivative that is not cached and each node visited costs one unit. Without fuel the status
// is LI_ERROR_GRAMMAR_FUEL; the call fails and changes nothing.

// A term's number: terms/term.h says what it stands for.
typedef uint32_t li_term;
enum {
    LI_TERM_NOTHING = 0, // no text at all
    LI_TERM_EMPTY = 1,   // only the empty text
};

#define LI_NO_LIMIT UINT32_MAX

// How JSON is spelt: options of the form (form_reader.h).
typedef struct li_spelling {
    bool any_order;         // properties in any order, not the schema's
    bool is_flexible;       // JSON is read with any whitespace
    bool canonical_numbers; // numbers without redundant zeros and exponents (number_term.h)
    bool plain_integers;    // integers have neither point nor exponent
    bool unique_keys;       // no object repeats a key
    bool indents;           // a line break and `indent` per level before every item and closing bracket
    li_term indent;         // one level of indentation
    li_term item_separator; // "," or ", "
    li_term key_separator;  // ":" or ": "
    li_term space;          // between any two marks: flexible whitespace, or EMPTY
} li_spelling;

// Which limit LI_ERROR_GRAMMAR_FUEL reports. web/grammar/grammar-errors.js has a sentence for each.
typedef enum li_limit {
    LI_LIMIT_FUEL,   // work: an option sets the limit; all other limits are fixed
    LI_LIMIT_MEMORY, // terms, words of terms, and memory of li_grammar_alloc
    LI_LIMIT_STATES, // of one walk of the vocabulary
    LI_LIMIT_DEPTH,  // of recursion
    LI_LIMIT_DIGITS, // of numbers
    LI_LIMIT_VALUES, // of searches for different values
    LI_LIMIT_WAYS,   // alternatives of an object or an array
} li_limit;

typedef struct li_term_table li_term_table; // terms/term_table.h
typedef struct li_rules li_rules;           // compile/rules.c
typedef struct li_schemas li_schemas;       // schema/schema_table.h
typedef struct li_nodes li_nodes;           // nodes/node_table.h
typedef struct li_numbers li_numbers;       // numbers/number_range.h
typedef struct li_lists li_lists;           // terms/string_list.c
typedef struct li_recordings li_recordings; // json/recorded_text.c
typedef struct li_prefixes li_prefixes;     // json/value_prefix.c

struct li_grammar {
    li_status status;
    li_limit limit;       // the limit reached, with LI_ERROR_GRAMMAR_FUEL
    uint64_t fuel, given; // what is left of the fuel that the call was given
    li_term_table *terms;
    li_rules *rules;
    li_schemas *schemas;
    li_nodes *nodes;
    li_numbers *numbers;
    li_lists *lists;
    li_recordings *recordings;
    li_prefixes *prefixes;
    li_spelling spelling;
    li_term root;
    li_term any_text;             // cached by li_any_text
    LI_LIST(li_refusal) refusals; // all refusals with `lenient`, else at most one
    bool lenient;
    bool records;                           // some term keeps the text that it reads: distinct/forget.h
    bool keys_repeat;                       // some object accepts a repeated key; the last value counts
    struct li_object_table **object_tables; // by number of their shapes (json/object_frame.c)
    uint32_t object_table_count;
    struct li_block *blocks;  // of li_grammar_alloc
    size_t block_bytes;       // of all blocks
    LI_LIST(li_term) scratch; // a stack of terms for functions at work: terms/scratch.h
    uint32_t depth;           // of recursion: li_depth_enter
    const uint8_t *form;      // (form_length) the form that the grammar was compiled from
    uint32_t form_length, form_fuel;
};

// Begins a public call with this much fuel and clears the failure of the call before.
void li_grammar_begin(li_grammar *grammar, uint64_t fuel);
// Takes one unit of fuel. False: no fuel is left, or the grammar has failed.
bool li_grammar_spend(li_grammar *grammar);
// Takes several units at once, for work that is counted after it is done.
bool li_grammar_pay(li_grammar *grammar, uint64_t units);
void li_grammar_fail(li_grammar *grammar, li_status status);
// Fails with LI_ERROR_GRAMMAR_FUEL because of a fixed limit.
void li_grammar_exceed(li_grammar *grammar, li_limit limit);

enum { LI_DEPTH_LIMIT = 400 };

// Enters one level of recursion. False: too deep, and the grammar has failed. After true the caller calls
// li_depth_leave.
LI_INLINE bool li_depth_enter(li_grammar *grammar)
{
    if (grammar->depth < LI_DEPTH_LIMIT) {
        grammar->depth++;
        return true;
    }
    li_grammar_exceed(grammar, LI_LIMIT_DEPTH);
    return false;
}

LI_INLINE void li_depth_leave(li_grammar *grammar)
{
    LI_ASSERT(grammar->depth);
    grammar->depth--;
}

#endif
