// The forward pass against a float64 reference written from the papers' formulas, and its properties: rows, sequences
// and taps. `make test-c` runs this test with threads too, under the thread sanitizer, where even small loops are
// shared.
#include "helper_threads.h"
#include "tiny_model.h"

#define LENGTH 40 // tokens of the test text
#define PI     3.14159265358979323846

static uint32_t text[LENGTH];

static void make_text(uint32_t vocab)
{
    for (uint32_t i = 0; i < LENGTH; i++) text[i] = tiny_random() % vocab;
}

static const tiny_shape shapes[] = {
    // vocab, dim, hidden, layers, heads, kv_heads, context, head_dim, rope_dim, tied, reversed, types
    {50, 32, 64, 2, 4, 2, 64, 0, 0, false, false, F32, F32, F32},   // grouped queries, separate output
    {37, 24, 52, 3, 2, 1, 48, 0, 0, true, false, F32, F32, F32},    // tied, one key head, tiles not full
    {41, 27, 33, 1, 3, 3, 64, 6, 4, true, true, F32, F32, F32},     // odd widths, part of a head turned
    {50, 40, 96, 2, 4, 4, 64, 0, 0, false, false, F16, F16, F16},   // halves
    {45, 35, 51, 2, 2, 2, 64, 8, 0, true, true, F16, F32, F32},     // mixed
    {50, 64, 96, 2, 4, 2, 64, 0, 0, true, false, Q8_0, Q8_0, F32},  // bytes
    {66, 96, 100, 2, 6, 2, 64, 0, 0, false, true, Q8_0, F16, F16},  // bytes, but no block fits 100
    {45, 64, 96, 2, 4, 2, 64, 0, 0, false, false, Q4_0, Q4_0, F32}, // nibbles
    {50, 96, 64, 2, 6, 3, 64, 0, 0, true, true, Q4_0, Q8_0, F32},   // nibbles and bytes
    {50, 32, 64, 2, 4, 2, 64, 0, 0, false, false, F32, F32, F32},   // from here on with the flags below
    {37, 24, 52, 2, 4, 2, 64, 16, 0, true, false, F32, F32, F32},
    {41, 27, 33, 2, 3, 1, 64, 7, 4, true, true, F32, F32, F32},
    {50, 32, 64, 2, 4, 4, 64, 0, 0, false, false, F32, F32, F32},
    {50, 32, 64, 2, 2, 1, 64, 32, 0, false, false, F32, F32, F32},
    {50, 32, 64, 2, 2, 1, 64, 18, 0, false, false, F32, F32, F32},
    {50, 32, 64, 2, 2, 1, 64, 64, 48, true, false, F32, F32, F32},
    {50, 32, 64, 2, 4, 2, 64, 0, 0, false, false, F32, F32, F32},
    {50, 32, 64, 2, 4, 2, 64, 0, 0, false, false, F32, F32, F32},
};
#define SHAPES (sizeof shapes / sizeof *shapes)

static const tiny_flags flags[SHAPES] = {
    [9] = {.family = "qwen2", .has_biases = true, .scaling = "linear", .factor = 3},
    [10] = {.family = "qwen3", .has_qk_norm = true, .value_dim = 6, .cache_type = LI_CACHE_F32},
    [11] = {.family = "llama", .has_biases = true, .has_block_biases = true, .has_rope_factors = true, .value_dim = 9},
    [12] = {.family = "qwen2", .scaling = "yarn", .factor = 4, .original_length = 60, .attention_scale = 0.5f},
    [13] = {.family = "llama", .scaling = "none", .factor = 4, .cache_type = LI_CACHE_F16},
    [14] = {.family = "qwen3", .has_qk_norm = true, .value_dim = 5, .cache_type = LI_CACHE_F16},
    [15] = {.family = "qwen2", .has_biases = true, .value_dim = 32, .cache_type = LI_CACHE_Q8_0},
    [16] = {.has_long_factors = true, .scaling = "longrope", .original_length = 32, .factor = 1},
    [17] = {.has_long_factors = true, .scaling = "longrope", .original_length = 64, .factor = 1},
};

