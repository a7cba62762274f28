// Which tensor of the file is which weight, with what shape, for all families. Metadata keys stand in config.c, the
// arithmetic in forward.c. Declared in weights.h.
#include <string.h>

#include "base/memory.h"
#include "model/fault.h"
#include "model/gguf.h"
#include "model/model.h"

typedef enum extent {
    NONE, // a vector has no rows
    DIM,
    QUERY_WIDTH,
    KEY_WIDTH,
    VALUE_WIDTH,
    MIX_WIDTH,
    HEAD_DIM,
    ROPE_PAIRS,
    HIDDEN_DIM,
    VOCAB_SIZE,
    EXTENT_COUNT
} extent;

typedef struct binding {
    const char *name; // for a layer's tensor the part after "blk.N."
    size_t place;     // offset in li_layer or li_weights
    extent rows, columns;
    li_tensors group; // that a family must have
    bool is_optional; // in the families that have the group
} binding;

#define LAYER(field) offsetof(li_layer, field)
static const binding layer_bindings[] = {
    {"attn_norm.weight", LAYER(attention_norm), NONE, DIM, LI_TENSORS_COMMON, false},
    {"attn_q.weight", LAYER(query), QUERY_WIDTH, DIM, LI_TENSORS_COMMON, false},
    {"attn_k.weight", LAYER(key), KEY_WIDTH, DIM, LI_TENSORS_COMMON, false},
    {"attn_v.weight", LAYER(value), VALUE_WIDTH, DIM, LI_TENSORS_COMMON, false},
    {"attn_q.bias", LAYER(query_bias), NONE, QUERY_WIDTH, LI_TENSORS_COMMON, true},
    {"attn_k.bias", LAYER(key_bias), NONE, KEY_WIDTH, LI_TENSORS_COMMON, true},
    {"attn_v.bias", LAYER(value_bias), NONE, VALUE_WIDTH, LI_TENSORS_COMMON, true},
    {"attn_q_norm.weight", LAYER(query_norm), NONE, HEAD_DIM, LI_TENSORS_QK_NORM, false},
    {"attn_k_norm.weight", LAYER(key_norm), NONE, HEAD_DIM, LI_TENSORS_QK_NORM, false},
    {"attn_output.weight", LAYER(attention_output), DIM, MIX_WIDTH, LI_TENSORS_COMMON, false},
    {"attn_output.bias", LAYER(attention_output_bias), NONE, DIM, LI_TENSORS_BLOCK_BIAS, true},
    {"ffn_norm.weight", LAYER(ffn_norm), NONE, DIM, LI_TENSORS_COMMON, false},
    {"ffn_gate.weight", LAYER(gate), HIDDEN_DIM, DIM, LI_TENSORS_COMMON, false},
    {"ffn_up.weight", LAYER(up), HIDDEN_DIM, DIM, LI_TENSORS_COMMON, false},
    {"ffn_down.weight", LAYER(down), DIM, HIDDEN_DIM, LI_TENSORS_COMMON, false},
    {"ffn_gate.bias", LAYER(gate_bias), NONE, HIDDEN_DIM, LI_TENSORS_BLOCK_BIAS, true},
    {"ffn_up.bias", LAYER(up_bias), NONE, HIDDEN_DIM, LI_TENSORS_BLOCK_BIAS, true},
    {"ffn_down.bias", LAYER(down_bias), NONE, DIM, LI_TENSORS_BLOCK_BIAS, true},
};
#define LAYER_BINDINGS (sizeof layer_bindings / sizeof *layer_bindings)
#define LAYER_TENSORS  9u // that every layer has

