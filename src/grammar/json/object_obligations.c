// Whether properties that may still come can fulfil all open obligations of an object. Forced decisions come first. An
// obligation that the absence of a property fulfils needs no decision.
#include "grammar/json/object_obligations.h"

#include "grammar/tableau/satisfiable.h"
#include "grammar/terms/scratch.h"

enum { CHOSEN_LIMIT = 32 };

typedef struct chosen {
    uint32_t property; // a class
    li_node node;      // the node of the value, with the nodes of all that it witnesses
} chosen;

typedef struct search {
    const li_object_frame *frame;
    // The place in the scratch of terms: for each known key, 2 * node of its value + whether the key is required.
    uint32_t known;
    uint32_t spare; // the number of properties that may come and are not required
    uint32_t count;
    chosen chosen[CHOSEN_LIMIT];
} search;

typedef enum outcome { IMPOSSIBLE, POSSIBLE, FULFILLED } outcome;

bool li_obligations_are_met(const li_grammar *grammar, const li_object_frame *frame, bool is_end)
{
    const li_object_shape *shape = frame->shape;
    for (uint32_t at = 0; at < shape->witness_count;) {
        uint32_t obligation = shape->witnesses[at].obligation;
        bool is_met = li_object_set_has(grammar, frame->fulfilled, obligation);
        for (; at < shape->witness_count && shape->witnesses[at].obligation == obligation; at++)
            is_met |= is_end && shape->witnesses[at].may_miss &&
                      li_object_is_left(grammar, frame, shape->witnesses[at].property);
        if (!is_met) return false;
    }
    return true;
}

static outcome use_known(li_grammar *grammar, search *search, const li_witness *witness, bool is_final)
{
    uint32_t before = grammar->scratch.at[search->known + witness->property], may_miss = witness->may_miss;
    bool must_come = before & 1;
    if (!li_object_is_left(grammar, search->frame, witness->property)) return IMPOSSIBLE;
    li_node node = li_node_and(grammar, before >> 1, witness->node);
    if (!li_node_is_satisfiable(grammar, node)) node = LI_NODE_NONE;
    if (node == LI_NODE_NONE && (must_come || !may_miss)) return IMPOSSIBLE;
    uint32_t after = 2 * node + (must_come || !may_miss);
    if (after == before) return FULFILLED;
    if (!must_come && !may_miss && search->spare == 0) return IMPOSSIBLE;
    if (!is_final) return POSSIBLE;
    search->spare -= !must_come && !may_miss;
    grammar->scratch.at[search->known + witness->property] = after;
    return POSSIBLE;
}

// Fulfils an obligation by a chosen property, or by a new one (`option`: the number of chosen properties).
static outcome use_class(li_grammar *grammar, search *search, const li_witness *witness, uint32_t option, bool is_final)
{
    const li_object_frame *frame = search->frame;
    uint32_t class_index = witness->property - frame->shape->known_count, times = 1;
    li_node before = frame->shape->class_nodes[class_index];
    if (option < search->count) {
        if (search->chosen[option].property != witness->property) return IMPOSSIBLE;
        before = search->chosen[option].node;
    } else {
        for (uint32_t i = 0; i < search->count; i++) times += search->chosen[i].property == witness->property;
        if (search->spare == 0) return IMPOSSIBLE;
        bool is_fresh = times == 1 && frame->seen == LI_TERM_NOTHING && frame->taken != witness->property;
        if (!is_fresh && !li_object_supplies(grammar, frame, class_index, times)) return IMPOSSIBLE;
    }
    li_node node = li_node_and(grammar, before, witness->node);
    if (option < search->count && node == before) return FULFILLED;
    if (!li_node_is_satisfiable(grammar, node)) return IMPOSSIBLE;
    if (!is_final) return POSSIBLE;
    if (option == CHOSEN_LIMIT) {
        li_grammar_exceed(grammar, LI_LIMIT_WAYS);
        return IMPOSSIBLE;
    }
    search->spare -= option == search->count;
    search->count += option == search->count;
    search->chosen[option] = (chosen){witness->property, node};
    return POSSIBLE;
}

static bool is_known(const search *search, const li_witness *witness)
{
    return witness->property < search->frame->shape->known_count;
}

typedef struct row {
    uint32_t first, last; // its witnesses
    uint32_t ways;
    const li_witness *known; // a known key among them; NULL: none
    bool is_fulfilled, may_wait;
} row;

