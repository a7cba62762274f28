// The strings that satisfy or violate a schema: sets of strings for keywords, joined. Complements are pushed down to
// keywords.
#include "grammar/schema/schema_strings.h"

#include "base/assert.h"
#include "grammar/core/arena.h"
#include "grammar/schema/schema_graph.h"
#include "grammar/schema/string_set.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/constructors.h"

static li_string_set *claim_texts(li_grammar *grammar, uint32_t schema, bool is_negated)
{
    return li_claim_strings(grammar, li_claim_of(schema, is_negated));
}

static li_string_set *sized(li_grammar *grammar, uint32_t least, uint32_t most)
{
    if (least == 0 && most == LI_NO_LIMIT) return li_string_set_all(grammar, true);
    li_string_set *set = li_grammar_alloc(grammar, sizeof *set);
    if (!set) return NULL;
    *set = (li_string_set){
        .kind = LI_STRINGS_LANGUAGE, .language = li_any_text(grammar), .least = least, .most = most, .count = 0};
    return set;
}

static li_string_set *of_pattern(li_grammar *grammar, li_term term, bool is_negated)
{
    li_term any = li_any_text(grammar);
    if (is_negated) term = li_both(grammar, any, li_not(grammar, term));
    if (term == LI_TERM_NOTHING || term == any) return li_string_set_all(grammar, term == any);
    li_string_set *set = li_grammar_alloc(grammar, sizeof *set);
    if (!set) return NULL;
    *set = (li_string_set){.kind = LI_STRINGS_LANGUAGE, .language = term, .most = LI_NO_LIMIT};
    return set;
}

static void sift(uint32_t *words, uint32_t place, uint32_t count)
{
    uint32_t moved = words[place];
    for (uint32_t child; (child = 2 * place + 1) < count; place = child) {
        if (child + 1 < count && words[child + 1] > words[child]) child++;
        if (words[child] <= moved) break;
        words[place] = words[child];
    }
    words[place] = moved;
}

static li_string_set *of_enum(li_grammar *grammar, const li_clause *clause, bool is_negated)
{
    const li_constant *constants = grammar->schemas->constants.at;
    li_string_set *set = li_grammar_alloc(grammar, sizeof *set);
    uint32_t *texts = li_grammar_alloc(grammar, ((size_t)clause->count + 1) * sizeof *texts), count = 0;
    if (!set || !texts) return NULL;
    for (uint32_t i = 0; i < clause->count; i++)
        if (constants[clause->items[i]].sort == LI_SORT_STRING) texts[count++] = constants[clause->items[i]].text;
    for (uint32_t i = count / 2; i-- > 0;) sift(texts, i, count);
    for (uint32_t i = count; i-- > 1;) {
        uint32_t largest = texts[0];
        texts[0] = texts[i];
        texts[i] = largest;
        sift(texts, 0, i);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || texts[kept - 1] != texts[i]) texts[kept++] = texts[i];
    LI_ASSERT(li_is_ascending(texts, kept));
    *set = (li_string_set){.kind = is_negated ? LI_STRINGS_UNLISTED : LI_STRINGS_LISTED, .count = kept, .texts = texts};
    return set;
}

// The strings that satisfy all of the schemas, or any, each negated or not.
static li_string_set *of_list(li_grammar *grammar, const li_clause *clause, bool are_negated, bool is_any)
{
    li_string_set *set = li_string_set_all(grammar, !is_any);
    for (uint32_t i = 0; i < clause->count; i++) {
        li_string_set *next = claim_texts(grammar, clause->items[i], are_negated);
        set = is_any ? li_string_set_either(grammar, set, next) : li_string_set_both(grammar, set, next);
    }
    return set;
}

// Whether the sets are disjoint. If so, `together` is their union.
static bool are_apart(li_grammar *grammar, li_string_set *const *sets, uint32_t count, li_string_set **together)
{
    *together = li_string_set_all(grammar, false);
    for (uint32_t i = 0; i < count; i++) {
        if (!li_string_set_is_empty(grammar, li_string_set_both(grammar, *together, sets[i]))) return false;
        *together = li_string_set_either(grammar, *together, sets[i]);
    }
    return true;
}

