// Gated delta nets against a float64 reference written from the paper's formulas; and their states: batches, sequences
// side by side, cuts and copies change no bit.
#include <math.h>

#include "check.h"
#include "gguf_file.h"
#include "lastinch.h"
#include "model/gguf.h"

enum { VOCAB = 40, DIM = 16, HIDDEN = 24, LAYERS = 2, HEADS = 4, KEY_HEADS = 2, SIZE = 8, TAPS = 3, LENGTH = 50 };
enum { INNER = HEADS * SIZE, KEYS = KEY_HEADS * SIZE, MIXED = 2 * KEYS + INNER, WIDEST = MIXED };

static uint32_t random_state = 1;

static double random_value(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) * 0x1p-23 - 1;
}

// ---- the file ----------------------------------------------------------------------------------------

typedef struct tensor {
    char name[40];
    uint32_t columns, rows;
    float values[VOCAB * INNER];
} tensor;

static tensor tensors[64];
static uint32_t tensor_count;

static void add(const char *prefix, const char *name, uint32_t columns, uint32_t rows, double middle, double spread)
{
    tensor *one = &tensors[tensor_count++];
    snprintf(one->name, sizeof one->name, "%s%s", prefix, name);
    one->columns = columns;
    one->rows = rows;
    for (uint32_t i = 0; i < columns * (rows ? rows : 1); i++)
        one->values[i] = (float)(middle + spread * random_value());
}

static const float *weights(int layer, const char *name)
{
    char whole[40];
    snprintf(whole, sizeof whole, "blk.%d.%s", layer, name);
    for (uint32_t i = 0; i < tensor_count; i++)
        if (strcmp(tensors[i].name, layer < 0 ? name : whole) == 0) return tensors[i].values;
    abort();
}

// What a file has instead of the usual. All zeros: the file that the tests run.
typedef struct change {
    const char *left_out; // a key
    uint32_t heads, ahead;
    const int32_t *sections; // (4)
} change;

