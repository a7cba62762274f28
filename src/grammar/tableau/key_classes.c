// Classes of keys: patterns split the set of all keys.
#include "grammar/tableau/key_classes.h"

#include "base/assert.h"
#include "grammar/schema/schema_graph.h"
#include "grammar/schema/schema_strings.h"
#include "grammar/schema/string_set.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/constructors.h"

bool li_atom_is_obligation(const li_atom *atom)
{
    if (atom->kind == LI_ATOM_NOT_REMAINING || atom->kind == LI_ATOM_SOME_VIOLATED || atom->parts) return true;
    return atom->kind == LI_ATOM_NOT_CLAUSE && (atom->clause->keyword == LI_KEYWORD_PATTERN_PROPERTIES ||
                                                atom->clause->keyword == LI_KEYWORD_PROPERTY_NAMES);
}

static li_term names(li_tableau *search, const li_clause *clause, bool is_negated)
{
    return li_string_set_term(search->grammar,
                              li_claim_strings(search->grammar, li_claim_of(clause->value, is_negated)));
}

// The clause i with patterns of a remainder; NULL: no more.
static const li_clause *remainder_clause(const li_tableau *search, const li_atom *atom, uint32_t i)
{
    const li_schema *schema = &search->grammar->schemas->all.at[atom->schema];
    if (atom->remainder) return i < atom->remainder->count ? atom->remainder->clauses[i] : NULL;
    return i < schema->clause_count ? &schema->clauses[i] : NULL;
}

bool li_remainder_has(const li_tableau *search, const li_atom *atom, uint32_t key)
{
    const li_schema *schema = &search->grammar->schemas->all.at[atom->schema];
    uint32_t count = atom->remainder ? atom->remainder->count : schema->clause_count;
    for (uint32_t i = 0; i < count; i++) {
        const li_clause *clause = atom->remainder ? atom->remainder->clauses[i] : &schema->clauses[i];
        if (clause->keyword == LI_KEYWORD_PROPERTIES && li_clause_find(clause, key) != UINT32_MAX) return false;
        if (clause->keyword != LI_KEYWORD_PATTERN_PROPERTIES) continue;
        for (uint32_t j = 0; j < clause->count; j++)
            if (li_text_matches(search->grammar, clause->items[2 * j], key)) return false;
    }
    return true;
}

static bool is_closed(const li_tableau *search, const li_atom *atom)
{
    return atom->kind == LI_ATOM_REMAINING && li_claim_resolve(search->grammar, atom->claim) == LI_CLAIM_FALSE;
}

// The keys that the schemas allow.
static li_term all_keys(li_tableau *search)
{
    li_grammar *grammar = search->grammar;
    li_term keys = li_any_text(grammar);
    for (uint32_t i = 0; i < search->atoms.count && keys != LI_TERM_NOTHING; i++) {
        const li_atom *atom = &search->atoms.at[i];
        if (atom->kind == LI_ATOM_CLAUSE && atom->clause->keyword == LI_KEYWORD_PROPERTY_NAMES)
            keys = li_both(grammar, keys, names(search, atom->clause, false));
        if (!is_closed(search, atom)) continue;
        li_term allowed = LI_TERM_NOTHING;
        const li_clause *clause;
        for (uint32_t j = 0; (clause = remainder_clause(search, atom, j)); j++)
            for (uint32_t k = 0; clause->keyword == LI_KEYWORD_PATTERN_PROPERTIES && k < clause->count; k++)
                allowed = li_either(grammar, allowed, clause->items[2 * k]);
        keys = li_both(grammar, keys, allowed);
    }
    return keys;
}

// Refuses a keyword: there are too many patterns, or too many classes.
static bool refuse(li_tableau *search)
{
    li_schema *all = search->grammar->schemas->all.at;
    for (uint32_t i = 0; i < search->atoms.count; i++)
        for (uint32_t j = 0, schema = search->atoms.at[i].schema; j < all[schema].clause_count; j++)
            if (all[schema].clauses[j].keyword == LI_KEYWORD_PATTERN_PROPERTIES)
                search->blame = (li_blame){.schema = schema, .clause = &all[schema].clauses[j]};
    search->width = UINT32_MAX;
    search->is_exhausted = true;
    return false;
}

