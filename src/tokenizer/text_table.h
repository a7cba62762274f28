// A hash table from the texts of tokens to their ids.
#ifndef LI_TEXT_TABLE_H
#define LI_TEXT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"

#define LI_NO_TOKEN UINT32_MAX
// The most slots that a lookup probes. Real vocabularies need below 60; crafted collisions would take forever.
#define LI_PROBES_MOST 1024u

// Text i lies in `bytes` from the end of text i - 1, plus `gap`, to ends[i]. The gaps hold the lengths of a GGUF file's
// strings.
typedef struct li_texts {
    const uint8_t *bytes;
    const uint32_t *ends;
    uint32_t gap;
} li_texts;

typedef struct li_text_table {
    li_texts texts;
    uint32_t *slots; // (mask + 1) ids, or LI_NO_TOKEN
    uint32_t mask;
    uint32_t longest; // bytes of the longest text that was added
} li_text_table;

static inline const uint8_t *li_text_at(const li_texts *texts, uint32_t id, uint32_t *length)
{
    uint32_t begin = (id ? texts->ends[id - 1] : 0) + texts->gap;
    *length = texts->ends[id] - begin;
    LI_ASSERT(texts->ends[id] >= begin);
    return texts->bytes + begin;
}

// An empty table with room for `count` texts, which the caller owns. False: no memory.
bool li_text_table_open(li_text_table *table, li_texts texts, uint32_t count);
void li_text_table_close(li_text_table *table);
// Of equal texts the first stays. False: too many collisions.
bool li_text_table_add(li_text_table *table, uint32_t id);
// The token whose text is `text` (length) followed by `more` (more_length), or LI_NO_TOKEN.
uint32_t li_text_table_find(const li_text_table *table, const uint8_t *text, uint32_t length, const uint8_t *more,
                            uint32_t more_length);

#endif
