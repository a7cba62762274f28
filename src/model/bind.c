// Maps the tensors of a file to weights, with their shapes, for all families. config.c reads the metadata keys.
// Declared in weights.h.
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "model/fault.h"
#include "model/gguf.h"
#include "model/model.h"

typedef enum extent {
    NONE, // a vector has no rows
    DIM,
    DOUBLE_DIM,
    INPUT,
    FEATURES,
    QUERY_ROWS,
    QUERY_WIDTH,
    KEY_WIDTH,
    VALUE_WIDTH,
    MIX_WIDTH,
    HEAD_DIM,
    ROPE_PAIRS,
    HIDDEN_DIM,
    VOCAB_SIZE,
    OUTPUT_SIZE,
    TRAINED_LENGTH,
    TAPS,
    MIXED_WIDTH,
    INNER_WIDTH,
    DELTA_HEADS,
    DELTA_WIDTH,
    EXTENT_COUNT
} extent;

typedef struct binding {
    const char *name; // for a layer's tensor the part after "blk.N."
    size_t place;     // offset in li_layer or li_weights
    extent rows, columns;
    uint32_t group;   // of li_tensors: bound in families with one of these groups
    bool is_optional; // the file may lack the tensor
    bool is_flat;     // a matrix that is kept as a vector, row by row
} binding;

