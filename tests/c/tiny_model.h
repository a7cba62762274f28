// Small models with random weights as GGUF files in memory, and the same weights as doubles.
#ifndef TINY_MODEL_H
#define TINY_MODEL_H

#include <math.h>
#include <stdio.h>

#include "check.h"
#include "gguf_file.h"
#include "lastinch.h"

enum { F32 = 0, F16 = 1, Q4_0 = 2, Q8_0 = 8 };

typedef struct tiny_shape {
    uint32_t vocab, dim, hidden, layers, heads, kv_heads, context;
    uint32_t head_dim, rope_dim;         // 0: no key for it
    bool tied, is_reversed;              // is_reversed: the data lies in the opposite order, with gaps
    uint32_t type, down_type, norm_type; // of the matrices, of ffn_down, of the vectors
} tiny_shape;

// What families differ in; all zero: a plain model of the family llama.
typedef struct tiny_flags {
    const char *family;
    uint32_t value_dim; // 0: as head_dim
    bool has_biases, has_block_biases, has_qk_norm, has_norms_after, has_rope_factors, has_long_factors;
    uint32_t window, window_period; // 0: no keys for sliding-window layers
    const char *scaling;            // rope.scaling.type
    float factor, attention_scale;
    uint32_t original_length;
    li_cache_type cache_type;
} tiny_flags;

typedef struct tiny_tensor {
    char name[40];
    uint32_t type, columns, rows; // rows 0: a vector
    uint64_t offset;
    double *values; // (max(rows, 1), columns)
} tiny_tensor;

#define TINY_TENSORS 80
typedef struct tiny_model {
    tiny_shape shape;
    tiny_flags flags;
    uint32_t head_dim, value_dim, rope_dim, count;
    tiny_tensor tensors[TINY_TENSORS]; // (count) in the order of the header
    gguf_file file;
} tiny_model;

static uint32_t tiny_state = 1;

static inline uint32_t tiny_random(void)
{
    tiny_state = tiny_state * 1664525u + 1013904223u;
    return tiny_state >> 8;
}

static inline uint64_t tiny_size(const tiny_tensor *tensor)
{
    uint64_t count = (uint64_t)tensor->columns * (tensor->rows ? tensor->rows : 1);
    if (tensor->type == F32 || tensor->type == F16) return tensor->type == F32 ? 4 * count : 2 * count;
    return count / 32 * (tensor->type == Q8_0 ? 34 : 18);
}

// The half float nearest to `value` towards 0.
static inline uint16_t tiny_half(double value)
{
    uint16_t sign = value < 0 ? 0x8000 : 0;
    double size = fabs(value);
    if (size < 0x1p-14) return (uint16_t)(sign | (uint16_t)(size * 0x1p24));
    int exponent;
    double fraction = frexp(size, &exponent); // in [0.5, 1)
    return (uint16_t)(sign | (exponent + 14) << 10 | ((uint16_t)(fraction * 2048) & 0x3ff));
}

static inline double tiny_from_half(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 0x3ff;
    double size = exponent ? ldexp(1024 + fraction, exponent - 25) : fraction * 0x1p-24;
    return half & 0x8000 ? -size : size;
}

static inline void tiny_add(tiny_model *tiny, const char *name, uint32_t type, uint32_t columns, uint32_t rows)
{
    tiny_tensor *tensor = &tiny->tensors[tiny->count++];
    snprintf(tensor->name, sizeof tensor->name, "%s", name);
    tensor->type = type;
    tensor->columns = columns;
    tensor->rows = rows;
}

