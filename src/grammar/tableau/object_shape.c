// Objects: the shape of an alternative, from its atoms.
#include "grammar/tableau/object_shape.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/core/arena.h"
#include "grammar/schema/schema_graph.h"
#include "grammar/schema/string_set.h"
#include "grammar/tableau/key_classes.h"
#include "grammar/tableau/raw_shape.h"
#include "grammar/tableau/tableau_atoms.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/word_count.h"

// A shape under construction: parallel lists of known keys, and the atoms that are obligations.
typedef struct li_draft {
    li_tableau *search;
    li_grammar *grammar;
    LI_LIST(uint32_t) keys;
    LI_LIST(li_node) nodes;
    LI_LIST(bool) required;
    uint32_t least, most;
    li_key_classes classes;
    LI_LIST(li_witness) witnesses;
    uint32_t obligation_count;
} li_draft;

static uint32_t *place_of(li_draft *draft, uint32_t key)
{
    LI_ASSERT(key < draft->grammar->schemas->texts.count);
    return &draft->grammar->nodes->slots_of_texts.at[key];
}

static bool add_key(li_draft *draft, uint32_t key)
{
    li_grammar *grammar = draft->grammar;
    if (*place_of(draft, key)) return true;
    if (!LI_ARENA_PUSH(grammar, &draft->nodes, LI_NODE_ANY) || !LI_ARENA_PUSH(grammar, &draft->required, false) ||
        !LI_ARENA_PUSH(grammar, &draft->keys, key))
        return false;
    *place_of(draft, key) = draft->keys.count;
    return true;
}

static bool add_keys_of(li_draft *draft, const li_schema *schema, const li_remainder *remainder)
{
    uint32_t count = remainder ? remainder->count : schema->clause_count;
    for (uint32_t i = 0; i < count; i++) {
        const li_clause *clause = remainder ? remainder->clauses[i] : &schema->clauses[i];
        for (uint32_t j = 0; clause->keyword == LI_KEYWORD_PROPERTIES && j < clause->count; j++)
            if (!add_key(draft, clause->items[2 * j])) return false;
    }
    return true;
}

// Adds keys in the order of the schemas' properties, then keys that are only required or forbidden.
static bool add_keys(li_draft *draft)
{
    li_tableau *search = draft->search;
    for (uint32_t i = 0; i < search->atoms.count; i++) {
        const li_atom *atom = &search->atoms.at[i], *parts = atom->parts ? atom->parts : atom;
        bool has_keys = atom->kind == LI_ATOM_CLAUSE && atom->clause->keyword == LI_KEYWORD_PROPERTIES;
        for (uint32_t j = 0; has_keys && j < atom->clause->count; j++)
            if (!add_key(draft, atom->clause->items[2 * j])) return false;
        // Obligations and remainders treat named keys apart.
        for (uint32_t j = 0, count = atom->parts ? atom->key : 1; j < count; j++) {
            const li_atom *part = &parts[j];
            if ((part->remainder || part->kind == LI_ATOM_NOT_REMAINING || part->kind == LI_ATOM_REMAINING ||
                 part->kind == LI_ATOM_SOME_VIOLATED) &&
                !add_keys_of(draft, &draft->grammar->schemas->all.at[part->schema], part->remainder))
                return false;
        }
    }
    for (uint32_t i = 0; i < search->needed.count; i++) {
        if (!add_key(draft, search->needed.at[i].key)) return false;
        draft->required.at[*place_of(draft, search->needed.at[i].key) - 1] = true;
    }
    for (uint32_t i = 0; i < search->atoms.count; i++) {
        const li_atom *atom = &search->atoms.at[i], *parts = atom->parts ? atom->parts : atom;
        for (uint32_t j = 0, count = atom->parts ? atom->key : 1; j < count; j++)
            if (li_atom_has_key(&parts[j]) && !add_key(draft, parts[j].key)) return false;
    }
    return true;
}

static void ask(li_draft *draft, uint32_t place, li_node node)
{
    LI_ASSERT(place < draft->nodes.count);
    draft->nodes.at[place] = li_node_and(draft->grammar, draft->nodes.at[place], node);
}

