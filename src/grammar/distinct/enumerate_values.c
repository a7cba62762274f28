// Values of nodes, listed up to a limit, or counted.
#include "grammar/distinct/enumerate_values.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/distinct/distinct_items.h"
#include "grammar/distinct/enumerate_json.h"
#include "grammar/distinct/enumerate_words.h"
#include "grammar/json/array_contains.h"
#include "grammar/json/array_frame.h"
#include "grammar/json/array_term.h"
#include "grammar/json/canonical.h"
#include "grammar/json/object_obligations.h"
#include "grammar/json/object_term.h"
#include "grammar/json/recorded_text.h"
#include "grammar/nodes/node_table.h"
#include "grammar/numbers/number_term.h"
#include "grammar/numbers/unbounded_number.h"
#include "grammar/tableau/node_shape.h"
#include "grammar/tableau/satisfiable.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/kinds.h"
#include "grammar/terms/term.h"
#include "grammar/terms/word_count.h"

// The depth to which values are counted; the most numbers that are listed.
enum { COUNT_DEPTH = 6, MANY = 1000000 };

// Whether a range certainly has infinitely many numbers.
static bool is_endless(li_grammar *grammar, const li_number_range *range)
{
    bool is_bounded = range->has_minimum && range->has_maximum;
    if (li_number_is_empty(grammar, range)) return false;
    if (!is_bounded) return true;
    return !range->is_integer && range->multiple_count == 0 && li_decimal_compare(&range->minimum, &range->maximum) < 0;
}

// Counting and listing functions set *is_unsure where there may be more values (NULL: not asked).
static uint32_t count_node(li_grammar *grammar, li_node node, uint32_t most, uint32_t depth, bool *is_unsure);

static uint32_t capped(uint64_t count, uint32_t most)
{
    return count < most ? (uint32_t)count : most;
}

static bool add(li_grammar *grammar, li_listing *listing, li_term value)
{
    if (value != LI_TERM_NOTHING && !li_value_set_has(grammar, listing->seen, value))
        li_term_set_add(grammar, listing->values, value);
    return listing->values->terms.count >= listing->most || grammar->status != LI_OK;
}

static bool add_text(li_grammar *grammar, void *context, const uint8_t *text, uint32_t length)
{
    return add(grammar, context, li_canonical(grammar, text, length));
}

static bool add_strings(li_grammar *grammar, li_listing *listing, li_term strings)
{
    li_word_list words = {0};
    li_term seen = li_value_set_strings(grammar, listing->seen);
    if (seen != LI_TERM_NOTHING) strings = li_both(grammar, strings, li_not(grammar, seen));
    bool is_full = !li_words_list(grammar, strings, listing->most, &words);
    for (uint32_t i = 0; i < words.ends.count && !is_full; i++) {
        uint32_t length;
        const uint8_t *word = li_word_at(&words, i, &length);
        is_full = add(grammar, listing, li_canonical_string(grammar, word, length));
    }
    li_word_list_clear(&words);
    return is_full;
}

static bool add_numbers(li_grammar *grammar, li_listing *listing, const li_number_range *range)
{
    li_word_list words = {0};
    uint32_t most = listing->most + li_value_set_count(grammar, listing->seen);
    bool is_full = !li_words_of_number(grammar, li_number(grammar, range), NULL, 0, most, &words);
    for (uint32_t i = 0; i < words.ends.count && !is_full; i++) {
        uint32_t length;
        const uint8_t *word = li_word_at(&words, i, &length);
        is_full = add_text(grammar, listing, word, length);
    }
    listing->is_cut |= words.is_cut && !is_full;
    li_word_list_clear(&words);
    return is_full;
}

// A count below `most` may be too low.
static uint32_t unsure(uint64_t count, uint32_t most, bool *is_unsure)
{
    if (count < most && is_unsure) *is_unsure = true;
    return capped(count, most);
}