static bool add_pattern(li_tableau *search, li_key_classes *classes, li_term pattern)
{
    for (uint32_t i = 0; i < classes->pattern_count; i++)
        if (classes->patterns[i] == pattern) return true;
    if (classes->pattern_count == LI_PATTERN_LIMIT) return refuse(search);
    classes->patterns[classes->pattern_count++] = pattern;
    return true;
}

static bool add_patterns_of(li_tableau *search, li_key_classes *classes, uint32_t index)
{
    const li_schema *schema = &search->grammar->schemas->all.at[index];
    li_clause *clauses = schema->clauses;
    for (uint32_t i = 0, count = schema->clause_count; i < count; i++) {
        const li_clause *clause = &clauses[i];
        if (clause->keyword == LI_KEYWORD_PROPERTY_NAMES && !add_pattern(search, classes, names(search, clause, true)))
            return false;
        for (uint32_t j = 0; clause->keyword == LI_KEYWORD_PATTERN_PROPERTIES && j < clause->count; j++)
            if (!add_pattern(search, classes, clause->items[2 * j])) return false;
    }
    return true;
}

static bool add_patterns(li_tableau *search, li_key_classes *classes, const li_atom *atom)
{
    const li_clause *clause = atom->clause;
    uint32_t keyword = clause ? clause->keyword : 0;
    for (uint32_t i = 0; atom->parts && i < atom->key; i++)
        if (!add_patterns(search, classes, &atom->parts[i])) return false;
    if (atom->kind == LI_ATOM_SOME_VIOLATED) return add_patterns_of(search, classes, atom->schema);
    bool is_remainder = atom->kind == LI_ATOM_REMAINING || atom->kind == LI_ATOM_NOT_REMAINING;
    if (is_remainder) {
        bool is_simple = is_closed(search, atom) || li_claim_resolve(search->grammar, atom->claim) == LI_CLAIM_TRUE;
        if (is_simple && atom->kind == LI_ATOM_REMAINING) return true;
        for (uint32_t i = 0; (clause = remainder_clause(search, atom, i)); i++)
            for (uint32_t j = 0; clause->keyword == LI_KEYWORD_PATTERN_PROPERTIES && j < clause->count; j++)
                if (!add_pattern(search, classes, clause->items[2 * j])) return false;
        return true;
    }
    if (keyword == LI_KEYWORD_PROPERTY_NAMES && atom->kind == LI_ATOM_NOT_CLAUSE)
        return add_pattern(search, classes, names(search, clause, true));
    if (keyword != LI_KEYWORD_PATTERN_PROPERTIES) return true;
    if (atom->kind == LI_ATOM_NOT_CLAUSE) return add_pattern(search, classes, clause->items[2 * atom->key]);
    for (uint32_t j = 0; j < clause->count; j++)
        if (li_claim_resolve(search->grammar, li_claim_of(clause->items[2 * j + 1], false)) != LI_CLAIM_TRUE &&
            !add_pattern(search, classes, clause->items[2 * j]))
            return false;
    return true;
}

static bool matches(const li_key_classes *classes, const li_key_class *of, li_term pattern)
{
    for (uint32_t i = 0; i < classes->pattern_count; i++)
        if (classes->patterns[i] == pattern) return of->patterns >> i & 1;
    return false;
}

// Whether keys of the class are in the remainder: none of its patterns matches the keys.
static bool remains(const li_tableau *search, const li_key_classes *classes, const li_key_class *of,
                    const li_atom *atom)
{
    const li_clause *clause;
    for (uint32_t i = 0; (clause = remainder_clause(search, atom, i)); i++)
        for (uint32_t j = 0; clause->keyword == LI_KEYWORD_PATTERN_PROPERTIES && j < clause->count; j++)
            if (matches(classes, of, clause->items[2 * j])) return false;
    return true;
}