// Consecutive bindings with the same name split the rows of one tensor, in order.
#define ATTENTION    (LI_TENSORS_QKV | LI_TENSORS_FUSED_QKV)
#define FIRST_NORM   (LI_TENSORS_NORM_BEFORE | LI_TENSORS_NORM_BETWEEN)
#define LAYER(field) offsetof(li_layer, field)
static const binding layer_bindings[] = {
    {"attn_norm.weight", LAYER(attention_norm), NONE, DIM, FIRST_NORM, false, false},
    {"attn_norm.bias", LAYER(attention_norm_bias), NONE, DIM, LI_TENSORS_NORM_BIAS, false, false},
    {"attn_q.weight", LAYER(query), QUERY_ROWS, INPUT, LI_TENSORS_QKV, false, false},
    {"attn_k.weight", LAYER(key), KEY_WIDTH, INPUT, LI_TENSORS_QKV, false, false},
    {"attn_v.weight", LAYER(value), VALUE_WIDTH, INPUT, LI_TENSORS_QKV, false, false},
    {"attn_q.bias", LAYER(query_bias), NONE, QUERY_ROWS, LI_TENSORS_QKV, true, false},
    {"attn_k.bias", LAYER(key_bias), NONE, KEY_WIDTH, LI_TENSORS_QKV, true, false},
    {"attn_v.bias", LAYER(value_bias), NONE, VALUE_WIDTH, LI_TENSORS_QKV, true, false},
    {"attn_qkv.weight", LAYER(query), QUERY_WIDTH, DIM, LI_TENSORS_FUSED_QKV, false, false},
    {"attn_qkv.weight", LAYER(key), KEY_WIDTH, DIM, LI_TENSORS_FUSED_QKV, false, false},
    {"attn_qkv.weight", LAYER(value), VALUE_WIDTH, DIM, LI_TENSORS_FUSED_QKV, false, false},
    {"attn_qkv.bias", LAYER(query_bias), NONE, QUERY_WIDTH, LI_TENSORS_FUSED_QKV, true, false},
    {"attn_qkv.bias", LAYER(key_bias), NONE, KEY_WIDTH, LI_TENSORS_FUSED_QKV, true, false},
    {"attn_qkv.bias", LAYER(value_bias), NONE, VALUE_WIDTH, LI_TENSORS_FUSED_QKV, true, false},
    {"attn_q_norm.weight", LAYER(query_norm), NONE, HEAD_DIM, LI_TENSORS_HEAD_NORM, false, false},
    {"attn_k_norm.weight", LAYER(key_norm), NONE, HEAD_DIM, LI_TENSORS_HEAD_NORM, false, false},
    {"attn_q_norm.weight", LAYER(query_norm), NONE, QUERY_WIDTH, LI_TENSORS_WIDE_NORM, false, false},
    {"attn_k_norm.weight", LAYER(key_norm), NONE, KEY_WIDTH, LI_TENSORS_WIDE_NORM, false, false},
    {"attn_output.weight", LAYER(attention_output), DIM, MIX_WIDTH, ATTENTION, false, false},
    {"shortconv.in_proj.weight", LAYER(in_gate), DIM, DIM, LI_TENSORS_CONVOLUTION, false, false},
    {"shortconv.in_proj.weight", LAYER(out_gate), DIM, DIM, LI_TENSORS_CONVOLUTION, false, false},
    {"shortconv.in_proj.weight", LAYER(convolved), DIM, DIM, LI_TENSORS_CONVOLUTION, false, false},
    {"shortconv.conv.weight", LAYER(taps), DIM, TAPS, LI_TENSORS_CONVOLUTION, false, true},
    {"shortconv.out_proj.weight", LAYER(mixer_output), DIM, DIM, LI_TENSORS_CONVOLUTION, false, false},
    {"attn_qkv.weight", LAYER(mixed), MIXED_WIDTH, DIM, LI_TENSORS_DELTA_NET, false, false},
    {"attn_gate.weight", LAYER(out_gate), INNER_WIDTH, DIM, LI_TENSORS_DELTA_NET, false, false},
    {"ssm_conv1d.weight", LAYER(taps), MIXED_WIDTH, TAPS, LI_TENSORS_DELTA_NET, false, true},
    {"ssm_beta.weight", LAYER(beta), DELTA_HEADS, DIM, LI_TENSORS_DELTA_NET, false, false},
    {"ssm_alpha.weight", LAYER(alpha), DELTA_HEADS, DIM, LI_TENSORS_DELTA_NET, false, false},
    {"ssm_dt.bias", LAYER(alpha_bias), NONE, DELTA_HEADS, LI_TENSORS_DELTA_NET, false, false},
    {"ssm_a", LAYER(decay), NONE, DELTA_HEADS, LI_TENSORS_DELTA_NET, false, false},
    {"ssm_norm.weight", LAYER(mixer_norm), NONE, DELTA_WIDTH, LI_TENSORS_DELTA_NET, false, false},
    {"ssm_out.weight", LAYER(mixer_output), DIM, INNER_WIDTH, LI_TENSORS_DELTA_NET, false, false},
    {"attn_output.bias", LAYER(attention_output_bias), NONE, DIM, LI_TENSORS_BLOCK_BIAS, true, false},
    {"post_attention_norm.weight", LAYER(attention_post_norm), NONE, DIM, LI_TENSORS_NORM_AFTER, false, false},
    {"post_attention_norm.weight", LAYER(ffn_norm), NONE, DIM, LI_TENSORS_NORM_BETWEEN, false, false},
    {"ffn_norm.weight", LAYER(ffn_norm), NONE, DIM, LI_TENSORS_NORM_BEFORE, false, false},
    {"ffn_norm.bias", LAYER(ffn_norm_bias), NONE, DIM, LI_TENSORS_NORM_BIAS, false, false},
    {"ffn_gate.weight", LAYER(gate), HIDDEN_DIM, DIM, LI_TENSORS_GATE, false, false},
    {"ffn_up.weight", LAYER(gate), HIDDEN_DIM, DIM, LI_TENSORS_FUSED_GATE, false, false},
    {"ffn_up.weight", LAYER(up), HIDDEN_DIM, DIM, LI_TENSORS_COMMON, false, false},
    {"ffn_down.weight", LAYER(down), DIM, HIDDEN_DIM, LI_TENSORS_COMMON, false, false},
    {"ffn_gate.bias", LAYER(gate_bias), NONE, HIDDEN_DIM, LI_TENSORS_BLOCK_BIAS, true, false},
    {"ffn_up.bias", LAYER(up_bias), NONE, HIDDEN_DIM, LI_TENSORS_BLOCK_BIAS, true, false},
    {"ffn_down.bias", LAYER(down_bias), NONE, DIM, LI_TENSORS_BLOCK_BIAS, true, false},
    {"post_ffw_norm.weight", LAYER(ffn_post_norm), NONE, DIM, LI_TENSORS_NORM_AFTER, false, false},
    {"nextn.eh_proj.weight", LAYER(joint), DIM, DOUBLE_DIM, LI_TENSORS_AHEAD, false, false},
    {"nextn.enorm.weight", LAYER(embedding_norm), NONE, DIM, LI_TENSORS_AHEAD, false, false},
    {"nextn.hnorm.weight", LAYER(state_norm), NONE, DIM, LI_TENSORS_AHEAD, false, false},
    {"attn_norm_2.weight", LAYER(state_norm), NONE, DIM, LI_TENSORS_FEATURES, false, false},
    {"nextn.shared_head_norm.weight", LAYER(draft_norm), NONE, DIM, LI_TENSORS_AHEAD, true, false},
    {"nextn.embed_tokens.weight", LAYER(draft_embedding), VOCAB_SIZE, DIM, LI_TENSORS_AHEAD, true, false},
    {"nextn.shared_head_head.weight", LAYER(draft_output), VOCAB_SIZE, DIM, LI_TENSORS_AHEAD, true, false},
};
#define LAYER_BINDINGS (sizeof layer_bindings / sizeof *layer_bindings)
#define LAYER_TENSORS  6u // the least number of tensors of a layer
#define PARTS_LIMIT    3u

