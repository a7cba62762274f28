// The metadata keys of all families. A key begins with the name of the family. A file whose keys ask for arithmetic
// that forward.c does not have is refused: a wrong result is worse than none.
#include "model/config.h"

#include <string.h>

#include "base/assert.h"
#include "base/exp.h"
#include "model/fault.h"
#include "model/gguf.h"

#define WIDTH_LIMIT   (1u << 20)
#define CONTEXT_LIMIT (1u << 24)
#define TAPS_LIMIT    LI_TAPS_MOST
#define EVERY_LAYER   UINT32_MAX // a period that no layer ends
#define KEY_ROOM      96u        // bytes of the longest key, with its terminator

// A key that is refused, except in the families with one of the traits.
typedef struct foreign_key {
    const char *suffix;
    uint32_t traits; // of li_traits
    bool may_be_zero;
} foreign_key;

static const foreign_key foreign_keys[] = {
    {"attention.clamp_kqv", 0, false},
    {"attention.max_alibi_bias", 0, false},
    {"attention.temperature_length", 0, false},
    {"attention.temperature_scale", 0, false},
    {"attention.key_length_swa", 0, false},
    {"attention.value_length_swa", 0, false},
    {"rope.dimension_count_swa", 0, false},
    {"rope.dimension_sections", LI_SECTIONED_ROPE, false},
    {"logit_scale", LI_SCALES, false},
    {"residual_scale", LI_SCALES, false},
    {"embedding_scale", LI_SCALES, false},
    {"attn_logit_softcapping", LI_CAPS, false},
    {"final_logit_softcapping", LI_CAPS, false},
    {"use_parallel_residual", LI_PARALLEL | LI_NEVER_PARALLEL, true},
    {"expert_count", 0, true},
    {"expert_used_count", 0, true},
    {"nextn_predict_layers", LI_PREDICTS_AHEAD, true},
};

// Reads the keys of one family by their suffix after the family's name. The first refusal stays.
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
    LI_ASSERT(strlen(from->family->name) + strlen(suffix) + 2 <= KEY_ROOM);
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

// The key's whole number from 1 to `limit`, or 0 after a refusal. If the file lacks the key: `fallback`, or a refusal
// if that is 0.
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

// Whether an array has an element for each layer, or false after a refusal.
static bool has_layers(reader *from, const char *suffix, uint32_t index, uint32_t layers)
{
    const uint32_t count = from->gguf->keys[index].count;
    if (count == layers) return true;
    refuse(from, LI_FAULT_KEY_LENGTH, suffix);
    from->gguf->fault.found = count;
    from->gguf->fault.expected = layers;
    return false;
}

// read_size for a number that may be an array with an element for each layer. The elements must be equal. If
// `mixers_key` is given, those of layers with another mixer may be 0, and *mixers_key becomes the index of the key.
static uint32_t read_layer_size(reader *from, const char *suffix, uint32_t fallback, uint32_t layers,
                                int32_t *mixers_key)
{
    int32_t index = find(from, suffix);
    if (index < 0 || from->gguf->keys[index].type != LI_GGUF_ARRAY)
        return read_size(from, suffix, fallback, WIDTH_LIMIT);
    if (!has_layers(from, suffix, (uint32_t)index, layers)) return 0;
    uint64_t size = 0, value = 0;
    for (uint32_t i = 0; i < layers; i++) {
        bool is_number = li_gguf_get_element(from->gguf, (uint32_t)index, i, &value);
        if (is_number && value == 0 && mixers_key) {
            *mixers_key = index;
            continue;
        }
        if (size == 0) size = value;
        if (!is_number || value != size || !value || value > WIDTH_LIMIT) {
            refuse(from, is_number && value != size ? LI_FAULT_KEY_FOREIGN : LI_FAULT_KEY_VALUE, suffix);
            return 0;
        }
    }
    if (size == 0) refuse(from, LI_FAULT_KEY_VALUE, suffix);
    return (uint32_t)size;
}

// The key's number from `least` to `most`, or `least` after a refusal; without the key `fallback`.
static double read_number(reader *from, const char *suffix, double fallback, double least, double most)
{
    LI_ASSERT(least <= most);
    char key[KEY_ROOM];
    double value = fallback;
    if (find(from, suffix) < 0) return fallback;
    if (li_gguf_get_float(from->gguf, whole_key(from, suffix, key), &value) && value >= least && value <= most)
        return value;
    refuse(from, LI_FAULT_KEY_VALUE, suffix);
    return least;
}

