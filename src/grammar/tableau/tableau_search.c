// The search through forks. Forks with one branch left are taken first; then the search splits the fork with the fewest
// branches.
#include "grammar/tableau/tableau_search.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/core/arena.h"
#include "grammar/tableau/array_shape.h"
#include "grammar/tableau/number_shape.h"
#include "grammar/tableau/object_shape.h"
#include "grammar/tableau/tableau_atoms.h"
#include "grammar/tableau/tableau_defer.h"
#include "grammar/tableau/tableau_expand.h"
#include "grammar/tableau/unevaluated.h"

// Nodes with more alternatives, or whose search takes more steps, are refused. A step takes about half a microsecond.
enum {
    LEAF_LIMIT = 1024,
    FEW_LEAVES = 64, // an object with more alternatives: choices stay open if they can
    RANGE_LIMIT = 65536,
    WIDTH_LIMIT = 8192,        // of one fork
    VALUE_LIMIT = 131072,      // of one fork between constants
    STEP_LIMIT = 80000,        // 40 ms of a page that waits for its grammar
    LAZY_STEP_LIMIT = 1000000, // half a second: open choices save alternatives, which every mask would pay for
    TRIAL_LIMIT = 4000,        // 2 ms: there are many trials, and they may give up without harm
    DEPTH_LIMIT = 256,         // of recursion on the stack
    TRIAL_DEPTH_LIMIT = 32,    // trials run within searches
    FULL_PROBE = 16,           // all branches of forks up to this width are probed
};

static bool is_over(const li_tableau *search)
{
    return search->grammar->status != LI_OK || search->is_exhausted || (search->is_trial && search->is_found);
}

bool li_tableau_take(li_tableau *search, const li_fork *fork, uint32_t alternative, bool is_probe)
{
    uint32_t limit = search->is_trial ? TRIAL_LIMIT : search->is_lazy ? LAZY_STEP_LIMIT : STEP_LIMIT;
    if (++search->steps > limit + 2 * search->value_count) search->is_exhausted = true;
    if (!li_grammar_spend(search->grammar) || search->is_exhausted) return false;
    return li_fork_take(search, fork, alternative, is_probe);
}

enum { PROBE_DEAD = -1, PROBE_SATISFIED = -2, PROBE_OPEN = -3 };

// The only possible alternative, or one of the values above.
static int32_t probe(li_tableau *search, const li_fork *fork)
{
    uint32_t width = li_fork_width(search, fork), alive = 0;
    int32_t only = PROBE_DEAD;
    for (uint32_t i = 0; i < width; i++) {
        li_tableau_mark mark = li_tableau_save(search);
        bool is_possible = li_tableau_take(search, fork, i, true);
        bool adds = mark.claims != search->claims.count || mark.atoms != search->atoms.count ||
                    mark.forks != search->forks.count || mark.needed != search->needed.count;
        li_tableau_restore(search, mark);
        if (is_over(search)) return PROBE_DEAD;
        if (!is_possible) continue;
        if (!adds && fork->kind != LI_FORK_ONE) return PROBE_SATISFIED;
        only = (int32_t)i;
        if (++alive == 2 && width > FULL_PROBE) break;
    }
    return alive > 1 ? PROBE_OPEN : only;
}

static bool activate(li_tableau *search, uint32_t first_fork)
{
    LI_ASSERT(first_fork <= search->forks.count);
    uint32_t count = search->forks.count - first_fork;
    if (!LI_ARENA_RESERVE(search->grammar, &search->active, search->active.count + count)) return false;
    for (uint32_t i = 0; i < count; i++) search->active.at[search->active.count++] = first_fork + i;
    return true;
}

static void close_fork(li_tableau *search, uint32_t at)
{
    LI_ASSERT(at < search->active.count);
    search->active.count--;
    uint32_t *open = search->active.at;
    memmove(open + at, open + at + 1, (search->active.count - at) * sizeof *open);
}