static void make_file(gguf_file *file, change change)
{
    const uint32_t heads = change.heads ? change.heads : HEADS, key_heads = heads < KEY_HEADS ? heads : KEY_HEADS;
    const uint32_t inner = heads * SIZE, mixed = 2 * key_heads * SIZE + inner, ahead = change.ahead ? change.ahead : 1;
    tensor_count = 0;
    add("", "token_embd.weight", DIM, VOCAB, 0, 1);
    for (int layer = 0; layer < LAYERS; layer++) {
        char prefix[8];
        snprintf(prefix, sizeof prefix, "blk.%d.", layer);
        add(prefix, "attn_norm.weight", DIM, 0, 1, 0.3);
        add(prefix, "attn_qkv.weight", DIM, mixed, 0, 0.5);
        add(prefix, "attn_gate.weight", DIM, inner, 0, 0.5);
        add(prefix, "ssm_conv1d.weight", TAPS, mixed, 0, 1);
        add(prefix, "ssm_beta.weight", DIM, heads, 0, 0.5);
        add(prefix, "ssm_alpha.weight", DIM, heads, 0, 0.5);
        add(prefix, "ssm_dt.bias", heads, 0, 0, layer ? 1 : 30); // so large that softplus is its argument
        add(prefix, "ssm_a", heads, 0, -0.2, 0.1);
        add(prefix, "ssm_norm.weight", SIZE, 0, 1, 0.3);
        add(prefix, "ssm_out.weight", inner, DIM, 0, 0.4);
        add(prefix, "post_attention_norm.weight", DIM, 0, 1, 0.3);
        add(prefix, "ffn_gate.weight", DIM, HIDDEN, 0, 0.5);
        add(prefix, "ffn_up.weight", DIM, HIDDEN, 0, 0.5);
        add(prefix, "ffn_down.weight", HIDDEN, DIM, 0, 0.4);
    }
    char prefix[8]; // the block that predicts later tokens
    snprintf(prefix, sizeof prefix, "blk.%d.", LAYERS);
    add(prefix, "attn_norm.weight", DIM, 0, 1, 0.3);
    add(prefix, "attn_q.weight", DIM, 2 * DIM, 0, 0.5);
    add(prefix, "attn_k.weight", DIM, DIM / 2, 0, 0.5);
    add(prefix, "attn_v.weight", DIM, DIM / 2, 0, 0.5);
    add(prefix, "attn_q_norm.weight", DIM / 2, 0, 1, 0.3);
    add(prefix, "attn_k_norm.weight", DIM / 2, 0, 1, 0.3);
    add(prefix, "attn_output.weight", DIM, DIM, 0, 0.5);
    add(prefix, "post_attention_norm.weight", DIM, 0, 1, 0.3);
    add(prefix, "ffn_gate.weight", DIM, HIDDEN, 0, 0.5);
    add(prefix, "ffn_up.weight", DIM, HIDDEN, 0, 0.5);
    add(prefix, "ffn_down.weight", HIDDEN, DIM, 0, 0.4);
    add(prefix, "nextn.eh_proj.weight", 2 * DIM, DIM, 0, 0.4);
    add(prefix, "nextn.enorm.weight", DIM, 0, 1, 0.3);
    add(prefix, "nextn.hnorm.weight", DIM, 0, 1, 0.3);
    snprintf(prefix, sizeof prefix, "blk.%d.", LAYERS + 1);
    if (ahead > 1) add(prefix, "attn_norm.weight", DIM, 0, 1, 0.3);
    add("", "output_norm.weight", DIM, 0, 1, 0.3);
    add("", "output.weight", DIM, VOCAB, 0, 0.5);
    const struct {
        const char *key;
        uint32_t value;
    } sizes[] = {
        {"qwen35.context_length", 64},          {"qwen35.embedding_length", DIM},
        {"qwen35.block_count", LAYERS + ahead}, {"qwen35.nextn_predict_layers", ahead},
        {"qwen35.feed_forward_length", HIDDEN}, {"qwen35.attention.head_count", 2},
        {"qwen35.attention.head_count_kv", 1},  {"qwen35.ssm.conv_kernel", TAPS},
        {"qwen35.ssm.state_size", SIZE},        {"qwen35.ssm.time_step_rank", heads},
        {"qwen35.ssm.group_count", key_heads},  {"qwen35.ssm.inner_size", inner},
    };
    begin_file(file);
    put_key_text(file, "general.architecture", "qwen35");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (!change.left_out || strcmp(change.left_out, sizes[i].key) != 0)
            put_key_u32(file, sizes[i].key, sizes[i].value);
    if (change.sections) {
        put_key(file, "qwen35.rope.dimension_sections", LI_GGUF_ARRAY);
        put_u32(file, LI_GGUF_INT32);
        put_u64(file, 4);
        put_bytes(file, change.sections, 4 * sizeof *change.sections);
    }
    put_key_f32(file, "qwen35.attention.layer_norm_rms_epsilon", 1e-5f);
    for (uint32_t i = 0; i < tensor_count; i++)
        put_tensor(file, tensors[i].name, 0, tensors[i].columns, tensors[i].rows);
    end_header(file);
    for (uint32_t i = 0; i < tensor_count; i++) {
        put_bytes(file, tensors[i].values, 4 * tensors[i].columns * (tensors[i].rows ? tensors[i].rows : 1));
        put_padding(file, 32);
    }
}

static gguf_file file;

static li_model *load(uint32_t sequences)
{
    li_gguf *gguf = li_gguf_create();
    li_status status;
    memcpy(li_gguf_reserve(gguf, (uint32_t)file.size), file.bytes, file.size);
    CHECK_EQ(li_gguf_parse(gguf, (uint32_t)file.size, (double)file.size), LI_OK);
    li_model *model = li_model_create(gguf, 0, LI_CACHE_F32, sequences, &status);
    CHECK_EQ(status, LI_OK);
    li_gguf_destroy(gguf);
    li_model_write(model, file.bytes + file.data_start, (uint32_t)(file.size - file.data_start));
    CHECK_EQ(li_model_finish(model), LI_OK);
    return model;
}

// ---- the reference -----------------------------------------------------------------------------------

static double silu(double x)
{
    return x / (1 + exp(-x));
}

static void multiply(double *out, const float *matrix, const double *x, uint32_t rows, uint32_t columns)
{
    for (uint32_t r = 0; r < rows; r++) {
        out[r] = 0;
        for (uint32_t i = 0; i < columns; i++) out[r] += (double)matrix[r * columns + i] * x[i];
    }
}

static void norm(double *out, const double *x, const float *weight, uint32_t count)
{
    double mean = 0;
    for (uint32_t i = 0; i < count; i++) mean += x[i] * x[i] / count;
    for (uint32_t i = 0; i < count; i++) out[i] = x[i] / sqrt(mean + (double)1e-5f) * (double)weight[i];
}