// The strings in exactly one of the sets; negated: in none or in two or more.
static li_string_set *of_one(li_grammar *grammar, const li_clause *clause, bool is_negated)
{
    li_string_set **sets = li_grammar_alloc(grammar, ((size_t)clause->count + 1) * sizeof *sets), *result;
    if (!sets) return NULL;
    for (uint32_t i = 0; i < clause->count; i++) sets[i] = claim_texts(grammar, clause->items[i], false);
    bool is_simple = are_apart(grammar, sets, clause->count, &result);
    if (is_simple && !is_negated) return result;
    result = is_negated ? of_list(grammar, clause, true, false) : li_string_set_all(grammar, false);
    for (uint32_t i = 0; i < clause->count && !is_simple && grammar->status == LI_OK; i++) {
        li_string_set *only = sets[i];
        for (uint32_t j = 0; j < clause->count && grammar->status == LI_OK; j++) {
            if (i == j || (is_negated && j < i)) continue;
            li_string_set *shared = li_string_set_both(grammar, sets[i], sets[j]);
            if (li_string_set_is_empty(grammar, shared)) continue;
            if (is_negated)
                result = li_string_set_either(grammar, result, shared);
            else
                only = li_string_set_both(grammar, only, claim_texts(grammar, clause->items[j], true));
        }
        if (!is_negated) result = li_string_set_either(grammar, result, only);
    }
    return result;
}

static li_string_set *of_if(li_grammar *grammar, const li_clause *clause, bool is_negated)
{
    li_string_set *yes = li_string_set_both(grammar, claim_texts(grammar, clause->value, false),
                                            claim_texts(grammar, clause->items[0], is_negated));
    li_string_set *no = li_string_set_both(grammar, claim_texts(grammar, clause->value, true),
                                           claim_texts(grammar, clause->items[1], is_negated));
    return li_string_set_either(grammar, yes, no);
}

static li_string_set *of_clause(li_grammar *grammar, const li_clause *clause, bool is_negated)
{
    switch (clause->keyword) {
    case LI_KEYWORD_FALSE:
        return li_string_set_all(grammar, is_negated);
    case LI_KEYWORD_TYPE:
        return li_string_set_all(grammar, !(clause->value & LI_TYPE_STRING) == is_negated);
    case LI_KEYWORD_ENUM:
        return of_enum(grammar, clause, is_negated);
    case LI_KEYWORD_MIN_LENGTH:
        if (!is_negated) return sized(grammar, clause->value, LI_NO_LIMIT);
        return clause->value ? sized(grammar, 0, clause->value - 1) : li_string_set_all(grammar, false);
    case LI_KEYWORD_MAX_LENGTH:
        if (!is_negated) return sized(grammar, 0, clause->value);
        return clause->value < LI_NO_LIMIT ? sized(grammar, clause->value + 1, LI_NO_LIMIT)
                                           : li_string_set_all(grammar, false);
    case LI_KEYWORD_PATTERN:
    case LI_KEYWORD_FORMAT:
        return of_pattern(grammar, clause->value, is_negated);
    case LI_KEYWORD_NOT:
        return claim_texts(grammar, clause->value, !is_negated);
    case LI_KEYWORD_REF:
        return claim_texts(grammar, clause->value, is_negated);
    case LI_KEYWORD_ALL_OF:
        return of_list(grammar, clause, is_negated, is_negated);
    case LI_KEYWORD_ANY_OF:
        return of_list(grammar, clause, is_negated, !is_negated);
    case LI_KEYWORD_ONE_OF:
        return of_one(grammar, clause, is_negated);
    case LI_KEYWORD_IF:
        return of_if(grammar, clause, is_negated);
    default:
        return li_string_set_all(grammar, !is_negated);
    }
}

li_string_set *li_claim_strings(li_grammar *grammar, li_claim claim)
{
    claim = li_claim_resolve(grammar, claim);
    li_schemas *schemas = grammar->schemas;
    const li_schema *schema = &schemas->all.at[li_claim_schema(claim)];
    bool is_negated = li_claim_is_negated(claim);
    if (schema->texts[is_negated]) return schema->texts[is_negated];
    li_string_set *set = li_string_set_all(grammar, !is_negated);
    if ((schema->always | schema->never) & LI_SORT_STRING) {
        set = li_string_set_all(grammar, !(schema->always & LI_SORT_STRING) == is_negated);
    } else {
        // Simple keywords come first: many strings are decided without a language.
        for (uint32_t pass = 0; pass < 2; pass++)
            for (uint32_t i = 0; i < schema->clause_count && grammar->status == LI_OK; i++) {
                const li_clause *clause = &schema->clauses[i];
                bool is_first = clause->keyword == LI_KEYWORD_ENUM || clause->keyword == LI_KEYWORD_TYPE;
                if (clause->keyword == 0 || is_first != (pass == 0)) continue;
                li_string_set *next = of_clause(grammar, clause, is_negated);
                set = is_negated ? li_string_set_either(grammar, set, next) : li_string_set_both(grammar, set, next);
            }
    }
    if (grammar->status != LI_OK) return NULL;
    return schemas->all.at[li_claim_schema(claim)].texts[is_negated] = set;
}