// ---- the reference: plain loops in float64 -----------------------------------------------------------

static void multiply(double *out, const double *matrix, const double *x, uint32_t rows, uint32_t columns)
{
    for (uint32_t r = 0; r < rows; r++) {
        out[r] = 0;
        for (uint32_t k = 0; k < columns; k++) out[r] += matrix[(size_t)r * columns + k] * x[k];
    }
}

static void norm(double *out, const double *x, const double *weight, uint32_t count)
{
    double mean = 0;
    for (uint32_t i = 0; i < count; i++) mean += x[i] * x[i] / count;
    for (uint32_t i = 0; i < count; i++) out[i] = x[i] / sqrt(mean + (double)1e-5f) * weight[i];
}

// The share of pair i that YaRN leaves as it was, from the paper's rule with llama.cpp's whole bounds.
static double yarn_share(const tiny_model *tiny, uint32_t i)
{
    double low = floor(tiny->rope_dim * log(tiny->flags.original_length / (32 * 2 * PI)) / (2 * log(1000)));
    double high = ceil(tiny->rope_dim * log(tiny->flags.original_length / (1 * 2 * PI)) / (2 * log(1000)));
    low = fmax(low, 0);
    high = fmin(high, tiny->rope_dim - 1);
    return 1 - fmin(1, fmax(0, (i - low) / fmax(0.001, high - low)));
}

static void turn(const tiny_model *tiny, double *head, uint32_t position)
{
    const tiny_flags *f = &tiny->flags;
    bool is_neox = f->family && strcmp(f->family, "llama") != 0,
         is_yarn = f->scaling && strcmp(f->scaling, "yarn") == 0;
    double factor = f->scaling && strcmp(f->scaling, "none") != 0 ? (double)f->factor : 1;
    double length = is_yarn ? 1 + 0.1 * log(factor) : 1;
    bool is_long = tiny->shape.context > f->original_length;
    const double *divisors = tiny_weights(tiny, !f->has_long_factors ? "rope_freqs.weight"
                                                : is_long            ? "rope_factors_long.weight"
                                                                     : "rope_factors_short.weight");
    for (uint32_t i = 0; i < tiny->rope_dim / 2; i++) {
        double angle = position * pow(1000, -2.0 * i / tiny->rope_dim) / (divisors ? divisors[i] : 1);
        double kept = is_yarn ? yarn_share(tiny, i) : 0;
        angle = angle / factor * (1 - kept) + angle * kept;
        double *a = &head[is_neox ? i : 2 * i], *b = is_neox ? a + tiny->rope_dim / 2 : a + 1;
        double x = *a, y = *b;
        *a = length * (x * cos(angle) - y * sin(angle));
        *b = length * (x * sin(angle) + y * cos(angle));
    }
}

#define WIDTH 128 // the largest width in a tiny model
typedef struct reference {
    double logits[LENGTH][WIDTH];
    double hidden[LENGTH][8][WIDTH]; // after each layer, and after the final norm
    double attention[4][8][LENGTH];  // of each layer and head: the weights of the last token
} reference;

static double shares[8][LENGTH]; // of each head, of the token that attended last
static double past_keys[LENGTH][WIDTH], past_values[LENGTH][WIDTH];

static void attend(const tiny_model *tiny, double *out, const double *query, uint32_t position)
{
    uint32_t size = tiny->head_dim, width = tiny->value_dim, group = tiny->shape.heads / tiny->shape.kv_heads;
    for (uint32_t h = 0; h < tiny->shape.heads; h++) {
        double weights[LENGTH], sum = 0;
        for (uint32_t t = 0; t <= position; t++) {
            double score = 0;
            for (uint32_t i = 0; i < size; i++) score += query[h * size + i] * past_keys[t][h / group * size + i];
            float scale = tiny->flags.attention_scale;
            sum += weights[t] = exp(scale > 0 ? score * (double)scale : score / sqrt(size));
        }
        for (uint32_t t = 0; t <= position; t++) shares[h][t] = weights[t] / sum;
        for (uint32_t i = 0; i < width; i++) {
            out[h * width + i] = 0;
            for (uint32_t t = 0; t <= position; t++)
                out[h * width + i] += shares[h][t] * past_values[t][h / group * width + i];
        }
    }
}

