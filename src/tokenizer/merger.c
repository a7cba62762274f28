// A binary heap of possible merges, and a linked list of symbols. A merge whose symbols have changed is dropped when it
// reaches the top.
#include "tokenizer/merger.h"

#include "base/assert.h"
#include "base/memory.h"

#define LASTING_ROOM 256u // symbols whose memory is kept from text to text

bool li_merger_begin(li_merger *merger, uint32_t count)
{
    merger->count = merger->queued = 0;
    if (count <= merger->symbol_room) return true;
    li_merger_close(merger);
    // Doubles, because freed memory cannot serve a larger request. A count is at most 2^28.
    uint32_t room = LASTING_ROOM;
    while (room < count) room *= 2;
    // Each merge removes one entry from the queue and adds at most two, so there are at most 2 for each symbol.
    if (room > UINT32_MAX / 2 / sizeof(li_merge)) return false;
    merger->symbols = li_memory_alloc(room * sizeof *merger->symbols);
    merger->queue = li_memory_alloc(2 * room * sizeof *merger->queue);
    if (!merger->symbols || !merger->queue) {
        li_merger_close(merger);
        return false;
    }
    merger->symbol_room = room;
    LI_ASSERT(merger->symbol_room >= count);
    return true;
}

void li_merger_trim(li_merger *merger)
{
    if (merger->symbol_room > LASTING_ROOM) li_merger_close(merger);
}

void li_merger_close(li_merger *merger)
{
    li_memory_free(merger->symbols);
    li_memory_free(merger->queue);
    merger->symbols = NULL;
    merger->queue = NULL;
    merger->symbol_room = merger->count = merger->queued = 0;
}

void li_merger_add(li_merger *merger, uint32_t begin, uint32_t end, uint32_t token)
{
    LI_ASSERT(merger->count < merger->symbol_room);
    LI_ASSERT(begin < end); // an end of 0 marks a merged symbol
    LI_ASSERT(!merger->count || merger->symbols[merger->count - 1].end <= begin);
    uint32_t place = merger->count++;
    merger->symbols[place] = (li_symbol){begin, end, token, place ? place - 1 : LI_NO_SYMBOL, LI_NO_SYMBOL};
    if (place) merger->symbols[place - 1].next = place;
}

void li_merger_note(li_merger *merger, uint32_t begin, uint32_t end, uint32_t token)
{
    if (!merger->steps) return;
    *merger->steps++ = begin;
    *merger->steps++ = end;
    *merger->steps++ = token;
}

static void push(li_merger *merger, li_merge merge)
{
    LI_ASSERT(merger->queued < 2 * merger->symbol_room);
    uint32_t place = merger->queued++;
    for (; place && merger->queue[(place - 1) / 2].order > merge.order; place = (place - 1) / 2)
        merger->queue[place] = merger->queue[(place - 1) / 2];
    merger->queue[place] = merge;
}

static li_merge pop(li_merger *merger)
{
    LI_ASSERT(merger->queued);
    li_merge first = merger->queue[0];
    li_merge last = merger->queue[--merger->queued];
    uint32_t place = 0;
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= merger->queued) break;
        if (child + 1 < merger->queued && merger->queue[child + 1].order < merger->queue[child].order) child++;
        if (merger->queue[child].order >= last.order) break;
        merger->queue[place] = merger->queue[child];
        place = child;
    }
    merger->queue[place] = last;
    return first;
}

static void consider(li_merger *merger, uint32_t left, uint32_t right, li_find_merge *find, const void *context)
{
    if (left == LI_NO_SYMBOL || right == LI_NO_SYMBOL) return;
    LI_ASSERT(merger->symbols[left].next == right && merger->symbols[right].previous == left);
    LI_ASSERT(merger->symbols[left].end && merger->symbols[right].end);
    uint32_t rank, token;
    const li_symbol *end = &merger->symbols[right];
    if (find(context, &merger->symbols[left], end, &rank, &token))
        push(merger, (li_merge){(uint64_t)rank << 32 | left, end->end, token});
}

void li_merger_run(li_merger *merger, li_find_merge *find, const void *context)
{
    LI_ASSERT(!merger->queued);
    for (uint32_t i = 1; i < merger->count; i++) consider(merger, i - 1, i, find, context);
    while (merger->queued) {
        li_merge merge = pop(merger);
        uint32_t place = (uint32_t)merge.order;
        LI_ASSERT(place < merger->count);
        li_symbol *left = &merger->symbols[place];
        if (left->end == 0 || left->next == LI_NO_SYMBOL) continue;
        li_symbol *right = &merger->symbols[left->next];
        // Symbols only grow, so an equal end means that both symbols are unchanged.
        if (right->end != merge.end) continue;
        left->end = right->end;
        left->token = merge.token;
        li_merger_note(merger, left->begin, left->end, left->token);
        left->next = right->next;
        right->end = 0;
        if (left->next != LI_NO_SYMBOL) merger->symbols[left->next].previous = place;
        consider(merger, left->previous, place, find, context);
        consider(merger, place, left->next, find, context);
    }
}
