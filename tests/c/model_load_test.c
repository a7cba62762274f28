// Loading models: in any pieces, in any order, and every file that must be refused.
#include "tiny_model.h"

static const tiny_shape plain = {50, 32, 64, 2, 4, 2, 64, 0, 0, false, false, F32, F32, F32};
static const tiny_shape mixed = {45, 64, 51, 2, 4, 2, 64, 0, 0, true, true, Q8_0, F16, F16};
static const tiny_shape halves = {45, 24, 51, 1, 2, 2, 64, 0, 0, false, true, F16, F32, F32};

static const uint32_t text[] = {1, 5, 9, 2, 7};

// The logits (vocab) after the text.
static void run(li_model *model, float *logits, uint32_t vocab)
{
    CHECK_EQ(tiny_forward(model, 0, text, 5, false), LI_OK);
    memcpy(logits, li_model_logits(model), vocab * sizeof(float));
}

static void test_pieces_of_any_size_load_the_same_model(void)
{
    const tiny_shape *const shapes[] = {&plain, &mixed, &halves};
    for (size_t i = 0; i < 3; i++) {
        tiny_model tiny;
        tiny_make(&tiny, shapes[i]);
        float whole[64], other[64];
        uint32_t vocab = shapes[i]->vocab;
        li_model *model = tiny_load(&tiny, 0, 1, SIZE_MAX / 2);
        run(model, whole, vocab);
        li_model_destroy(model);
        static const size_t pieces[] = {1, 2, 7, 33, 272, 1000, 4096};
        for (size_t j = 0; j < sizeof pieces / sizeof *pieces; j++) {
            CHECK_CASE("j %zu", j);
            model = tiny_load(&tiny, 0, 1, pieces[j]);
            run(model, other, vocab);
            CHECK_BYTES(whole, other, vocab * sizeof(float));
            li_model_destroy(model);
        }
        tiny_free(&tiny);
    }
}

static void test_order_in_the_file_does_not_matter(void)
{
    float logits[2][64];
    for (int reversed = 0; reversed < 2; reversed++) {
        CHECK_CASE("reversed %d", reversed);
        tiny_shape shape = plain;
        shape.is_reversed = reversed;
        tiny_model tiny;
        tiny_state = 99;
        tiny_make(&tiny, &shape);
        li_model *model = tiny_load(&tiny, 0, 1, 100);
        run(model, logits[reversed], shape.vocab);
        li_model_destroy(model);
        tiny_free(&tiny);
    }
    CHECK_BYTES(logits[0], logits[1], plain.vocab * sizeof(float));
}

static void test_a_model_without_all_its_weights_does_not_run(void)
{
    tiny_model tiny;
    tiny_make(&tiny, &plain);
    const uint8_t *data = tiny.file.bytes + tiny.file.data_start;
    uint32_t size = (uint32_t)(tiny.file.size - tiny.file.data_start);
    li_status status;
    li_model *model = tiny_create(&tiny.file, 0, 1, &status);
    CHECK_EQ(status, LI_OK);
    CHECK_EQ(tiny_forward(model, 0, text, 1, false), LI_ERROR_MODEL_INCOMPLETE);
    CHECK_EQ(li_model_finish(model), LI_ERROR_MODEL_INCOMPLETE);
    CHECK_EQ(li_model_write(model, data, 0), LI_OK);
    CHECK_EQ(li_model_write(model, data, size - 1), LI_OK);
    CHECK_EQ(li_model_finish(model), LI_ERROR_MODEL_INCOMPLETE);
    CHECK_EQ(tiny_forward(model, 0, text, 1, false), LI_ERROR_MODEL_INCOMPLETE);
    CHECK_EQ(li_model_write(model, data + size - 1, 1), LI_OK);
    CHECK_EQ(li_model_finish(model), LI_OK);
    CHECK_EQ(li_model_write(model, data, 100), LI_OK); // bytes after the tensors are padding
    CHECK_EQ(li_model_finish(model), LI_OK);
    CHECK_EQ(tiny_forward(model, 0, text, 1, false), LI_OK);
    li_model_destroy(model);
    li_model_destroy(NULL);
    tiny_free(&tiny);
}

// The status of loading a model after replacing the bytes at the start of one tensor.
static li_status load_with(const tiny_shape *shape, const char *name, const void *bytes, size_t count)
{
    tiny_model tiny;
    tiny_make(&tiny, shape);
    for (uint32_t i = 0; i < tiny.count; i++) {
        if (strcmp(tiny.tensors[i].name, name) == 0)
            memcpy(tiny.file.bytes + tiny.file.data_start + tiny.tensors[i].offset, bytes, count);
    }
    li_status status;
    li_model *model = tiny_create(&tiny.file, 0, 1, &status);
    const uint8_t *data = tiny.file.bytes + tiny.file.data_start;
    li_status written = li_model_write(model, data, (uint32_t)(tiny.file.size - tiny.file.data_start));
    status = li_model_finish(model);
    CHECK_EQ(written, status);
    CHECK_EQ(li_model_write(model, data, 1), status);
    if (status != LI_OK) CHECK_EQ(tiny_forward(model, 0, text, 1, false), LI_ERROR_MODEL_INCOMPLETE);
    li_model_destroy(model);
    tiny_free(&tiny);
    return status;
}