// Refuses a key whose value is not 0.
static void refuse_unless_zero(reader *from, const char *suffix)
{
    read_number(from, suffix, 0, 0, 0);
}

// The key's whole number or bool; without the key `fallback`.
static uint64_t read_value(reader *from, const char *suffix, uint64_t fallback)
{
    int32_t index = find(from, suffix);
    uint64_t value = fallback;
    if (index < 0) return fallback;
    bool is_one = from->gguf->keys[index].type != LI_GGUF_ARRAY;
    if (!is_one || !li_gguf_get_element(from->gguf, (uint32_t)index, 0, &value))
        refuse(from, LI_FAULT_KEY_VALUE, suffix);
    return value;
}

static void refuse_foreign_keys(reader *from)
{
    for (uint32_t i = 0; i < sizeof foreign_keys / sizeof *foreign_keys; i++) {
        const foreign_key *key = &foreign_keys[i];
        int32_t index = find(from, key->suffix);
        uint64_t value = 1;
        if (index < 0 || (from->family->traits & key->traits)) continue;
        if (key->may_be_zero && li_gguf_get_element(from->gguf, (uint32_t)index, 0, &value) && value == 0) continue;
        refuse(from, LI_FAULT_KEY_FOREIGN, key->suffix);
    }
    if (read_value(from, "attention.causal", 1) != 1) refuse(from, LI_FAULT_KEY_FOREIGN, "attention.causal");
}

static bool is_scaling(const reader *from, const char *type)
{
    char key[KEY_ROOM];
    return li_gguf_is_string(from->gguf, whole_key(from, "rope.scaling.type", key), type);
}

// The scaling of the rotary positions (rope.h), from the keys as llama.cpp reads them.
static void read_rope_scaling(reader *from, li_rope_scaling *rope, uint32_t trained_length)
{
    bool is_none = is_scaling(from, "none");
    rope->is_yarn = is_scaling(from, "yarn");
    rope->is_long = is_scaling(from, "longrope");
    bool is_known = is_none || rope->is_yarn || rope->is_long || is_scaling(from, "linear");
    if (find(from, "rope.scaling.type") >= 0 && !is_known) refuse(from, LI_FAULT_KEY_FOREIGN, "rope.scaling.type");
    const uint32_t tables = from->family->tensors & (LI_TENSORS_ROPE_FACTORS | LI_TENSORS_LONG_FACTORS);
    if (rope->is_long && !(tables & LI_TENSORS_LONG_FACTORS)) refuse(from, LI_FAULT_KEY_FOREIGN, "rope.scaling.type");
    // A family that has only these tables needs no key for the type, and its files lack the key.
    if (tables == LI_TENSORS_LONG_FACTORS && li_gguf_find_tensor(from->gguf, "rope_factors_long.weight"))
        rope->is_long = true;
    // Older files name the factor differently. 0 stands for 1.
    const char *name = find(from, "rope.scaling.factor") >= 0 ? "rope.scaling.factor" : "rope.scale_linear";
    double factor = read_number(from, name, 1, 0, 1e6);
    if (factor != 0 && factor < LI_ROPE_DIVISOR_MIN) refuse(from, LI_FAULT_KEY_VALUE, name);
    rope->factor = is_none || factor == 0 ? 1 : factor;
    rope->original_length = read_size(from, "rope.scaling.original_context_length", trained_length, CONTEXT_LIMIT);
    rope->magnitude = read_number(from, "rope.scaling.attn_factor", 1, 1e-3, 1e3);
    if (rope->is_yarn) {
        // llama.cpp writes a negative factor for the default.
        double extrapolation = read_number(from, "rope.scaling.yarn_ext_factor", 1, -1, 1);
        rope->extrapolation = extrapolation < 0 ? 1 : extrapolation;
        rope->beta_fast = read_number(from, "rope.scaling.yarn_beta_fast", 32, 1e-3, 1e6);
        rope->beta_slow = read_number(from, "rope.scaling.yarn_beta_slow", 1, 1e-3, 1e6);
        double usual = rope->factor > 1 ? 1 + 0.1 * li_log(rope->factor) : 1;
        rope->magnitude *= read_number(from, "rope.scaling.yarn_attn_factor", usual, 1e-3, 1e3);
        if (rope->base <= 1) refuse(from, LI_FAULT_KEY_VALUE, "rope.freq_base");
    }
    // These would change the magnitude and the base.
    refuse_unless_zero(from, "rope.scaling.yarn_log_multiplier");
    refuse_unless_zero(from, "rope.scaling.alpha");
}