static void make_unit(double *x)
{
    double sum = (double)1e-5f;
    for (int i = 0; i < SIZE; i++) sum += x[i] * x[i];
    for (int i = 0; i < SIZE; i++) x[i] /= sqrt(sum);
}

static double passed[LAYERS][LENGTH][MIXED]; // the inputs of the convolution
static double states[LAYERS][HEADS][SIZE][SIZE];

static void delta_net(int layer, uint32_t t, const double *x, double *out)
{
    double mixed[MIXED], gate[INNER], strength[HEADS], decay[HEADS], inner[INNER];
    multiply(passed[layer][t], weights(layer, "attn_qkv.weight"), x, MIXED, DIM);
    multiply(gate, weights(layer, "attn_gate.weight"), x, INNER, DIM);
    multiply(strength, weights(layer, "ssm_beta.weight"), x, HEADS, DIM);
    multiply(decay, weights(layer, "ssm_alpha.weight"), x, HEADS, DIM);
    for (uint32_t i = 0; i < MIXED; i++) {
        mixed[i] = 0;
        for (uint32_t tap = 0; tap < TAPS; tap++)
            if (t + tap + 1 >= TAPS)
                mixed[i] +=
                    (double)weights(layer, "ssm_conv1d.weight")[i * TAPS + tap] * passed[layer][t + tap + 1 - TAPS][i];
        mixed[i] = silu(mixed[i]);
    }
    for (int i = 0; i < 2 * KEY_HEADS; i++) make_unit(mixed + i * SIZE);
    for (int h = 0; h < HEADS; h++) {
        const double *query = mixed + h % KEY_HEADS * SIZE, *key = query + KEYS, *value = mixed + 2 * KEYS + h * SIZE;
        double b = 1 / (1 + exp(-strength[h])), step = decay[h] + (double)weights(layer, "ssm_dt.bias")[h];
        double a = exp(log1p(exp(step)) * (double)weights(layer, "ssm_a")[h]), read[SIZE];
        for (int j = 0; j < SIZE; j++) {
            double *row = states[layer][h][j], known = 0;
            for (int i = 0; i < SIZE; i++) row[i] *= a;
            for (int i = 0; i < SIZE; i++) known += row[i] * key[i];
            for (int i = 0; i < SIZE; i++) row[i] += b * (value[j] - known) * key[i];
            read[j] = 0;
            for (int i = 0; i < SIZE; i++) read[j] += row[i] * query[i] / sqrt(SIZE);
        }
        norm(inner + h * SIZE, read, weights(layer, "ssm_norm.weight"), SIZE);
        for (int j = 0; j < SIZE; j++) inner[h * SIZE + j] *= silu(gate[h * SIZE + j]);
    }
    multiply(out, weights(layer, "ssm_out.weight"), inner, DIM, INNER);
}

static void reference_row(uint32_t t, uint32_t token, double *logits)
{
    double hidden[DIM], x[DIM], change[DIM], gate[HIDDEN], up[HIDDEN];
    for (int i = 0; i < DIM; i++) hidden[i] = (double)weights(-1, "token_embd.weight")[token * DIM + (uint32_t)i];
    for (int layer = 0; layer < LAYERS; layer++) {
        norm(x, hidden, weights(layer, "attn_norm.weight"), DIM);
        delta_net(layer, t, x, change);
        for (int i = 0; i < DIM; i++) hidden[i] += change[i];
        norm(x, hidden, weights(layer, "post_attention_norm.weight"), DIM);
        multiply(gate, weights(layer, "ffn_gate.weight"), x, HIDDEN, DIM);
        multiply(up, weights(layer, "ffn_up.weight"), x, HIDDEN, DIM);
        for (int i = 0; i < HIDDEN; i++) up[i] *= silu(gate[i]);
        multiply(change, weights(layer, "ffn_down.weight"), up, DIM, HIDDEN);
        for (int i = 0; i < DIM; i++) hidden[i] += change[i];
    }
    norm(x, hidden, weights(-1, "output_norm.weight"), DIM);
    multiply(logits, weights(-1, "output.weight"), x, VOCAB, DIM);
}

// ---- tests -------------------------------------------------------------------------------------------

static uint32_t text[2][LENGTH];
static float rows[2][LENGTH][VOCAB]; // logits of each text, one token at a time

// Appends `count` tokens of a text to a sequence. wanted: the first row that wants logits.
static li_status append(li_model *model, uint32_t sequence, const uint32_t *tokens, uint32_t count, uint32_t wanted)
{
    uint32_t start = li_sequence_length(model, sequence);
    for (uint32_t i = 0; i < count; i++)
        li_model_rows(model)[i] = (li_row){tokens[start + i], start + i, sequence, i >= wanted, 0};
    return li_model_forward(model, count);
}

