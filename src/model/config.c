// The llama family's metadata keys. A file whose keys ask for other arithmetic than forward.c does is refused: a wrong
// result is worse than none.
#include "model/config.h"

#include "model/gguf.h"

#define WIDTH_LIMIT   (1u << 20)
#define CONTEXT_LIMIT (1u << 24)

// Keys that change the arithmetic, whatever their value.
static const char *const foreign_keys[] = {
    "llama.attention.scale",          "llama.attention.clamp_kqv",
    "llama.attention.max_alibi_bias", "llama.logit_scale",
    "llama.residual_scale",           "llama.embedding_scale",
    "llama.attn_logit_softcapping",   "llama.final_logit_softcapping",
};

// Keys that change the arithmetic unless they are 0.
static const char *const foreign_unless_zero[] = {
    "llama.expert_count",
    "llama.expert_used_count",
    "llama.attention.sliding_window",
    "llama.use_parallel_residual",
};

static bool has_key(const li_gguf *gguf, const char *key)
{
    return li_gguf_find(gguf, key) >= 0;
}

static bool is_scale_one(const li_gguf *gguf, const char *key)
{
    double scale = 0;
    return !has_key(gguf, key) || (li_gguf_get_float(gguf, key, &scale) && (scale == 1.0 || scale == 0.0));
}

static bool has_scaled_rope(const li_gguf *gguf)
{
    if (!is_scale_one(gguf, "llama.rope.scale_linear")) return true;
    if (has_key(gguf, "llama.rope.scaling.type")) return !li_gguf_is_string(gguf, "llama.rope.scaling.type", "none");
    return !is_scale_one(gguf, "llama.rope.scaling.factor");
}

static bool is_plain_llama(const li_gguf *gguf)
{
    if (!li_gguf_is_string(gguf, "general.architecture", "llama") || has_scaled_rope(gguf)) return false;
    for (uint32_t i = 0; i < sizeof foreign_keys / sizeof *foreign_keys; i++) {
        if (has_key(gguf, foreign_keys[i])) return false;
    }
    for (uint32_t i = 0; i < sizeof foreign_unless_zero / sizeof *foreign_unless_zero; i++) {
        uint64_t value = 0;
        const char *key = foreign_unless_zero[i];
        if (has_key(gguf, key) && (!li_gguf_get_unsigned(gguf, key, &value) || value != 0)) return false;
    }
    uint64_t causal = 1;
    const char *key = "llama.attention.causal";
    return !has_key(gguf, key) || (li_gguf_get_unsigned(gguf, key, &causal) && causal == 1);
}

// The key's whole number from 1 to `limit`; `fallback` without the key (0: the key is required). 0: no such number.
static uint32_t read_size(const li_gguf *gguf, const char *key, uint32_t fallback, uint32_t limit)
{
    uint64_t value = 0;
    if (!has_key(gguf, key)) return fallback;
    return li_gguf_get_unsigned(gguf, key, &value) && value <= limit ? (uint32_t)value : 0;
}

// The key's number, positive and finite; `fallback` without the key. 0: no such number.
static float read_positive(const li_gguf *gguf, const char *key, double fallback)
{
    double value = fallback;
    if (has_key(gguf, key) && !li_gguf_get_float(gguf, key, &value)) return 0;
    return value > 1e-30 && value < 1e30 ? (float)value : 0;
}

static bool is_sane(const li_model_config *config)
{
    if (!config->dim || !config->hidden_dim || !config->layers || !config->heads || !config->kv_heads) return false;
    if (!config->context_length || !config->head_dim || config->head_dim % 2) return false;
    if (config->heads % config->kv_heads) return false;
    if ((uint64_t)config->heads * config->head_dim > WIDTH_LIMIT) return false;
    if (!config->rope_dim || config->rope_dim % 2 || config->rope_dim > config->head_dim) return false;
    return config->rope_base >= 1.0f && config->norm_epsilon > 0.0f && config->norm_epsilon < 1.0f;
}

li_status li_config_read(const li_gguf *gguf, li_model_config *config)
{
    if (!is_plain_llama(gguf)) return LI_ERROR_MODEL_ARCHITECTURE;
    config->dim = read_size(gguf, "llama.embedding_length", 0, WIDTH_LIMIT);
    config->hidden_dim = read_size(gguf, "llama.feed_forward_length", 0, WIDTH_LIMIT);
    config->layers = read_size(gguf, "llama.block_count", 0, LI_GGUF_ENTRY_LIMIT);
    config->heads = read_size(gguf, "llama.attention.head_count", 0, WIDTH_LIMIT);
    config->kv_heads = read_size(gguf, "llama.attention.head_count_kv", config->heads, WIDTH_LIMIT);
    config->context_length = read_size(gguf, "llama.context_length", 0, CONTEXT_LIMIT);
    // Without the key, the heads together are as wide as the residual stream.
    uint32_t even_share = config->heads && config->dim % config->heads == 0 ? config->dim / config->heads : 0;
    config->head_dim = read_size(gguf, "llama.attention.key_length", even_share, WIDTH_LIMIT);
    uint32_t value_dim = read_size(gguf, "llama.attention.value_length", even_share, WIDTH_LIMIT);
    config->rope_dim = read_size(gguf, "llama.rope.dimension_count", config->head_dim, WIDTH_LIMIT);
    config->rope_base = read_positive(gguf, "llama.rope.freq_base", 10000.0);
    config->norm_epsilon = read_positive(gguf, "llama.attention.layer_norm_rms_epsilon", 0.0);
    return is_sane(config) && value_dim == config->head_dim ? LI_OK : LI_ERROR_MODEL_CONFIG;
}