static const double *layer_weights(const tiny_model *tiny, uint32_t layer, const char *part)
{
    char name[40];
    snprintf(name, sizeof name, "blk.%u.%s.weight", (unsigned)layer, part);
    return tiny_weights(tiny, name);
}

// Adds the bias of a product, where the model has one.
static void add_bias(const tiny_model *tiny, uint32_t layer, const char *part, double *out, uint32_t count)
{
    char name[40];
    snprintf(name, sizeof name, "blk.%u.%s.bias", (unsigned)layer, part);
    const double *bias = tiny_weights(tiny, name);
    for (uint32_t i = 0; bias && i < count; i++) out[i] += bias[i];
}

// Norms every head, where the model does that.
static void norm_heads(const tiny_model *tiny, uint32_t layer, const char *part, double *heads, uint32_t count)
{
    const double *weight = layer_weights(tiny, layer, part);
    for (uint32_t h = 0; weight && h < count; h++)
        norm(heads + h * tiny->head_dim, heads + h * tiny->head_dim, weight, tiny->head_dim);
}

// One layer over the whole text; hidden (LENGTH, WIDTH) in place.
static void reference_layer(const tiny_model *tiny, uint32_t l, double (*hidden)[WIDTH])
{
    const tiny_shape *s = &tiny->shape;
    uint32_t query_dim = s->heads * tiny->head_dim, kv_dim = s->kv_heads * tiny->head_dim;
    uint32_t value_dim = s->kv_heads * tiny->value_dim, mixed_dim = s->heads * tiny->value_dim;
    for (uint32_t t = 0; t < LENGTH; t++) {
        double x[WIDTH], query[WIDTH], mixed[WIDTH], gate[WIDTH], up[WIDTH], delta[WIDTH];
        norm(x, hidden[t], layer_weights(tiny, l, "attn_norm"), s->dim);
        multiply(query, layer_weights(tiny, l, "attn_q"), x, query_dim, s->dim);
        multiply(past_keys[t], layer_weights(tiny, l, "attn_k"), x, kv_dim, s->dim);
        multiply(past_values[t], layer_weights(tiny, l, "attn_v"), x, value_dim, s->dim);
        add_bias(tiny, l, "attn_q", query, query_dim);
        add_bias(tiny, l, "attn_k", past_keys[t], kv_dim);
        add_bias(tiny, l, "attn_v", past_values[t], value_dim);
        norm_heads(tiny, l, "attn_q_norm", query, s->heads);
        norm_heads(tiny, l, "attn_k_norm", past_keys[t], s->kv_heads);
        for (uint32_t h = 0; h < s->heads; h++) turn(tiny, query + h * tiny->head_dim, t);
        for (uint32_t h = 0; h < s->kv_heads; h++) turn(tiny, past_keys[t] + h * tiny->head_dim, t);
        attend(tiny, mixed, query, t);
        multiply(delta, layer_weights(tiny, l, "attn_output"), mixed, s->dim, mixed_dim);
        add_bias(tiny, l, "attn_output", delta, s->dim);
        for (uint32_t i = 0; i < s->dim; i++) hidden[t][i] += delta[i];
        norm(x, hidden[t], layer_weights(tiny, l, "ffn_norm"), s->dim);
        multiply(gate, layer_weights(tiny, l, "ffn_gate"), x, s->hidden, s->dim);
        multiply(up, layer_weights(tiny, l, "ffn_up"), x, s->hidden, s->dim);
        add_bias(tiny, l, "ffn_gate", gate, s->hidden);
        add_bias(tiny, l, "ffn_up", up, s->hidden);
        for (uint32_t i = 0; i < s->hidden; i++) gate[i] *= up[i] / (1 + exp(-gate[i]));
        multiply(delta, layer_weights(tiny, l, "ffn_down"), gate, s->dim, s->hidden);
        add_bias(tiny, l, "ffn_down", delta, s->dim);
        for (uint32_t i = 0; i < s->dim; i++) hidden[t][i] += delta[i];
    }
}