static void look(li_grammar *grammar, search *search, row *row)
{
    for (uint32_t i = row->first; i < row->last && !row->is_fulfilled; i++) {
        const li_witness *witness = &search->frame->shape->witnesses[i];
        uint32_t options = is_known(search, witness) ? 1 : search->count + 1;
        for (uint32_t option = 0; option < options; option++) {
            outcome outcome = is_known(search, witness) ? use_known(grammar, search, witness, false)
                                                        : use_class(grammar, search, witness, option, false);
            row->ways += outcome != IMPOSSIBLE;
            row->is_fulfilled |= outcome == FULFILLED;
            if (outcome != POSSIBLE || !is_known(search, witness)) continue;
            row->known = witness;
            bool must_come = grammar->scratch.at[search->known + witness->property] & 1;
            row->may_wait |= witness->may_miss && !must_come && search->frame->needed == 0;
        }
    }
}

// Makes the forced decisions. False: an obligation cannot be fulfilled. Otherwise `open` is an obligation with a
// choice.
static bool propagate(li_grammar *grammar, search *search, row *open)
{
    const li_object_shape *shape = search->frame->shape;
    const li_witness *witnesses = shape->witnesses;
    uint32_t count = shape->witness_count;
    bool has_changed = true;
    // Forwards and backwards in turn, because most forced decisions follow each other in one order.
    for (bool is_back = false; has_changed; is_back = !is_back) {
        has_changed = false;
        *open = (row){0};
        for (uint32_t done = 0; done < count;) {
            row row = {.first = done, .last = done + 1};
            if (is_back) row.first = count - done - 1, row.last = count - done;
            uint32_t obligation = witnesses[row.first].obligation;
            while (is_back && row.first > 0 && witnesses[row.first - 1].obligation == obligation) row.first--;
            while (row.last < count && witnesses[row.last].obligation == obligation) row.last++;
            done += row.last - row.first;
            if (li_object_set_has(grammar, search->frame->fulfilled, obligation)) continue;
            look(grammar, search, &row);
            // Most of these checks are cheap.
            if (row.ways == 0 || (obligation % 8 == 0 && !li_grammar_spend(grammar))) return false;
            if (row.is_fulfilled) continue;
            if (row.ways == 1 && row.known) {
                use_known(grammar, search, row.known, true);
                has_changed = true;
            } else if (!row.may_wait) {
                *open = row;
            }
        }
    }
    return true;
}

// The known keys that could come if there were no obligations.
static uint32_t count_lost(li_grammar *grammar, const search *search)
{
    uint32_t lost = 0;
    for (uint32_t i = 0; i < search->frame->shape->known_count; i++)
        lost += grammar->scratch.at[search->known + i] >> 1 == LI_NODE_NONE &&
                li_object_is_left(grammar, search->frame, i) &&
                li_node_is_satisfiable(grammar, search->frame->shape->known_nodes[i]);
    return lost;
}

static bool solve(li_grammar *grammar, const search *before)
{
    search search = *before;
    row open;
    if (!propagate(grammar, &search, &open)) return false;
    if (open.ways == 0)
        return search.frame->needed == 0 || li_object_has_enough(grammar, search.frame, count_lost(grammar, &search));
    uint32_t base = li_scratch_mark(grammar), count = search.frame->shape->known_count;
    bool found = false;
    for (uint32_t i = open.first; i < open.last && !found; i++) {
        const li_witness *witness = &search.frame->shape->witnesses[i];
        uint32_t options = is_known(&search, witness) ? 1 : search.count + 1;
        for (uint32_t option = 0; option < options && !found; option++) {
            struct search next = search;
            next.known = base;
            for (uint32_t k = 0; k < count; k++) li_scratch_push(grammar, grammar->scratch.at[search.known + k]);
            if (grammar->status != LI_OK) return false;
            outcome outcome = is_known(&search, witness) ? use_known(grammar, &next, witness, true)
                                                         : use_class(grammar, &next, witness, option, true);
            found = outcome != IMPOSSIBLE && solve(grammar, &next);
            li_scratch_drop(grammar, base);
        }
    }
    return found;
}

bool li_obligations_can_finish(li_grammar *grammar, const li_object_frame *frame)
{
    const li_object_shape *shape = frame->shape;
    uint32_t base = li_scratch_mark(grammar);
    search search = {.frame = frame, .known = base, .spare = frame->room - frame->required_left};
    for (uint32_t i = 0; i < shape->known_count; i++)
        li_scratch_push(grammar, 2 * shape->known_nodes[i] + shape->required[i]);
    bool found = grammar->status == LI_OK && solve(grammar, &search);
    li_scratch_drop(grammar, base);
    return found;
}
