// Loads any bytes as a saved text into models with sliding windows, with recurrent states, and with a block that
// predicts later tokens, and goes on with the text where one is accepted. Byte 0 chooses the model; byte 1 says whether
// the hashes are made to fit, without which nothing but them would be tried.
#include <stdlib.h>
#include <string.h>

#include "model/hash.h"
#include "model/model.h"
#include "tiny_model.h"

#define SLOTS     160u
#define HASH_SIZE 8u

static void require(bool holds)
{
    if (!holds) abort();
}

static li_model *open_file(const gguf_file *file, li_cache_type type)
{
    li_status status;
    li_model *model = tiny_create_with(file, SLOTS, type, 1, &status);
    require(model != NULL);
    require(li_model_write(model, file->bytes + file->data_start, (uint32_t)(file->size - file->data_start)) == LI_OK);
    require(li_model_finish(model) == LI_OK);
    return model;
}

static li_model *open_sliding(void)
{
    static const tiny_shape shape = {50, 32, 32, 3, 1, 1, 1024, 32, 0, true, false, F32, F32, F32};
    static const tiny_flags flags = {
        .family = "gemma3", .has_qk_norm = true, .has_norms_after = true, .window = 17, .window_period = 2};
    tiny_model tiny;
    tiny_make_with(&tiny, &shape, &flags);
    li_model *model = open_file(&tiny.file, LI_CACHE_Q8_0);
    tiny_free(&tiny);
    return model;
}

// A file of the corpus of gguf_fuzz.
static li_model *open_known(const char *path)
{
    FILE *from = fopen(path, "rb");
    require(from != NULL);
    gguf_file file = {.bytes = malloc(1 << 20)};
    file.size = fread(file.bytes, 1, 1 << 20, from);
    fclose(from);
    li_gguf *gguf = li_gguf_create();
    memcpy(li_gguf_reserve(gguf, (uint32_t)file.size), file.bytes, file.size);
    require(li_gguf_parse(gguf, (uint32_t)file.size, (double)file.size) == LI_OK);
    file.data_start = li_gguf_data_start(gguf);
    li_gguf_destroy(gguf);
    li_model *model = open_file(&file, LI_CACHE_F16);
    free(file.bytes);
    return model;
}

static li_model *model_of(uint8_t choice)
{
    static li_model *models[3];
    if (!models[0]) {
        models[0] = open_sliding();
        models[1] = open_known("tests/fuzz/corpus/gguf_fuzz/states.gguf");
        models[2] = open_known("tests/fuzz/corpus/gguf_fuzz/ahead.gguf");
    }
    return models[choice % 3];
}

static uint64_t hash_of(uint64_t seed, const void *bytes, size_t size)
{
    li_hash hash;
    li_hash_begin(&hash, seed);
    li_hash_add(&hash, bytes, size);
    return li_hash_value(&hash);
}

static uint64_t check_of(const li_saved_text *text)
{
    return (uint64_t)text->check_high << 32 | text->check_low;
}

// What a header must have to get past its first checks.
static void fit_header(const li_model *model, li_saved_text *text)
{
    li_saved_text own;
    require(li_sequence_describe(model, 0, &own) == LI_OK);
    text->magic = own.magic;
    text->version = own.version;
    text->file_low = own.file_low;
    text->file_high = own.file_high;
    text->cache_type = own.cache_type;
    const uint64_t check = hash_of(0, text, offsetof(li_saved_text, check_low));
    text->check_low = (uint32_t)check;
    text->check_high = (uint32_t)(check >> 32);
}

static void fit_piece(const li_model *model, const li_saved_text *text, uint32_t piece, uint8_t *bytes, uint32_t size)
{
    // Most words of any bytes are no token.
    for (uint32_t i = 0; !piece && i + HASH_SIZE < size; i += 4) {
        memset(bytes + i + 1, 0, 3);
        bytes[i] %= model->config.vocab_size;
    }
    const uint64_t seal = hash_of(check_of(text) + piece, bytes, size - HASH_SIZE);
    memcpy(bytes + size - HASH_SIZE, &seal, HASH_SIZE);
}

// The text goes on, and is saved again.
static void use(li_model *model, const li_saved_text *text)
{
    li_saved_text own;
    require(li_sequence_describe(model, 0, &own) == LI_OK && li_saved_check(model, &own) == LI_OK);
    require(own.length == text->length && own.settled == text->settled && own.read == text->read);
    require(own.first >= text->first && li_sequence_least(model, 0) <= own.length);
    uint32_t piece = 0;
    for (uint32_t size; (size = li_saved_piece_size(model, &own, piece)) != 0; piece++) {
        uint8_t *bytes = calloc(1, size);
        require(li_sequence_save(model, 0, &own, piece, bytes) == LI_OK);
        free(bytes);
    }
    if (text->length == model->config.context_length) return;
    *li_model_rows(model) = (li_row){1, text->length, 0, 1, 0};
    require(li_model_forward(model, 1) == LI_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2) return 0;
    li_model *model = model_of(bytes[0]);
    const bool fits = bytes[1] & 1;
    bytes += 2, size -= 2;
    li_saved_text text = {0};
    size_t at = size < sizeof text ? size : sizeof text;
    memcpy(&text, bytes, at);
    if (fits) fit_header(model, &text);
    if (li_saved_check(model, &text) != LI_OK) return 0;
    li_status status = LI_OK;
    uint32_t piece = 0;
    for (uint32_t length; status == LI_OK && (length = li_saved_piece_size(model, &text, piece)) != 0; piece++) {
        uint8_t *copy = calloc(1, length);
        const size_t some = size - at < length ? size - at : length;
        memcpy(copy, bytes + at, some);
        at += some;
        if (fits) fit_piece(model, &text, piece, copy, length);
        status = li_sequence_load(model, 0, &text, piece, copy);
        require(status == LI_OK || status == LI_ERROR_SAVED_CORRUPT);
        require(status == LI_OK || !fits);
        free(copy);
    }
    if (status == LI_OK) use(model, &text);
    require(li_sequence_keep(model, 0, 0) == LI_OK);
    require(li_model_free_slots(model) == SLOTS && li_model_states(model) == 0);
    return 0;
}