#define MODEL(field) offsetof(li_weights, field)
static const binding model_bindings[] = {
    {"token_embd.weight", MODEL(embedding), VOCAB_SIZE, DIM, LI_TENSORS_COMMON, true, false},
    {"position_embd.weight", MODEL(positions), TRAINED_LENGTH, DIM, LI_TENSORS_POSITIONS, false, false},
    {"token_embd_norm.weight", MODEL(output_norm), NONE, DIM, LI_TENSORS_CONVOLUTION, false, false}, // LFM2's name
    {"output_norm.weight", MODEL(output_norm), NONE, DIM, LI_TENSORS_COMMON, false, false},
    {"output_norm.bias", MODEL(output_norm_bias), NONE, DIM, LI_TENSORS_NORM_BIAS, false, false},
    {"output.weight", MODEL(output), OUTPUT_SIZE, DIM, LI_TENSORS_COMMON, true, false},
    {"fc.weight", MODEL(fusion), DIM, FEATURES, LI_TENSORS_FEATURES, false, false},
    {"rope_freqs.weight", MODEL(rope_divisors), NONE, ROPE_PAIRS, LI_TENSORS_ROPE_FACTORS, true, false},
    {"rope_factors_long.weight", MODEL(long_rope_divisors), NONE, ROPE_PAIRS, LI_TENSORS_LONG_FACTORS, false, false},
    {"rope_factors_short.weight", MODEL(short_rope_divisors), NONE, ROPE_PAIRS, LI_TENSORS_LONG_FACTORS, false, false},
};
#define MODEL_BINDINGS (sizeof model_bindings / sizeof *model_bindings)

// The parts of a tensor's name.
typedef struct label {
    const char *text; // (length) the part after "blk.N.", or the whole name
    size_t length;
    bool is_in_layer;
    uint32_t layer;
} label;

static label read_label(const li_gguf *gguf, const li_gguf_tensor *tensor)
{
    label whole = {(const char *)gguf->bytes + tensor->name.offset, tensor->name.length, false, 0};
    label inner = {whole.text, whole.length, true, 0};
    if (inner.length < 5 || memcmp(inner.text, "blk.", 4) != 0) return whole;
    inner.text += 4;
    inner.length -= 4;
    const char *digits = inner.text;
    while (inner.length && *inner.text >= '0' && *inner.text <= '9' && inner.text - digits < 5) {
        inner.layer = inner.layer * 10 + (uint32_t)(*inner.text - '0');
        inner.text++;
        inner.length--;
    }
    bool is_number = inner.text != digits && (*digits != '0' || inner.text == digits + 1);
    if (!is_number || !inner.length || *inner.text != '.') return whole;
    inner.text++;
    inner.length--;
    return inner;
}

// Old files hold a table of cosines, which no program reads.
static bool is_unused(const label *name)
{
    static const char unused[] = "attn_rot_embd.weight";
    return name->is_in_layer && name->length == sizeof unused - 1 && memcmp(name->text, unused, name->length) == 0;
}

