// JSON objects. Words: shape; level and whether a property was read; place, needed, room, fulfilled, seen: object.h.
//
// With the properties in the schema's order, keys of classes come after all known ones. A known key never comes twice;
// a key of a class does not where that could matter: it counts as one property, and its last value is what holds.
#include "grammar/json/object_term.h"

#include <string.h>

#include "grammar/distinct/enumerate_words.h"

// Sets of known keys read, where any order is allowed, and of obligations: a term that holds words only. The first one
// tells it from a key.
enum { SET_MARK, SET_REQUIRED, SET_USABLE, SET_BITS };

static bool less(const li_text *a, const li_text *b)
{
    uint32_t common = a->length < b->length ? a->length : b->length;
    int order = common ? memcmp(a->bytes, b->bytes, common) : 0;
    return order ? order < 0 : a->length < b->length;
}

static void sift(const li_text *keys, uint32_t *order, uint32_t at, uint32_t count)
{
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && less(&keys[order[child]], &keys[order[child + 1]])) child++;
        if (!less(&keys[order[at]], &keys[order[child]])) return;
        uint32_t swapped = order[at];
        order[at] = order[child];
        order[child] = swapped;
    }
}

static void sort_keys(const li_text *keys, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    for (uint32_t i = count / 2; i-- > 0;) sift(keys, order, i, count);
    for (uint32_t i = count; i-- > 1;) {
        uint32_t last = order[0];
        order[0] = order[i];
        order[i] = last;
        sift(keys, order, 0, i);
    }
}

static bool make_table(li_grammar *grammar, li_object_table *table, const li_object_shape *shape)
{
    uint32_t count = shape->known_count;
    uint32_t bits = count > shape->obligation_count ? count : shape->obligation_count;
    uint32_t *words = li_grammar_alloc(grammar, (5 * (size_t)count + 8 + bits / 32) * sizeof *words);
    table->usable = li_grammar_alloc(grammar, count);
    if (!words || !table->usable) return false;
    table->order = words;
    table->required_after = table->order + count;
    table->usable_after = table->required_after + count + 1;
    table->next_required = table->usable_after + count + 1;
    table->set = table->next_required + count + 1;
    table->set_length = SET_BITS + (bits + 31) / 32;
    sort_keys(shape->known, table->order, count);
    table->next_required[count] = count;
    for (uint32_t i = count; i-- > 0;) {
        table->usable[i] = li_node_is_satisfiable(grammar, shape->known_nodes[i]);
        table->usable_after[i] = table->usable_after[i + 1] + table->usable[i];
        table->required_after[i] = table->required_after[i + 1] + shape->required[i];
        table->next_required[i] = shape->required[i] ? i : table->next_required[i + 1];
    }
    for (uint32_t i = 0; i < shape->class_count; i++)
        table->has_classes |= li_node_is_satisfiable(grammar, shape->class_nodes[i]);
    table->shape = shape;
    return true;
}

static const li_object_table *table_of(li_grammar *grammar, const li_object_shape *shape)
{
    if (shape->id >= grammar->object_table_count) {
        uint32_t count = 2 * shape->id + 16;
        li_object_table **tables = li_grammar_alloc(grammar, count * sizeof(*tables));
        if (!tables) return NULL;
        if (grammar->object_tables)
            memcpy(tables, grammar->object_tables, grammar->object_table_count * sizeof *tables);
        grammar->object_tables = tables;
        grammar->object_table_count = count;
    }
    li_object_table *table = grammar->object_tables[shape->id];
    if (table && table->shape == shape) return table;
    if (!table) table = li_grammar_alloc(grammar, sizeof *table);
    if (!table || !make_table(grammar, table, shape)) return NULL;
    return grammar->object_tables[shape->id] = table;
}

bool li_object_set_has(const li_grammar *grammar, li_term set, uint32_t bit)
{
    return set != LI_TERM_NOTHING && li_term_words(grammar, set)[SET_BITS + bit / 32] >> (bit & 31) & 1;
}

// Begins a set with what another one holds; more may be added before it is made.
static uint32_t *open_set(const li_grammar *grammar, const li_object_frame *frame, li_term set)
{
    uint32_t *words = frame->table->set;
    memset(words, 0, frame->table->set_length * sizeof *words);
    if (set != LI_TERM_NOTHING) memcpy(words, li_term_words(grammar, set), frame->table->set_length * sizeof *words);
    words[SET_MARK] = UINT32_MAX;
    return words;
}

