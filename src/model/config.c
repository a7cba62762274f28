// The metadata keys of all families, which begin with the name of the family. A file whose keys ask for other
// arithmetic than forward.c does is refused: a wrong result is worse than none.
#include "model/config.h"

#include <string.h>

#include "base/exp.h"
#include "model/fault.h"
#include "model/gguf.h"

#define WIDTH_LIMIT   (1u << 20)
#define CONTEXT_LIMIT (1u << 24)
#define KEY_ROOM      96u // characters of the longest key that is looked up, and a zero

// Keys that change the arithmetic, whatever their value.
static const char *const foreign_keys[] = {
    "attention.clamp_kqv",
    "attention.max_alibi_bias",
    "attention.temperature_length",
    "attention.temperature_scale",
    "logit_scale",
    "residual_scale",
    "embedding_scale",
    "attn_logit_softcapping",
    "final_logit_softcapping",
    "rope.dimension_sections",
};

// Keys that change the arithmetic unless they are 0.
static const char *const foreign_unless_zero[] = {
    "expert_count",
    "expert_used_count",
    "use_parallel_residual",
    "nextn_predict_layers",
};

// Reads the keys of one family by what follows the family's name. The first refusal stays.
typedef struct reader {
    li_gguf *gguf;
    const li_family *family;
    li_status status;
} reader;

static void refuse(reader *from, li_fault_kind kind, const char *suffix)
{
    if (from->status != LI_OK) return;
    from->status = kind == LI_FAULT_KEY_FOREIGN ? LI_ERROR_MODEL_ARCHITECTURE : LI_ERROR_MODEL_CONFIG;
    li_fault_begin(from->gguf, kind);
    li_fault_add_text(from->gguf, from->family->name, strlen(from->family->name));
    li_fault_add_text(from->gguf, ".", 1);
    li_fault_add_text(from->gguf, suffix, strlen(suffix));
}

// Writes the whole key; the names of families and the suffixes of this file fit.
static const char *whole_key(const reader *from, const char *suffix, char key[KEY_ROOM])
{
    size_t length = strlen(from->family->name);
    memcpy(key, from->family->name, length);
    key[length] = '.';
    memcpy(key + length + 1, suffix, strlen(suffix) + 1);
    return key;
}

// Index of a key, or -1.
static int32_t find(const reader *from, const char *suffix)
{
    char key[KEY_ROOM];
    return li_gguf_find(from->gguf, whole_key(from, suffix, key));
}

// The key's whole number from 1 to `limit`, or 0 after a refusal. Without the key: `fallback`; 0: the key is required.
static uint32_t read_size(reader *from, const char *suffix, uint32_t fallback, uint32_t limit)
{
    int32_t index = find(from, suffix);
    uint64_t value = 0;
    if (index < 0) {
        if (!fallback) refuse(from, LI_FAULT_KEY_MISSING, suffix);
        return fallback;
    }
    bool is_one = from->gguf->keys[index].type != LI_GGUF_ARRAY;
    if (is_one && li_gguf_get_element(from->gguf, (uint32_t)index, 0, &value) && value && value <= limit)
        return (uint32_t)value;
    refuse(from, LI_FAULT_KEY_VALUE, suffix);
    return 0;
}

// The same of a number that may differ from layer to layer: an array is read if its numbers are equal.
static uint32_t read_layer_size(reader *from, const char *suffix, uint32_t fallback, uint32_t layers)
{
    int32_t index = find(from, suffix);
    if (index < 0 || from->gguf->keys[index].type != LI_GGUF_ARRAY)
        return read_size(from, suffix, fallback, WIDTH_LIMIT);
    uint32_t count = from->gguf->keys[index].count;
    if (count != layers) {
        refuse(from, LI_FAULT_KEY_LENGTH, suffix);
        from->gguf->fault.found = count;
        from->gguf->fault.expected = layers;
        return 0;
    }
    uint64_t first = 0, value = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_number = li_gguf_get_element(from->gguf, (uint32_t)index, i, &value);
        if (i == 0) first = value;
        if (!is_number || value != first || !value || value > WIDTH_LIMIT) {
            refuse(from, is_number && value != first ? LI_FAULT_KEY_FOREIGN : LI_FAULT_KEY_VALUE, suffix);
            return 0;
        }
    }
    return (uint32_t)first;
}

