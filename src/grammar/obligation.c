// Obligations of objects: whether there are still properties that can witness them, each one as many as it can.
#include "grammar/object.h"

typedef struct chosen {
    uint32_t property;
    li_node node; // that and all that it witnesses
} chosen;

typedef struct search {
    const li_object_frame *frame;
    chosen chosen[LI_OBJECT_OBLIGATIONS];
    uint32_t count, spare; // of properties that are not required
} search;

uint32_t li_obligations_all(const li_object_shape *shape)
{
    return shape->obligation_count >= 32 ? UINT32_MAX : (1u << shape->obligation_count) - 1;
}

static bool find(li_grammar *grammar, search *search, uint32_t obligation);

static bool find_with(li_grammar *grammar, search *search, uint32_t obligation, chosen *chosen)
{
    li_node before = chosen->node, witness = search->frame->shape->witnesses[obligation][chosen->property];
    if (witness == LI_NODE_NONE) return false;
    if (witness != LI_NODE_ANY) chosen->node = li_node_and(grammar, before, witness);
    bool found = li_node_is_satisfiable(grammar, chosen->node) && find(grammar, search, obligation + 1);
    chosen->node = before;
    return found;
}

static bool is_free(li_grammar *grammar, const search *search, uint32_t property)
{
    const li_object_frame *frame = search->frame;
    const li_object_shape *shape = frame->shape;
    bool is_known = property < shape->known_count;
    uint32_t times = 1;
    for (uint32_t i = 0; i < search->count; i++) times += search->chosen[i].property == property;
    if (is_known && times > 1) return false;
    if (!(is_known && shape->required[property]) && search->spare == 0) return false;
    if (is_known) return li_object_is_left(grammar, frame, property);
    return times == 1 && frame->seen == LI_TERM_NOTHING && frame->taken != property
               ? true
               : li_object_supplies(grammar, frame, property - shape->known_count, times);
}

static bool find(li_grammar *grammar, search *search, uint32_t obligation)
{
    const li_object_shape *shape = search->frame->shape;
    while (obligation < shape->obligation_count && search->frame->fulfilled >> obligation & 1) obligation++;
    if (obligation >= shape->obligation_count) return true;
    if (!li_grammar_spend(grammar)) return false;
    for (uint32_t i = 0; i < search->count; i++)
        if (find_with(grammar, search, obligation, &search->chosen[i])) return true;
    for (uint32_t property = 0; property < shape->known_count + shape->class_count; property++) {
        if (shape->witnesses[obligation][property] == LI_NODE_NONE || !is_free(grammar, search, property)) continue;
        bool is_known = property < shape->known_count, is_required = is_known && shape->required[property];
        chosen *chosen = &search->chosen[search->count++];
        chosen->property = property;
        chosen->node = is_known ? shape->known_nodes[property] : shape->class_nodes[property - shape->known_count];
        search->spare -= !is_required;
        bool found = find_with(grammar, search, obligation, chosen);
        search->spare += !is_required;
        search->count--;
        if (found) return true;
    }
    return false;
}

bool li_obligations_can_finish(li_grammar *grammar, const li_object_frame *frame)
{
    if (frame->shape->obligation_count > LI_OBJECT_OBLIGATIONS) {
        li_grammar_fail(grammar, LI_ERROR_GRAMMAR_FUEL);
        return false;
    }
    search search = {.frame = frame, .spare = frame->room - frame->required_left};
    return find(grammar, &search, 0);
}