// Whether any object can get another key of a class. Then there are as many objects as keys.
static bool has_spare_keys(li_grammar *grammar, const li_object_shape *shape, uint32_t required, uint32_t most)
{
    bool is_free = shape->obligation_count == 0 && shape->most > required && shape->most >= shape->least;
    if (!is_free && shape->most != LI_NO_LIMIT) return false;
    // Some object has at most this number of keys of classes.
    uint64_t taken = (uint64_t)shape->least + shape->obligation_count, count = most + taken;
    for (uint32_t i = 0; i < shape->class_count && count <= LI_WORDS_MOST; i++)
        if (li_node_is_satisfiable(grammar, shape->class_nodes[i]) &&
            li_words_count(grammar, shape->class_keys[i], (uint32_t)count) >= count)
            return true;
    return false;
}

static uint32_t count_object(li_grammar *grammar, const li_object_shape *shape, uint32_t most, uint32_t depth,
                             bool *is_unsure)
{
    if (!li_object_can_finish(grammar, shape)) return 0;
    uint32_t required = 0, classes = 0;
    uint64_t product = 1;
    for (uint32_t i = 0; i < shape->known_count; i++) required += shape->required[i];
    if (has_spare_keys(grammar, shape, required, most)) return most;
    if (shape->obligation_count) return unsure(1, most, is_unsure);
    // Whether all sets of known keys are allowed; otherwise at least one is.
    bool is_free = shape->least <= required && shape->most >= shape->known_count;
    bool is_full = shape->most == required; // only required keys are allowed
    for (uint32_t i = 0; i < shape->known_count && product < most; i++) {
        if (!is_free && !shape->required[i]) continue;
        product *=
            count_node(grammar, shape->known_nodes[i], most, depth - 1, is_unsure) + (uint64_t)!shape->required[i];
    }
    for (uint32_t i = 0; i < shape->class_count; i++) classes += li_node_is_satisfiable(grammar, shape->class_nodes[i]);
    if (is_full && !is_free) return capped(product, most);
    return is_free && classes == 0 ? capped(product, most) : unsure(product, most, is_unsure);
}

// The sum over all lengths of the ways to choose the items.
static uint32_t count_lengths(li_grammar *grammar, const li_array_shape *shape, uint32_t most, uint32_t depth,
                              bool *is_unsure)
{
    uint64_t sum = 0, product = 1;
    uint32_t count = 0;
    for (uint32_t i = 0; sum < most && product < most; i++) {
        if (i >= shape->least) sum += product;
        if (i == shape->most) break;
        if (i <= shape->prefix_count)
            count = count_node(grammar, i < shape->prefix_count ? shape->prefix[i] : shape->rest, most, depth - 1,
                               is_unsure);
        product *= count;
        if (count == 0) break;
        // The counts stay the same until there are enough items.
        if (count == 1 && i > shape->prefix_count && i + 1 < shape->least) i = shape->least - 2;
    }
    return product < most ? capped(sum, most) : most;
}

// Like li_array_can_finish, but sets *is_unsure.
static bool can_finish(li_grammar *grammar, const li_array_shape *shape, bool *is_unsure)
{
    li_array_frame frame;
    li_array_start(shape, &frame);
    return li_contains_can_finish(grammar, &frame) &&
           (!shape->is_unique || li_unique_may_finish(grammar, &frame, is_unsure));
}

static uint32_t count_array(li_grammar *grammar, const li_array_shape *shape, uint32_t most, uint32_t depth,
                            bool *is_unsure)
{
    if (!can_finish(grammar, shape, is_unsure)) return 0;
    if (shape->contains_count) {
        // Without limits any array can get more items.
        bool is_free = shape->most == LI_NO_LIMIT && !shape->is_unique && li_node_is_satisfiable(grammar, shape->rest);
        for (uint32_t i = 0; i < shape->contains_count; i++) is_free &= shape->contains[i].most == LI_NO_LIMIT;
        return is_free ? most : unsure(1, most, is_unsure);
    }
    if (!shape->is_unique) return count_lengths(grammar, shape, most, depth, is_unsure);
    if (shape->most == 0) return 1;
    uint32_t least = shape->least, last = shape->most;
    if (shape->prefix_count) {
        if (least > 1) return unsure(1, most, is_unsure);
        last = 1; // one item, or none
    }
    // For every length: any items in any order.
    li_node node = shape->prefix_count ? shape->prefix[0] : shape->rest;
    uint32_t count = count_node(grammar, node, most, depth - 1, is_unsure);
    uint64_t sum = least == 0, orders = 1;
    for (uint32_t i = 0; i < last && i < count && sum < most && orders < most; i++) {
        orders *= count - i;
        if (i + 1 >= least) sum += orders;
    }
    if (orders >= most) sum = most;
    return shape->prefix_count ? unsure(sum, most, is_unsure) : capped(sum, most);
}