// The ids of the rows of the output matrix, in a file of eagle.c: who runs it reads them.
static bool is_map(const li_model *model, const label *name)
{
    return model->graph.features && name->length == 3 && memcmp(name->text, "d2t", 3) == 0;
}

static uint64_t extent_of(const li_model *model, extent which)
{
    LI_ASSERT(which < EXTENT_COUNT);
    const li_model_config *config = &model->config;
    const uint64_t extents[EXTENT_COUNT] = {
        1,
        config->dim,
        2 * (uint64_t)config->dim,
        config->dim * (model->graph.features ? UINT64_C(2) : UINT64_C(1)),
        model->graph.features,
        model->query_rows,
        model->query_width,
        model->key_width,
        model->value_width,
        model->mix_width,
        config->head_dim,
        config->rope_dim / 2,
        config->hidden_dim,
        config->vocab_size,
        model->output_size,
        config->trained_length,
        model->graph.taps,
        model->mixed_width,
        model->inner_width,
        model->graph.delta_heads,
        model->graph.delta_width,
    };
    return extents[which];
}

// Whether the model, or the layer, has the binding's group of tensors. A model has only the tables of divisors that its
// rope scaling uses; a layer has only the tensors of its mixer, and only a draft block those that predict later tokens.
static bool has_group(const li_model *model, const li_layer *layer, const binding *to)
{
    uint32_t unused = model->graph.rope.is_long ? LI_TENSORS_ROPE_FACTORS : LI_TENSORS_LONG_FACTORS;
    static const uint32_t of_mixers[] = {[LI_MIXER_ATTENTION] = ATTENTION | LI_TENSORS_HEAD_NORM,
                                         [LI_MIXER_CONVOLUTION] = LI_TENSORS_CONVOLUTION,
                                         [LI_MIXER_DELTA_NET] = LI_TENSORS_DELTA_NET};
    for (uint32_t i = 0; layer && i < sizeof of_mixers / sizeof *of_mixers; i++)
        if (layer->mixer != (li_mixer)i) unused |= of_mixers[i];
    if (layer && layer < model->weights.layers + model->config.layers) unused |= LI_TENSORS_AHEAD;
    return to->group == LI_TENSORS_COMMON || (model->graph.family->tensors & ~unused & to->group);
}

// The bindings of a tensor, and their number in *parts: 0 if the model, or the layer, does not have the tensor.
static const binding *find_bindings(const li_model *model, const li_layer *layer, const label *name, uint32_t *parts)
{
    const binding *all = layer ? layer_bindings : model_bindings, *first = NULL;
    const size_t count = layer ? LAYER_BINDINGS : MODEL_BINDINGS;
    *parts = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_same = strlen(all[i].name) == name->length && memcmp(all[i].name, name->text, name->length) == 0;
        if (!is_same || !has_group(model, layer, &all[i])) continue;
        if (!first) first = &all[i];
        ++*parts;
    }
    return first;
}

// Binds a part whose data begin at `offset`. Returns the offset of the next part.
static uint64_t bind_part(li_model *model, const binding *to, uint32_t type, uint64_t offset, void *place)
{
    LI_ASSERT(li_weight_is_known(type));
    const uint32_t rows = (uint32_t)extent_of(model, to->rows), columns = (uint32_t)extent_of(model, to->columns);
    li_arrival *arrival = &model->loader.arrivals[model->loader.count++];
    arrival->offset = offset;
    if (to->rows == NONE || to->is_flat) {
        arrival->vector = place;
        arrival->vector->type = (li_weight_type)type;
        arrival->vector->length = rows * columns;
    } else {
        arrival->matrix = place;
        arrival->matrix->type = (li_weight_type)type;
        arrival->matrix->rows = rows;
        arrival->matrix->columns = columns;
        const li_weights *weights = &model->weights;
        bool is_embedding = arrival->matrix == &weights->embedding && !model->config.tied;
        is_embedding |= arrival->matrix == &weights->layers[weights->layer_count - 1].draft_embedding;
        arrival->matrix->is_looked_up = is_embedding || arrival->matrix == &weights->positions;
    }
    return offset + rows * li_weight_row_size((li_weight_type)type, columns);
}