#define MODEL(field) offsetof(li_weights, field)
static const binding model_bindings[] = {
    {"token_embd.weight", MODEL(embedding), VOCAB_SIZE, DIM, LI_TENSORS_COMMON, false},
    {"output_norm.weight", MODEL(output_norm), NONE, DIM, LI_TENSORS_COMMON, false},
    {"output.weight", MODEL(output), VOCAB_SIZE, DIM, LI_TENSORS_COMMON, true},
    {"rope_freqs.weight", MODEL(rope_divisors), NONE, ROPE_PAIRS, LI_TENSORS_ROPE_FACTORS, true},
    {"rope_factors_long.weight", MODEL(long_rope_divisors), NONE, ROPE_PAIRS, LI_TENSORS_LONG_ROPE_FACTORS, false},
    {"rope_factors_short.weight", MODEL(short_rope_divisors), NONE, ROPE_PAIRS, LI_TENSORS_LONG_ROPE_FACTORS, false},
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

static const binding *find_binding(const binding *bindings, size_t count, const label *name)
{
    for (size_t i = 0; i < count; i++) {
        bool is_same_length = strlen(bindings[i].name) == name->length;
        if (is_same_length && memcmp(bindings[i].name, name->text, name->length) == 0) return &bindings[i];
    }
    return NULL;
}

// Old files hold a table of cosines, which no program reads.
static bool is_unused(const label *name)
{
    static const char unused[] = "attn_rot_embd.weight";
    return name->is_in_layer && name->length == sizeof unused - 1 && memcmp(name->text, unused, name->length) == 0;
}

static uint64_t extent_of(const li_model *model, extent which)
{
    const li_model_config *config = &model->config;
    const uint64_t extents[EXTENT_COUNT] = {
        1,
        config->dim,
        model->query_width,
        model->key_width,
        model->value_width,
        model->mix_width,
        config->head_dim,
        config->rope_dim / 2,
        config->hidden_dim,
        config->vocab_size,
    };
    return extents[which];
}

// Whether the model has the binding's group of tensors. Of the tables of divisors a model has those that the scaling of
// its rotary positions takes.
static bool has_group(const li_model *model, const binding *to)
{
    uint32_t unused = model->graph.rope.is_long ? LI_TENSORS_ROPE_FACTORS : LI_TENSORS_LONG_ROPE_FACTORS;
    return to->group == LI_TENSORS_COMMON || (model->graph.family->tensors & ~unused & to->group);
}

static li_fault *refuse_tensor(li_gguf *gguf, li_fault_kind kind, const li_gguf_tensor *tensor)
{
    li_fault *fault = li_fault_begin(gguf, kind);
    li_fault_add_text(gguf, gguf->bytes + tensor->name.offset, tensor->name.length);
    return fault;
}

static li_status bind_tensor(li_model *model, li_gguf *gguf, const li_gguf_tensor *tensor, const binding *to,
                             uint8_t *owner)
{
    uint64_t rows = extent_of(model, to->rows), columns = extent_of(model, to->columns);
    bool is_vector = to->rows == NONE;
    if (!li_weight_is_known(tensor->type) || (is_vector && li_weight_is_quantised((li_weight_type)tensor->type))) {
        refuse_tensor(gguf, LI_FAULT_TENSOR_TYPE, tensor)->found = tensor->type;
        return LI_ERROR_MODEL_TENSOR_TYPE;
    }
    bool is_shaped = tensor->shape[0] == columns && tensor->shape[1] == rows;
    if (!is_shaped || tensor->shape[2] != 1 || tensor->shape[3] != 1) {
        li_fault *fault = refuse_tensor(gguf, LI_FAULT_TENSOR_SHAPE, tensor);
        fault->found = (double)tensor->shape[0];
        fault->found_rows = (double)(tensor->shape[1] * tensor->shape[2] * tensor->shape[3]);
        fault->expected = (double)columns;
        fault->expected_rows = (double)rows;
        return LI_ERROR_MODEL_TENSOR_SHAPE;
    }
    li_arrival *arrival = &model->loader.arrivals[model->loader.count++];
    arrival->offset = tensor->offset;
    if (is_vector) {
        arrival->vector = (li_vector *)(void *)(owner + to->place);
        arrival->vector->type = (li_weight_type)tensor->type;
        arrival->vector->length = (uint32_t)columns;
    } else {
        arrival->matrix = (li_matrix *)(void *)(owner + to->place);
        arrival->matrix->type = (li_weight_type)tensor->type;
        arrival->matrix->rows = (uint32_t)rows;
        arrival->matrix->columns = (uint32_t)columns;
        arrival->matrix->is_looked_up = arrival->matrix == &model->weights.embedding && !model->config.tied;
    }
    return LI_OK;
}

static bool is_bound(const binding *to, const uint8_t *owner)
{
    const void *place = owner + to->place;
    return to->rows == NONE ? ((const li_vector *)place)->length > 0 : ((const li_matrix *)place)->rows > 0;
}

// The first binding without a tensor that the model needs, or NULL.
static const binding *find_missing(const li_model *model, const binding *bindings, size_t count, const void *owner)
{
    for (size_t i = 0; i < count; i++)
        if (!bindings[i].is_optional && has_group(model, &bindings[i]) && !is_bound(&bindings[i], owner))
            return &bindings[i];
    return NULL;
}

static li_status check_complete(const li_model *model, li_gguf *gguf)
{
    const li_weights *weights = &model->weights;
    const binding *missing = find_missing(model, model_bindings, MODEL_BINDINGS, weights);
    uint32_t layer = 0;
    for (; !missing && layer < weights->layer_count; layer++)
        missing = find_missing(model, layer_bindings, LAYER_BINDINGS, &weights->layers[layer]);
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

// A vocabulary may be smaller than the matrix, whose other rows are padding, but not larger.
static li_status read_vocab_size(li_model *model, li_gguf *gguf)
{
    const li_gguf_tensor *embedding = li_gguf_find_tensor(gguf, "token_embd.weight");
    if (!embedding) {
        li_fault_begin(gguf, LI_FAULT_TENSOR_MISSING);
        li_fault_add_text(gguf, "token_embd.weight", 17);
        return LI_ERROR_MODEL_TENSOR_MISSING;
    }
    if (embedding->shape[1] > LI_VOCAB_LIMIT) {
        refuse_tensor(gguf, LI_FAULT_TENSOR_SHAPE, embedding)->found_rows = (double)embedding->shape[1];
        return LI_ERROR_MODEL_CONFIG;
    }
    model->config.vocab_size = (uint32_t)embedding->shape[1];
    model->config.tied = li_gguf_find_tensor(gguf, "output.weight") == NULL;
    return LI_OK;
}

li_status li_weights_bind(li_model *model, li_gguf *gguf)
{
    li_weights *weights = &model->weights;
    li_status status = read_vocab_size(model, gguf);
    if (status != LI_OK) return status;
    // Tables are not larger than the file's own: each layer needs this many of its tensors.
    const uint32_t possible = gguf->tensor_count / LAYER_TENSORS;
    weights->layer_count = model->config.layers <= possible ? model->config.layers : possible + 1;
    weights->layers = li_memory_alloc(weights->layer_count * sizeof(li_layer));
    model->loader.arrivals = li_memory_alloc(gguf->tensor_count * sizeof(li_arrival));
    if (!weights->layers || !model->loader.arrivals) return LI_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < gguf->tensor_count && status == LI_OK; i++) {
        const li_gguf_tensor *tensor = &gguf->tensors[gguf->order[i]];
        label name = read_label(gguf, tensor);
        if (is_unused(&name)) continue;
        const binding *to = name.is_in_layer ? find_binding(layer_bindings, LAYER_BINDINGS, &name)
                                             : find_binding(model_bindings, MODEL_BINDINGS, &name);
        if (!to || name.layer >= model->config.layers || !has_group(model, to)) {
            refuse_tensor(gguf, LI_FAULT_TENSOR_FOREIGN, tensor);
            return LI_ERROR_MODEL_ARCHITECTURE;
        }
        if (name.layer >= weights->layer_count) continue; // an earlier layer lacks a tensor
        uint8_t *owner = name.is_in_layer ? (uint8_t *)&weights->layers[name.layer] : (uint8_t *)weights;
        status = bind_tensor(model, gguf, tensor, to, owner);
    }
    return status == LI_OK ? check_complete(model, gguf) : status;
}