static bool is_row(li_model *model, uint32_t row, int which, uint32_t position)
{
    return memcmp(li_model_logits(model) + row * VOCAB, rows[which][position], sizeof rows[which][position]) == 0;
}

static void test_logits_equal_the_reference(void)
{
    double worst = 0, expected[VOCAB];
    for (int which = 0; which < 2; which++) {
        CHECK_CASE("which %d", which);
        li_model *model = load(1);
        memset(states, 0, sizeof states);
        for (uint32_t t = 0; t < LENGTH; t++) {
            text[which][t] = (uint32_t)((double)VOCAB * (random_value() + 1) / 2);
            reference_row(t, text[which][t], expected);
            CHECK_EQ(append(model, 0, text[which], 1, 0), LI_OK);
            memcpy(rows[which][t], li_model_logits(model), sizeof rows[which][t]);
            for (uint32_t i = 0; i < VOCAB; i++) worst = fmax(worst, fabs((double)rows[which][t][i] - expected[i]));
        }
        CHECK_EQ(li_sequence_least(model, 0), LENGTH);
        CHECK_EQ(li_model_get_config(model)->rope_base, 10000); // without a key
        li_model_destroy(model);
    }
    CHECK_LT(worst, 2e-5);
}

static void test_batches_change_no_bit(void)
{
    li_model *model = load(1);
    for (uint32_t size = 2; size <= LENGTH; size += size < 8 ? 1 : 7) {
        CHECK_CASE("size %u", size);
        CHECK_EQ(li_sequence_keep(model, 0, 0), LI_OK);
        CHECK_EQ(li_sequence_length(model, 0), 0);
        for (uint32_t t = 0; t < LENGTH; t += size) {
            uint32_t count = LENGTH - t < size ? LENGTH - t : size;
            CHECK_EQ(append(model, 0, text[0], count, 0), LI_OK);
            for (uint32_t i = 0; i < count; i++) CHECK(is_row(model, i, 0, t + i));
        }
    }
    li_model_destroy(model);
}

static void test_sequences_side_by_side(void)
{
    li_model *model = load(2);
    for (uint32_t t = 0; t < 40; t += 2) { // there are 64 slots
        // The rows of two sequences in turn, and two of the second one for one of the first.
        li_row *batch = li_model_rows(model);
        batch[0] = (li_row){text[1][t], t, 1, true, 0};
        batch[1] = (li_row){text[0][t / 2], t / 2, 0, true, 0};
        batch[2] = (li_row){text[1][t + 1], t + 1, 1, true, 0};
        CHECK_EQ(li_model_forward(model, 3), LI_OK);
        CHECK(is_row(model, 0, 1, t));
        CHECK(is_row(model, 1, 0, t / 2));
        CHECK(is_row(model, 2, 1, t + 1));
    }
    li_model_destroy(model);
}

// What a batch added after its first row with logits may be taken back, as far as the tentative rows go; of a prompt
// the last LI_ROWS_BACK.
static void test_a_sequence_is_cut_among_the_last_rows(void)
{
    for (uint32_t wanted = 0; wanted <= 40; wanted += 8)
        for (uint32_t back = 0; back <= 34; back += 2) {
            li_model *model = load(1);
            CHECK_EQ(append(model, 0, text[0], 5, 0), LI_OK);
            CHECK_EQ(append(model, 0, text[0], 41, wanted), LI_OK);
            uint32_t least = wanted > 9 ? 5 + wanted : 46 - LI_ROWS_TENTATIVE;
            if (wanted == 40) least = 46 - LI_ROWS_BACK; // a prompt
            CHECK_EQ(li_sequence_least(model, 0), least);
            bool is_kept = 46 - back >= least;
            CHECK_EQ(li_sequence_keep(model, 0, 46 - back), LI_OK);
            CHECK_EQ(li_sequence_length(model, 0), is_kept ? 46 - back : 0);
            uint32_t at = li_sequence_length(model, 0);
            for (uint32_t i = 0; i < 3; i++, at++) {
                CHECK_EQ(append(model, 0, text[0], 1, 0), LI_OK);
                CHECK(is_row(model, 0, 0, at));
            }
            li_model_destroy(model);
        }
}

