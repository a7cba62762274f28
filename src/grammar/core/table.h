// A hash table from numbers to places in a list that its owner keeps. A number is a key, or the hash of what lies at
// the place: then the owner compares.
#ifndef LI_TABLE_H
#define LI_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/inline.h"
#include "lastinch.h"

#define LI_TABLE_NONE UINT32_MAX

typedef struct li_slot {
    uint32_t number;
    uint32_t after; // place + 1; 0: free
} li_slot;

// Zeros: the empty table. li_table_clear frees the memory.
typedef struct li_table {
    li_slot *slots; // (1 << 32 - shift) open addressing; NULL: none yet
    uint32_t shift, count;
} li_table;

// A step of a hash.
LI_INLINE uint32_t li_mix(uint32_t hash, uint32_t word)
{
    hash = (hash ^ word) * 0x85ebca6bu;
    return hash ^ hash >> 15;
}

// The first slot for a number: the upper bits of a product (Fibonacci hashing), which depend on all bits of the number.
LI_INLINE uint32_t li_table_slot(const li_table *table, uint32_t number)
{
    return number * 0x9e3779b1u >> table->shift;
}

// The next place of the number, or NONE. *probe is 0 before the first.
LI_INLINE uint32_t li_table_next(const li_table *table, uint32_t number, uint32_t *probe)
{
    if (!table->slots) return LI_TABLE_NONE;
    uint32_t last = UINT32_MAX >> table->shift, first = li_table_slot(table, number);
    for (const li_slot *slot; (slot = &table->slots[(first + (*probe)++) & last])->after;)
        if (slot->number == number) return slot->after - 1;
    return LI_TABLE_NONE;
}

// The only place of a number, or NONE.
LI_INLINE uint32_t li_table_find(const li_table *table, uint32_t number)
{
    uint32_t probe = 0;
    return li_table_next(table, number, &probe);
}

// Whether the next place makes the table grow.
LI_INLINE bool li_table_is_full(const li_table *table)
{
    return !table->slots || 2 * (uint64_t)table->count > UINT32_MAX >> table->shift;
}

// Makes room for `count` places in all. False: no memory.
bool li_table_reserve(li_table *table, uint32_t count);
// Adds a place of a number. There must be room.
void li_table_put(li_table *table, uint32_t number, uint32_t place);
// Makes room and adds the place. False: no memory, and the grammar has failed.
bool li_table_add(li_grammar *grammar, li_table *table, uint32_t number, uint32_t place);
// Removes all places.
void li_table_forget(li_table *table);
void li_table_clear(li_table *table);

#endif
