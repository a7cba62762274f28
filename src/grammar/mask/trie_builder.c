// Makes room for the nodes of a trie, gives bytes their classes, and closes the trie.
#include "grammar/mask/trie_builder.h"

#include "base/assert.h"
#include "base/memory.h"

static uint32_t class_of(uint8_t byte)
{
    // Letters, digits, space and control characters; each common mark is a class.
    static const char marks[] = "\"\\_-./:,@+=()[]{}'#%&*?!";
    if (byte >= 'a' && byte <= 'z') return 0;
    if (byte >= 'A' && byte <= 'Z') return 1;
    if (byte >= '0' && byte <= '9') return 2;
    if (byte <= ' ') return byte == ' ' ? 3 : 4;
    if (byte >= 0x80) return byte == 0xe2 ? LI_CLASS_E2 : LI_CLASS_BEYOND;
    for (uint32_t i = 0; marks[i]; i++)
        if (marks[i] == byte) return i + 6;
    return 5;
}

bool li_trie_builder_init(li_trie_builder *builder, li_vocabulary *vocabulary, uint32_t node_count)
{
    LI_ASSERT(node_count && node_count < 1u << 24);
    *builder = (li_trie_builder){.vocabulary = vocabulary, .count = 1};
    for (uint32_t byte = 0; byte < 256; byte++) {
        vocabulary->classes[byte] = (uint8_t)class_of((uint8_t)byte);
        builder->bits[byte] = 1u << vocabulary->classes[byte];
    }
    builder->nodes = vocabulary->nodes = li_memory_alloc((node_count + 1) * sizeof *vocabulary->nodes);
    builder->below = vocabulary->below = li_memory_alloc(node_count * sizeof *vocabulary->below);
    builder->open = li_memory_alloc((LI_TOKEN_LIMIT + 1) * sizeof *builder->open);
    return vocabulary->nodes && vocabulary->below && builder->open;
}

void li_trie_builder_finish(li_trie_builder *builder)
{
    LI_ASSERT(builder->count);
    li_vocabulary *vocabulary = builder->vocabulary;
    vocabulary->node_count = builder->count;
    vocabulary->below[0] = builder->open[0].below;
    vocabulary->nodes[0].size = builder->count;
    vocabulary->nodes[builder->count] = (li_trie_node){.size = 1, .first = vocabulary->ranked_count};
}