static inline void tiny_list(tiny_model *tiny)
{
    const tiny_shape *s = &tiny->shape;
    uint32_t query_dim = s->heads * tiny->head_dim, kv_dim = s->kv_heads * tiny->head_dim;
    const tiny_flags *flags = &tiny->flags;
    uint32_t value_dim = tiny->value_dim ? tiny->value_dim : tiny->head_dim;
    char name[40];
    tiny_add(tiny, "token_embd.weight", s->type, s->dim, s->vocab);
    for (uint32_t l = 0; l < s->layers; l++) {
#define TINY_ADD(text, type, columns, rows)                                                                            \
    (snprintf(name, sizeof name, "blk.%u.%s.weight", (unsigned)l, text), tiny_add(tiny, name, type, columns, rows))
        TINY_ADD("attn_norm", s->norm_type, s->dim, 0);
        TINY_ADD("attn_q", s->type, s->dim, query_dim);
        TINY_ADD("attn_k", s->type, s->dim, kv_dim);
        TINY_ADD("attn_v", s->type, s->dim, s->kv_heads * value_dim);
        TINY_ADD("attn_output", s->type, s->heads * value_dim, s->dim);
        TINY_ADD("ffn_norm", s->norm_type, s->dim, 0);
        TINY_ADD("ffn_gate", s->type, s->dim, s->hidden);
        TINY_ADD("ffn_up", s->type, s->dim, s->hidden);
        TINY_ADD("ffn_down", s->down_type, s->hidden, s->dim);
#define TINY_BIAS(text, count)                                                                                         \
    (snprintf(name, sizeof name, "blk.%u.%s.bias", (unsigned)l, text), tiny_add(tiny, name, F32, count, 0))
        if (flags->has_biases)
            TINY_BIAS("attn_q", query_dim), TINY_BIAS("attn_k", kv_dim), TINY_BIAS("attn_v", s->kv_heads * value_dim);
        if (flags->has_block_biases)
            TINY_BIAS("attn_output", s->dim), TINY_BIAS("ffn_gate", s->hidden), TINY_BIAS("ffn_up", s->hidden),
                TINY_BIAS("ffn_down", s->dim);
        if (flags->has_qk_norm)
            TINY_ADD("attn_q_norm", F32, tiny->head_dim, 0), TINY_ADD("attn_k_norm", F32, tiny->head_dim, 0);
        if (flags->has_norms_after)
            TINY_ADD("post_attention_norm", F32, s->dim, 0), TINY_ADD("post_ffw_norm", F32, s->dim, 0);
    }
    if (flags->has_rope_factors) tiny_add(tiny, "rope_freqs.weight", F32, tiny->rope_dim / 2, 0);
    if (flags->has_long_factors) tiny_add(tiny, "rope_factors_long.weight", F32, tiny->rope_dim / 2, 0);
    if (flags->has_long_factors) tiny_add(tiny, "rope_factors_short.weight", F32, tiny->rope_dim / 2, 0);
    tiny_add(tiny, "output_norm.weight", s->norm_type, s->dim, 0);
    if (!s->tied) tiny_add(tiny, "output.weight", s->type, s->dim, s->vocab);
}

// A key below the family's name.
static inline const char *tiny_key(const tiny_flags *flags, const char *suffix)
{
    static char key[80];
    snprintf(key, sizeof key, "%s.%s", flags->family ? flags->family : "llama", suffix);
    return key;
}