static void test_non_finite_weights_are_refused(void)
{
    const float nan = __builtin_nanf(""), infinite = -__builtin_inff();
    CHECK_EQ(load_with(&plain, "blk.1.ffn_up.weight", &nan, 4), LI_ERROR_MODEL_WEIGHTS);
    CHECK_EQ(load_with(&plain, "output.weight", &infinite, 4), LI_ERROR_MODEL_WEIGHTS);
    CHECK_EQ(load_with(&plain, "output_norm.weight", &nan, 4), LI_ERROR_MODEL_WEIGHTS);
    CHECK_EQ(load_with(&mixed, "blk.1.attn_q.weight", "\0\176", 2), LI_ERROR_MODEL_WEIGHTS);   // a scale
    CHECK_EQ(load_with(&mixed, "blk.0.ffn_down.weight", "\0\174", 2), LI_ERROR_MODEL_WEIGHTS); // a half
    CHECK_EQ(load_with(&mixed, "blk.0.ffn_norm.weight", "\1\374", 2), LI_ERROR_MODEL_WEIGHTS);
    CHECK_EQ(load_with(&mixed, "blk.0.ffn_norm.weight", "\377\373", 2), LI_OK); // the largest half
}

// A divisor of an angle that is too small, or not a number, is an error of the weights.
static void test_a_divisor_of_angles_that_is_tiny_or_no_number_is_refused(void)
{
    static const float divisors[] = {NAN, INFINITY, 0, -1, 0.01f, 0.0625f, 8};
    for (size_t i = 0; i < sizeof divisors / sizeof *divisors; i++) {
        CHECK_CASE("i %zu", i);
        tiny_model tiny;
        li_status status;
        tiny_make_with(&tiny, &plain, &(tiny_flags){.has_rope_factors = true});
        for (uint32_t j = 0; j < tiny.count; j++)
            if (strcmp(tiny.tensors[j].name, "rope_freqs.weight") == 0)
                memcpy(tiny.file.bytes + tiny.file.data_start + tiny.tensors[j].offset, &divisors[i], 4);
        li_model *model = tiny_create(&tiny.file, 0, 1, &status);
        li_model_write(model, tiny.file.bytes + tiny.file.data_start,
                       (uint32_t)(tiny.file.size - tiny.file.data_start));
        CHECK_EQ(li_model_finish(model), i < 5 ? LI_ERROR_MODEL_WEIGHTS : LI_OK);
        if (i < 5) CHECK_EQ(tiny_forward(model, 0, text, 1, true), LI_ERROR_MODEL_INCOMPLETE);
        li_model_destroy(model);
        tiny_free(&tiny);
    }
}

// Finite weights can still overflow. The row must then be NaN or infinite, never a wrong number, even where the
// infinity is quantised on its way.
static void test_overflow_shows_in_the_logits(void)
{
    for (int i = 0; i < 2; i++) {
        tiny_shape shape = plain;
        if (i == 1) shape.down_type = Q8_0;
        tiny_model tiny;
        tiny_make(&tiny, &shape);
        for (uint32_t j = 0; j < tiny.count; j++) {
            const tiny_tensor *tensor = &tiny.tensors[j];
            bool is_huge = strstr(tensor->name, "0.ffn_gate") || strstr(tensor->name, "0.ffn_up");
            uint8_t *at = tiny.file.bytes + tiny.file.data_start + tensor->offset;
            for (uint32_t k = 0; is_huge && k < tensor->rows * tensor->columns; k++) {
                float weight = (k % 2 ? 3e30f : 1e30f) * (k / tensor->columns % 2 ? 1.0f : -1.0f);
                memcpy(at + 4 * (size_t)k, &weight, 4);
            }
        }
        li_model *model = tiny_load(&tiny, 0, 1, 4096);
        CHECK_EQ(tiny_forward(model, 0, text, 1, true), LI_OK);
        for (uint32_t id = 0; id < shape.vocab; id++) CHECK(isnan(li_model_logits(model)[id]));
        li_model_destroy(model);
        tiny_free(&tiny);
    }
}

// The largest numbers do not overflow in the norm.
static void test_a_huge_embedding_stays_finite(void)
{
    tiny_model tiny;
    tiny_make(&tiny, &plain);
    float *embedding = (float *)(void *)(tiny.file.bytes + tiny.file.data_start);
    float logits[2][64];
    for (int i = 0; i < 2; i++) {
        for (uint32_t k = 0; k < plain.dim; k++) embedding[k] = i ? 0x1p120f * (float)k : 0x1p60f * (float)k;
        li_model *model = tiny_load(&tiny, 0, 1, 4096);
        const uint32_t first = 0;
        CHECK_EQ(tiny_forward(model, 0, &first, 1, true), LI_OK);
        memcpy(logits[i], li_model_logits(model), plain.vocab * sizeof(float));
        li_model_destroy(model);
    }
    CHECK(isfinite(logits[0][0]));
    CHECK_BYTES(logits[0], logits[1], plain.vocab * sizeof(float));
    tiny_free(&tiny);
}

