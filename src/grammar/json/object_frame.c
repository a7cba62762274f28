// Sets of keys and of obligations, and tables that are made once for each shape.
#include "grammar/json/object_frame.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/core/arena.h"
#include "grammar/tableau/satisfiable.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/term.h"
#include "grammar/terms/word_count.h"

// Sets of obligations and, where any order is allowed, of the known keys read, are terms that hold only words. The
// first word tells sets from keys.
enum { SET_TAG, SET_REQUIRED, SET_USABLE, SET_BITS };

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

const li_object_table *li_object_table_of(li_grammar *grammar, const li_object_shape *shape)
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
    LI_ASSERT(set == LI_TERM_NOTHING || SET_BITS + bit / 32 < li_term_length(grammar, set));
    return set != LI_TERM_NOTHING && li_term_words(grammar, set)[SET_BITS + bit / 32] >> (bit & 31) & 1;
}

// Begins a set with the members of another set. More members may be added before the set is interned.
static uint32_t *open_set(const li_grammar *grammar, const li_object_frame *frame, li_term set)
{
    LI_ASSERT(set == LI_TERM_NOTHING || li_term_length(grammar, set) == frame->table->set_length);
    uint32_t *words = frame->table->set;
    memset(words, 0, frame->table->set_length * sizeof *words);
    if (set != LI_TERM_NOTHING) memcpy(words, li_term_words(grammar, set), frame->table->set_length * sizeof *words);
    words[SET_TAG] = UINT32_MAX;
    return words;
}

li_term li_object_set_with(li_grammar *grammar, const li_object_frame *frame, li_term set, uint32_t bit)
{
    LI_ASSERT(SET_BITS + bit / 32 < frame->table->set_length);
    if (li_object_set_has(grammar, set, bit)) return set;
    uint32_t *words = open_set(grammar, frame, set);
    words[SET_BITS + bit / 32] |= 1u << (bit & 31);
    return li_term_intern(grammar, LI_KIND_KEY, 0, words, frame->table->set_length);
}

li_term li_object_read_with(li_grammar *grammar, const li_object_frame *frame, uint32_t known)
{
    LI_ASSERT(known < frame->shape->known_count);
    uint32_t *words = open_set(grammar, frame, frame->known_read);
    words[SET_REQUIRED] = frame->required_left;
    words[SET_USABLE] = frame->usable_left;
    words[SET_BITS + known / 32] |= 1u << (known & 31);
    return li_term_intern(grammar, LI_KIND_KEY, 0, words, frame->table->set_length);
}

bool li_object_is_usable(li_grammar *grammar, const li_object_frame *frame, uint32_t known)
{
    LI_ASSERT(known < frame->shape->known_count);
    if (frame->table) return frame->table->usable[known];
    return li_node_is_satisfiable(grammar, frame->shape->known_nodes[known]);
}

bool li_object_is_left(const li_grammar *grammar, const li_object_frame *frame, uint32_t known)
{
    if (!grammar->spelling.any_order) return known >= frame->next_known;
    return known != frame->taken && !li_object_set_has(grammar, frame->known_read, known);
}

// Makes frames with equal continuations equal.
void li_object_simplify(li_object_frame *frame)
{
    if (frame->needed <= frame->required_left) frame->needed = 0;
    if (frame->table && !frame->table->has_classes && frame->room >= frame->usable_left) frame->room = LI_NO_LIMIT;
}

bool li_object_load(li_grammar *grammar, const uint32_t words[LI_OBJECT_WORDS], li_object_frame *frame)
{
    *frame = (li_object_frame){.shape = li_object_shape_at(grammar, words[0]),
                               .level = words[1] >> 1,
                               .has_items = words[1] & 1,
                               .next_known = words[2],
                               .needed = words[3],
                               .room = words[4],
                               .fulfilled = words[5],
                               .seen = words[6],
                               .taken = LI_NO_LIMIT};
    frame->table = li_object_table_of(grammar, frame->shape);
    if (!frame->table) return false;
    bool has_set = grammar->spelling.any_order && frame->known_read != LI_TERM_NOTHING;
    uint32_t index = grammar->spelling.any_order ? 0 : frame->next_known;
    frame->required_left =
        has_set ? li_term_words(grammar, frame->known_read)[SET_REQUIRED] : frame->table->required_after[index];
    frame->usable_left =
        has_set ? li_term_words(grammar, frame->known_read)[SET_USABLE] : frame->table->usable_after[index];
    return true;
}

void li_object_store(const li_object_frame *frame, uint32_t words[LI_OBJECT_WORDS])
{
    words[0] = frame->shape->id;
    words[1] = frame->level << 1 | frame->has_items;
    words[2] = frame->next_known; // or known_read: one word
    words[3] = frame->needed;
    words[4] = frame->room;
    words[5] = frame->fulfilled;
    words[6] = frame->seen;
}

li_term li_object_class_keys(li_grammar *grammar, const li_object_frame *frame, uint32_t class_index)
{
    LI_ASSERT(class_index < frame->shape->class_count);
    li_term keys = frame->shape->class_keys[class_index];
    return frame->seen == LI_TERM_NOTHING ? keys : li_both(grammar, keys, li_not(grammar, frame->seen));
}

bool li_object_supplies(li_grammar *grammar, const li_object_frame *frame, uint32_t class_index, uint32_t count)
{
    if (frame->taken == frame->shape->known_count + class_index) count++;
    return li_words_count(grammar, li_object_class_keys(grammar, frame, class_index), count) >= count;
}

// The number of keys left in all classes, at most `most`.
static uint32_t supply(li_grammar *grammar, const li_object_frame *frame, uint32_t most)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < frame->shape->class_count && sum < most; i++) {
        if (!li_node_is_satisfiable(grammar, frame->shape->class_nodes[i])) continue;
        uint32_t taken = frame->taken == frame->shape->known_count + i;
        uint32_t words = li_words_count(grammar, li_object_class_keys(grammar, frame, i), most - sum + taken);
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

void li_object_pass_over(li_grammar *grammar, li_object_frame *next, uint32_t first, uint32_t last)
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