static uint32_t count_parts(li_grammar *grammar, const li_shape *shape, uint32_t most, uint32_t depth, bool *is_unsure)
{
    uint64_t objects = 0, arrays = 0;
    uint32_t filled = 0;
    for (uint32_t i = 0; i < shape->object_count && objects < most; i++) {
        uint32_t count = count_object(grammar, &shape->objects[i], most, depth, is_unsure);
        objects = count > objects ? count : objects; // alternatives may overlap
        filled += count > 0;
    }
    if (filled > 1) unsure(objects, most, is_unsure);
    filled = 0;
    for (uint32_t i = 0; i < shape->array_count && objects + arrays < most; i++) {
        uint32_t count = count_array(grammar, &shape->arrays[i], most, depth, is_unsure);
        arrays = count > arrays ? count : arrays;
        filled += count > 0;
    }
    if (filled > 1) unsure(objects + arrays, most, is_unsure);
    return capped(objects + arrays, most);
}

static uint32_t count_numbers(li_grammar *grammar, const li_shape *shape, uint32_t most, bool *is_unsure)
{
    for (uint32_t i = 0; i < shape->number_count; i++)
        if (is_endless(grammar, &shape->numbers[i])) return most;
    if (shape->number_count && most > MANY) return unsure(1, most, is_unsure);
    li_term_set values = {0};
    li_listing listing = {.most = most, .values = &values};
    for (uint32_t i = 0; i < shape->number_count; i++)
        if (add_numbers(grammar, &listing, &shape->numbers[i])) break;
    uint32_t count = values.terms.count;
    li_term_set_clear(&values);
    return listing.is_cut ? unsure(count, most, is_unsure) : capped(count, most);
}

// A lower bound of the number of values of the node, at most `most`.
static uint32_t count_node(li_grammar *grammar, li_node node, uint32_t most, uint32_t depth, bool *is_unsure)
{
    LI_ASSERT(node < grammar->nodes->all.count && depth <= COUNT_DEPTH);
    if (!li_node_is_satisfiable(grammar, node)) return 0;
    if (node == LI_NODE_ANY) return most;
    if (depth == 0 || !li_grammar_spend(grammar)) return unsure(1, most, is_unsure);
    const li_shape *shape = li_node_shape(grammar, node);
    if (!shape) return 0;
    uint64_t sum = (uint64_t)shape->has_null + shape->has_false + shape->has_true;
    sum += shape->strings == li_any_text(grammar) ? most : li_words_count(grammar, shape->strings, most);
    if (sum < most) sum += count_numbers(grammar, shape, most, is_unsure);
    if (sum < most) sum += count_parts(grammar, shape, most, depth, is_unsure);
    return capped(sum, most);
}

bool li_values_count(li_grammar *grammar, li_node node, uint32_t count, bool *is_unsure)
{
    return count_node(grammar, node, count, COUNT_DEPTH, is_unsure) >= count;
}

static void list_parts(li_grammar *grammar, const li_shape *shape, li_listing *listing)
{
    li_texts_query query = {.before_length = 1, .visit = add_text, .context = listing};
    query.most = listing->most + li_value_set_count(grammar, listing->seen);
    query.before = (const uint8_t *)"{";
    for (uint32_t i = 0; i < shape->object_count && listing->values->terms.count < listing->most; i++)
        listing->is_cut |= li_texts(grammar, li_object(grammar, &shape->objects[i], 0), &query) == LI_TEXTS_SOME;
    query.before = (const uint8_t *)"[";
    for (uint32_t i = 0; i < shape->array_count && listing->values->terms.count < listing->most; i++)
        listing->is_cut |= li_texts(grammar, li_array(grammar, &shape->arrays[i], 0), &query) == LI_TEXTS_SOME;
}