li_status li_tensor_check(li_gguf *gguf, const li_gguf_tensor *tensor, bool is_plain, uint64_t columns, uint64_t rows)
{
    if (!li_weight_is_known(tensor->type) || (is_plain && li_weight_is_quantised((li_weight_type)tensor->type))) {
        li_fault_begin_tensor(gguf, LI_FAULT_TENSOR_TYPE, tensor)->found = tensor->type;
        return LI_ERROR_MODEL_TENSOR_TYPE;
    }
    bool is_shaped = tensor->shape[0] == columns && tensor->shape[1] == rows;
    if (is_shaped && tensor->shape[2] == 1 && tensor->shape[3] == 1) return LI_OK;
    li_fault *fault = li_fault_begin_tensor(gguf, LI_FAULT_TENSOR_SHAPE, tensor);
    fault->found = (double)tensor->shape[0];
    fault->found_rows = (double)(tensor->shape[1] * tensor->shape[2] * tensor->shape[3]);
    fault->expected = (double)columns;
    fault->expected_rows = (double)rows;
    return LI_ERROR_MODEL_TENSOR_SHAPE;
}

static li_status bind_tensor(li_model *model, li_gguf *gguf, const li_gguf_tensor *tensor, const binding *to,
                             uint32_t parts, uint8_t *owner)
{
    LI_ASSERT(parts && parts <= PARTS_LIMIT);
    const bool is_vector = to->rows == NONE;
    uint64_t rows = 0, columns = extent_of(model, to->columns);
    for (uint32_t i = 0; i < parts; i++) rows += extent_of(model, is_vector ? to[i].columns : to[i].rows);
    if (is_vector) {
        columns = rows;
        rows = 1;
    }
    li_status status = li_tensor_check(gguf, tensor, is_vector || to->is_flat, columns, rows);
    if (status != LI_OK) return status;
    uint64_t offset = tensor->offset;
    for (uint32_t i = 0; i < parts; i++) offset = bind_part(model, &to[i], tensor->type, offset, owner + to[i].place);
    LI_ASSERT(offset == tensor->offset + tensor->size); // the parts are the whole tensor
    return LI_OK;
}

static bool is_bound(const binding *to, const uint8_t *owner)
{
    const void *place = owner + to->place;
    return to->rows == NONE || to->is_flat ? ((const li_vector *)place)->length > 0
                                           : ((const li_matrix *)place)->rows > 0;
}

// The first binding without a tensor that the model needs, or NULL.
static const binding *find_missing(const li_model *model, const li_layer *layer, const binding *bindings, size_t count,
                                   const void *owner)
{
    for (size_t i = 0; i < count; i++)
        if (!bindings[i].is_optional && has_group(model, layer, &bindings[i]) && !is_bound(&bindings[i], owner))
            return &bindings[i];
    return NULL;
}

static li_status check_complete(const li_model *model, li_gguf *gguf)
{
    const li_weights *weights = &model->weights;
    const binding *missing = find_missing(model, NULL, model_bindings, MODEL_BINDINGS, weights);
    uint32_t layer = 0;
    for (; !missing && layer < weights->layer_count; layer++)
        missing = find_missing(model, &weights->layers[layer], layer_bindings, LAYER_BINDINGS, &weights->layers[layer]);
    if (!missing) return LI_OK;
    li_fault_begin(gguf, LI_FAULT_TENSOR_MISSING);
    if (layer) {
        li_fault_add_text(gguf, "blk.", 4);
        li_fault_add_number(gguf, layer - 1);
        li_fault_add_text(gguf, ".", 1);
    }
    li_fault_add_text(gguf, missing->name, strlen(missing->name));
    return LI_ERROR_MODEL_TENSOR_MISSING;
}