// Takes every fork with one branch left. False: a contradiction.
static bool propagate(li_tableau *search, uint32_t first)
{
    bool has_changed = true;
    while (has_changed) {
        has_changed = false;
        for (uint32_t i = first; i < search->active.count;) {
            li_fork fork = search->forks.at[search->active.at[i]];
            int32_t only = probe(search, &fork);
            if (only == PROBE_DEAD) return false;
            if (only == PROBE_OPEN) {
                i++;
                continue;
            }
            close_fork(search, i);
            if (only == PROBE_SATISFIED) continue;
            uint32_t before = search->forks.count;
            if (!li_tableau_take(search, &fork, (uint32_t)only, false) || !activate(search, before)) return false;
            has_changed = true;
        }
    }
    return true;
}

static void realise(li_tableau *search)
{
    if (search->is_trial) {
        search->is_found = li_tableau_is_plausible(search);
        return;
    }
    search->leaves++;
    // The limit grows with the width of a long list of alternatives, but not with the product of nested forks.
    if (search->leaves > search->leaf_limit + (uint64_t)search->width * 2) {
        search->is_exhausted = true;
        return;
    }
    switch (search->sort) {
    case LI_SORT_NUMBER:
        li_numbers_realise(search);
        break;
    case LI_SORT_ARRAY:
        li_arrays_realise(search);
        break;
    default:
        li_objects_realise(search);
    }
}

static uint32_t narrowest(li_tableau *search, uint32_t first)
{
    LI_ASSERT(first < search->active.count);
    uint32_t best = first, least = UINT32_MAX;
    for (uint32_t i = first; i < search->active.count; i++) {
        const li_fork *fork = &search->forks.at[search->active.at[i]];
        uint32_t width = li_fork_width(search, fork);
        if (width < least) {
            least = width;
            best = i;
        }
    }
    const li_fork *fork = &search->forks.at[search->active.at[best]];
    if (least >= search->width) {
        search->width = least;
        if (fork->blame.clause) search->blame = fork->blame;
    }
    return best;
}

// The forks from `first` on are open.
static void solve(li_tableau *search, uint32_t first, bool is_settled, uint32_t depth)
{
    for (;;) {
        if (!propagate(search, first)) return;
        for (uint32_t i = first; search->is_lazy && i < search->active.count;) {
            li_fork fork = search->forks.at[search->active.at[i]];
            if (li_tableau_defer(search, &fork))
                close_fork(search, i);
            else
                i++;
        }
        if (search->active.count > first) break;
        if (is_settled) {
            realise(search);
            return;
        }
        is_settled = true;
        uint32_t before = search->forks.count;
        if (!li_tableau_settle(search) || !li_tableau_close(search) || !activate(search, before)) return;
    }
    if (depth == (search->is_trial ? TRIAL_DEPTH_LIMIT : DEPTH_LIMIT)) {
        search->is_exhausted = true;
        return;
    }
    uint32_t split = narrowest(search, first), end = search->active.count;
    li_fork fork = search->forks.at[search->active.at[split]];
    uint32_t width = li_fork_width(search, &fork);
    bool is_value = fork.kind == LI_FORK_VALUE && search->sort == LI_SORT_OBJECT;
    bool is_narrow = is_value && !search->grammar->spelling.any_order ? width <= VALUE_LIMIT : width <= WIDTH_LIMIT;
    if (!is_narrow && search->sort != LI_SORT_NUMBER) search->is_exhausted = true;
    for (uint32_t i = 0; i < width && !is_over(search); i++) {
        li_tableau_mark mark = li_tableau_save(search);
        uint32_t constant = search->constant;
        if (is_value) {
            search->constant = li_fork_constant(search, &fork, i) + 1;
            search->value_count++;
        }
        if (li_tableau_take(search, &fork, i, false)) {
            if (!LI_ARENA_RESERVE(search->grammar, &search->active, 2 * end)) return;
            for (uint32_t j = first; j < end; j++)
                if (j != split) search->active.at[search->active.count++] = search->active.at[j];
            if (activate(search, mark.forks)) solve(search, end, is_settled, depth + 1);
            search->active.count = end;
        }
        search->constant = constant;
        li_tableau_restore(search, mark);
    }
}