static inline void tiny_put_family_keys(gguf_file *file, const tiny_shape *s, const tiny_flags *flags)
{
    put_key_text(file, "general.architecture", flags->family ? flags->family : "llama");
    put_key_u32(file, tiny_key(flags, "context_length"), s->context);
    put_key_u32(file, tiny_key(flags, "embedding_length"), s->dim);
    put_key_u32(file, tiny_key(flags, "block_count"), s->layers);
    put_key_u32(file, tiny_key(flags, "feed_forward_length"), s->hidden);
    put_key_u32(file, tiny_key(flags, "attention.head_count"), s->heads);
    put_key_u32(file, tiny_key(flags, "attention.head_count_kv"), s->kv_heads);
    put_key_f32(file, tiny_key(flags, "attention.layer_norm_rms_epsilon"), 1e-5f);
    put_key_f32(file, tiny_key(flags, "rope.freq_base"), 1000.0f);
    uint32_t value_dim = flags->value_dim ? flags->value_dim : s->head_dim;
    if (s->head_dim) put_key_u32(file, tiny_key(flags, "attention.key_length"), s->head_dim);
    if (value_dim) put_key_u32(file, tiny_key(flags, "attention.value_length"), value_dim);
    if (s->rope_dim) put_key_u32(file, tiny_key(flags, "rope.dimension_count"), s->rope_dim);
    if (flags->scaling) put_key_text(file, tiny_key(flags, "rope.scaling.type"), flags->scaling);
    if (flags->factor > 0) put_key_f32(file, tiny_key(flags, "rope.scaling.factor"), flags->factor);
    if (flags->attention_scale > 0) put_key_f32(file, tiny_key(flags, "attention.scale"), flags->attention_scale);
    if (flags->window) put_key_u32(file, tiny_key(flags, "attention.sliding_window"), flags->window);
    if (flags->window_period)
        put_key_u32(file, tiny_key(flags, "attention.sliding_window_pattern"), flags->window_period);
    if (flags->original_length)
        put_key_u32(file, tiny_key(flags, "rope.scaling.original_context_length"), flags->original_length);
}

static inline void tiny_put_keys(gguf_file *file, const tiny_shape *s)
{
    tiny_put_family_keys(file, s, &(tiny_flags){0});
}

// Random file data, and the values it stands for.
static inline void tiny_fill(tiny_tensor *tensor, uint8_t *at)
{
    uint32_t count = tensor->columns * (tensor->rows ? tensor->rows : 1);
    double scale = tensor->rows ? 2 / sqrt(tensor->columns) : 0.5, middle = tensor->rows ? 0 : 1;
    bool is_embedding = strcmp(tensor->name, "token_embd.weight") == 0;
    tensor->values = malloc(count * sizeof(double));
    double block_scale = 0;
    for (uint32_t i = 0; i < count; i++) {
        double value = middle + (is_embedding ? 2 : scale) * (tiny_random() * 0x1p-23 - 1);
        if (tensor->type == F32) {
            float single = (float)value;
            memcpy(at + 4 * (size_t)i, &single, 4);
            tensor->values[i] = (double)single;
        } else if (tensor->type == F16) {
            uint16_t half = tiny_half(tiny_random() % 8 ? value : value * 0x1p-14); // some below 2^-14
            memcpy(at + 2 * (size_t)i, &half, 2);
            tensor->values[i] = tiny_from_half(half);
        } else {
            bool is_byte = tensor->type == Q8_0;
            uint8_t *block = at + (size_t)i / 32 * (is_byte ? 34 : 18);
            if (i % 32 == 0) {
                double most = (is_embedding ? 2 : scale) * (0.5 + tiny_random() * 0x1p-25);
                uint16_t half = tiny_half(most / (is_byte ? 127 : 7));
                memcpy(block, &half, 2);
                memset(block + 2, 0, is_byte ? 32 : 16);
                block_scale = tiny_from_half(half);
            }
            int quant = (int)(tiny_random() % (is_byte ? 256 : 16)) - (is_byte ? 128 : 8);
            if (is_byte)
                block[2 + i % 32] = (uint8_t)quant;
            else // weights 0 and 16, 1 and 17 ... share a byte
                block[2 + i % 16] |= (uint8_t)((quant + 8) << (i % 32 / 16 * 4));
            tensor->values[i] = quant * block_scale;
        }
    }
}