static void compute_reference(const tiny_model *tiny, reference *result)
{
    const tiny_shape *s = &tiny->shape;
    static double hidden[LENGTH][WIDTH];
    const double *embedding = tiny_weights(tiny, "token_embd.weight");
    for (uint32_t t = 0; t < LENGTH; t++)
        for (uint32_t i = 0; i < s->dim; i++) hidden[t][i] = embedding[text[t] * s->dim + i];
    for (uint32_t l = 0; l < s->layers; l++) {
        reference_layer(tiny, l, hidden);
        for (uint32_t t = 0; t < LENGTH; t++) memcpy(result->hidden[t][l], hidden[t], sizeof hidden[t]);
        memcpy(result->attention[l], shares, sizeof shares);
    }
    const double *output = s->tied ? embedding : tiny_weights(tiny, "output.weight");
    for (uint32_t t = 0; t < LENGTH; t++) {
        norm(result->hidden[t][s->layers], hidden[t], tiny_weights(tiny, "output_norm.weight"), s->dim);
        multiply(result->logits[t], output, result->hidden[t][s->layers], s->vocab, s->dim);
    }
}

static double largest_difference(const float *a, const double *b, uint32_t count)
{
    double largest = 0;
    for (uint32_t i = 0; i < count; i++) largest = fmax(largest, fabs((double)a[i] - b[i]));
    return largest;
}

// Float32 against float64. With quantised weights nearly all of the error comes from rounding inputs to 8 bits.
static double tolerance(size_t index)
{
    const tiny_shape *shape = &shapes[index];
    if (flags[index].cache_type == LI_CACHE_F16) return 0.02;
    if (flags[index].cache_type == LI_CACHE_Q8_0) return 0.2;
    return shape->type == Q8_0 || shape->type == Q4_0 ? 0.6 : 1e-4;
}

static void test_matches_the_reference(void)
{
    static reference expected;
    for (size_t i = 0; i < SHAPES; i++) {
        CHECK_CASE("shape %zu", i);
        tiny_model tiny;
        tiny_make_with(&tiny, &shapes[i], &flags[i]);
        make_text(shapes[i].vocab);
        compute_reference(&tiny, &expected);
        li_model *model = tiny_load(&tiny, 0, 1, SIZE_MAX / 2);
        double worst = 0;
        for (uint32_t t = 0; t < LENGTH; t++) {
            CHECK_EQ(tiny_forward(model, 0, &text[t], 1, true), LI_OK);
            worst = fmax(worst, largest_difference(li_model_logits(model), expected.logits[t], shapes[i].vocab));
        }
        CHECK_LT(worst, tolerance(i));

        // The taps too: after each layer and after the final norm.
        uint32_t layers[8], taps = shapes[i].layers + 1, dim = shapes[i].dim;
        for (uint32_t tap = 0; tap < taps; tap++) layers[tap] = tap;
        CHECK_EQ(li_sequence_keep(model, 0, 0), LI_OK);
        CHECK_EQ(li_model_set_taps(model, layers, taps), LI_OK);
        CHECK_EQ(tiny_forward(model, 0, text, LENGTH, false), LI_OK);
        for (uint32_t tap = 0; tap < taps; tap++) {
            worst = 0;
            for (uint32_t t = 0; t < LENGTH; t++)
                worst = fmax(worst, largest_difference(li_model_taps(model) + (tap * LENGTH + t) * dim,
                                                       expected.hidden[t][tap], dim));
            CHECK_LT(worst, tolerance(i));
        }
        // And the weights with which the last token attends in each layer.
        const uint32_t before[4] = {taps, 0, 1, 2}, last = LENGTH - 1, heads = shapes[i].heads;
        CHECK_EQ(li_sequence_keep(model, 0, 0), LI_OK);
        CHECK_EQ(li_model_set_taps(model, before, shapes[i].layers), LI_OK);
        CHECK_EQ(tiny_forward(model, 0, text, LENGTH, false), LI_OK);
        worst = 0;
        for (uint32_t l = 0; l < shapes[i].layers; l++) {
            float weights[8 * LENGTH];
            const float *hidden = li_model_taps(model) + (l * LENGTH + last) * dim;
            CHECK_EQ(li_model_attention(model, hidden, l, 0, last, weights), LI_OK);
            for (uint32_t h = 0; h < heads; h++)
                worst = fmax(worst, largest_difference(weights + h * LENGTH, expected.attention[l][h], LENGTH));
        }
        CHECK_LT(worst, tolerance(i) / 4);
        li_model_destroy(model);
        tiny_free(&tiny);
    }
}