void li_values_of(li_grammar *grammar, li_node node, li_listing *listing)
{
    const li_shape *shape = li_node_shape(grammar, node);
    if (!shape || listing->most == 0) return;
    if (shape->has_null && add_text(grammar, listing, (const uint8_t *)"null", 4)) return;
    if (shape->has_false && add_text(grammar, listing, (const uint8_t *)"false", 5)) return;
    if (shape->has_true && add_text(grammar, listing, (const uint8_t *)"true", 4)) return;
    if (shape->strings != LI_TERM_NOTHING && add_strings(grammar, listing, shape->strings)) return;
    for (uint32_t i = 0; i < shape->number_count; i++)
        if (add_numbers(grammar, listing, &shape->numbers[i])) return;
    if (listing->counts_parts)
        listing->counted = count_parts(grammar, shape, listing->most, COUNT_DEPTH, &listing->is_unsure);
    else
        list_parts(grammar, shape, listing);
    listing->is_unsure |= listing->is_cut && listing->values->terms.count < listing->most;
}

static bool items_abound(li_grammar *grammar, const li_array_frame *frame, uint32_t count)
{
    uint64_t product = 1;
    for (uint32_t i = 0, ways = 0; i < frame->needed && product < count; i++) {
        uint32_t place = frame->position + i, prefix = frame->shape->prefix_count;
        if (place <= prefix) // later places have the same node
            ways = count_node(grammar, place < prefix ? frame->shape->prefix[place] : frame->shape->rest, count,
                              COUNT_DEPTH, NULL);
        if (ways == 0 || (ways == 1 && place >= prefix)) return false;
        product *= ways;
    }
    return product >= count;
}

// Whether `count` items can be added, or one item of `count` values; or whether the required items have `count`
// combinations.
bool li_array_abounds(li_grammar *grammar, li_term head, uint32_t count)
{
    uint32_t words[LI_ARRAY_WORDS];
    li_array_frame frame;
    memcpy(words, li_term_words(grammar, head), li_term_length(grammar, head) * sizeof *words);
    if (!li_array_load(grammar, words, &frame) || frame.shape->contains_count) return false;
    if (!frame.shape->is_unique && items_abound(grammar, &frame, count)) return true;
    if (frame.room - frame.needed < count || !li_node_is_satisfiable(grammar, frame.shape->rest)) return false;
    for (uint32_t i = frame.position; i < frame.shape->prefix_count; i++)
        if (!li_node_is_satisfiable(grammar, frame.shape->prefix[i])) return false;
    if (!frame.shape->is_unique) return true;
    // With required items the count is not sure, because the required items may or may not differ.
    if (frame.needed || frame.position < frame.shape->prefix_count) return false;
    uint32_t seen = li_value_set_count(grammar, frame.seen);
    return count_node(grammar, frame.shape->rest, count + seen, COUNT_DEPTH, NULL) >= count + seen;
}

// Whether all remaining properties may come and have `count` combinations of values.
static bool all_abound(li_grammar *grammar, const li_object_frame *frame, uint32_t count)
{
    const li_object_shape *shape = frame->shape;
    uint64_t product = 1;
    if (!li_obligations_are_met(grammar, frame, false) || frame->room < frame->usable_left) return false;
    for (uint32_t i = 0; i < shape->known_count && product < count; i++) {
        uint32_t ways = li_object_is_left(grammar, frame, i)
                            ? count_node(grammar, shape->known_nodes[i], count, COUNT_DEPTH, NULL)
                            : 0;
        if (ways) product *= ways + (uint64_t)(frame->needed == 0 && !shape->required[i]);
    }
    return product >= count;
}