static void take_limits(li_draft *draft, const li_atom *atom)
{
    bool is_negated = atom->kind == LI_ATOM_NOT_CLAUSE;
    uint32_t value = atom->clause->value, least = 0, most = LI_NO_LIMIT;
    switch (atom->clause->keyword) {
    case LI_KEYWORD_MIN_PROPERTIES:
        if (!is_negated)
            least = value;
        else if (value == 0)
            least = 1, most = 0;
        else
            most = value - 1;
        break;
    case LI_KEYWORD_MAX_PROPERTIES:
        if (!is_negated)
            most = value;
        else if (value == LI_NO_LIMIT)
            least = 1, most = 0;
        else
            least = value + 1;
        break;
    default:
        return;
    }
    // Keys are counted up to LI_WORDS_MOST.
    if (least > LI_WORDS_MOST) {
        li_refuse(draft->grammar, atom->schema, atom->clause->keyword, LI_REFUSAL_UNDECIDED);
        return;
    }
    if (least > draft->least) draft->least = least;
    if (most < draft->most) draft->most = most;
}

static void take_atom(li_draft *draft, const li_atom *atom)
{
    li_grammar *grammar = draft->grammar;
    bool is_clause = atom->kind == LI_ATOM_CLAUSE;
    if (is_clause || atom->kind == LI_ATOM_NOT_CLAUSE) take_limits(draft, atom);
    if (is_clause && atom->clause->keyword == LI_KEYWORD_PROPERTIES) {
        for (uint32_t i = 0; i < atom->clause->count; i++)
            ask(draft, *place_of(draft, atom->clause->items[2 * i]) - 1,
                li_node_of_claim(grammar, li_claim_of(atom->clause->items[2 * i + 1], false)));
        return;
    }
    if (atom->kind == LI_ATOM_FORBIDDEN || atom->kind == LI_ATOM_PROPERTY) {
        ask(draft, *place_of(draft, atom->key) - 1, li_atom_asks(draft->search, atom, atom->key));
        return;
    }
    bool is_for_all = is_clause && (atom->clause->keyword == LI_KEYWORD_PATTERN_PROPERTIES ||
                                    atom->clause->keyword == LI_KEYWORD_PROPERTY_NAMES);
    if (!is_for_all && atom->kind != LI_ATOM_REMAINING) return;
    if (atom->kind == LI_ATOM_REMAINING && li_claim_resolve(grammar, atom->claim) == LI_CLAIM_TRUE) return;
    for (uint32_t i = 0; i < draft->keys.count; i++)
        ask(draft, i, li_atom_asks(draft->search, atom, draft->keys.at[i]));
}

// Removes known keys from the classes.
static void take_known_out(li_draft *draft)
{
    li_grammar *grammar = draft->grammar;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < draft->classes.all.count; i++) {
        li_key_class class = draft->classes.all.at[i];
        bool is_any = class.keys == li_any_text(grammar);
        uint32_t *texts = li_grammar_alloc(grammar, ((size_t)draft->keys.count + 1) * sizeof *texts), count = 0;
        if (!texts) return;
        for (uint32_t j = 0; j < draft->keys.count; j++)
            if (is_any || li_text_matches(grammar, class.keys, draft->keys.at[j])) texts[count++] = draft->keys.at[j];
        if (count) {
            li_string_set others = {.kind = LI_STRINGS_UNLISTED, .count = count, .texts = texts};
            class.keys = li_both(grammar, class.keys, li_string_set_term(grammar, &others));
        }
        if (class.keys != LI_TERM_NOTHING) draft->classes.all.at[kept++] = class;
    }
    draft->classes.all.count = kept;
}

