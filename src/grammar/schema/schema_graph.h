// Facts about schemas that are found before schemas are expanded: equal schemas, cycles, types.
#ifndef LI_SCHEMA_GRAPH_H
#define LI_SCHEMA_GRAPH_H

#include "grammar/schema/schema_table.h"

// Merges equal schemas, refuses schemas that apply themselves in place, and fills in li_schema.
void li_schemas_finish(li_grammar *grammar);
void li_schema_finish(li_grammar *grammar, uint32_t schema); // one schema, after the schemas within it
// The i-th schema within a clause, NULL after the last.
uint32_t *li_clause_child(li_clause *clause, uint32_t i);
bool li_clause_is_in_place(const li_clause *clause);
// The sort that a keyword constrains; LI_SORT_ALL for keywords of several types.
uint32_t li_keyword_sort(uint32_t keyword);
// The simplest equal claim.
li_claim li_claim_resolve(const li_grammar *grammar, li_claim claim);

// Makes a schema of the clauses, which must live as long as the grammar.
uint32_t li_schema_make(li_grammar *grammar, li_clause *clauses, uint32_t count, uint32_t origin);
// The schema that holds where all (ALL_OF) or any (ANY_OF) of others hold. Equal arguments give the same schema.
uint32_t li_schema_join(li_grammar *grammar, uint32_t keyword, const uint32_t *schemas, uint32_t count,
                        uint32_t origin);

#endif
