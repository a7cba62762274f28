// Open addressing with linear probing; at least half of the slots are free.
#include "grammar/core/table.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "grammar/core/grammar.h"

enum { FIRST_SLOT_BITS = 6 };

static size_t slot_count(const li_table *table)
{
    return table->slots ? (size_t)1 << (32 - table->shift) : 0;
}

void li_table_put(li_table *table, uint32_t number, uint32_t place)
{
    LI_ASSERT(place != LI_TABLE_NONE && 2 * (size_t)table->count < slot_count(table));
    uint32_t slot = li_table_slot(table, number), last = UINT32_MAX >> table->shift;
    while (table->slots[slot].after) slot = (slot + 1) & last;
    table->slots[slot] = (li_slot){number, place + 1};
    table->count++;
}

bool li_table_reserve(li_table *table, uint32_t count)
{
    size_t room = slot_count(table);
    if (2 * (size_t)count <= room) return true;
    li_table larger = {.shift = 32 - FIRST_SLOT_BITS};
    while (2 * (size_t)count > (size_t)1 << (32 - larger.shift)) larger.shift--;
    larger.slots = li_memory_alloc(sizeof *larger.slots << (32 - larger.shift));
    if (!larger.slots) return false;
    for (size_t i = 0; i < room; i++)
        if (table->slots[i].after) li_table_put(&larger, table->slots[i].number, table->slots[i].after - 1);
    li_memory_free(table->slots);
    *table = larger;
    return true;
}

bool li_table_add(li_grammar *grammar, li_table *table, uint32_t number, uint32_t place)
{
    if (!li_table_reserve(table, table->count + 1)) {
        li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
        return false;
    }
    li_table_put(table, number, place);
    return true;
}

void li_table_forget(li_table *table)
{
    if (table->slots) memset(table->slots, 0, slot_count(table) * sizeof *table->slots);
    table->count = 0;
}

void li_table_clear(li_table *table)
{
    li_memory_free(table->slots);
    *table = (li_table){0};
}
