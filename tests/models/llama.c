// What the tests of real models ask llama.cpp for. Built by llama.js against the libraries that npm's node-llama-cpp
// ships. Numbers go through stdin and stdout as they lie in memory.
//
//   llama LIBRARIES quantise IN.gguf OUT.gguf FTYPE     a file in another mix (enum llama_ftype)
//   llama LIBRARIES encode TYPE COLUMNS                 float32 rows to blocks of a type (enum ggml_type)
//   llama LIBRARIES decode TYPE                         blocks of a type to float32
//   llama LIBRARIES tokens MODEL.gguf                   text to int32 ids, as in the middle of a prompt
//   llama LIBRARIES logits MODEL.gguf CACHE GREEDY      int32 ids to float32 logits of every position, then of GREEDY
//                                                       tokens that llama.cpp chooses; CACHE: f32, f16 or q8_0
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
    return fail("no such task");
}