// ---- tensors -----------------------------------------------------------------------------------------

// Ends a file with weights of zeros and frees it. Returns the status of create.
static li_status create_from(gguf_file *file)
{
    end_header(file);
    for (uint64_t i = 0; i < file->data_size; i += 32) put_bytes(file, (const uint8_t[32]){0}, 32);
    li_status status;
    li_model *model = tiny_create(file, 0, 1, &status);
    CHECK_EQ(model != NULL, status == LI_OK);
    li_model_destroy(model);
    free(file->bytes);
    return status;
}

typedef enum tensor_change { NO_CHANGE, LEAVE_OUT, RENAME, RETYPE, RESHAPE, TRANSPOSE, DEEPEN } tensor_change;

// The status of create for a file with one changed tensor of `plain`.
static li_status create_changed(uint32_t index, tensor_change change, const char *name, uint32_t type)
{
    tiny_model list = {.shape = plain, .head_dim = 8};
    tiny_list(&list);
    gguf_file file;
    begin_file(&file);
    tiny_put_keys(&file, &plain);
    for (uint32_t i = 0; i < list.count; i++) {
        tiny_tensor tensor = list.tensors[i];
        if (i == index) {
            if (change == LEAVE_OUT) continue;
            if (change == RENAME) snprintf(tensor.name, sizeof tensor.name, "%s", name);
            if (change == RETYPE) tensor.type = type;
            if (change == RESHAPE) tensor.rows ? tensor.rows++ : tensor.columns++;
            if (change == TRANSPOSE) {
                uint32_t rows = tensor.rows;
                tensor.rows = tensor.columns;
                tensor.columns = rows ? rows : 1;
            }
        }
        if (i == index && change == DEEPEN) {
            // Of four dimensions, the last of which is `type`.
            count_one(&file, 8);
            put_text(&file, tensor.name);
            put_u32(&file, 4);
            put_u64(&file, tensor.columns), put_u64(&file, tensor.rows), put_u64(&file, 1), put_u64(&file, type);
            put_u32(&file, F32);
            put_u64(&file, file.data_size);
            file.data_size += 4 * (uint64_t)tensor.columns * tensor.rows * type;
            continue;
        }
        put_tensor(&file, tensor.name, tensor.type, tensor.columns, tensor.rows);
    }
    return create_from(&file);
}

enum { EMBEDDING = 0, NORM = 1, QUERY = 2, DOWN = 9, OUTPUT_NORM = 19, OUTPUT = 20, TENSORS = 21 };

static void test_misshapen_tensors_are_refused(void)
{
    CHECK_EQ(create_changed(0, NO_CHANGE, NULL, 0), LI_OK);
    for (uint32_t i = 0; i < TENSORS; i++) {
        CHECK_CASE("i %u", i);
        bool is_optional = i == OUTPUT; // without it the model is tied
        CHECK_EQ(create_changed(i, LEAVE_OUT, NULL, 0), is_optional ? LI_OK : LI_ERROR_MODEL_TENSOR_MISSING);
        li_status reshaped = create_changed(i, RESHAPE, NULL, 0);
        CHECK_EQ(reshaped, LI_ERROR_MODEL_TENSOR_SHAPE);
        bool is_square = i != EMBEDDING && i != OUTPUT && (i == QUERY || i == QUERY + 9 || i == 5 || i == 14);
        CHECK_EQ(create_changed(i, TRANSPOSE, NULL, 0), is_square ? LI_OK : LI_ERROR_MODEL_TENSOR_SHAPE);
        CHECK_EQ(create_changed(i, RETYPE, NULL, 24), LI_ERROR_MODEL_TENSOR_TYPE); // I8
        CHECK_EQ(create_changed(i, RETYPE, NULL, 31), LI_ERROR_MODEL_TENSOR_TYPE); // no such type
        CHECK_EQ(create_changed(i, RETYPE, NULL, 1), LI_OK);                       // F16
        CHECK_EQ(create_changed(i, RETYPE, NULL, 30), LI_OK);                      // BF16
    }
    CHECK_EQ(create_changed(QUERY, DEEPEN, NULL, 1), LI_OK);
    CHECK_EQ(create_changed(QUERY, DEEPEN, NULL, 2), LI_ERROR_MODEL_TENSOR_SHAPE);
    CHECK_EQ(create_changed(NORM, RETYPE, NULL, 8), LI_ERROR_MODEL_TENSOR_TYPE);
    CHECK_EQ(create_changed(DOWN, RETYPE, NULL, 8), LI_OK);
    CHECK_EQ(create_changed(NORM, RETYPE, NULL, 2), LI_ERROR_MODEL_TENSOR_TYPE);
    CHECK_EQ(create_changed(DOWN, RETYPE, NULL, 2), LI_OK);
}