// Adds a property as a witness if it can be one. True: the obligation is already fulfilled.
static bool add_witness(li_draft *draft, const li_atom *part, uint32_t property)
{
    li_grammar *grammar = draft->grammar;
    const li_key_class *class =
        property < draft->keys.count ? NULL : &draft->classes.all.at[property - draft->keys.count];
    li_node node = class ? class->node : draft->nodes.at[property];
    bool is_required = !class && draft->required.at[property], may_miss = false;
    li_claim claim = LI_CLAIM_FALSE;
    if (li_atom_has_key(part)) {
        if (part->kind != LI_ATOM_FORBIDDEN) claim = part->claim;
        may_miss = part->kind != LI_ATOM_NEEDED && !is_required;
    } else {
        claim = class ? li_key_class_witness(draft->search, &draft->classes, class, part)
                      : li_key_witness(draft->search, draft->keys.at[property], part);
    }
    if (li_claim_resolve(grammar, claim) == LI_CLAIM_FALSE && !may_miss) return false;
    li_witness witness = {.obligation = draft->obligation_count, .property = property, .may_miss = may_miss};
    li_node together = li_node_and(grammar, node, li_node_of_claim(grammar, claim));
    if (together != LI_NODE_NONE && !li_node_seems_empty(grammar, together, false)) {
        witness.node = together == node ? LI_NODE_ANY : li_node_of_claim(grammar, claim);
        witness.other = together == node ? LI_NODE_NONE : li_node_of_claim(grammar, li_claim_opposite(claim));
        li_node apart = li_node_and(grammar, node, witness.other);
        if (apart == LI_NODE_NONE || li_node_seems_empty(grammar, apart, false))
            witness.node = LI_NODE_ANY, witness.other = LI_NODE_NONE;
    }
    if (witness.node == LI_NODE_ANY && (is_required || may_miss)) return true;
    if (node == LI_NODE_NONE && may_miss) return true;
    if (witness.node != LI_NODE_NONE || may_miss) LI_ARENA_PUSH(grammar, &draft->witnesses, witness);
    return false;
}

// Adds an open obligation with its witnesses. False: no property can fulfil the obligation.
static bool take_obligation(li_draft *draft, const li_atom *atom)
{
    const li_atom *parts = atom->parts ? atom->parts : atom;
    uint32_t first = draft->witnesses.count;
    for (uint32_t i = 0, count = atom->parts ? atom->key : 1; i < count; i++) {
        uint32_t property = 0, last = draft->keys.count + draft->classes.all.count;
        if (li_atom_has_key(&parts[i])) last = *place_of(draft, parts[i].key), property = last - 1;
        for (; property < last; property++) {
            if (!add_witness(draft, &parts[i], property)) continue;
            draft->witnesses.count = first;
            return true;
        }
    }
    if (draft->witnesses.count == first) return false;
    const li_witness *last = &draft->witnesses.at[first];
    if (draft->witnesses.count == first + 1 && last->property < draft->keys.count) {
        draft->required.at[last->property] |= !last->may_miss;
        ask(draft, last->property, last->node);
        draft->witnesses.count = first;
        return true;
    }
    draft->obligation_count++;
    return true;
}

static bool witness_alike(const li_draft *draft, uint32_t a, uint32_t b)
{
    const li_witness *all = draft->witnesses.at;
    uint32_t count = draft->witnesses.count;
    for (uint32_t i = 0, j = 0;; i++, j++) {
        while (i < count && all[i].property != a) i++;
        while (j < count && all[j].property != b) j++;
        if (i == count || j == count) return i == j;
        if (all[i].obligation != all[j].obligation || all[i].node != all[j].node) return false;
    }
}

// Merges classes with the same node that are alike as witnesses of every obligation.
static void merge_classes(li_draft *draft)
{
    li_key_class *classes = draft->classes.all.at;
    for (uint32_t i = 0; i < draft->classes.all.count; i++)
        for (uint32_t j = i + 1; j < draft->classes.all.count;) {
            if (classes[i].node != classes[j].node ||
                !witness_alike(draft, draft->keys.count + i, draft->keys.count + j)) {
                j++;
                continue;
            }
            classes[i].keys = li_either(draft->grammar, classes[i].keys, classes[j].keys);
            memmove(&classes[j], &classes[j + 1], (--draft->classes.all.count - j) * sizeof *classes);
            draft->witnesses.count =
                li_witnesses_drop(draft->witnesses.at, draft->witnesses.count, draft->keys.count + j);
        }
}

// Drops forbidden keys that no class contains.
static void drop_forbidden(li_draft *draft)
{
    if (draft->classes.all.count > 0 || draft->obligation_count > 0) return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < draft->keys.count; i++) {
        if (draft->nodes.at[i] == LI_NODE_NONE) continue;
        draft->keys.at[kept] = draft->keys.at[i];
        draft->nodes.at[kept] = draft->nodes.at[i];
        draft->required.at[kept] = draft->required.at[i];
        kept++;
    }
    draft->keys.count = kept;
}