static void test_a_config_holds_the_numbers_of_the_file(void)
{
    tiny_model tiny;
    tiny_make(&tiny, &shapes[2]);
    li_model *model = tiny_load(&tiny, 0, 1, 4096);
    const li_model_config *config = li_model_get_config(model);
    CHECK_EQ(config->vocab_size, 41);
    CHECK_EQ(config->dim, 27);
    CHECK_EQ(config->hidden_dim, 33);
    CHECK_EQ(config->layers, 1);
    CHECK_EQ(config->heads, 3);
    CHECK_EQ(config->kv_heads, 3);
    CHECK_EQ(config->head_dim, 6);
    CHECK_EQ(config->rope_dim, 4);
    CHECK_EQ(config->context_length, 64);
    CHECK_EQ(config->tied, 1);
    CHECK_EQ(config->rope_base, 1000.0f);
    CHECK_EQ(config->norm_epsilon, 1e-5f);
    li_model_destroy(model);
    tiny_free(&tiny);
}

// ---- rows --------------------------------------------------------------------------------------------

// (LENGTH, vocab) The logits of the text, one token at a time.
static float *one_by_one(li_model *model, uint32_t sequence, uint32_t vocab)
{
    float *logits = malloc(LENGTH * vocab * sizeof(float));
    for (uint32_t t = 0; t < LENGTH; t++) {
        CHECK_EQ(tiny_forward(model, sequence, &text[t], 1, true), LI_OK);
        memcpy(logits + t * vocab, li_model_logits(model), vocab * sizeof(float));
    }
    return logits;
}

static void test_batches_change_no_bit(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        CHECK_CASE("shape %zu", i);
        tiny_model tiny;
        tiny_make_with(&tiny, &shapes[i], &flags[i]);
        uint32_t vocab = shapes[i].vocab;
        make_text(vocab);
        li_model *model = tiny_load(&tiny, 0, 1, 4096);
        float *alone = one_by_one(model, 0, vocab);
        static const uint32_t sizes[] = {2, 3, 4, 5, 7, 8, 15, 16, 17, 33, LENGTH};
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            CHECK_CASE("j %zu", j);
            uint32_t size = sizes[j];
            CHECK_EQ(li_sequence_keep(model, 0, 0), LI_OK);
            for (uint32_t t = 0; t < LENGTH; t += size) {
                uint32_t count = LENGTH - t < size ? LENGTH - t : size;
                CHECK_EQ(tiny_forward(model, 0, text + t, count, true), LI_OK);
                CHECK_BYTES(li_model_logits(model), alone + t * vocab, count * vocab * sizeof(float));
            }
        }
        free(alone);
        li_model_destroy(model);
        tiny_free(&tiny);
    }
}