static void test_tensors_of_other_architectures_are_refused(void)
{
    static const char *const names[] = {
        "blk.0.attn_q_norm.weight",
        "blk.0.attn_qkv.weight",
        "blk.0.ffn_gate_inp.weight",
        "blk.2.attn_q.weight",
        "blk.99999.attn_q.weight",
        "blk.00.attn_q.weight",
        "blk..attn_q.weight",
        "blk.0.attn_q.weigh",
        "attn_q.weight",
        "rope_factors_long.weight",
        "blk.0.attn_k_norm.weight",
        "output.bias",
        "blk.0.token_embd.weight",
        "blk.4294967296.attn_q.weight",
        "blk.0",
        "blk.",
        "blk.0.",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK_EQ(create_changed(QUERY, RENAME, names[i], 0), LI_ERROR_MODEL_ARCHITECTURE);
    // Old files hold tables of cosines, which are ignored.
    CHECK_EQ(create_changed(QUERY, RENAME, "blk.0.attn_rot_embd.weight", 0), LI_ERROR_MODEL_TENSOR_MISSING);
}

// ---- configuration -----------------------------------------------------------------------------------

typedef struct key_case {
    const char *key;
    char kind; // u: whole number, f: number, t: text, -: leave the key out
    double number;
    const char *text;
    li_status expected;
} key_case;

#define ARCHITECTURE LI_ERROR_MODEL_ARCHITECTURE
#define CONFIG       LI_ERROR_MODEL_CONFIG
#define SHAPE        LI_ERROR_MODEL_TENSOR_SHAPE
static const key_case key_cases[] = {
    {"general.architecture", '-', 0, NULL, ARCHITECTURE},
    {"general.architecture", 't', 0, "gemma4", ARCHITECTURE},
    {"general.architecture", 't', 0, "llama2", ARCHITECTURE},
    {"general.architecture", 'u', 1, NULL, ARCHITECTURE},
    {"llama.expert_count", 'u', 8, NULL, ARCHITECTURE},
    {"llama.expert_count", 'u', 0, NULL, LI_OK},
    {"llama.expert_count", 't', 0, "8", ARCHITECTURE},
    {"llama.rope.scaling.type", 't', 0, "yarn", LI_OK},
    {"llama.rope.scaling.type", 't', 0, "llama3", ARCHITECTURE},
    {"llama.rope.scaling.type", 't', 0, "longrope", LI_ERROR_MODEL_TENSOR_MISSING},
    {"llama.rope.scaling.type", 't', 0, "none", LI_OK},
    {"llama.rope.scaling.factor", 'f', 8, NULL, LI_OK},
    {"llama.rope.scaling.factor", 'f', 0.01, NULL, CONFIG},
    {"llama.rope.scaling.factor", 'f', (double)__builtin_nanf(""), NULL, CONFIG},
    {"llama.rope.scaling.factor", 'f', 1e6, NULL, LI_OK},
    {"llama.rope.scaling.factor", 'f', 1000001, NULL, CONFIG},
    {"llama.rope.scaling.yarn_log_multiplier", 'f', 0.1, NULL, CONFIG},
    {"llama.rope.scaling.yarn_log_multiplier", 'f', 0, NULL, LI_OK},
    {"llama.rope.scaling.factor", 'f', 1, NULL, LI_OK},
    {"llama.rope.scale_linear", 'f', 2, NULL, LI_OK},
    {"llama.rope.scale_linear", 'f', 1, NULL, LI_OK},
    {"llama.attention.sliding_window", 'u', 4096, NULL, LI_OK},
    {"llama.attention.scale", 'f', 0.5, NULL, LI_OK},
    {"llama.attention.scale", 'f', -1, NULL, CONFIG},
    {"llama.attention.causal", 'u', 0, NULL, ARCHITECTURE},
    {"llama.logit_scale", 'f', 2, NULL, ARCHITECTURE},
    {"llama.final_logit_softcapping", 'f', 30, NULL, ARCHITECTURE},
    {"llama.tensor_data_layout", 't', 0, "Meta AI original pth", LI_OK},
    {"llama.vocab_size", 'u', 49, NULL, LI_OK},
    {"llama.context_length", '-', 0, NULL, CONFIG},
    {"llama.context_length", 'u', 0, NULL, CONFIG},
    {"llama.context_length", 'u', 4294967295.0, NULL, CONFIG},
    {"llama.context_length", 'f', 64, NULL, CONFIG},
    {"llama.embedding_length", '-', 0, NULL, CONFIG},
    {"llama.embedding_length", 'u', 0, NULL, CONFIG},
    {"llama.embedding_length", 'u', 33, NULL, CONFIG},
    {"llama.embedding_length", 'u', 64, NULL, SHAPE},
    {"llama.embedding_length", 'u', 4294967288.0, NULL, CONFIG},
    {"llama.block_count", '-', 0, NULL, CONFIG},
    {"llama.block_count", 'u', 0, NULL, CONFIG},
    {"llama.block_count", 'u', 1, NULL, ARCHITECTURE}, // blk.1 belongs to no layer
    {"llama.block_count", 'u', 3, NULL, LI_ERROR_MODEL_TENSOR_MISSING},
    {"llama.block_count", 'u', 8192, NULL, LI_ERROR_MODEL_TENSOR_MISSING},
    {"llama.block_count", 'u', 4294967295.0, NULL, CONFIG},
    {"llama.feed_forward_length", '-', 0, NULL, CONFIG},
    {"llama.feed_forward_length", 'u', 0, NULL, CONFIG},
    {"llama.feed_forward_length", 'u', 63, NULL, SHAPE},
    {"llama.attention.head_count", '-', 0, NULL, CONFIG},
    {"llama.attention.head_count", 'u', 0, NULL, CONFIG},
    {"llama.attention.head_count", 'u', 5, NULL, CONFIG},
    {"llama.attention.head_count", 'u', 32, NULL, CONFIG}, // heads of width 1
    {"llama.attention.head_count", 'u', 4294967295.0, NULL, CONFIG},
    {"llama.attention.head_count_kv", '-', 0, NULL, SHAPE}, // the default is the number of heads
    {"llama.attention.head_count_kv", 'u', 0, NULL, CONFIG},
    {"llama.attention.head_count_kv", 'u', 3, NULL, CONFIG},
    {"llama.attention.head_count_kv", 'u', 8, NULL, CONFIG},
    {"llama.attention.head_count_kv", 'u', 1, NULL, SHAPE},
    {"llama.attention.key_length", 'u', 8, NULL, LI_OK},
    {"llama.attention.key_length", 'u', 0, NULL, CONFIG},
    {"llama.attention.key_length", 'u', 7, NULL, CONFIG},
    {"llama.attention.key_length", 'u', 16, NULL, SHAPE},
    {"llama.attention.key_length", 'u', 1048576, NULL, CONFIG},
    {"llama.attention.value_length", 'u', 16, NULL, SHAPE},
    {"llama.rope.dimension_count", 'u', 8, NULL, LI_OK},
    {"llama.rope.dimension_count", 'u', 0, NULL, CONFIG},
    {"llama.rope.dimension_count", 'u', 3, NULL, CONFIG},
    {"llama.rope.dimension_count", 'u', 10, NULL, CONFIG},
    {"llama.rope.freq_base", '-', 0, NULL, LI_OK},
    {"llama.rope.freq_base", 'f', 0, NULL, CONFIG},
    {"llama.rope.freq_base", 'f', -1, NULL, CONFIG},
    {"llama.rope.freq_base", 'f', 0.5, NULL, CONFIG},
    {"llama.rope.freq_base", 'f', (double)__builtin_inff(), NULL, CONFIG},
    {"llama.rope.freq_base", 'f', (double)__builtin_nanf(""), NULL, CONFIG},
    {"llama.rope.freq_base", 'u', 10000, NULL, CONFIG},
    {"llama.attention.layer_norm_rms_epsilon", '-', 0, NULL, CONFIG},
    {"llama.attention.layer_norm_rms_epsilon", 'f', 0, NULL, CONFIG},
    {"llama.attention.layer_norm_rms_epsilon", 'f', -1e-5, NULL, CONFIG},
    {"llama.attention.layer_norm_rms_epsilon", 'f', 1, NULL, CONFIG},
    {"llama.attention.layer_norm_rms_epsilon", 'f', (double)__builtin_nanf(""), NULL, CONFIG},
};

static void put_changed_key(gguf_file *file, const key_case *changed)
{
    if (changed->kind == 'u') put_key_u32(file, changed->key, (uint32_t)changed->number);
    if (changed->kind == 'f') put_key_f32(file, changed->key, (float)changed->number);
    if (changed->kind == 't') put_key_text(file, changed->key, changed->text);
}

// Writes a key of `plain`, or its changed value.
static void put_usual_key(gguf_file *file, const key_case *changed, const char *key, double number, char kind)
{
    if (strcmp(key, changed->key) == 0) return;
    const key_case usual = {key, kind, number, "llama", LI_OK};
    put_changed_key(file, &usual);
}

static li_status create_with_key(const key_case *changed)
{
    tiny_model list = {.shape = plain, .head_dim = 8};
    tiny_list(&list);
    gguf_file file;
    begin_file(&file);
    put_usual_key(&file, changed, "general.architecture", 0, 't');
    put_usual_key(&file, changed, "llama.context_length", plain.context, 'u');
    put_usual_key(&file, changed, "llama.embedding_length", plain.dim, 'u');
    put_usual_key(&file, changed, "llama.block_count", plain.layers, 'u');
    put_usual_key(&file, changed, "llama.feed_forward_length", plain.hidden, 'u');
    put_usual_key(&file, changed, "llama.attention.head_count", plain.heads, 'u');
    put_usual_key(&file, changed, "llama.attention.head_count_kv", plain.kv_heads, 'u');
    put_usual_key(&file, changed, "llama.attention.layer_norm_rms_epsilon", 1e-5, 'f');
    put_usual_key(&file, changed, "llama.rope.freq_base", 1000, 'f');
    put_changed_key(&file, changed);
    for (uint32_t i = 0; i < list.count; i++)
        put_tensor(&file, list.tensors[i].name, F32, list.tensors[i].columns, list.tensors[i].rows);
    return create_from(&file);
}

static void test_each_bad_key_has_its_status(void)
{
    for (size_t i = 0; i < sizeof key_cases / sizeof *key_cases; i++) {
        CHECK_CASE("%s %c %g", key_cases[i].key, key_cases[i].kind, key_cases[i].number);
        CHECK_EQ(create_with_key(&key_cases[i]), key_cases[i].expected);
    }
}

static void test_keys_take_whole_numbers_of_any_type(void)
{
    static const uint8_t types[] = {LI_GGUF_UINT8,  LI_GGUF_INT8,  LI_GGUF_UINT16, LI_GGUF_INT16,
                                    LI_GGUF_UINT32, LI_GGUF_INT32, LI_GGUF_UINT64, LI_GGUF_INT64};
    static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8};
    for (size_t i = 0; i < sizeof types; i++) {
        CHECK_CASE("i %zu", i);
        for (int negative = 0; negative < 2; negative++) {
            CHECK_CASE("negative %d", negative);
            tiny_model tiny;
            tiny_make(&tiny, &plain);
            gguf_file file;
            begin_file(&file);
            tiny_put_keys(&file, &plain);
            put_key(&file, "llama.rope.dimension_count", types[i]);
            uint64_t value = negative ? UINT64_MAX : 8;
            put_bytes(&file, &value, sizes[i]);
            memcpy(file.bytes + 8, tiny.file.bytes + 8, 8);
            for (uint32_t j = 0; j < tiny.count; j++) {
                const tiny_tensor *tensor = &tiny.tensors[j];
                put_tensor_at(&file, tensor->name, F32, tensor->columns, tensor->rows, tensor->offset);
                count_one(&file, 8);
            }
            memcpy(file.bytes + 8, tiny.file.bytes + 8, 8);
            end_header(&file);
            put_bytes(&file, tiny.file.bytes + tiny.file.data_start, tiny.file.size - tiny.file.data_start);
            li_status status;
            li_model *model = tiny_create(&file, 0, 1, &status);
            CHECK_EQ(status, negative ? LI_ERROR_MODEL_CONFIG : LI_OK);
            li_model_destroy(model);
            free(file.bytes);
            tiny_free(&tiny);
        }
    }
}