static void finish(li_draft *draft)
{
    li_grammar *grammar = draft->grammar;
    uint32_t class_count = draft->classes.all.count;
    li_object_shape shape = {.constant = draft->search->constant,
                             .known_count = draft->keys.count,
                             .known_nodes = draft->nodes.at,
                             .required = draft->required.at,
                             .class_count = class_count,
                             .least = draft->least,
                             .most = draft->most,
                             .obligation_count = draft->obligation_count,
                             .witness_count = draft->witnesses.count,
                             .witnesses = draft->witnesses.at};
    li_text *known = li_grammar_alloc(grammar, ((size_t)draft->keys.count + 1) * sizeof *known);
    li_term *class_keys = li_grammar_alloc(grammar, ((size_t)class_count + 1) * sizeof *class_keys);
    li_node *class_nodes = li_grammar_alloc(grammar, ((size_t)class_count + 1) * sizeof *class_nodes);
    if (!known || !class_keys || !class_nodes) return;
    for (uint32_t i = 0; i < draft->keys.count; i++) known[i] = grammar->schemas->texts.at[draft->keys.at[i]];
    for (uint32_t i = 0; i < class_count; i++) {
        class_keys[i] = draft->classes.all.at[i].keys;
        class_nodes[i] = draft->classes.all.at[i].node;
    }
    shape.known = known;
    shape.class_keys = class_keys;
    shape.class_nodes = class_nodes;
    li_blame blame = li_tableau_blame(draft->search);
    li_refusal refusal = {.schema = blame.schema, .keyword = blame.clause ? li_clause_written(blame.clause) : 0};
    li_object_shape *kept = li_object_shape_intern(grammar, &shape, refusal);
    if (kept) li_tableau_keep(draft->search, kept, kept->id);
}

static bool take_obligations(li_draft *draft)
{
    enum { OBLIGATION_LIMIT = 1024 };
    li_tableau *search = draft->search;
    for (uint32_t i = 0; i < search->atoms.count; i++) {
        if (!li_atom_is_obligation(&search->atoms.at[i])) continue;
        if (draft->obligation_count == OBLIGATION_LIMIT) search->is_exhausted = true;
        if (search->is_exhausted || !take_obligation(draft, &search->atoms.at[i])) return false;
    }
    return true;
}

// False: no object has this shape.
static bool tidy(li_draft *draft)
{
    uint32_t required = 0, possible = 0;
    merge_classes(draft);
    drop_forbidden(draft);
    for (uint32_t i = 0; i < draft->keys.count; i++) {
        if (draft->required.at[i] && draft->nodes.at[i] == LI_NODE_NONE) return false;
        required += draft->required.at[i];
        possible += draft->nodes.at[i] != LI_NODE_NONE;
    }
    if (draft->classes.all.count == 0) {
        if (draft->least > possible) return false;
        if (draft->most >= possible) draft->most = LI_NO_LIMIT;
    }
    if (draft->least <= required) draft->least = 0;
    return required <= draft->most && draft->least <= draft->most;
}

void li_objects_realise(li_tableau *search)
{
    LI_ASSERT(search->sort == LI_SORT_OBJECT);
    li_grammar *grammar = search->grammar;
    li_nodes *nodes = grammar->nodes;
    li_draft *draft = li_grammar_alloc(grammar, sizeof *draft);
    if (!draft || !LI_ARENA_RESERVE(grammar, &nodes->slots_of_texts, grammar->schemas->texts.count + 1)) return;
    draft->search = search;
    draft->grammar = grammar;
    draft->most = LI_NO_LIMIT;
    bool is_possible = add_keys(draft);
    for (uint32_t i = 0; i < search->atoms.count && is_possible; i++) take_atom(draft, &search->atoms.at[i]);
    for (uint32_t i = 0; i < draft->keys.count && is_possible; i++)
        is_possible = !draft->required.at[i] || draft->nodes.at[i] != LI_NODE_NONE;
    is_possible = is_possible && li_key_classes_make(search, &draft->classes);
    if (is_possible) take_known_out(draft);
    is_possible = is_possible && take_obligations(draft);
    for (uint32_t i = 0; i < draft->keys.count; i++) *place_of(draft, draft->keys.at[i]) = 0;
    if (is_possible && tidy(draft) && grammar->status == LI_OK) finish(draft);
}