// Checks that the sizes fit each other, and refuses the key at fault.
static void check_sizes(reader *from, const li_model_config *config)
{
    LI_ASSERT(config->heads && config->kv_heads && config->head_dim && config->value_dim);
    const uint64_t widest = config->head_dim > config->value_dim ? config->head_dim : config->value_dim;
    if (config->heads % config->kv_heads) refuse(from, LI_FAULT_KEY_VALUE, "attention.head_count_kv");
    if (config->heads * widest > WIDTH_LIMIT) refuse(from, LI_FAULT_KEY_VALUE, "attention.key_length");
    if (config->rope_dim % 2 || config->rope_dim > config->head_dim)
        refuse(from, LI_FAULT_KEY_VALUE, "rope.dimension_count");
    if ((from->family->traits & LI_GATED_ATTENTION) && config->value_dim != config->head_dim)
        refuse(from, LI_FAULT_KEY_VALUE, "attention.value_length");
}

// The sizes of gated delta nets, and which layers have them.
static void read_delta_net(reader *from, li_graph *graph, uint32_t blocks)
{
    static const char layers[] = "attention.recurrent_layers";
    graph->taps = read_size(from, "ssm.conv_kernel", 0, TAPS_LIMIT);
    graph->delta_width = read_size(from, "ssm.state_size", 0, LI_DELTA_WIDTH_LIMIT);
    graph->delta_heads = read_size(from, "ssm.time_step_rank", 0, WIDTH_LIMIT / LI_DELTA_WIDTH_LIMIT);
    graph->delta_key_heads = read_size(from, "ssm.group_count", 0, WIDTH_LIMIT / LI_DELTA_WIDTH_LIMIT);
    const uint32_t inner = read_size(from, "ssm.inner_size", 0, WIDTH_LIMIT);
    graph->delta_period = read_size(from, "full_attention_interval", 4, LI_GGUF_ENTRY_LIMIT);
    graph->mixers_key = find(from, layers);
    if (from->status != LI_OK) return;
    if (graph->delta_width % 4) refuse(from, LI_FAULT_KEY_VALUE, "ssm.state_size");
    if (graph->delta_heads % graph->delta_key_heads) refuse(from, LI_FAULT_KEY_VALUE, "ssm.group_count");
    if (inner != graph->delta_heads * graph->delta_width) refuse(from, LI_FAULT_KEY_VALUE, "ssm.inner_size");
    if (graph->mixers_key < 0 || !has_layers(from, layers, (uint32_t)graph->mixers_key, blocks)) return;
    uint64_t value;
    if (!li_gguf_get_element(from->gguf, (uint32_t)graph->mixers_key, 0, &value))
        refuse(from, LI_FAULT_KEY_VALUE, layers);
}

// Each section of the rotated dimensions has a position of its own. In a text the first three positions are equal, and
// the fourth is 0: every pair must belong to one of the first three sections. As in llama.cpp pairs are dealt to the
// sections in turn.
static void check_sections(reader *from, uint32_t pairs)
{
    static const char suffix[] = "rope.dimension_sections";
    const int32_t index = find(from, suffix);
    uint64_t sections[4] = {0}, all = 0;
    if (index < 0) return;
    for (uint32_t i = 0; i < 4 && i < from->gguf->keys[index].count; i++) {
        if (!li_gguf_get_element(from->gguf, (uint32_t)index, i, &sections[i]) || sections[i] > WIDTH_LIMIT) {
            refuse(from, LI_FAULT_KEY_FOREIGN, suffix);
            return;
        }
        all += sections[i];
    }
    bool is_plain = all > 0;
    for (uint64_t i = 0; i < pairs && is_plain; i++) is_plain = i % all < 3 * sections[i % all % 3];
    if (!is_plain) refuse(from, LI_FAULT_KEY_FOREIGN, suffix);
}