static inline void tiny_make_with(tiny_model *tiny, const tiny_shape *shape, const tiny_flags *flags)
{
    memset(tiny, 0, sizeof *tiny);
    tiny->shape = *shape;
    tiny->flags = *flags;
    tiny->head_dim = shape->head_dim ? shape->head_dim : shape->dim / shape->heads;
    tiny->value_dim = flags->value_dim ? flags->value_dim : tiny->head_dim;
    tiny->rope_dim = shape->rope_dim ? shape->rope_dim : tiny->head_dim;
    tiny_list(tiny);
    gguf_file *file = &tiny->file;
    begin_file(file);
    tiny_put_family_keys(file, shape, flags);
    uint64_t size = 0;
    for (uint32_t i = 0; i < tiny->count; i++) {
        tiny_tensor *tensor = &tiny->tensors[shape->is_reversed ? tiny->count - 1 - i : i];
        tensor->offset = size;
        size += (tiny_size(tensor) + 31) / 32 * 32 + (shape->is_reversed ? 64 : 0);
    }
    for (uint32_t i = 0; i < tiny->count; i++) {
        const tiny_tensor *tensor = &tiny->tensors[i];
        put_tensor_at(file, tensor->name, tensor->type, tensor->columns, tensor->rows, tensor->offset);
    }
    end_header(file);
    static const uint8_t other[64] = {1, 2, 3};
    while (file->size < file->data_start + size) put_bytes(file, other, 32);
    for (uint32_t i = 0; i < tiny->count; i++)
        tiny_fill(&tiny->tensors[i], file->bytes + file->data_start + tiny->tensors[i].offset);
}

static inline void tiny_make(tiny_model *tiny, const tiny_shape *shape)
{
    tiny_make_with(tiny, shape, &(tiny_flags){0});
}

static inline void tiny_free(tiny_model *tiny)
{
    for (uint32_t i = 0; i < tiny->count; i++) free(tiny->tensors[i].values);
    free(tiny->file.bytes);
}

static inline const double *tiny_weights(const tiny_model *tiny, const char *name)
{
    for (uint32_t i = 0; i < tiny->count; i++) {
        if (strcmp(tiny->tensors[i].name, name) == 0) return tiny->tensors[i].values;
    }
    return NULL;
}

// Creates the model of a file, without weights; NULL and *status when refused.
static inline li_model *tiny_create_with(const gguf_file *file, uint32_t slots, li_cache_type cache_type,
                                         uint32_t sequences, li_status *status)
{
    li_gguf *gguf = li_gguf_create();
    memcpy(li_gguf_reserve(gguf, (uint32_t)file->size), file->bytes, file->size);
    li_model *model = NULL;
    *status = li_gguf_parse(gguf, (uint32_t)file->size, (double)file->size);
    if (*status == LI_OK) model = li_model_create(gguf, slots, cache_type, sequences, status);
    li_gguf_destroy(gguf);
    return model;
}

static inline li_model *tiny_create(const gguf_file *file, uint32_t slots, uint32_t sequences, li_status *status)
{
    return tiny_create_with(file, slots, LI_CACHE_AUTO, sequences, status);
}

// Creates the model of a file and loads its weights in pieces of `piece` bytes.
static inline li_model *tiny_load(const tiny_model *tiny, uint32_t slots, uint32_t sequences, size_t piece)
{
    li_status status;
    const gguf_file *file = &tiny->file;
    li_model *model = tiny_create_with(file, slots, tiny->flags.cache_type, sequences, &status);
    CHECK(model);
    CHECK_EQ(status, LI_OK);
    if (!model) exit(check_done("tiny_load"));
    for (size_t at = file->data_start; at < file->size; at += piece) {
        size_t size = file->size - at < piece ? file->size - at : piece;
        CHECK_EQ(li_model_write(model, file->bytes + at, (uint32_t)size), LI_OK);
    }
    CHECK_EQ(li_model_finish(model), LI_OK);
    return model;
}

// Appends tokens to a sequence in one call, with the logits of the last token or of all.
static inline li_status tiny_forward(li_model *model, uint32_t sequence, const uint32_t *tokens, uint32_t count,
                                     bool all)
{
    li_row *rows = li_model_rows(model);
    uint32_t start = li_sequence_length(model, sequence);
    for (uint32_t i = 0; i < count; i++) rows[i] = (li_row){tokens[i], start + i, sequence, all || i + 1 == count, 0};
    return li_model_forward(model, count);
}

#endif