static li_term with_bit(li_grammar *grammar, const li_object_frame *frame, li_term set, uint32_t bit)
{
    if (li_object_set_has(grammar, set, bit)) return set;
    uint32_t *words = open_set(grammar, frame, set);
    words[SET_BITS + bit / 32] |= 1u << (bit & 31);
    return li_term_intern(grammar, LI_KIND_KEY, 0, words, frame->table->set_length);
}

static li_term with_known(li_grammar *grammar, const li_object_frame *frame, uint32_t known)
{
    uint32_t *words = open_set(grammar, frame, frame->place);
    words[SET_REQUIRED] = frame->required_left;
    words[SET_USABLE] = frame->usable_left;
    words[SET_BITS + known / 32] |= 1u << (known & 31);
    return li_term_intern(grammar, LI_KIND_KEY, 0, words, frame->table->set_length);
}

static bool usable(li_grammar *grammar, const li_object_frame *frame, uint32_t known)
{
    if (frame->table) return frame->table->usable[known];
    return li_node_is_satisfiable(grammar, frame->shape->known_nodes[known]);
}

bool li_object_is_left(const li_grammar *grammar, const li_object_frame *frame, uint32_t known)
{
    if (!grammar->spelling.any_order) return known >= frame->place;
    return known != frame->taken && !li_object_set_has(grammar, frame->place, known);
}

// One form for states with the same future.
static void simplify(li_object_frame *frame)
{
    if (frame->needed <= frame->required_left) frame->needed = 0;
    if (frame->table && !frame->table->has_classes && frame->room >= frame->usable_left) frame->room = LI_NO_LIMIT;
}

bool li_object_load(li_grammar *grammar, const uint32_t words[LI_OBJECT_WORDS], li_object_frame *frame)
{
    *frame = (li_object_frame){.shape = li_object_shape_at(grammar, words[0]),
                               .level = words[1] >> 1,
                               .has_items = words[1] & 1,
                               .place = words[2],
                               .needed = words[3],
                               .room = words[4],
                               .fulfilled = words[5],
                               .seen = words[6],
                               .taken = LI_NO_LIMIT};
    frame->table = table_of(grammar, frame->shape);
    if (!frame->table) return false;
    bool has_set = grammar->spelling.any_order && frame->place != LI_TERM_NOTHING;
    uint32_t index = grammar->spelling.any_order ? 0 : frame->place;
    frame->required_left =
        has_set ? li_term_words(grammar, frame->place)[SET_REQUIRED] : frame->table->required_after[index];
    frame->usable_left = has_set ? li_term_words(grammar, frame->place)[SET_USABLE] : frame->table->usable_after[index];
    return true;
}

void li_object_store(const li_object_frame *frame, uint32_t words[LI_OBJECT_WORDS])
{
    words[0] = frame->shape->id;
    words[1] = frame->level << 1 | frame->has_items;
    words[2] = frame->place;
    words[3] = frame->needed;
    words[4] = frame->room;
    words[5] = frame->fulfilled;
    words[6] = frame->seen;
}

static li_term store(li_grammar *grammar, const li_object_frame *frame)
{
    uint32_t words[LI_OBJECT_WORDS];
    li_object_store(frame, words);
    return li_term_intern(grammar, LI_KIND_OBJECT, 0, words, LI_OBJECT_WORDS);
}

static li_term class_language(li_grammar *grammar, const li_object_frame *frame, uint32_t class_index)
{
    li_term keys = frame->shape->class_keys[class_index];
    return frame->seen == LI_TERM_NOTHING ? keys : li_both(grammar, keys, li_not(grammar, frame->seen));
}

bool li_object_supplies(li_grammar *grammar, const li_object_frame *frame, uint32_t class_index, uint32_t count)
{
    if (frame->taken == frame->shape->known_count + class_index) count++;
    return li_words_count(grammar, class_language(grammar, frame, class_index), count) >= count;
}

// How many keys all classes have left, counted to `most`.
static uint32_t supply(li_grammar *grammar, const li_object_frame *frame, uint32_t most)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < frame->shape->class_count && sum < most; i++) {
        if (!li_node_is_satisfiable(grammar, frame->shape->class_nodes[i])) continue;
        uint32_t taken = frame->taken == frame->shape->known_count + i;
        uint32_t words = li_words_count(grammar, class_language(grammar, frame, i), most - sum + taken);
        sum += words > taken ? words - taken : 0;
    }
    return sum;
}