static void test_logits_only_for_rows_that_want_them(void)
{
    tiny_model tiny;
    tiny_make(&tiny, &shapes[0]);
    uint32_t vocab = shapes[0].vocab;
    make_text(vocab);
    li_model *model = tiny_load(&tiny, 0, 1, 4096);
    float *alone = one_by_one(model, 0, vocab);
    CHECK_EQ(li_sequence_keep(model, 0, 0), LI_OK);
    li_row *rows = li_model_rows(model);
    for (uint32_t t = 0; t < LENGTH; t++) rows[t] = (li_row){text[t], t, 0, t % 7 == 3, 0};
    CHECK_EQ(li_model_forward(model, LENGTH), LI_OK);
    for (uint32_t t = 3, i = 0; t < LENGTH; t += 7, i++)
        CHECK_BYTES(li_model_logits(model) + i * vocab, alone + t * vocab, vocab * sizeof(float));
    free(alone);
    li_model_destroy(model);
    tiny_free(&tiny);
}

// Three texts in turn in one call, as beams and groups run them.
static void test_sequences_side_by_side(void)
{
    tiny_model tiny;
    tiny_make(&tiny, &shapes[5]);
    uint32_t vocab = shapes[5].vocab;
    make_text(vocab);
    li_model *model = tiny_load(&tiny, 3 * 16 + LENGTH, 4, 4096);
    float *alone = one_by_one(model, 0, vocab);
    CHECK_EQ(li_sequence_keep(model, 0, 0), LI_OK);
    li_row *rows = li_model_rows(model);
    for (uint32_t t = 0; t < 16; t++)
        for (uint32_t s = 0; s < 3; s++) rows[3 * t + s] = (li_row){s == 1 ? text[t] : text[t] / 2 + s, t, s, true, 0};
    CHECK_EQ(li_model_forward(model, 48), LI_OK);
    for (uint32_t t = 0; t < 16; t++)
        CHECK_BYTES(li_model_logits(model) + (3 * t + 1) * vocab, alone + t * vocab, vocab * sizeof(float));
    free(alone);
    li_model_destroy(model);
    tiny_free(&tiny);
}