static li_node class_node(li_tableau *search, const li_key_classes *classes, const li_key_class *of)
{
    li_grammar *grammar = search->grammar;
    li_node node = LI_NODE_ANY;
    for (uint32_t i = 0; i < search->atoms.count && node != LI_NODE_NONE; i++) {
        const li_atom *atom = &search->atoms.at[i];
        if (atom->kind == LI_ATOM_REMAINING && !is_closed(search, atom)) {
            if (li_claim_resolve(grammar, atom->claim) != LI_CLAIM_TRUE && remains(search, classes, of, atom))
                node = li_node_and(grammar, node, li_node_of_claim(grammar, atom->claim));
            continue;
        }
        const li_clause *clause = atom->clause;
        if (atom->kind != LI_ATOM_CLAUSE || clause->keyword != LI_KEYWORD_PATTERN_PROPERTIES) continue;
        for (uint32_t j = 0; j < clause->count; j++)
            if (matches(classes, of, clause->items[2 * j]))
                node =
                    li_node_and(grammar, node, li_node_of_claim(grammar, li_claim_of(clause->items[2 * j + 1], false)));
    }
    return node;
}

// The claim on the value of a property under which a keyword of the schema is violated: the value must not satisfy all
// that the keywords require.
static li_claim violating(li_tableau *search, const li_key_classes *classes, const li_key_class *of, uint32_t key,
                          const li_atom *atom)
{
    li_grammar *grammar = search->grammar;
    const li_schema *schema = &grammar->schemas->all.at[atom->schema];
    li_clause *clauses = schema->clauses;
    uint32_t origin = schema->origin;
    LI_LIST(uint32_t) asked = {0};
    for (uint32_t i = 0, clause_count = schema->clause_count; i < clause_count; i++) {
        const li_clause *clause = &clauses[i];
        uint32_t ways = 0, place;
        switch (clause->keyword) {
        case LI_KEYWORD_PROPERTY_NAMES:
            if (of ? matches(classes, of, names(search, clause, true))
                   : li_string_set_has(grammar, li_claim_strings(grammar, li_claim_of(clause->value, true)), key))
                return LI_CLAIM_TRUE;
            break;
        case LI_KEYWORD_PROPERTIES:
        case LI_KEYWORD_ADDITIONAL_PROPERTIES:
            ways = 1;
            break;
        case LI_KEYWORD_PATTERN_PROPERTIES:
            ways = clause->count;
            break;
        default:
            break;
        }
        if (!LI_ARENA_RESERVE(grammar, &asked, asked.count + ways)) return LI_CLAIM_FALSE;
        if (clause->keyword == LI_KEYWORD_PROPERTIES) {
            place = of ? UINT32_MAX : li_clause_find(clause, key);
            if (place != UINT32_MAX) asked.at[asked.count++] = clause->items[2 * place + 1];
        } else if (clause->keyword == LI_KEYWORD_ADDITIONAL_PROPERTIES) {
            if (of ? remains(search, classes, of, atom) : li_remainder_has(search, atom, key))
                asked.at[asked.count++] = clause->value;
        } else {
            for (uint32_t j = 0; j < ways; j++)
                if (of ? matches(classes, of, clause->items[2 * j])
                       : li_text_matches(grammar, clause->items[2 * j], key))
                    asked.at[asked.count++] = clause->items[2 * j + 1];
        }
    }
    if (asked.count == 0) return LI_CLAIM_FALSE;
    if (asked.count == 1) return li_claim_of(asked.at[0], true);
    return li_claim_of(li_schema_join(grammar, LI_KEYWORD_ALL_OF, asked.at, asked.count, origin), true);
}

