// Words: shape; level, lacks_item and has_items; position, needed, room, seen; then needs and takes of each contains.
#include "grammar/json/array_frame.h"

#include "base/assert.h"
#include "grammar/tableau/satisfiable.h"
#include "grammar/terms/term.h"

li_node li_array_node(const li_array_frame *frame)
{
    LI_ASSERT(frame->position <= frame->shape->prefix_count);
    const li_array_shape *shape = frame->shape;
    return frame->position < shape->prefix_count ? shape->prefix[frame->position] : shape->rest;
}

// Makes frames with equal continuations equal.
static void simplify(li_array_frame *frame)
{
    const li_array_shape *shape = frame->shape;
    if (shape->rest == LI_NODE_NONE && frame->room >= shape->prefix_count - frame->position) frame->room = LI_NO_LIMIT;
}

uint32_t li_array_store(const li_array_frame *frame, uint32_t words[LI_ARRAY_WORDS])
{
    LI_ASSERT(6 + 2 * frame->shape->contains_count <= LI_ARRAY_WORDS);
    words[0] = frame->shape->id;
    words[1] = frame->level << 2 | (uint32_t)frame->lacks_item << 1 | frame->has_items;
    words[2] = frame->position;
    words[3] = frame->needed;
    words[4] = frame->room;
    words[5] = frame->seen;
    uint32_t count = 6;
    for (uint32_t i = 0; i < frame->shape->contains_count; i++) {
        words[count++] = frame->needs[i];
        words[count++] = frame->takes[i];
    }
    return count;
}

bool li_array_load(li_grammar *grammar, const uint32_t *words, li_array_frame *frame)
{
    *frame = (li_array_frame){.shape = li_array_shape_at(grammar, words[0]),
                              .level = words[1] >> 2,
                              .has_items = words[1] & 1,
                              .lacks_item = words[1] >> 1 & 1,
                              .position = words[2],
                              .needed = words[3],
                              .room = words[4],
                              .seen = words[5]};
    for (uint32_t i = 0; i < frame->shape->contains_count; i++) {
        frame->needs[i] = words[6 + 2 * i];
        frame->takes[i] = words[7 + 2 * i];
    }
    return grammar->status == LI_OK;
}

li_term li_array_rest(li_grammar *grammar, const li_array_frame *frame)
{
    uint32_t words[LI_ARRAY_WORDS], count = li_array_store(frame, words);
    return li_term_intern(grammar, LI_KIND_ARRAY, 0, words, count);
}

typedef struct ways {
    li_array_visit visit;
    void *context;
    li_array_frame next;
} ways;

// The case in which the item counts comes first, because a search then ends soonest.
static bool ways_from(li_grammar *grammar, ways *ways, uint32_t index, li_node node)
{
    LI_ASSERT(index <= ways->next.shape->contains_count);
    li_array_frame *next = &ways->next;
    const li_array_shape *shape = next->shape;
    while (index < shape->contains_count && next->needs[index] == 0 && next->takes[index] == LI_NO_LIMIT) index++;
    if (index == shape->contains_count) return ways->visit(grammar, ways->context, node, next);
    if (!li_grammar_spend(grammar)) return false;
    const li_contains *contains = &shape->contains[index];
    uint32_t needs = next->needs[index], takes = next->takes[index];
    li_node counted = li_node_and(grammar, node, contains->node);
    if (takes > 0 && li_node_is_satisfiable(grammar, counted)) {
        next->needs[index] = needs ? needs - 1 : 0;
        next->takes[index] = takes == LI_NO_LIMIT ? takes : takes - 1;
        bool stops = ways_from(grammar, ways, index + 1, counted);
        next->needs[index] = needs;
        next->takes[index] = takes;
        if (stops) return true;
    }
    if (counted == node) return false;
    // With one contains and no limit, an item that counts may also be read as an item that does not count. With several
    // contains each choice of items would be a state.
    bool is_lax = takes == LI_NO_LIMIT && shape->contains_count == 1;
    li_node other = is_lax ? node : li_node_and(grammar, node, contains->other);
    return li_node_is_satisfiable(grammar, other) && ways_from(grammar, ways, index + 1, other);
}

bool li_array_ways(li_grammar *grammar, const li_array_frame *frame, li_array_visit visit, void *context)
{
    li_node node = li_array_node(frame);
    if (frame->room == 0 || !li_node_is_satisfiable(grammar, node)) return false;
    ways ways = {.visit = visit, .context = context, .next = *frame};
    li_array_frame *next = &ways.next;
    next->has_items = true;
    if (next->position < next->shape->prefix_count) next->position++;
    if (next->needed) next->needed--;
    if (next->room != LI_NO_LIMIT) next->room--;
    simplify(next);
    return ways_from(grammar, &ways, 0, node);
}

void li_array_start(const li_array_shape *shape, li_array_frame *frame)
{
    *frame = (li_array_frame){.shape = shape, .needed = shape->least, .room = shape->most};
    for (uint32_t i = 0; i < shape->contains_count; i++) {
        frame->needs[i] = shape->contains[i].least;
        frame->takes[i] = shape->contains[i].most;
    }
    simplify(frame);
}