// ---- what was refused --------------------------------------------------------------------------------

// The file of `plain` with one more key, or with another architecture.
static gguf_file with_key(const char *architecture, const char *key, const uint32_t *values, uint32_t count)
{
    tiny_model list = {.shape = plain, .head_dim = 8};
    tiny_list(&list);
    gguf_file file;
    begin_file(&file);
    if (architecture)
        put_key_text(&file, "general.architecture", architecture);
    else
        tiny_put_keys(&file, &plain);
    if (key && count) {
        put_key(&file, key, 9);
        put_u32(&file, 4);
        put_u64(&file, count);
        for (uint32_t i = 0; i < count; i++) put_u32(&file, values[i]);
    } else if (key) {
        put_key_u32(&file, key, 8);
    }
    for (uint32_t i = 0; i < list.count; i++)
        put_tensor(&file, list.tensors[i].name, F32, list.tensors[i].columns, list.tensors[i].rows);
    end_header(&file);
    return file;
}

// Plans the file and frees it; the fault's kind and name must be these.
static li_fault fault_of(gguf_file *file, li_status expected, li_fault_kind kind, const char *name)
{
    li_gguf *gguf = li_gguf_create();
    memcpy(li_gguf_reserve(gguf, (uint32_t)file->size), file->bytes, file->size);
    CHECK_EQ(li_gguf_parse(gguf, (uint32_t)file->size, 0), LI_OK);
    li_model_memory memory;
    CHECK_EQ(li_model_plan(gguf, 0, LI_CACHE_AUTO, 1, &memory), expected);
    li_fault fault = *li_gguf_fault(gguf);
    CHECK_EQ(fault.kind, kind);
    CHECK_EQ(fault.name_length, strlen(name));
    CHECK_BYTES(fault.name, name, strlen(name));
    fault.name = NULL;
    li_gguf_destroy(gguf);
    free(file->bytes);
    return fault;
}