li_claim li_key_witness(li_tableau *search, uint32_t key, const li_atom *atom)
{
    LI_ASSERT(key < search->grammar->schemas->texts.count && !atom->parts);
    li_grammar *grammar = search->grammar;
    const li_clause *clause = atom->clause;
    if (atom->kind == LI_ATOM_SOME_VIOLATED) return violating(search, NULL, NULL, key, atom);
    if (atom->kind == LI_ATOM_NOT_REMAINING) return li_remainder_has(search, atom, key) ? atom->claim : LI_CLAIM_FALSE;
    if (clause->keyword == LI_KEYWORD_PROPERTY_NAMES)
        return li_string_set_has(grammar, li_claim_strings(grammar, li_claim_of(clause->value, true)), key)
                   ? LI_CLAIM_TRUE
                   : LI_CLAIM_FALSE;
    return li_text_matches(grammar, clause->items[2 * atom->key], key)
               ? li_claim_of(clause->items[2 * atom->key + 1], true)
               : LI_CLAIM_FALSE;
}

li_claim li_key_class_witness(li_tableau *search, const li_key_classes *classes, const li_key_class *of,
                              const li_atom *atom)
{
    LI_ASSERT(!atom->parts);
    const li_clause *clause = atom->clause;
    if (atom->kind == LI_ATOM_SOME_VIOLATED) return violating(search, classes, of, 0, atom);
    if (atom->kind == LI_ATOM_NOT_REMAINING) return remains(search, classes, of, atom) ? atom->claim : LI_CLAIM_FALSE;
    if (clause->keyword == LI_KEYWORD_PROPERTY_NAMES)
        return matches(classes, of, names(search, clause, true)) ? LI_CLAIM_TRUE : LI_CLAIM_FALSE;
    return matches(classes, of, clause->items[2 * atom->key]) ? li_claim_of(clause->items[2 * atom->key + 1], true)
                                                              : LI_CLAIM_FALSE;
}

static bool push(li_tableau *search, li_key_classes *classes, li_term keys, uint64_t patterns)
{
    li_key_class class = {.keys = keys, .patterns = patterns};
    return LI_ARENA_PUSH(search->grammar, &classes->all, class);
}

// Splits every class by a pattern.
static bool split(li_tableau *search, li_key_classes *classes, uint32_t pattern)
{
    LI_ASSERT(pattern < classes->pattern_count);
    enum { CLASS_LIMIT = 64 };
    li_grammar *grammar = search->grammar;
    li_term not = li_not(grammar, classes->patterns[pattern]);
    for (uint32_t i = 0, count = classes->all.count; i < count; i++) {
        li_term keys = classes->all.at[i].keys;
        li_term in = li_both(grammar, keys, classes->patterns[pattern]);
        if (in == LI_TERM_NOTHING) continue;
        li_term out = li_both(grammar, keys, not );
        uint64_t before = classes->all.at[i].patterns;
        classes->all.at[i].keys = in;
        classes->all.at[i].patterns |= (uint64_t)1 << pattern;
        if (out != LI_TERM_NOTHING && !push(search, classes, out, before)) return false;
    }
    if (classes->all.count <= CLASS_LIMIT) return grammar->status == LI_OK;
    return refuse(search);
}

bool li_key_classes_make(li_tableau *search, li_key_classes *classes)
{
    classes->all.count = classes->pattern_count = 0;
    li_term keys = all_keys(search);
    if (keys == LI_TERM_NOTHING) return search->grammar->status == LI_OK;
    for (uint32_t i = 0; i < search->atoms.count; i++)
        if (!add_patterns(search, classes, &search->atoms.at[i])) return false;
    if (!push(search, classes, keys, 0)) return false;
    for (uint32_t i = 0; i < classes->pattern_count; i++)
        if (!split(search, classes, i)) return false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < classes->all.count; i++) {
        li_key_class *class = &classes->all.at[i];
        class->node = class_node(search, classes, class);
        if (class->node != LI_NODE_NONE) classes->all.at[kept++] = *class;
    }
    classes->all.count = kept;
    return search->grammar->status == LI_OK;
}
