// JSON objects. Words: shape; level and whether a property was read; place, needed, room, fulfilled, seen:
// object_frame.h.
//
// In the schema's order keys of classes come after all known keys. A known key comes once. A key of a class comes once
// if a second value could matter: a repeated key is one property, with its last value.
#include "grammar/json/object_term.h"

#include <string.h>

#include "grammar/json/json_layout.h"
#include "grammar/json/json_string.h"
#include "grammar/json/json_value.h"
#include "grammar/json/object_key.h"
#include "grammar/json/object_obligations.h"
#include "grammar/tableau/satisfiable.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/term.h"

static li_term store(li_grammar *grammar, const li_object_frame *frame)
{
    uint32_t words[LI_OBJECT_WORDS];
    li_object_store(frame, words);
    return li_term_intern(grammar, LI_KIND_OBJECT, 0, words, LI_OBJECT_WORDS);
}

static bool can_finish(li_grammar *grammar, const li_object_frame *frame)
{
    return frame->required_left <= frame->room && frame->needed <= frame->room &&
           li_object_has_enough(grammar, frame, 0) &&
           (li_obligations_are_met(grammar, frame, false) || li_obligations_can_finish(grammar, frame));
}

bool li_object_can_finish(li_grammar *grammar, const li_object_shape *shape)
{
    li_object_frame frame = {.shape = shape, .needed = shape->least, .room = shape->most, .taken = LI_NO_LIMIT};
    for (uint32_t i = 0; i < shape->known_count; i++) {
        bool is_usable = li_object_is_usable(grammar, &frame, i);
        if (shape->required[i] && !is_usable) return false;
        frame.required_left += shape->required[i];
        frame.usable_left += is_usable;
    }
    return can_finish(grammar, &frame);
}

// The state while a property is read. False: the property may not come here.
static bool step(li_grammar *grammar, const li_object_frame *frame, uint32_t property, li_object_frame *next)
{
    const li_object_shape *shape = frame->shape;
    bool is_known = property < shape->known_count;
    if (frame->room == 0 || (is_known && !frame->table->usable[property])) return false;
    *next = *frame;
    next->has_items = true;
    next->taken = property;
    if (grammar->spelling.any_order) {
        if (is_known && !li_object_is_left(grammar, frame, property)) return false;
        next->required_left -= is_known && shape->required[property];
        next->usable_left -= is_known;
    } else {
        uint32_t last = frame->table->next_required[frame->next_known];
        if (is_known ? property < frame->next_known || property > last : last < shape->known_count) return false;
        next->next_known = is_known ? property + 1 : shape->known_count;
        li_object_pass_over(grammar, next, frame->next_known, is_known ? property : shape->known_count);
        next->required_left = frame->table->required_after[next->next_known];
        next->usable_left = frame->table->usable_after[next->next_known];
    }
    if (next->needed) next->needed--;
    if (next->room != LI_NO_LIMIT) next->room--;
    li_object_simplify(next);
    return true;
}

typedef struct property_branch {
    const li_object_frame *next; // the frame after the property
    uint32_t property;
    li_term key;
    bool tests; // only whether there is a way; the result is then EMPTY
} property_branch;

// Whether a key of a class must not come again, although properties are not counted: its value may make the key a
// witness, and its last value might not; or no key may.
static bool must_be_unique(const li_grammar *grammar, const li_object_frame *frame, uint32_t property)
{
    if (grammar->spelling.unique_keys) return true;
    const li_object_shape *shape = frame->shape;
    for (uint32_t i = 0; i < shape->witness_count; i++) {
        const li_witness *witness = &shape->witnesses[i];
        if (witness->property == property && witness->node > LI_NODE_ANY &&
            !li_object_set_has(grammar, frame->fulfilled, witness->obligation))
            return true;
    }
    return false;
}

static li_term finish_branch(li_grammar *grammar, const property_branch *branch, li_node node, li_term fulfilled)
{
    li_object_frame next = *branch->next;
    next.fulfilled = fulfilled;
    if (branch->key != LI_TERM_NOTHING && (next.needed || must_be_unique(grammar, branch->next, branch->property))) {
        next.seen = li_either(grammar, next.seen, branch->key);
        next.taken = LI_NO_LIMIT;
    }
    if (!can_finish(grammar, &next)) return LI_TERM_NOTHING;
    if (branch->tests) return LI_TERM_EMPTY;
    bool is_known = branch->property < next.shape->known_count;
    if (is_known && grammar->spelling.any_order) {
        next.known_read = li_object_read_with(grammar, &next, branch->property);
        if (next.known_read == LI_TERM_NOTHING) return LI_TERM_NOTHING;
    }
    return li_sequence(grammar, li_value(grammar, node, next.level + 1), store(grammar, &next));
}