// The key's number from `least` to `most`, or `least` after a refusal; without the key `fallback`.
static double read_number(reader *from, const char *suffix, double fallback, double least, double most)
{
    char key[KEY_ROOM];
    double value = fallback;
    if (find(from, suffix) < 0) return fallback;
    if (li_gguf_get_float(from->gguf, whole_key(from, suffix, key), &value) && value >= least && value <= most)
        return value;
    refuse(from, LI_FAULT_KEY_VALUE, suffix);
    return least;
}

static void refuse_foreign_keys(reader *from)
{
    for (uint32_t i = 0; i < sizeof foreign_keys / sizeof *foreign_keys; i++)
        if (find(from, foreign_keys[i]) >= 0) refuse(from, LI_FAULT_KEY_FOREIGN, foreign_keys[i]);
    for (uint32_t i = 0; i < sizeof foreign_unless_zero / sizeof *foreign_unless_zero; i++) {
        int32_t index = find(from, foreign_unless_zero[i]);
        uint64_t value = 0;
        if (index >= 0 && (!li_gguf_get_element(from->gguf, (uint32_t)index, 0, &value) || value != 0))
            refuse(from, LI_FAULT_KEY_FOREIGN, foreign_unless_zero[i]);
    }
    int32_t causal = find(from, "attention.causal");
    uint64_t value = 0;
    if (causal >= 0 && (!li_gguf_get_element(from->gguf, (uint32_t)causal, 0, &value) || value != 1))
        refuse(from, LI_FAULT_KEY_FOREIGN, "attention.causal");
}

static bool is_scaling(const reader *from, const char *type)
{
    char key[KEY_ROOM];
    return li_gguf_is_string(from->gguf, whole_key(from, "rope.scaling.type", key), type);
}

// How the frequencies of the rotary positions are scaled, as llama.cpp reads the keys; see rope.h.
static void read_rope_scaling(reader *from, li_rope_scaling *rope, uint32_t trained_length)
{
    bool is_none = is_scaling(from, "none");
    rope->is_yarn = is_scaling(from, "yarn");
    rope->is_long = is_scaling(from, "longrope");
    bool is_known = is_none || rope->is_yarn || rope->is_long || is_scaling(from, "linear");
    if (find(from, "rope.scaling.type") >= 0 && !is_known) refuse(from, LI_FAULT_KEY_FOREIGN, "rope.scaling.type");
    if (rope->is_long && !(from->family->tensors & LI_TENSORS_LONG_ROPE_FACTORS))
        refuse(from, LI_FAULT_KEY_FOREIGN, "rope.scaling.type");
    // Older files have the factor by another name. 0 stands for 1.
    const char *name = find(from, "rope.scaling.factor") >= 0 ? "rope.scaling.factor" : "rope.scale_linear";
    double factor = read_number(from, name, 1, 0, 1e6);
    if (factor != 0 && factor < LI_ROPE_DIVISOR_MIN) refuse(from, LI_FAULT_KEY_VALUE, name);
    rope->factor = is_none || factor == 0 ? 1 : factor;
    rope->original_length = read_size(from, "rope.scaling.original_context_length", trained_length, CONTEXT_LIMIT);
    rope->magnitude = read_number(from, "rope.scaling.attn_factor", 1, 1e-3, 1e3);
    if (rope->is_yarn) {
        // llama.cpp writes a negative factor for the usual one.
        double extrapolation = read_number(from, "rope.scaling.yarn_ext_factor", 1, -1, 1);
        rope->extrapolation = extrapolation < 0 ? 1 : extrapolation;
        rope->beta_fast = read_number(from, "rope.scaling.yarn_beta_fast", 32, 1e-3, 1e6);
        rope->beta_slow = read_number(from, "rope.scaling.yarn_beta_slow", 1, 1e-3, 1e6);
        double usual = rope->factor > 1 ? 1 + 0.1 * li_log(rope->factor) : 1;
        rope->magnitude *= read_number(from, "rope.scaling.yarn_attn_factor", usual, 1e-3, 1e3);
        if (rope->base <= 1) refuse(from, LI_FAULT_KEY_VALUE, "rope.freq_base");
    }
    // These would change the magnitude and the base.
    read_number(from, "rope.scaling.yarn_log_multiplier", 0, 0, 0);
    read_number(from, "rope.scaling.alpha", 0, 0, 0);
}

