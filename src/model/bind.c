// Which tensor of the file is which weight, with what shape: the llama family's names. Its metadata keys stand in
// config.c, its arithmetic in forward.c. Declared in weights.h.
#include <string.h>

#include "base/memory.h"
#include "model/gguf.h"
#include "model/model.h"

typedef enum extent {
    NONE, // a vector has no rows
    DIM,
    QUERY_DIM,
    KV_DIM,
    HIDDEN_DIM,
    VOCAB_SIZE,
    EXTENT_COUNT
} extent;

typedef struct binding {
    const char *name; // for a layer's tensor the part after "blk.N."
    size_t place;     // offset in li_layer or li_weights
    extent rows, columns;
    bool is_optional;
} binding;

static const binding layer_bindings[] = {
    {"attn_norm.weight", offsetof(li_layer, attention_norm), NONE, DIM, false},
    {"attn_q.weight", offsetof(li_layer, query), QUERY_DIM, DIM, false},
    {"attn_k.weight", offsetof(li_layer, key), KV_DIM, DIM, false},
    {"attn_v.weight", offsetof(li_layer, value), KV_DIM, DIM, false},
    {"attn_output.weight", offsetof(li_layer, attention_output), DIM, QUERY_DIM, false},
    {"ffn_norm.weight", offsetof(li_layer, ffn_norm), NONE, DIM, false},
    {"ffn_gate.weight", offsetof(li_layer, gate), HIDDEN_DIM, DIM, false},
    {"ffn_up.weight", offsetof(li_layer, up), HIDDEN_DIM, DIM, false},
    {"ffn_down.weight", offsetof(li_layer, down), DIM, HIDDEN_DIM, false},
};
#define LAYER_BINDINGS (sizeof layer_bindings / sizeof *layer_bindings)

static const binding model_bindings[] = {
    {"token_embd.weight", offsetof(li_weights, embedding), VOCAB_SIZE, DIM, false},
    {"output_norm.weight", offsetof(li_weights, output_norm), NONE, DIM, false},
    {"output.weight", offsetof(li_weights, output), VOCAB_SIZE, DIM, true},
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
    const uint64_t extents[EXTENT_COUNT] = {
        1, model->config.dim, model->query_dim, model->kv_dim, model->config.hidden_dim, model->config.vocab_size,
    };
    return extents[which];
}

static li_status bind_tensor(li_model *model, const li_gguf_tensor *tensor, const binding *to, uint8_t *owner)
{
    uint64_t rows = extent_of(model, to->rows), columns = extent_of(model, to->columns);
    if (!li_weight_is_known(tensor->type)) return LI_ERROR_MODEL_TENSOR_TYPE;
    if (to->rows == NONE && li_weight_is_quantised((li_weight_type)tensor->type)) return LI_ERROR_MODEL_TENSOR_TYPE;
    bool is_shaped = tensor->shape[0] == columns && tensor->shape[1] == rows;
    if (!is_shaped || tensor->shape[2] != 1 || tensor->shape[3] != 1) return LI_ERROR_MODEL_TENSOR_SHAPE;
    li_arrival *arrival = &model->loader.arrivals[model->loader.count++];
    arrival->offset = tensor->offset;
    if (to->rows == NONE) {
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
    return to->is_optional ||
           (to->rows == NONE ? ((const li_vector *)place)->length > 0 : ((const li_matrix *)place)->rows > 0);
}

static bool is_complete(const li_weights *weights)
{
    for (size_t i = 0; i < MODEL_BINDINGS; i++) {
        if (!is_bound(&model_bindings[i], (const uint8_t *)weights)) return false;
    }
    for (uint32_t layer = 0; layer < weights->layer_count; layer++) {
        for (size_t i = 0; i < LAYER_BINDINGS; i++) {
            if (!is_bound(&layer_bindings[i], (const uint8_t *)&weights->layers[layer])) return false;
        }
    }
    return true;
}

static li_status read_vocab_size(li_model *model, const li_gguf *gguf)
{
    const li_gguf_tensor *embedding = li_gguf_find_tensor(gguf, "token_embd.weight");
    if (!embedding) return LI_ERROR_MODEL_TENSOR_MISSING;
    if (embedding->shape[1] > LI_VOCAB_LIMIT) return LI_ERROR_MODEL_CONFIG;
    model->config.vocab_size = (uint32_t)embedding->shape[1];
    model->config.tied = li_gguf_find_tensor(gguf, "output.weight") == NULL;
    return LI_OK;
}

li_status li_weights_bind(li_model *model, const li_gguf *gguf)
{
    li_weights *weights = &model->weights;
    li_status status = read_vocab_size(model, gguf);
    if (status != LI_OK) return status;
    // Checked before tables are allocated: each layer needs this many tensors of the file.
    if (model->config.layers > gguf->tensor_count / LAYER_BINDINGS) return LI_ERROR_MODEL_TENSOR_MISSING;
    weights->layer_count = model->config.layers;
    weights->layers = li_memory_alloc(weights->layer_count * sizeof(li_layer));
    model->loader.arrivals = li_memory_alloc(gguf->tensor_count * sizeof(li_arrival));
    if (!weights->layers || !model->loader.arrivals) return LI_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < gguf->tensor_count && status == LI_OK; i++) {
        const li_gguf_tensor *tensor = &gguf->tensors[gguf->order[i]];
        label name = read_label(gguf, tensor);
        if (is_unused(&name)) continue;
        const binding *to = name.is_in_layer ? find_binding(layer_bindings, LAYER_BINDINGS, &name)
                                             : find_binding(model_bindings, MODEL_BINDINGS, &name);
        if (!to || name.layer >= weights->layer_count) return LI_ERROR_MODEL_ARCHITECTURE;
        uint8_t *owner = name.is_in_layer ? (uint8_t *)&weights->layers[name.layer] : (uint8_t *)weights;
        status = bind_tensor(model, tensor, to, owner);
    }
    if (status != LI_OK) return status;
    return is_complete(weights) ? LI_OK : LI_ERROR_MODEL_TENSOR_MISSING;
}