bool li_object_has_enough(li_grammar *grammar, const li_object_frame *frame, uint32_t lost)
{
    if (frame->needed + lost <= frame->usable_left) return true;
    uint32_t more = frame->needed + lost - frame->usable_left;
    return supply(grammar, frame, more) >= more;
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
        bool is_usable = usable(grammar, &frame, i);
        if (shape->required[i] && !is_usable) return false;
        frame.required_left += shape->required[i];
        frame.usable_left += is_usable;
    }
    return can_finish(grammar, &frame);
}

// Obligations are fulfilled by known keys that can no longer come.
static void pass_over(li_grammar *grammar, li_object_frame *next, uint32_t first, uint32_t last)
{
    const li_object_shape *shape = next->shape;
    uint32_t *words = NULL;
    for (uint32_t i = 0; i < shape->witness_count; i++) {
        const li_witness *witness = &shape->witnesses[i];
        if (!witness->may_miss || witness->property < first || witness->property >= last) continue;
        if (!words) words = open_set(grammar, next, next->fulfilled);
        words[SET_BITS + witness->obligation / 32] |= 1u << (witness->obligation & 31);
    }
    if (words) next->fulfilled = li_term_intern(grammar, LI_KIND_KEY, 0, words, next->table->set_length);
}

// The state while a property is read. False: it may not come here.
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
        uint32_t last = frame->table->next_required[frame->place];
        if (is_known ? property < frame->place || property > last : last < shape->known_count) return false;
        next->place = is_known ? property + 1 : shape->known_count;
        pass_over(grammar, next, frame->place, is_known ? property : shape->known_count);
        next->required_left = frame->table->required_after[next->place];
        next->usable_left = frame->table->usable_after[next->place];
    }
    if (next->needed) next->needed--;
    if (next->room != LI_NO_LIMIT) next->room--;
    simplify(next);
    return true;
}

typedef struct property_branch {
    const li_object_frame *next; // with the property taken
    uint32_t property;
    li_term key;
    bool tests; // only whether there is a way: EMPTY
} property_branch;

// Whether a key of a class may be a witness by its value: if it came again, its last value might be none. Else a key that
// comes again does no harm where properties are not counted.
static bool is_value_asked(const li_grammar *grammar, const li_object_frame *frame, uint32_t property)
{
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
    if (branch->key != LI_TERM_NOTHING && (next.needed || is_value_asked(grammar, branch->next, branch->property))) {
        next.seen = li_either(grammar, next.seen, branch->key);
        next.taken = LI_NO_LIMIT;
    }
    if (!can_finish(grammar, &next)) return LI_TERM_NOTHING;
    if (branch->tests) return LI_TERM_EMPTY;
    bool is_known = branch->property < next.shape->known_count;
    if (is_known && grammar->spelling.any_order) {
        next.place = with_known(grammar, &next, branch->property);
        if (next.place == LI_TERM_NOTHING) return LI_TERM_NOTHING;
    }
    return li_sequence(grammar, li_value(grammar, node, next.level + 1), store(grammar, &next));
}

// The ways to choose what the property witnesses, from a witness on. Where its value always does, no other way is worth a
// look.
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
        li_term sum = LI_TERM_NOTHING, more = with_bit(grammar, branch->next, fulfilled, witness->obligation);
        if (both == node) {
            fulfilled = more;
            continue;
        }
        if (li_node_is_satisfiable(grammar, both)) sum = choose(grammar, branch, at + 1, both, more);
        if (branch->tests && sum != LI_TERM_NOTHING) return sum;
        // A value that can witness it does: more can never be worse.
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
    li_term language = class_language(grammar, frame, class_index);
    if (language == LI_TERM_NOTHING || !li_object_allows(grammar, frame, property)) return LI_TERM_NOTHING;
    if (frame->needed > 1 || is_value_asked(grammar, frame, property))
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
    enclosure.may_close =
        frame.needed == 0 && frame.required_left == 0 && li_obligations_are_met(grammar, &frame, true);
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
    frame.table = table_of(grammar, shape);
    if (!frame.table) return LI_TERM_NOTHING;
    frame.required_left = frame.table->required_after[0];
    frame.usable_left = frame.table->usable_after[0];
    simplify(&frame);
    return store(grammar, &frame);
}