// False: a limit has been met.
static bool run(li_tableau *search, uint32_t leaf_limit, bool is_lazy)
{
    li_grammar *grammar = search->grammar;
    li_tableau_restore(search, (li_tableau_mark){0});
    search->active.count = search->steps = search->leaves = search->width = 0;
    search->constant = search->value_count = 0;
    search->found.count = search->ranges.count = search->next_id = 0;
    search->is_found = search->is_exhausted = false;
    search->leaf_limit = leaf_limit;
    search->is_lazy = is_lazy;
    search->blame = (li_blame){0};
    const li_node_entry *entry = &grammar->nodes->all.at[search->node];
    const li_claim *claims = entry->claims;
    uint32_t count = entry->claim_count;
    for (uint32_t i = 0; i < count; i++)
        if (!li_tableau_claim(search, claims[i], false, (li_blame){0})) return !search->is_exhausted;
    if (li_tableau_close(search) && activate(search, 0)) solve(search, 0, false, 0);
    return !search->is_exhausted;
}

static void keep(li_tableau *search)
{
    li_grammar *grammar = search->grammar;
    li_node_entry *entry = &grammar->nodes->all.at[search->node];
    size_t size = search->found.count * sizeof(void *);
    if (search->sort == LI_SORT_NUMBER) {
        entry->number_count = search->ranges.count;
        size = search->ranges.count * sizeof *search->ranges.at;
    }
    void *kept = li_grammar_alloc(grammar, size ? size : 1);
    if (!kept) return;
    if (size) memcpy(kept, search->sort == LI_SORT_NUMBER ? (void *)search->ranges.at : (void *)search->found.at, size);
    switch (search->sort) {
    case LI_SORT_NUMBER:
        entry->numbers = kept;
        break;
    case LI_SORT_ARRAY:
        entry->arrays = kept;
        entry->array_count = search->found.count;
        break;
    default:
        entry->objects = kept;
        entry->object_count = search->found.count;
    }
}

bool li_tableau_shapes(li_grammar *grammar, li_node node, uint32_t sort)
{
    li_tableau *search = li_tableau_enter(grammar, node, sort, false);
    if (!search) return false;
    do {
        // The masks of many alternatives take longer than those of choices that stay open.
        if (sort != LI_SORT_OBJECT)
            run(search, sort == LI_SORT_NUMBER ? RANGE_LIMIT : LEAF_LIMIT, false);
        else if (!run(search, FEW_LEAVES, false) && grammar->status == LI_OK && !run(search, LEAF_LIMIT, true))
            run(search, LEAF_LIMIT, false);
        if (!search->is_exhausted || grammar->status != LI_OK) break;
        li_blame blame = li_tableau_blame(search);
        if (!blame.clause) {
            li_grammar_exceed(grammar, LI_LIMIT_WAYS);
            break;
        }
        li_refuse(grammar, blame.schema, li_clause_written(blame.clause), LI_REFUSAL_TOO_COMPLEX);
        blame.clause->keyword = 0;
    } while (grammar->status == LI_OK);
    if (grammar->status == LI_OK) keep(search);
    li_tableau_leave(grammar);
    return grammar->status == LI_OK;
}

bool li_tableau_any(li_grammar *grammar, li_node node, uint32_t sort)
{
    li_tableau *search = li_tableau_enter(grammar, node, sort, true);
    if (!search) return true;
    run(search, LEAF_LIMIT, false);
    bool is_possible = search->is_found || search->is_exhausted;
    li_tableau_leave(grammar);
    return is_possible;
}
