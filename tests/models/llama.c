// What the tests of real models ask llama.cpp for. Built by llama.js against the libraries that npm's node-llama-cpp
// ships. Numbers go through stdin and stdout as they lie in memory.
//
//   llama LIBRARIES quantise IN.gguf OUT.gguf FTYPE     a file in another mix (enum llama_ftype)
//   llama LIBRARIES encode TYPE COLUMNS                 float32 rows to blocks of a type (enum ggml_type)
//   llama LIBRARIES decode TYPE                         blocks of a type to float32
//   llama LIBRARIES tokens MODEL.gguf                   text to int32 ids, as in the middle of a prompt
//   llama LIBRARIES logits MODEL.gguf CACHE GREEDY      int32 ids to float32 logits of every position, then of GREEDY
//                                                       tokens that llama.cpp chooses; CACHE: f32, f16 or q8_0
//   llama LIBRARIES eagle TARGET.gguf LAYER.gguf A B C COUNT  int32 ids of a text, then COUNT drafted ones, to float32
//                                                       logits of the layer for the text and after each drafted token;
//                                                       the layer reads what enters layers A, B and C of the target
#include "llama.h"
#include "ggml-backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 512

static int fail(const char *message)
{
    fprintf(stderr, "llama: %s\n", message);
    return 1;
}

static void log_errors(enum ggml_log_level level, const char *text, void *user)
{
    (void)user;
    if (level == GGML_LOG_LEVEL_ERROR) fputs(text, stderr);
}

// All of stdin, in memory that the caller frees; *size in bytes.
static void *read_input(size_t *size)
{
    size_t room = 1 << 20;
    char *bytes = malloc(room);
    *size = 0;
    for (size_t got; bytes && (got = fread(bytes + *size, 1, room - *size, stdin)) > 0;) {
        *size += got;
        if (*size == room) bytes = realloc(bytes, room *= 2);
    }
    return bytes;
}

static int quantise(const char *from, const char *to, int ftype)
{
    struct llama_model_quantize_params parameters = llama_model_quantize_default_params();
    parameters.ftype = (enum llama_ftype)ftype;
    parameters.nthread = 2;
    parameters.allow_requantize = true;
    return llama_model_quantize(from, to, &parameters) ? fail("cannot quantise") : 0;
}

static int encode(enum ggml_type type, int64_t columns)
{
    size_t size = 0;
    float *values = read_input(&size);
    int64_t rows = (int64_t)(size / sizeof *values) / columns;
    size_t room = ggml_row_size(type, columns) * (size_t)rows;
    void *blocks = malloc(room);
    if (ggml_quantize_chunk(type, values, blocks, 0, rows, columns, NULL) != room) return fail("cannot encode");
    return fwrite(blocks, 1, room, stdout) == room ? 0 : fail("cannot write");
}

static int decode(enum ggml_type type)
{
    size_t size = 0;
    void *blocks = read_input(&size);
    int64_t count = (int64_t)(size / ggml_type_size(type)) * ggml_blck_size(type);
    float *values = malloc(sizeof *values * (size_t)count);
    ggml_get_type_traits(type)->to_float(blocks, values, count);
    return fwrite(values, sizeof *values, (size_t)count, stdout) == (size_t)count ? 0 : fail("cannot write");
}

static struct llama_model *open_model(const char *path, bool only_vocabulary)
{
    struct llama_model_params parameters = llama_model_default_params();
    parameters.n_gpu_layers = 0;
    parameters.vocab_only = only_vocabulary;
    return llama_model_load_from_file(path, parameters);
}

static int tokens(const char *path)
{
    struct llama_model *model = open_model(path, true);
    if (!model) return fail("cannot load the model");
    size_t size = 0;
    char *text = read_input(&size);
    llama_token *ids = malloc(sizeof *ids * (size + 16));
    int32_t count =
        llama_tokenize(llama_model_get_vocab(model), text, (int32_t)size, ids, (int32_t)size + 16, false, true);
    if (count < 0) return fail("cannot tokenise");
    return fwrite(ids, sizeof *ids, (size_t)count, stdout) == (size_t)count ? 0 : fail("cannot write");
}

static enum ggml_type cache_type(const char *name)
{
    if (!strcmp(name, "q8_0")) return GGML_TYPE_Q8_0;
    return strcmp(name, "f16") ? GGML_TYPE_F32 : GGML_TYPE_F16;
}

static void add_token(struct llama_batch *batch, llama_token token, int position)
{
    int i = batch->n_tokens++;
    batch->token[i] = token;
    batch->pos[i] = position;
    batch->n_seq_id[i] = 1;
    batch->seq_id[i][0] = 0;
    batch->logits[i] = 1;
}