static void test_sequences_share_a_state_until_they_part(void)
{
    li_model *model = load(3);
    CHECK_EQ(append(model, 0, text[0], 10, 0), LI_OK);
    CHECK_EQ(li_sequence_share(model, 0, 1, 10), LI_OK);
    CHECK_EQ(li_sequence_length(model, 1), 10);
    CHECK_EQ(li_sequence_share(model, 0, 2, 0), LI_OK);
    CHECK_EQ(li_sequence_length(model, 2), 0);
    CHECK_EQ(li_model_states(model), 1);
    CHECK_EQ(li_sequence_least(model, 3), 0);
    CHECK_EQ(li_sequence_own(model, 3), LI_ERROR_BAD_ARGUMENT); // no such sequence
    CHECK_EQ(li_sequence_least(model, 1), li_sequence_least(model, 0));
    CHECK_EQ(li_sequence_least(model, 2), 0);
    for (uint32_t t = 10; t < 20; t++) {
        // Another token, then the text again: neither sequence sees the other's.
        uint32_t other[LENGTH];
        memcpy(other, text[0], sizeof other);
        other[t] = text[1][t];
        CHECK_EQ(append(model, 1, other, 1, 0), LI_OK);
        CHECK_EQ(append(model, 0, text[0], 1, 0), LI_OK);
        CHECK(is_row(model, 0, 0, t));
        CHECK_EQ(li_sequence_share(model, 0, 1, t + 1), LI_OK);
        CHECK_EQ(append(model, 1, text[0], 1, 0), LI_OK);
        CHECK(is_row(model, 0, 0, t + 1));
        CHECK_EQ(li_sequence_share(model, 0, 1, t + 1), LI_OK);
        CHECK_EQ(li_sequence_length(model, 1), t + 1);
    }
    CHECK_EQ(li_model_states(model), 1);
    CHECK_EQ(li_sequence_own(model, 1), LI_OK);
    CHECK_EQ(li_model_states(model), 2);
    CHECK_EQ(li_sequence_keep(model, 0, 0), LI_OK);
    CHECK_EQ(li_model_states(model), 1);
    CHECK_EQ(append(model, 1, text[0], 1, 0), LI_OK);
    CHECK(is_row(model, 0, 0, 20));
    CHECK_EQ(append(model, 0, text[1], 3, 0), LI_OK);
    CHECK(is_row(model, 2, 1, 2));
    li_model_destroy(model);
}

static li_status status_of(change change)
{
    gguf_file changed;
    make_file(&changed, change);
    li_gguf *gguf = li_gguf_create();
    li_status status;
    memcpy(li_gguf_reserve(gguf, (uint32_t)changed.size), changed.bytes, changed.size);
    CHECK_EQ(li_gguf_parse(gguf, (uint32_t)changed.size, (double)changed.size), LI_OK);
    li_model_destroy(li_model_create(gguf, 0, LI_CACHE_F32, 1, &status));
    li_gguf_destroy(gguf);
    free(changed.bytes);
    return status;
}