static void test_faults_name_the_key_or_the_family(void)
{
    gguf_file file = with_key("gemma4", NULL, NULL, 0);
    fault_of(&file, LI_ERROR_MODEL_ARCHITECTURE, LI_FAULT_ARCHITECTURE, "gemma4");
    file = with_key("qwen3", NULL, NULL, 0);
    fault_of(&file, LI_ERROR_MODEL_CONFIG, LI_FAULT_KEY_MISSING, "qwen3.embedding_length");
    file = with_key(NULL, "llama.expert_count", NULL, 0);
    fault_of(&file, LI_ERROR_MODEL_ARCHITECTURE, LI_FAULT_KEY_FOREIGN, "llama.expert_count");
    file = with_key(NULL, "llama.rope.dimension_count", (uint32_t[]){8}, 1); // an array
    fault_of(&file, LI_ERROR_MODEL_CONFIG, LI_FAULT_KEY_VALUE, "llama.rope.dimension_count");
}

// A number of each layer may be an array of equal numbers.
static void test_arrays_of_a_number_for_each_layer_have_one_value(void)
{
    static const struct {
        uint32_t count, values[3];
        li_status status;
        li_fault_kind kind;
    } cases[] = {
        {2, {64, 64}, LI_OK, LI_FAULT_NONE},
        {2, {64, 32}, LI_ERROR_MODEL_ARCHITECTURE, LI_FAULT_KEY_FOREIGN},
        {2, {0, 0}, LI_ERROR_MODEL_CONFIG, LI_FAULT_KEY_VALUE},
        {1, {64}, LI_ERROR_MODEL_CONFIG, LI_FAULT_KEY_LENGTH},
        {3, {64, 64, 64}, LI_ERROR_MODEL_CONFIG, LI_FAULT_KEY_LENGTH},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CASE("i %zu", i);
        tiny_model list = {.shape = plain, .head_dim = 8};
        tiny_list(&list);
        gguf_file file;
        begin_file(&file);
        put_key_text(&file, "general.architecture", "llama");
        put_key_u32(&file, "llama.context_length", plain.context);
        put_key_u32(&file, "llama.embedding_length", plain.dim);
        put_key_u32(&file, "llama.block_count", plain.layers);
        put_key_u32(&file, "llama.attention.head_count", plain.heads);
        put_key_u32(&file, "llama.attention.head_count_kv", plain.kv_heads);
        put_key_f32(&file, "llama.attention.layer_norm_rms_epsilon", 1e-5f);
        put_key(&file, "llama.feed_forward_length", 9);
        put_u32(&file, 4);
        put_u64(&file, cases[i].count);
        for (uint32_t j = 0; j < cases[i].count; j++) put_u32(&file, cases[i].values[j]);
        for (uint32_t j = 0; j < list.count; j++)
            put_tensor(&file, list.tensors[j].name, F32, list.tensors[j].columns, list.tensors[j].rows);
        end_header(&file);
        const char *name = cases[i].kind == LI_FAULT_NONE ? "" : "llama.feed_forward_length";
        li_fault fault = fault_of(&file, cases[i].status, cases[i].kind, name);
        if (cases[i].kind == LI_FAULT_KEY_LENGTH) {
            CHECK_EQ(fault.found, cases[i].count);
            CHECK_EQ(fault.expected, 2);
        }
    }
}

