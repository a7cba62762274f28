#include "model/families.h"

#include <stddef.h>
#include <string.h>

// Files of the family llama hold the rows of queries and keys permuted, so that pairs lie side by side.
static const li_family families[] = {
    {"llama", false, LI_TENSORS_BLOCK_BIAS | LI_TENSORS_ROPE_FACTORS | LI_TENSORS_LONG_ROPE_FACTORS},
    {"qwen2", true, LI_TENSORS_COMMON},
    {"qwen3", true, LI_TENSORS_QK_NORM},
};

const li_family *li_family_find(const char *name, uint32_t length)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strlen(families[i].name) == length && memcmp(families[i].name, name, length) == 0) return &families[i];
    return NULL;
}
