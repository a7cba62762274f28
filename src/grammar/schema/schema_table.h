// The table of schemas: read from the form, equal schemas merged, references checked.
#ifndef LI_SCHEMA_TABLE_H
#define LI_SCHEMA_TABLE_H

#include "base/assert.h"
#include "grammar/core/grammar.h"
#include "grammar/core/table.h"
#include "grammar/numbers/decimal.h"
#include "grammar/schema/keywords.h"

// A claim: a schema that must hold, or must not. The claims of one schema are neighbours; 0 is the schema `true`.
typedef uint32_t li_claim;
enum { LI_CLAIM_TRUE = 0, LI_CLAIM_FALSE = 1 };

static inline li_claim li_claim_of(uint32_t schema, bool is_negated)
{
    LI_ASSERT(schema <= UINT32_MAX / 2);
    return 2 * schema + is_negated;
}

static inline uint32_t li_claim_schema(li_claim claim)
{
    return claim / 2;
}

static inline bool li_claim_is_negated(li_claim claim)
{
    return claim % 2 == 1;
}

static inline li_claim li_claim_opposite(li_claim claim)
{
    return claim ^ 1;
}

// JSON types as bits. Integers are numbers.
enum {
    LI_SORT_NULL = 1,
    LI_SORT_BOOLEAN = 2,
    LI_SORT_NUMBER = 4,
    LI_SORT_STRING = 8,
    LI_SORT_ARRAY = 16,
    LI_SORT_OBJECT = 32,
    LI_SORT_ALL = 63,
};

// The values null, false and true as bits.
enum { LI_PLAIN_NULL = 1, LI_PLAIN_FALSE = 2, LI_PLAIN_TRUE = 4, LI_PLAIN_ALL = 7 };

typedef struct li_text {
    const uint8_t *bytes; // UTF-8
    uint32_t length;
} li_text;

// One keyword of a schema. Schemas are indexes into the table, texts and constants are interned.
//   value: type bits, number, term, index or text; items: (count) as keywords.h lists them;
//   PROPERTIES: items are pairs (text, schema), PATTERN_PROPERTIES: (term, schema), and count counts pairs;
//   CONTAINS value is the schema, items least and most; IF value is the schema, items then and else (`true` if absent);
//   DEPENDENT_*: one clause for each key, which is `value`; items the texts or the schema.
typedef struct li_clause {
    uint32_t keyword; // li_keyword; 0: ignored, because it was refused
    uint8_t apart;    // of ONE_OF: the result of discriminator.c; 0: not asked yet
    uint8_t written;  // of ENUM: the keyword of the schema, if this is ANY_OF or ONE_OF; else 0
    uint32_t value;
    uint32_t count;
    uint32_t *items;
    // PROPERTIES: positions by ascending text, NULL where there are few. ENUM: (7) where the values of each sort begin.
    uint32_t *order;
    li_decimal decimal;
} li_clause;

typedef struct li_string_set li_string_set; // string_set.h

typedef struct li_schema {
    li_clause *clauses;
    uint32_t clause_count;
    uint32_t origin;       // index in the form, of this schema or of the schema that this schema was made for
    li_claim same_as;      // an equal, simpler claim, else the schema itself
    uint32_t height;       // of the tree of schemas that apply in place
    uint8_t always, never; // sorts of which the schema accepts every value, or none; other sorts are undecided
    uint8_t plain;         // the accepted values of null, false and true
    uint8_t evaluates;     // sorts (ARRAY, OBJECT) whose items or properties the schema evaluates
    uint8_t visit;
    li_string_set *texts[2]; // accepted and refused strings: see schema_strings.c
} li_schema;

// A JSON value within a schema. Equal values (as JSON) are one constant.
typedef struct li_constant {
    uint32_t sort;
    uint32_t plain; // null, false or true
    uint32_t text;
    li_decimal decimal;
    uint32_t count;
    const uint32_t *items; // constants; of an object (text, constant) pairs
    uint32_t schema;       // of an array or object: an equal schema (li_constant_schema), made on first use
} li_constant;

struct li_schemas {
    LI_LIST(li_schema) all; // 0 is the schema `true`
    LI_LIST(li_text) texts;
    LI_LIST(uint32_t) text_stamps; // scratch: stamps, one for each text
    LI_LIST(li_constant) constants;
    LI_LIST(uint32_t) words;                // a stack for readers at work
    li_table by_text, by_constant, by_join; // by_join: schemas made by li_schema_join
    uint32_t form_count;
    uint32_t stamp;
};

// Frees the tables of the schemas; the rest is in the arena.
void li_schemas_destroy(li_grammar *grammar);
// The number of a text: equal texts have one number.
uint32_t li_text_intern(li_grammar *grammar, const uint8_t *bytes, uint32_t length);
// The position of the key in PROPERTIES, or UINT32_MAX.
uint32_t li_clause_find(const li_clause *clause, uint32_t text);
// Whether the text is in the language.
bool li_text_matches(li_grammar *grammar, li_term term, uint32_t text);

// The keyword that the schema was written with.
static inline uint32_t li_clause_written(const li_clause *clause)
{
    return clause->written ? clause->written : clause->keyword;
}

// Records that a clause cannot be enforced. The grammar fails; a lenient grammar ignores the clause.
void li_refuse(li_grammar *grammar, uint32_t schema, uint32_t keyword, li_refusal_reason reason);

#endif