// Whether sizes that were read fit each other; the key at fault is refused.
static void check_sizes(reader *from, const li_model_config *config)
{
    const uint64_t widest = config->head_dim > config->value_dim ? config->head_dim : config->value_dim;
    if (config->heads % config->kv_heads) refuse(from, LI_FAULT_KEY_VALUE, "attention.head_count_kv");
    if (config->heads * widest > WIDTH_LIMIT) refuse(from, LI_FAULT_KEY_VALUE, "attention.key_length");
    if (config->rope_dim % 2 || config->rope_dim > config->head_dim)
        refuse(from, LI_FAULT_KEY_VALUE, "rope.dimension_count");
}

static void read_sizes(reader *from, li_model_config *config)
{
    config->dim = read_size(from, "embedding_length", 0, WIDTH_LIMIT);
    config->layers = read_size(from, "block_count", 0, LI_GGUF_ENTRY_LIMIT);
    config->hidden_dim = read_layer_size(from, "feed_forward_length", 0, config->layers);
    config->heads = read_layer_size(from, "attention.head_count", 0, config->layers);
    if (from->status != LI_OK) return;
    config->kv_heads = read_layer_size(from, "attention.head_count_kv", config->heads, config->layers);
    // Without the keys, the heads together are as wide as the residual stream.
    uint32_t share = config->dim % config->heads == 0 ? config->dim / config->heads : 0;
    config->head_dim = read_size(from, "attention.key_length", share, WIDTH_LIMIT);
    config->value_dim = read_size(from, "attention.value_length", share, WIDTH_LIMIT);
    config->rope_dim = read_size(from, "rope.dimension_count", config->head_dim, WIDTH_LIMIT);
    config->trained_length = read_size(from, "context_length", 0, CONTEXT_LIMIT);
    if (from->status == LI_OK) check_sizes(from, config);
}

li_status li_config_read(li_gguf *gguf, li_model_config *config, li_graph *graph)
{
    int32_t index = li_gguf_find(gguf, "general.architecture");
    if (index < 0 || gguf->keys[index].type != LI_GGUF_STRING) {
        static const char key[] = "general.architecture";
        li_fault_begin(gguf, LI_FAULT_KEY_MISSING);
        li_fault_add_text(gguf, key, sizeof key - 1);
        return LI_ERROR_MODEL_ARCHITECTURE;
    }
    const uint8_t *text = gguf->bytes + gguf->keys[index].offset;
    uint32_t length = (uint32_t)li_gguf_read_unsigned(text, 8);
    reader from = {gguf, li_family_find((const char *)text + 8, length), LI_OK};
    graph->family = from.family;
    if (!from.family) {
        li_fault_begin(gguf, LI_FAULT_ARCHITECTURE);
        li_fault_add_text(gguf, text + 8, length);
        return LI_ERROR_MODEL_ARCHITECTURE;
    }
    refuse_foreign_keys(&from);
    if (from.status == LI_OK) read_sizes(&from, config);
    if (from.status != LI_OK) return from.status;
    config->norm_epsilon = (float)read_number(&from, "attention.layer_norm_rms_epsilon", 0, 1e-30, 0.999);
    if (config->norm_epsilon == 0) refuse(&from, LI_FAULT_KEY_MISSING, "attention.layer_norm_rms_epsilon");
    config->rope_base = (float)read_number(&from, "rope.freq_base", 10000, 1, 1e30);
    graph->rope.base = (double)config->rope_base;
    graph->rope.pairs = config->rope_dim / 2;
    read_rope_scaling(&from, &graph->rope, config->trained_length);
    double scale = read_number(&from, "attention.scale", 0, 0, 1e6);
    graph->score_scale =
        scale != 0 ? (float)(scale * LI_LOG2_E) : (float)LI_LOG2_E / __builtin_sqrtf((float)config->head_dim);
    // Within the window attention slides over nothing. A model without a window may have the key with 0.
    int32_t window = find(&from, "attention.sliding_window");
    uint64_t positions = 0;
    if (window >= 0 && !li_gguf_get_element(gguf, (uint32_t)window, 0, &positions))
        refuse(&from, LI_FAULT_KEY_VALUE, "attention.sliding_window");
    if (positions && positions < config->trained_length) config->trained_length = (uint32_t)positions;
    return from.status;
}