// The ways to choose the obligations that the property fulfils, from a witness on. If every value fulfils an
// obligation, the obligation is taken as fulfilled.
static li_term choose(li_grammar *grammar, const property_branch *branch, uint32_t at, li_node node, li_term fulfilled)
{
    const li_object_shape *shape = branch->next->shape;
    for (; at < shape->witness_count; at++) {
        const li_witness *witness = &shape->witnesses[at];
        if (witness->property != branch->property || witness->node == LI_NODE_NONE ||
            li_object_set_has(grammar, fulfilled, witness->obligation))
            continue;
        if (!li_grammar_spend(grammar)) return LI_TERM_NOTHING;
        li_node both = li_node_and(grammar, node, witness->node);
        li_term sum = LI_TERM_NOTHING, more = li_object_set_with(grammar, branch->next, fulfilled, witness->obligation);
        if (both == node) {
            fulfilled = more;
            continue;
        }
        if (li_node_is_satisfiable(grammar, both)) sum = choose(grammar, branch, at + 1, both, more);
        if (branch->tests && sum != LI_TERM_NOTHING) return sum;
        // A value that can fulfil an obligation does, because a fulfilled obligation never excludes a continuation.
        li_node other = li_node_and(grammar, node, witness->other);
        if (!li_node_is_satisfiable(grammar, other)) return sum;
        return li_either(grammar, sum, choose(grammar, branch, at + 1, other, fulfilled));
    }
    return finish_branch(grammar, branch, node, fulfilled);
}

static li_node node_of(const li_object_shape *shape, uint32_t property)
{
    return property < shape->known_count ? shape->known_nodes[property]
                                         : shape->class_nodes[property - shape->known_count];
}

static li_term branches(li_grammar *grammar, const li_object_frame *frame, uint32_t property, li_term key, bool tests)
{
    li_object_frame next;
    if (!step(grammar, frame, property, &next)) return LI_TERM_NOTHING;
    property_branch branch = {.next = &next, .property = property, .key = key, .tests = tests};
    return choose(grammar, &branch, 0, node_of(frame->shape, property), next.fulfilled);
}

bool li_object_allows(li_grammar *grammar, const li_object_frame *frame, uint32_t property)
{
    return branches(grammar, frame, property, LI_TERM_NOTHING, true) != LI_TERM_NOTHING;
}

li_term li_object_property(li_grammar *grammar, const li_object_frame *frame, uint32_t property, li_term key)
{
    li_term value = branches(grammar, frame, property, key, false);
    if (value == LI_TERM_NOTHING) return LI_TERM_NOTHING;
    return li_spaced(grammar, li_sequence(grammar, grammar->spelling.key_separator, li_spaced(grammar, value)));
}

static li_term class_keys(li_grammar *grammar, const li_object_frame *frame, uint32_t class_index)
{
    uint32_t property = frame->shape->known_count + class_index;
    if (!li_node_is_satisfiable(grammar, frame->shape->class_nodes[class_index])) return LI_TERM_NOTHING;
    li_term language = li_object_class_keys(grammar, frame, class_index);
    if (language == LI_TERM_NOTHING || !li_object_allows(grammar, frame, property)) return LI_TERM_NOTHING;
    if (frame->needed > 1 || must_be_unique(grammar, frame, property))
        return li_recorded_key(grammar, frame, property, language);
    grammar->keys_repeat = true;
    return li_sequence(grammar, li_quoted(grammar, language),
                       li_object_property(grammar, frame, property, LI_TERM_NOTHING));
}

li_term li_object_expand(li_grammar *grammar, li_term term)
{
    uint32_t words[LI_OBJECT_WORDS];
    memcpy(words, li_term_words(grammar, term), sizeof words);
    li_object_frame frame;
    if (!li_object_load(grammar, words, &frame)) return LI_TERM_NOTHING;
    li_enclosure enclosure = {.bracket = '}', .has_items = frame.has_items, .level = frame.level};
    if (frame.needed == 0 && frame.required_left == 0 && li_obligations_are_met(grammar, &frame, true))
        enclosure.closed = LI_TERM_EMPTY;
    li_term keys = frame.shape->known_count ? li_known_keys(grammar, &frame) : LI_TERM_NOTHING;
    for (uint32_t i = 0; i < frame.shape->class_count; i++)
        keys = li_either(grammar, keys, class_keys(grammar, &frame, i));
    return li_enclosed(grammar, &enclosure, li_sequence(grammar, li_byte_range(grammar, '"', '"'), keys));
}

li_term li_object(li_grammar *grammar, const li_object_shape *shape, uint32_t level)
{
    if (!li_object_can_finish(grammar, shape)) return LI_TERM_NOTHING;
    shape = li_object_shape_at(grammar, shape->id);
    li_object_frame frame = {.shape = shape, .level = level, .needed = shape->least, .room = shape->most};
    frame.table = li_object_table_of(grammar, shape);
    if (!frame.table) return LI_TERM_NOTHING;
    frame.required_left = frame.table->required_after[0];
    frame.usable_left = frame.table->usable_after[0];
    li_object_simplify(&frame);
    return store(grammar, &frame);
}