// Whether the required properties have `count` values; or, between properties, an optional property; or whether an
// optional property has `count` keys.
static bool object_abounds(li_grammar *grammar, const li_object_frame *frame, bool is_between, uint32_t count)
{
    const li_object_shape *shape = frame->shape;
    if (!li_obligations_are_met(grammar, frame, false) || frame->seen != LI_TERM_NOTHING) return false;
    bool may_come = is_between && frame->room > frame->required_left;
    uint64_t product = 1;
    for (uint32_t i = 0; i < shape->known_count && (may_come || frame->required_left); i++) {
        if (!(may_come || shape->required[i]) || !li_object_is_left(grammar, frame, i)) continue;
        uint32_t ways = count_node(grammar, shape->known_nodes[i], count, COUNT_DEPTH, NULL);
        if (shape->required[i]) product *= ways;
        if (ways >= count || product >= count) return true;
    }
    // The property being read may use one of the free places.
    if (frame->room - frame->required_left < 2) return false;
    for (uint32_t i = 0; i < shape->class_count; i++)
        if (li_node_is_satisfiable(grammar, shape->class_nodes[i]) &&
            li_words_count(grammar, shape->class_keys[i], count) >= count)
            return true;
    return false;
}

bool li_quoted_abounds(li_grammar *grammar, li_term term, uint32_t count)
{
    li_term text = li_term_payload(grammar, term)->quoted.text;
    bool is_in_escape = li_term_payload(grammar, term)->quoted.escape;
    if (text == li_any_text(grammar)) return true;
    // Within an escape some words cannot follow.
    return !is_in_escape && li_words_count(grammar, text, count) >= count;
}

bool li_number_abounds(li_grammar *grammar, li_term term, uint32_t count)
{
    (void)count;
    return li_unbounded_number_is_endless(grammar, term);
}

bool li_value_abounds(li_grammar *grammar, li_term term, uint32_t count)
{
    return count_node(grammar, li_term_payload(grammar, term)->value.node, count, COUNT_DEPTH, NULL) >= count;
}

static bool load_frame(li_grammar *grammar, li_term term, li_object_frame *frame)
{
    uint32_t words[LI_OBJECT_WORDS];
    for (uint32_t i = 0; i < LI_OBJECT_WORDS; i++) words[i] = li_term_words(grammar, term)[i];
    return li_object_load(grammar, words, frame);
}

bool li_object_abounds(li_grammar *grammar, li_term term, uint32_t count)
{
    li_object_frame frame;
    if (!load_frame(grammar, term, &frame)) return false;
    return object_abounds(grammar, &frame, true, count) || all_abound(grammar, &frame, count);
}

bool li_key_abounds(li_grammar *grammar, li_term term, uint32_t count)
{
    li_object_frame frame;
    return load_frame(grammar, term, &frame) && object_abounds(grammar, &frame, false, count);
}

bool li_recorded_abounds(li_grammar *grammar, li_term term, uint32_t count)
{
    return li_values_abound(grammar, li_recorded_rest(grammar, term), count);
}

static bool abounds_at(li_grammar *grammar, li_term head, uint32_t count)
{
    const li_kind_traits *kind = &li_kinds[li_term_kind(grammar, head)];
    return kind->abounds && kind->abounds(grammar, head, count);
}

bool li_values_abound(li_grammar *grammar, li_term rest, uint32_t count)
{
    if (li_term_kind(grammar, rest) == LI_KIND_CHOICE) {
        for (uint32_t i = 0; i < li_term_length(grammar, rest); i++)
            if (li_values_abound(grammar, li_term_words(grammar, rest)[i], count)) return true;
        return false;
    }
    while (li_term_kind(grammar, rest) == LI_KIND_SEQUENCE) {
        li_term head = li_term_payload(grammar, rest)->sequence.head;
        rest = li_term_payload(grammar, rest)->sequence.tail;
        if (abounds_at(grammar, head, count)) return true;
    }
    return li_term_kind(grammar, rest) == LI_KIND_CHOICE ? li_values_abound(grammar, rest, count)
                                                         : abounds_at(grammar, rest, count);
}