static void test_invalid_rows_are_refused(void)
{
    tiny_model tiny;
    tiny_make(&tiny, &shapes[1]);
    li_model *model = tiny_load(&tiny, 0, 2, 4096);
    li_row *rows = li_model_rows(model);
    const li_row good = {1, 0, 0, true, 0};
    const li_row bad[] = {
        {37, 0, 0, 1, 0}, {UINT32_MAX, 0, 0, 1, 0}, {1, 0, 2, 1, 0}, {1, 1, 0, 1, 0}, {1, 0, UINT32_MAX, 0, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_CASE("i %zu", i);
        rows[0] = bad[i];
        CHECK_EQ(li_model_forward(model, 1), LI_ERROR_MODEL_ROWS);
        rows[0] = good;
        rows[1] = (li_row){1, 0, 1, true, 0};
        rows[2] = bad[i]; // also after valid rows
        CHECK(i == 3 || li_model_forward(model, 3) == LI_ERROR_MODEL_ROWS);
        CHECK_EQ(li_sequence_length(model, 0), 0);
        CHECK_EQ(li_sequence_length(model, 1), 0);
    }
    rows[0] = rows[1] = good; // the same position twice
    CHECK_EQ(li_model_forward(model, 2), LI_ERROR_MODEL_ROWS);
    CHECK_EQ(li_model_forward(model, 0), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_model_forward(model, LI_ROWS_LIMIT + 1), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sequence_length(model, 0), 0);
    CHECK_EQ(li_sequence_length(model, 7), 0);
    li_model_destroy(model);
    tiny_free(&tiny);
}

// ---- sequences ---------------------------------------------------------------------------------------

static void test_a_full_context_takes_no_more_tokens(void)
{
    tiny_model tiny;
    tiny_make(&tiny, &shapes[1]); // context 48
    uint32_t vocab = shapes[1].vocab;
    make_text(vocab);
    li_model *model = tiny_load(&tiny, 200, 2, 4096);
    CHECK_EQ(tiny_forward(model, 0, text, LENGTH, false), LI_OK);
    CHECK_EQ(tiny_forward(model, 0, text, 9, false), LI_ERROR_MODEL_CONTEXT_FULL); // beyond 48 positions
    CHECK_EQ(li_sequence_length(model, 0), LENGTH);
    CHECK_EQ(tiny_forward(model, 0, text, 8, false), LI_OK);
    CHECK_EQ(tiny_forward(model, 0, text, 1, false), LI_ERROR_MODEL_CONTEXT_FULL);
    CHECK_EQ(tiny_forward(model, 1, text, 1, false), LI_OK);
    li_model_destroy(model);

    model = tiny_load(&tiny, 45, 2, 4096); // 45 slots for both
    CHECK_EQ(tiny_forward(model, 0, text, LENGTH, false), LI_OK);
    CHECK_EQ(tiny_forward(model, 1, text, 5, true), LI_OK);
    float first[64];
    memcpy(first, li_model_logits(model), vocab * sizeof(float));
    CHECK_EQ(tiny_forward(model, 1, text, 1, false), LI_ERROR_MODEL_CONTEXT_FULL);
    CHECK_EQ(li_sequence_length(model, 1), 5);
    CHECK_EQ(li_sequence_length(model, 0), LENGTH);
    CHECK_EQ(li_sequence_keep(model, 1, 0), LI_OK);
    CHECK_EQ(tiny_forward(model, 1, text, 1, true), LI_OK);
    CHECK_BYTES(first, li_model_logits(model), vocab * sizeof(float));
    li_model_destroy(model);
    tiny_free(&tiny);
}

static void test_a_rewound_sequence_continues_as_a_new_one(void)
{
    tiny_model tiny;
    tiny_make(&tiny, &shapes[0]);
    uint32_t vocab = shapes[0].vocab;
    make_text(vocab);
    li_model *model = tiny_load(&tiny, 0, 1, 4096);
    float *alone = one_by_one(model, 0, vocab);
    const uint32_t others[3] = {1, 2, 3};
    for (uint32_t keep = 0; keep < LENGTH; keep += 5) {
        CHECK_EQ(li_sequence_keep(model, 0, keep), LI_OK);
        CHECK_EQ(li_sequence_length(model, 0), keep);
        CHECK_EQ(tiny_forward(model, 0, others, 3, true), LI_OK);
        CHECK_EQ(li_sequence_keep(model, 0, keep), LI_OK);
        CHECK_EQ(tiny_forward(model, 0, text + keep, LENGTH - keep, false), LI_OK);
        CHECK_BYTES(li_model_logits(model), alone + (LENGTH - 1) * vocab, vocab * sizeof(float));
    }
    CHECK_EQ(li_sequence_keep(model, 0, LENGTH + 1), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sequence_keep(model, 1, 0), LI_ERROR_BAD_ARGUMENT);
    free(alone);
    li_model_destroy(model);
    tiny_free(&tiny);
}

static void test_sequences_that_share_a_prefix_share_its_slots(void)
{
    tiny_model tiny;
    tiny_make(&tiny, &shapes[0]); // context 64
    uint32_t vocab = shapes[0].vocab;
    make_text(vocab);
    li_model *model = tiny_load(&tiny, 50, 6, 4096);
    float *alone = one_by_one(model, 0, vocab); // 40 of 50 slots
    CHECK_EQ(li_sequence_keep(model, 0, 20), LI_OK);

    // Five sequences of 20 positions in the slots of one.
    for (uint32_t s = 1; s < 6; s++) CHECK_EQ(li_sequence_share(model, 0, s, 20), LI_OK);
    for (uint32_t s = 1; s < 6; s++) CHECK_EQ(li_sequence_length(model, s), 20);
    const uint32_t other = 3;
    CHECK_EQ(tiny_forward(model, 1, &other, 1, false), LI_OK);
    CHECK_EQ(tiny_forward(model, 2, text + 20, 5, true), LI_OK);
    CHECK_BYTES(li_model_logits(model), alone + 20 * vocab, 5 * vocab * sizeof(float));

    // Slots stay until the last of their sequences drops them.
    CHECK_EQ(li_sequence_keep(model, 0, 0), LI_OK);
    CHECK_EQ(li_sequence_share(model, 2, 3, 23), LI_OK);
    CHECK_EQ(tiny_forward(model, 3, text + 23, 17, false), LI_OK);
    CHECK_BYTES(li_model_logits(model), alone + (LENGTH - 1) * vocab, vocab * sizeof(float));
    CHECK_EQ(li_sequence_length(model, 2), 25);
    CHECK_EQ(li_sequence_length(model, 3), 40);
    CHECK_EQ(tiny_forward(model, 4, text, 8, false), LI_ERROR_MODEL_CONTEXT_FULL); // 20 + 1 + 5 + 17 of 50
    CHECK_EQ(tiny_forward(model, 4, text, 7, false), LI_OK);

    // Sharing with itself keeps positions. Unknown sequences are refused, and nothing changes.
    CHECK_EQ(li_sequence_share(model, 3, 3, 30), LI_OK);
    CHECK_EQ(li_sequence_length(model, 3), 30);
    CHECK_EQ(tiny_forward(model, 3, text + 30, 10, false), LI_OK);
    CHECK_BYTES(li_model_logits(model), alone + (LENGTH - 1) * vocab, vocab * sizeof(float));
    CHECK_EQ(li_sequence_share(model, 3, 0, 41), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sequence_share(model, 6, 0, 0), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sequence_share(model, 0, 6, 0), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sequence_length(model, 3), 40);
    CHECK_EQ(li_sequence_length(model, 0), 0);

    // After all sequences are dropped, every slot is free.
    for (uint32_t s = 0; s < 6; s++) CHECK_EQ(li_sequence_keep(model, s, 0), LI_OK);
    CHECK_EQ(tiny_forward(model, 5, text, LENGTH, false), LI_OK);
    CHECK_EQ(tiny_forward(model, 5, text, 11, false), LI_ERROR_MODEL_CONTEXT_FULL);
    CHECK_EQ(tiny_forward(model, 5, text, 10, false), LI_OK);
    free(alone);
    li_model_destroy(model);
    tiny_free(&tiny);
}

// ---- every build -------------------------------------------------------------------------------------

// Native code, scalar wasm and SIMD wasm compute the same bits. The constant means nothing else: when the arithmetic
// changes, copy the new constant from the message.
static void test_same_bits_in_every_build(void)
{
    const uint32_t expected = 0xb2029a6e;
    uint32_t hash = 2166136261u;
    tiny_state = 12345;
    for (size_t i = 0; i < SHAPES; i++) {
        CHECK_CASE("shape %zu", i);
        tiny_model tiny;
        tiny_make_with(&tiny, &shapes[i], &flags[i]);
        make_text(shapes[i].vocab);
        li_model *model = tiny_load(&tiny, 0, 1, 4096);
        CHECK_EQ(tiny_forward(model, 0, text, LENGTH, true), LI_OK);
        const uint8_t *bytes = (const uint8_t *)li_model_logits(model);
        for (size_t j = 0; j < LENGTH * shapes[i].vocab * sizeof(float); j++) hash = (hash ^ bytes[j]) * 16777619u;
        li_model_destroy(model);
        tiny_free(&tiny);
    }
    CHECK_EQ(hash, expected);
}

int main(void)
{
    start_helpers(2);
    test_matches_the_reference();
    test_a_config_holds_the_numbers_of_the_file();
    test_batches_change_no_bit();
    test_logits_only_for_rows_that_want_them();
    test_sequences_side_by_side();
    test_invalid_rows_are_refused();
    test_a_full_context_takes_no_more_tokens();
    test_a_rewound_sequence_continues_as_a_new_one();
    test_sequences_that_share_a_prefix_share_its_slots();
    test_same_bits_in_every_build();
    return check_done("model");
}