static int logits(const char *path, const char *cache, int greedy)
{
    size_t size = 0;
    llama_token *ids = read_input(&size);
    int count = (int)(size / sizeof *ids);
    struct llama_model *model = open_model(path, false);
    if (!model) return fail("cannot load the model");
    struct llama_context_params parameters = llama_context_default_params();
    parameters.n_ctx = (uint32_t)(count + greedy);
    parameters.n_batch = parameters.n_ubatch = BATCH;
    parameters.n_threads = parameters.n_threads_batch = 1;
    parameters.type_k = parameters.type_v = cache_type(cache);
    // Quantised values need the fused attention, which rounds more than the plain one.
    bool is_fused = parameters.type_v == GGML_TYPE_Q8_0;
    parameters.flash_attn_type = is_fused ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
    struct llama_context *context = llama_init_from_model(model, parameters);
    if (!context) return fail("cannot make a context");
    int vocab = llama_vocab_n_tokens(llama_model_get_vocab(model));
    struct llama_batch batch = llama_batch_init(BATCH, 0, 1);
    for (int done = 0, next = -1; done < count + greedy; done += batch.n_tokens) {
        batch.n_tokens = 0;
        if (done >= count) add_token(&batch, next, done);
        for (int i = done; i < count && batch.n_tokens < BATCH; i++) add_token(&batch, ids[i], i);
        if (llama_decode(context, batch)) return fail("cannot decode");
        for (int i = 0; i < batch.n_tokens; i++) {
            const float *row = llama_get_logits_ith(context, i);
            next = 0;
            for (int id = 1; id < vocab; id++) next = row[id] > row[next] ? id : next;
            if (fwrite(row, sizeof *row, (size_t)vocab, stdout) != (size_t)vocab) return fail("cannot write");
        }
    }
    return 0;
}

// Of llama.cpp's own speculation, which only C++ declares.
extern void set_inputs(struct llama_context *, uint32_t layer,
                       bool on) __asm__("_Z30llama_set_embeddings_layer_inpP13llama_contextjb");
extern float *get_inputs(struct llama_context *,
                         uint32_t layer) __asm__("_Z30llama_get_embeddings_layer_inpP13llama_contextj");
extern void set_outputs(struct llama_context *, bool on,
                        bool masked) __asm__("_Z26llama_set_embeddings_nextnP13llama_contextbb");
extern float *get_outputs(struct llama_context *) __asm__("_Z26llama_get_embeddings_nextnP13llama_context");

static struct llama_context *open_context(struct llama_model *model)
{
    struct llama_context_params parameters = llama_context_default_params();
    parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = 64;
    parameters.n_threads = parameters.n_threads_batch = 1;
    parameters.type_k = parameters.type_v = GGML_TYPE_F32;
    parameters.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
    return llama_init_from_model(model, parameters);
}

// A batch of `count` rows from a position on. ids or numbers (count, width) may be missing.
static struct llama_batch batch_of(const llama_token *ids, const float *numbers, int width, int count, int position)
{
    struct llama_batch batch = llama_batch_init(count, numbers ? width : 0, 1);
    if (numbers) memcpy(batch.embd, numbers, sizeof(float) * (size_t)count * (size_t)width);
    if (ids && numbers) batch.token = malloc(sizeof *ids * (size_t)count);
    if (ids) memcpy(batch.token, ids, sizeof *ids * (size_t)count);
    for (int i = 0; i < count; i++) {
        batch.pos[i] = position + i;
        batch.n_seq_id[i] = 1;
        batch.seq_id[i][0] = 0;
        batch.logits[i] = 1;
    }
    batch.n_tokens = count;
    return batch;
}

static int eagle(const char *target_path, const char *path, char **layers, int drafted)
{
    size_t size = 0;
    llama_token *ids = read_input(&size);
    struct llama_model *target_model = open_model(target_path, false), *model = open_model(path, false);
    if (!target_model || !model) return fail("cannot load the models");
    struct llama_context *target = open_context(target_model), *context = open_context(model);
    if (!target || !context) return fail("cannot make a context");
    const int dim = llama_model_n_embd(target_model), width = llama_model_n_embd(model);
    const int read = (int)(size / sizeof *ids) - drafted - 1; // the target has drawn the last token only
    for (int i = 0; i < 3; i++) set_inputs(target, (uint32_t)atoi(layers[i]), true);
    if (llama_decode(target, batch_of(ids, NULL, 0, read, 0))) return fail("the target fails");
    float *states = malloc(sizeof(float) * 3 * (size_t)(dim * read));
    for (int i = 0; i < 3 * read; i++)
        memcpy(states + (size_t)(i * dim), get_inputs(target, (uint32_t)atoi(layers[i % 3])) + (size_t)(i / 3 * dim),
               sizeof(float) * (size_t)dim);
    set_outputs(context, true, false);
    if (llama_encode(context, batch_of(NULL, states, 3 * dim, read, 0))) return fail("the encoder fails");
    const float *features = get_outputs(context);
    const size_t vocabulary = (size_t)llama_vocab_n_tokens(llama_model_get_vocab(model));
    for (int step = 0, position = 0; step <= drafted; step++) {
        const int count = step ? 1 : read;
        if (llama_decode(context, batch_of(ids + position + 1, features, width, count, position)))
            return fail("the layer fails");
        position += count;
        features = get_outputs(context) + (size_t)((count - 1) * width);
        fwrite(llama_get_logits_ith(context, count - 1), sizeof(float), vocabulary, stdout);
    }
    return 0;
}

int main(int count, char **words)
{
    if (count < 4) return fail("too few arguments");
    const char *task = words[2];
    llama_log_set(log_errors, NULL);
    ggml_backend_load_all_from_path(words[1]);
    if (!strcmp(task, "quantise") && count == 6) return quantise(words[3], words[4], atoi(words[5]));
    if (!strcmp(task, "encode") && count == 5) return encode((enum ggml_type)atoi(words[3]), atoll(words[4]));
    if (!strcmp(task, "decode")) return decode((enum ggml_type)atoi(words[3]));
    if (!strcmp(task, "tokens")) return tokens(words[3]);
    if (!strcmp(task, "logits") && count == 6) return logits(words[3], words[4], atoi(words[5]));
    if (!strcmp(task, "eagle") && count == 9) return eagle(words[3], words[4], words + 5, atoi(words[8]));
    return fail("no such task");
}