static void read_sizes(reader *from, li_model_config *config, li_graph *graph)
{
    config->dim = read_size(from, "embedding_length", 0, WIDTH_LIMIT);
    const uint32_t blocks = read_size(from, "block_count", 0, LI_GGUF_ENTRY_LIMIT);
    config->hidden_dim = read_layer_size(from, "feed_forward_length", 0, blocks, NULL);
    config->heads = read_layer_size(from, "attention.head_count", 0, blocks, NULL);
    if (from->status != LI_OK) return;
    const uint32_t tensors = from->family->tensors;
    const bool has_convolutions = tensors & LI_TENSORS_CONVOLUTION;
    graph->mixers_key = -1;
    config->kv_heads = read_layer_size(from, "attention.head_count_kv", config->heads, blocks,
                                       has_convolutions ? &graph->mixers_key : NULL);
    if (has_convolutions) graph->taps = read_size(from, "shortconv.l_cache", 0, TAPS_LIMIT);
    if (tensors & LI_TENSORS_DELTA_NET) read_delta_net(from, graph, blocks);
    if (tensors & LI_TENSORS_FEATURES) {
        graph->features = LI_EAGLE_TAPS * read_size(from, "target_hidden_size", 0, WIDTH_LIMIT);
        graph->norms_feature = read_value(from, "norm_before_residual", 0) != 0;
        config->vocab_size = read_size(from, "vocab_size", 0, LI_VOCAB_LIMIT);
        if (blocks != 1) refuse(from, LI_FAULT_KEY_VALUE, "block_count");
    }
    const uint64_t ahead = read_value(from, "nextn_predict_layers", 0);
    if (ahead >= blocks) refuse(from, LI_FAULT_KEY_VALUE, "nextn_predict_layers");
    graph->blocks_ahead = (uint32_t)ahead;
    config->layers = blocks - graph->blocks_ahead;
    // A chain of several blocks is left out, because nothing computes it yet.
    config->drafts = graph->blocks_ahead == 1;
    // Without the keys, the heads together are as wide as the residual stream.
    uint32_t share = config->dim % config->heads == 0 ? config->dim / config->heads : 0;
    config->head_dim = read_size(from, "attention.key_length", share, WIDTH_LIMIT);
    config->value_dim = read_size(from, "attention.value_length", share, WIDTH_LIMIT);
    config->rope_dim = read_size(from, "rope.dimension_count", config->head_dim, WIDTH_LIMIT);
    const uint32_t traits = from->family->traits;
    bool rotates = !(traits & LI_ROPE_BY_KEY) || read_value(from, "rope.scaling.finetuned", 1);
    if (!rotates || (traits & LI_NO_ROPE)) config->rope_dim = 0;
    config->trained_length = read_size(from, "context_length", 0, CONTEXT_LIMIT);
    if (from->status == LI_OK) check_sizes(from, config);
}

// The period of an array of bools, one for each layer: false only for the last layer of each period.
static uint32_t read_period(reader *from, const char *suffix, uint32_t index, uint32_t layers)
{
    uint32_t period = EVERY_LAYER;
    if (!has_layers(from, suffix, index, layers)) return period;
    for (uint32_t i = 0; i < layers; i++) {
        uint64_t slides = 0;
        if (!li_gguf_get_element(from->gguf, index, i, &slides)) refuse(from, LI_FAULT_KEY_VALUE, suffix);
        if (!slides && period == EVERY_LAYER) period = i + 1;
        if (slides != li_is_before_last(i, period)) refuse(from, LI_FAULT_KEY_FOREIGN, suffix);
    }
    return period;
}

// Reads which layers have a sliding window, the length of the window, and which layers rotate queries and keys.
static void read_window(reader *from, li_model_config *config, li_graph *graph)
{
    static const char pattern[] = "attention.sliding_window_pattern", window[] = "attention.sliding_window";
    const li_family *family = from->family;
    uint64_t positions = read_value(from, window, family->window);
    if (positions > CONTEXT_LIMIT) positions = CONTEXT_LIMIT; // no context is longer
    graph->rope_period = family->rope_period ? family->rope_period : EVERY_LAYER;
    graph->window_period = 1;
    graph->window_rope = graph->rope;
    if (!positions) return;
    if (!family->window_period) {
        // Up to the length of the window, sliding attention is plain attention.
        if (positions < config->trained_length) config->trained_length = (uint32_t)positions;
        return;
    }
    graph->window = (uint32_t)positions;
    int32_t index = find(from, pattern);
    if (index >= 0 && from->gguf->keys[index].type == LI_GGUF_ARRAY)
        graph->window_period = read_period(from, pattern, (uint32_t)index, config->layers);
    else
        graph->window_period = read_size(from, pattern, family->window_period, EVERY_LAYER);
    if (family->traits & LI_ROPE_IN_WINDOWS) graph->rope_period = graph->window_period;
    if (!(family->traits & LI_WINDOW_ROPE)) return;
    double base = family->window_base != 0 ? (double)family->window_base : graph->rope.base;
    graph->window_rope = (li_rope_scaling){.pairs = graph->rope.pairs, .factor = 1, .magnitude = 1};
    graph->window_rope.base = read_number(from, "rope.freq_base_swa", base, 1, 1e30);
}