// ---- memory ------------------------------------------------------------------------------------------

static void test_bad_arguments_and_sizes_are_refused(void)
{
    tiny_model tiny;
    tiny_make(&tiny, &plain);
    li_status status;
    CHECK(!tiny_create(&tiny.file, 0, 0, &status));
    CHECK_EQ(status, LI_ERROR_BAD_ARGUMENT);
    CHECK(!tiny_create(&tiny.file, 0, 100000, &status));
    CHECK_EQ(status, LI_ERROR_BAD_ARGUMENT);
    CHECK(!tiny_create(&tiny.file, UINT32_MAX, 1, &status));
    CHECK_EQ(status, LI_ERROR_BAD_ARGUMENT);
    CHECK(!tiny_create(&tiny.file, 1u << 26, 1, &status));
    CHECK_EQ(status, LI_ERROR_GGUF_TOO_LARGE);
    li_gguf *gguf = li_gguf_create();
    CHECK(!li_model_create(gguf, 0, LI_CACHE_AUTO, 1, &status));
    CHECK_EQ(status, LI_ERROR_BAD_ARGUMENT); // no parsed header
    li_gguf_destroy(gguf);
    tiny_free(&tiny);
}

// A header that describes gigabytes of missing data.
static void test_models_too_large_for_memory(void)
{
    const tiny_shape shape = {50, 8192, 65536, 2, 64, 64, 64, 0, 0, false, false, F32, F32, F32};
    tiny_model list = {.shape = shape, .head_dim = 128};
    tiny_list(&list);
    gguf_file file;
    begin_file(&file);
    tiny_put_keys(&file, &shape);
    for (uint32_t i = 0; i < list.count; i++)
        put_tensor(&file, list.tensors[i].name, F32, list.tensors[i].columns, list.tensors[i].rows);
    end_header(&file);
    li_gguf *gguf = li_gguf_create();
    memcpy(li_gguf_reserve(gguf, (uint32_t)file.size), file.bytes, file.size);
    li_status status;
    CHECK_EQ(li_gguf_parse(gguf, (uint32_t)file.size, 0), LI_OK);
    CHECK(!li_model_create(gguf, 0, LI_CACHE_AUTO, 1, &status));
    CHECK_EQ(status, LI_ERROR_GGUF_TOO_LARGE);
    CHECK_EQ(li_gguf_parse(gguf, (uint32_t)file.size, 1e9), LI_ERROR_GGUF_TRUNCATED);
    li_gguf_destroy(gguf);
    free(file.bytes);
}