// A vocabulary may be smaller than the matrix, whose other rows are padding, but not larger. A layer that drafts for
// another model may lack the matrices (eagle.c); then config.c has read the size.
static li_status read_vocab_size(li_model *model, li_gguf *gguf)
{
    li_model_config *config = &model->config;
    const li_gguf_tensor *embedding = li_gguf_find_tensor(gguf, "token_embd.weight");
    const li_gguf_tensor *map = model->graph.features ? li_gguf_find_tensor(gguf, "d2t") : NULL;
    if (!embedding && !config->vocab_size) {
        li_fault_begin(gguf, LI_FAULT_TENSOR_MISSING);
        li_fault_add_text(gguf, "token_embd.weight", 17);
        return LI_ERROR_MODEL_TENSOR_MISSING;
    }
    if (embedding && embedding->shape[1] > LI_VOCAB_LIMIT) {
        li_fault_begin_tensor(gguf, LI_FAULT_TENSOR_SHAPE, embedding)->found_rows = (double)embedding->shape[1];
        return LI_ERROR_MODEL_CONFIG;
    }
    if (embedding) config->vocab_size = (uint32_t)embedding->shape[1];
    model->output_size = config->vocab_size;
    if (map && map->shape[0] < config->vocab_size) model->output_size = (uint32_t)map->shape[0];
    config->tied = li_gguf_find_tensor(gguf, "output.weight") == NULL;
    return LI_OK;
}

// Sets the mixer of each layer, and the layer's index among the layers with the same mixer. Sliding-window layers are
// counted separately.
static void place_layers(li_model *model, const li_gguf *gguf)
{
    LI_ASSERT(model->weights.layer_count && !model->window_layers);
    uint32_t counts[] = {[LI_MIXER_ATTENTION] = 0, [LI_MIXER_CONVOLUTION] = 0, [LI_MIXER_DELTA_NET] = 0};
    for (uint32_t i = 0; i < model->weights.layer_count; i++) {
        li_layer *layer = &model->weights.layers[i];
        layer->mixer = i < model->config.layers ? li_config_mixer(gguf, &model->graph, i) : LI_MIXER_ATTENTION;
        uint32_t *count = li_layer_slides(&model->graph, i) ? &model->window_layers : &counts[layer->mixer];
        layer->place = (*count)++;
    }
    model->convolutions = counts[LI_MIXER_CONVOLUTION];
    model->states.layers = counts[LI_MIXER_DELTA_NET];
}

li_status li_weights_bind(li_model *model, li_gguf *gguf)
{
    li_weights *weights = &model->weights;
    li_status status = read_vocab_size(model, gguf);
    if (status != LI_OK) return status;
    // Bounds the table of layers by the file's tensors, because each layer needs LAYER_TENSORS of them.
    const uint32_t possible = gguf->tensor_count / LAYER_TENSORS;
    const uint32_t wanted = model->config.layers + model->config.drafts;
    weights->layer_count = wanted <= possible ? wanted : possible + 1;
    weights->layers = li_memory_alloc(weights->layer_count * sizeof(li_layer));
    model->loader.arrivals = li_memory_alloc(PARTS_LIMIT * gguf->tensor_count * sizeof(li_arrival));
    if (!weights->layers || !model->loader.arrivals) return LI_ERROR_OUT_OF_MEMORY;
    place_layers(model, gguf);
    for (uint32_t i = 0; i < gguf->tensor_count && status == LI_OK; i++) {
        const li_gguf_tensor *tensor = &gguf->tensors[gguf->order[i]];
        label name = read_label(gguf, tensor);
        if (is_unused(&name) || is_map(model, &name)) continue;
        // Layers from layer_count on are not bound, because an earlier layer lacks a tensor.
        // If several blocks predict later tokens, all of them are left out.
        if (name.layer >= weights->layer_count && name.layer < model->config.layers + model->graph.blocks_ahead)
            continue;
        uint32_t parts = 0;
        const bool is_known = name.layer < weights->layer_count;
        li_layer *layer = name.is_in_layer && is_known ? &weights->layers[name.layer] : NULL;
        const binding *to = is_known ? find_bindings(model, layer, &name, &parts) : NULL;
        uint8_t *owner = layer ? (uint8_t *)layer : (uint8_t *)weights;
        if (!to || is_bound(to, owner)) {
            li_fault_begin_tensor(gguf, LI_FAULT_TENSOR_FOREIGN, tensor);
            return LI_ERROR_MODEL_ARCHITECTURE;
        }
        status = bind_tensor(model, gguf, tensor, to, parts, owner);
    }
    return status == LI_OK ? check_complete(model, gguf) : status;
}