static void test_files_with_missing_keys_or_sections_are_refused(void)
{
    static const char *const needed[] = {"qwen35.ssm.conv_kernel", "qwen35.ssm.state_size", "qwen35.ssm.time_step_rank",
                                         "qwen35.ssm.group_count", "qwen35.ssm.inner_size"};
    for (int i = 0; i < 5; i++) CHECK_EQ(status_of((change){.left_out = needed[i], .heads = 1}), LI_ERROR_MODEL_CONFIG);
    CHECK_EQ(status_of((change){.heads = 1}), LI_OK); // vectors of one number
    CHECK_EQ(status_of((change){.ahead = 2}), LI_OK); // of several blocks none is used
    static const struct {
        int32_t sections[4];
        li_status status;
    } cases[] = {
        // Sections of four pairs.
        {{2, 1, 1, 0}, LI_OK},
        {{2, 2, 2, 2}, LI_OK},
        {{1, 1, 1, 1}, LI_ERROR_MODEL_ARCHITECTURE},
        {{0, 0, 0, 0}, LI_ERROR_MODEL_ARCHITECTURE},
        {{-1, 1, 1, 1}, LI_ERROR_MODEL_ARCHITECTURE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_EQ(status_of((change){.sections = cases[i].sections}), cases[i].status);
}

// ---- the block that predicts later tokens ------------------------------------------------------------

enum { GUESSES = 4, READ = 30 };

// Lets the block read `count` tokens of the text, which begins again after its end, and the token after the sequence
// where guesses are wanted.
static li_status read_ahead(li_model *model, uint32_t count, uint32_t wanted, uint32_t *guesses)
{
    uint32_t start = li_sequence_read(model, 0);
    for (uint32_t i = 0; i < count; i++)
        li_model_rows(model)[i] = (li_row){text[0][(start + i) % LENGTH], start + i, 0, false, 0};
    return li_model_draft(model, count, wanted, guesses);
}

static void test_guesses_do_not_depend_on_how_the_text_was_read(void)
{
    uint32_t first[GUESSES] = {0}, guesses[GUESSES];
    float logits[VOCAB];
    for (uint32_t size = 1; size <= READ; size += size < 4 ? 1 : 9) {
        CHECK_CASE("size %u", size);
        li_model *model = load(1);
        CHECK_EQ(append(model, 0, text[0], READ, 0), LI_OK);
        for (uint32_t t = 0; t + size < READ; t += size) CHECK_EQ(read_ahead(model, size, 0, NULL), LI_OK);
        CHECK_EQ(read_ahead(model, READ + 1 - li_sequence_read(model, 0), GUESSES, guesses), LI_OK);
        CHECK_EQ(li_sequence_length(model, 0), READ);
        CHECK_EQ(li_sequence_read(model, 0), READ);
        if (size == 1) memcpy(first, guesses, sizeof first), memcpy(logits, li_model_logits(model), sizeof logits);
        CHECK_BYTES(guesses, first, sizeof first);
        CHECK_BYTES(li_model_logits(model), logits, sizeof logits);
        for (uint32_t i = 0; i < VOCAB; i++) CHECK_LE(logits[i], logits[first[GUESSES - 1]]);
        // The text continues as if nothing had been guessed.
        CHECK_EQ(append(model, 0, text[0], 1, 0), LI_OK);
        CHECK(is_row(model, 0, 0, READ));
        li_model_destroy(model);
    }
    CHECK(first[0] != first[1] || first[1] != first[2]);
}

static void test_rows_that_cannot_be_read_are_refused(void)
{
    uint32_t guesses[LI_ROWS_TENTATIVE + 1];
    li_model *model = load(1);
    CHECK_EQ(append(model, 0, text[0], 5, 0), LI_OK);
    CHECK_EQ(read_ahead(model, 0, 0, guesses), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(read_ahead(model, 6, LI_ROWS_TENTATIVE + 1, guesses), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(read_ahead(model, 6, 0, guesses), LI_ERROR_MODEL_ROWS); // beyond the text
    CHECK_EQ(read_ahead(model, 5, 1, guesses), LI_ERROR_MODEL_ROWS); // without the token that comes next
    CHECK_EQ(li_sequence_read(model, 1), 0);                         // no such sequence
    CHECK_EQ(li_sequence_read(model, 0), 0);
    CHECK_EQ(read_ahead(model, 1, 0, guesses), LI_OK);
    li_model_rows(model)[0] = (li_row){0, 0, 0, false, 0}; // read before
    CHECK_EQ(li_model_draft(model, 1, 0, guesses), LI_ERROR_MODEL_ROWS);
    li_model_rows(model)[0] = (li_row){VOCAB, 1, 0, false, 0};
    CHECK_EQ(li_model_draft(model, 1, 0, guesses), LI_ERROR_MODEL_ROWS);
    li_model_rows(model)[0] = (li_row){0, 1, 1, false, 0};
    CHECK_EQ(li_model_draft(model, 1, 0, guesses), LI_ERROR_MODEL_ROWS);
    CHECK_EQ(read_ahead(model, 5, LI_ROWS_TENTATIVE, guesses), LI_OK);
    CHECK_EQ(li_sequence_length(model, 0), 5);
    CHECK_EQ(append(model, 0, text[0], 45, 0), LI_OK); // 14 slots of 64 are left
    CHECK_EQ(read_ahead(model, 46, 15, guesses), LI_ERROR_MODEL_CONTEXT_FULL);
    CHECK_EQ(read_ahead(model, 46, 14, guesses), LI_OK);
    li_model_destroy(model);
}

int main(void)
{
    make_file(&file, (change){0});
    test_logits_equal_the_reference();
    test_batches_change_no_bit();
    test_sequences_side_by_side();
    test_a_sequence_is_cut_among_the_last_rows();
    test_sequences_share_a_state_until_they_part();
    test_guesses_do_not_depend_on_how_the_text_was_read();
    test_rows_that_cannot_be_read_are_refused();
    test_files_with_missing_keys_or_sections_are_refused();
    free(file.bytes);
    return check_done("recurrent");
}