// A header of real size without data: `layers` of a model with 8 key heads of 128.
static li_gguf *large_header(uint32_t layers, uint32_t context)
{
    const tiny_shape shape = {1000, 1024, 64, layers, 16, 8, context, 128, 0, true, false, F16, F16, F32};
    gguf_file file;
    begin_file(&file);
    tiny_put_keys(&file, &shape);
    put_tensor(&file, "token_embd.weight", F16, 1024, 1000);
    put_tensor(&file, "output_norm.weight", F32, 1024, 0);
    char name[64];
#define PUT(part, columns, rows)                                                                                       \
    (snprintf(name, sizeof name, "blk.%u.%s.weight", (unsigned)l, part), put_tensor(&file, name, F32, columns, rows))
    for (uint32_t l = 0; l < layers; l++) {
        PUT("attn_norm", 1024, 0), PUT("ffn_norm", 1024, 0), PUT("attn_q", 1024, 2048), PUT("attn_k", 1024, 1024);
        PUT("attn_v", 1024, 1024), PUT("attn_output", 2048, 1024);
        PUT("ffn_gate", 1024, 64), PUT("ffn_up", 1024, 64), PUT("ffn_down", 64, 1024);
    }
    end_header(&file);
    li_gguf *gguf = li_gguf_create();
    memcpy(li_gguf_reserve(gguf, (uint32_t)file.size), file.bytes, file.size);
    CHECK_EQ(li_gguf_parse(gguf, (uint32_t)file.size, 0), LI_OK);
    free(file.bytes);
    return gguf;
}

static void test_a_plan_says_what_a_load_takes(void)
{
    li_gguf *gguf = large_header(28, 40960);
    li_model_memory memory;
    const double slot = 28 * 8 * 2 * 128; // numbers
    CHECK_EQ(li_model_plan(gguf, 0, LI_CACHE_AUTO, 1, &memory), LI_OK);
    CHECK_EQ(memory.context_length, 4096);
    CHECK_EQ(memory.trained_length, 40960);
    CHECK_EQ(memory.vocab_size, 1000);
    CHECK_EQ(memory.cache_type, LI_CACHE_F16);
    CHECK_GT(memory.limit, 3e9);
    CHECK_GE(memory.cache, 4096 * slot * 2);
    CHECK_LT(memory.cache, 4096 * slot * 2 + 1e5);
    CHECK_EQ(li_model_plan(gguf, 1024, LI_CACHE_Q8_0, 1, &memory), LI_OK);
    CHECK_EQ(memory.context_length, 1024);
    CHECK_EQ(memory.cache_type, LI_CACHE_Q8_0);
    CHECK_GE(memory.cache, 1024 * slot * 34 / 32);
    CHECK_LT(memory.cache, 1024 * slot * 34 / 32 + 1e5);
    CHECK_EQ(li_model_plan(gguf, 256, LI_CACHE_AUTO, 1, &memory), LI_OK);
    CHECK_EQ(memory.cache_type, LI_CACHE_F32);
    CHECK_EQ(li_model_plan(gguf, 1024, LI_CACHE_AUTO, 1, &memory), LI_OK);
    CHECK_EQ(memory.cache_type, LI_CACHE_F16);
    CHECK_EQ(li_model_plan(gguf, 0, LI_CACHE_Q8_0 + 1, 1, &memory), LI_ERROR_BAD_ARGUMENT);
    // A plan that is too large is refused, and still gives the numbers.
    CHECK_EQ(li_model_plan(gguf, 40960, LI_CACHE_F32, 1, &memory), LI_ERROR_GGUF_TOO_LARGE);
    CHECK_EQ(memory.context_length, 40960);
    CHECK_GE(memory.cache, 40960 * slot * 4);
    li_gguf_destroy(gguf);
    // Where 4,096 positions do not fit, the default is half as many.
    gguf = large_header(80, 40960);
    CHECK_EQ(li_model_plan(gguf, 0, LI_CACHE_F32, 1, &memory), LI_OK);
    CHECK_EQ(memory.context_length, 2048);
    li_gguf_destroy(gguf);
    gguf = large_header(2, 100);
    CHECK_EQ(li_model_plan(gguf, 0, LI_CACHE_AUTO, 1, &memory), LI_OK);
    CHECK_EQ(memory.context_length, 100);
    li_gguf_destroy(gguf);
}

static void test_a_byte_cache_needs_heads_of_whole_blocks(void)
{
    tiny_model tiny;
    li_status status;
    tiny_make(&tiny, &plain); // heads of 8
    CHECK(!tiny_create_with(&tiny.file, 0, LI_CACHE_Q8_0, 1, &status));
    CHECK_EQ(status, LI_ERROR_MODEL_CACHE_TYPE);
    tiny_free(&tiny);
}

int main(void)
{
    test_pieces_of_any_size_load_the_same_model();
    test_order_in_the_file_does_not_matter();
    test_a_model_without_all_its_weights_does_not_run();
    test_non_finite_weights_are_refused();
    test_a_divisor_of_angles_that_is_tiny_or_no_number_is_refused();
    test_overflow_shows_in_the_logits();
    test_a_huge_embedding_stays_finite();
    test_misshapen_tensors_are_refused();
    test_tensors_of_other_architectures_are_refused();
    test_each_bad_key_has_its_status();
    test_keys_take_whole_numbers_of_any_type();
    test_faults_name_the_key_or_the_family();
    test_arrays_of_a_number_for_each_layer_have_one_value();
    test_bad_arguments_and_sizes_are_refused();
    test_a_plan_says_what_a_load_takes();
    test_a_byte_cache_needs_heads_of_whole_blocks();
    test_models_too_large_for_memory();
    return check_done("model_load");
}
