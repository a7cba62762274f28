#include "model/families.h"

#include <stddef.h>
#include <string.h>

#define PLAIN (LI_TENSORS_QKV | LI_TENSORS_GATE | LI_TENSORS_NORM_BEFORE)
#define LLAMA (PLAIN | LI_TENSORS_BLOCK_BIAS | LI_TENSORS_ROPE_FACTORS | LI_TENSORS_LONG_FACTORS)
// Norms after the blocks instead of before them.
#define NORMED_AFTER (LI_TENSORS_QKV | LI_TENSORS_GATE | LI_TENSORS_NORM_AFTER)
#define GPT          (LI_TENSORS_FUSED_QKV | LI_TENSORS_NORM_BEFORE | LI_TENSORS_NORM_BIAS | LI_TENSORS_BLOCK_BIAS)
#define GEMMA        (LI_HALVES | LI_GELU | LI_ROOT_EMBEDDING | LI_CAPS)

// Files of families without LI_HALVES hold the rows of queries and keys permuted, so that pairs lie side by side.
static const li_family families[] = {
    {.name = "llama", .tensors = LLAMA},
    {.name = "qwen2", .tensors = PLAIN, .traits = LI_HALVES},
    {.name = "qwen3", .tensors = PLAIN | LI_TENSORS_HEAD_NORM, .traits = LI_HALVES},
    {.name = "gemma3",
     .tensors = PLAIN | LI_TENSORS_HEAD_NORM | LI_TENSORS_NORM_AFTER,
     .traits = GEMMA | LI_WINDOW_ROPE,
     .window_period = 6,
     .window_base = 10000},
    {.name = "phi3",
     .tensors = LI_TENSORS_FUSED_QKV | LI_TENSORS_FUSED_GATE | LI_TENSORS_NORM_BEFORE | LI_TENSORS_LONG_FACTORS,
     .traits = LI_HALVES},
    {.name = "granite", .tensors = LLAMA, .traits = LI_SCALES | LI_ROPE_BY_KEY},
    {.name = "smollm3", .tensors = PLAIN, .rope_period = 4},
    {.name = "olmo2",
     .tensors = NORMED_AFTER | LI_TENSORS_WIDE_NORM,
     .traits = LI_HALVES | LI_WINDOW_ROPE,
     .window_period = 4},
    {.name = "exaone4",
     .tensors = NORMED_AFTER | LI_TENSORS_HEAD_NORM | LI_TENSORS_ROPE_FACTORS,
     .traits = LI_HALVES | LI_ROPE_IN_WINDOWS,
     .window_period = 4},
    {.name = "ernie4_5", .tensors = PLAIN},
    {.name = "gemma2",
     .tensors = PLAIN | LI_TENSORS_NORM_AFTER,
     .traits = GEMMA,
     .window_period = 2,
     .window = 4096,
     .score_cap = 50,
     .logit_cap = 30},
    {.name = "gpt2", .tensors = GPT | LI_TENSORS_POSITIONS, .traits = LI_NO_ROPE | LI_GELU | LI_CENTRED_NORMS},
    {.name = "gptneox", .tensors = GPT, .traits = LI_HALVES | LI_GELU | LI_CENTRED_NORMS | LI_PARALLEL},
    // Converters write use_parallel_residual for sequential models of StableLM too; parallel ones have no ffn_norm.
    {.name = "stablelm",
     .tensors = PLAIN | LI_TENSORS_NORM_BIAS,
     .traits = LI_HALVES | LI_CENTRED_NORMS | LI_NEVER_PARALLEL},
    {.name = "minicpm", .tensors = LLAMA, .traits = LI_SCALES | LI_MINICPM_SCALES},
    {.name = "lfm2", .tensors = PLAIN | LI_TENSORS_HEAD_NORM | LI_TENSORS_CONVOLUTION, .traits = LI_HALVES},
    {.name = "qwen35",
     .tensors = LI_TENSORS_QKV | LI_TENSORS_GATE | LI_TENSORS_NORM_BETWEEN | LI_TENSORS_HEAD_NORM |
                LI_TENSORS_DELTA_NET | LI_TENSORS_AHEAD,
     .traits = LI_HALVES | LI_GATED_ATTENTION | LI_SECTIONED_ROPE | LI_PREDICTS_AHEAD},
    {.name = "eagle3", .tensors = PLAIN | LI_TENSORS_ROPE_FACTORS | LI_TENSORS_FEATURES},
    {.name = "hunyuan-dense", .tensors = PLAIN | LI_TENSORS_HEAD_NORM, .traits = LI_HALVES | LI_ROPE_BEFORE_NORM},
};

const li_family *li_family_find(const char *name, uint32_t length)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strlen(families[i].name) == length && memcmp(families[i].name, name, length) == 0) return &families[i];
    return NULL;
}