li_mixer li_config_mixer(const li_gguf *gguf, const li_graph *graph, uint32_t layer)
{
    LI_ASSERT(graph->family && (graph->mixers_key < 0 || (uint32_t)graph->mixers_key < gguf->key_count));
    const uint32_t tensors = graph->family->tensors;
    uint64_t value = 1;
    if (graph->mixers_key >= 0)
        li_gguf_get_element(gguf, (uint32_t)graph->mixers_key, layer, &value);
    else if (tensors & LI_TENSORS_DELTA_NET)
        value = li_is_before_last(layer, graph->delta_period);
    if (tensors & LI_TENSORS_DELTA_NET) return value ? LI_MIXER_DELTA_NET : LI_MIXER_ATTENTION;
    return value ? LI_MIXER_ATTENTION : LI_MIXER_CONVOLUTION;
}

// The scales of embeddings, outputs of blocks and logits. Granite's files have keys for them. Older files of MiniCPM
// lack the keys: the defaults are MiniCPM's (Hu et al., 2024), otherwise 1.
static void read_scales(reader *from, const li_model_config *config, li_graph *graph)
{
    const bool is_minicpm = from->family->traits & LI_MINICPM_SCALES;
    const double depth = 1.4 / __builtin_sqrt(config->layers), width = config->dim / 256.0;
    double embedding = from->family->traits & LI_ROOT_EMBEDDING ? __builtin_sqrt(config->dim) : is_minicpm ? 12 : 1;
    graph->embedding_scale = (float)read_number(from, "embedding_scale", embedding, 1e-6, 1e6);
    graph->residual_scale = (float)read_number(from, "residual_scale", is_minicpm ? depth : 1, 1e-6, 1e6);
    graph->logit_scale = (float)(1 / read_number(from, "logit_scale", is_minicpm ? width : 1, 1e-6, 1e6));
    graph->logit_cap = (float)read_number(from, "final_logit_softcapping", (double)from->family->logit_cap, 0, 1e6);
    graph->score_cap = (float)read_number(from, "attn_logit_softcapping", (double)from->family->score_cap, 0, 1e6);
    double scale = read_number(from, "attention.scale", 0, 0, 1e6);
    graph->score_scale =
        scale != 0 ? (float)(scale * LI_LOG2_E) : (float)LI_LOG2_E / __builtin_sqrtf((float)config->head_dim);
    if (graph->score_cap == 0) return;
    graph->cap_scale = graph->score_scale / ((float)LI_LOG2_E * graph->score_cap);
    graph->score_scale = (float)LI_LOG2_E;
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
    if (from.status == LI_OK) read_sizes(&from, config, graph);
    if (from.status != LI_OK) return from.status;
    const char *epsilon =
        from.family->traits & LI_CENTRED_NORMS ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon";
    config->norm_epsilon = (float)read_number(&from, epsilon, 0, 1e-30, 0.999);
    if (config->norm_epsilon == 0) refuse(&from, LI_FAULT_KEY_MISSING, epsilon);
    config->rope_base = (float)read_number(&from, "rope.freq_base", 10000, 1, 1e30);
    graph->rope.base = (double)config->rope_base;
    graph->rope.pairs = config->rope_dim / 2;
    check_sections(&from, graph->rope.pairs);
    read_rope_scaling(&from, &graph->rope, config->trained_length);
    read_window(&from, config, graph);
    read_scales(&from, config, graph);
    graph->is_parallel = (from.family->traits & LI_PARALLEL) && read_value(&from, "use_parallel_residual", 1);
    return from.status;
}
