// Loads any bytes as a saved text into models of every layout (keys and values of each type, sliding windows, recurrent
// states, a block that predicts later tokens), and goes on with the text where one is accepted. Byte 0 chooses the
// model. Bits of byte 1: 1, the hashes are made to fit, without which nothing but them would be tried; 2, what follows
// are changes of a text that the model has saved, instead of the bytes themselves.
#include <stdlib.h>
#include <string.h>

#include "model/hash.h"
#include "model/model.h"
#include "tiny_model.h"

#define HASH_SIZE 8u
#define FIELDS    10u // words of the header before its hash

static void require(bool holds)
{
    if (!holds) abort();
}

// ---- models ------------------------------------------------------------------------------------------

static const tiny_flags plain = {0};
static const tiny_flags sliding = {
    .family = "gemma3", .has_qk_norm = true, .has_norms_after = true, .window = 17, .window_period = 2};

// A model, and a text that it has saved.
static struct layout {
    const char *path; // of a file in the corpus of gguf_fuzz, or `flags`
    const tiny_flags *flags;
    li_cache_type type;
    uint32_t slots, length;
    li_model *model;
    li_saved_text text;
    uint8_t **pieces; // (count) each with `sizes` bytes
    uint32_t *sizes, count;
} layouts[] = {
    // The corpus names the first three by number.
    {.flags = &sliding, .type = LI_CACHE_Q8_0, .slots = 160, .length = 100},
    {.path = "states.gguf", .type = LI_CACHE_F16, .slots = 160, .length = 50},
    {.path = "ahead.gguf", .type = LI_CACHE_F16, .slots = 160, .length = 40},
    {.flags = &plain, .type = LI_CACHE_F32, .slots = 64, .length = 33},
    {.flags = &plain, .type = LI_CACHE_F16, .slots = 64, .length = 33},
    {.flags = &plain, .type = LI_CACHE_Q8_0, .slots = 64, .length = 33},
    {.flags = &sliding, .type = LI_CACHE_F32, .slots = 160, .length = 1},
    {.flags = &sliding, .type = LI_CACHE_F16, .slots = 512, .length = 300},
    {.path = "states.gguf", .type = LI_CACHE_F32, .slots = 160, .length = 3},
    {.path = "states.gguf", .type = LI_CACHE_F16, .slots = 160, .length = 60},
    {.path = "ahead-own.gguf", .type = LI_CACHE_F32, .slots = 160, .length = 40},
};
#define LAYOUTS (sizeof layouts / sizeof *layouts)

static li_model *open_file(const gguf_file *file, const struct layout *layout)
{
    li_status status;
    li_model *model = tiny_create_with(file, layout->slots, layout->type, 2, &status);
    require(model != NULL);
    require(li_model_write(model, file->bytes + file->data_start, (uint32_t)(file->size - file->data_start)) == LI_OK);
    require(li_model_finish(model) == LI_OK);
    return model;
}

static li_model *open_made(const struct layout *layout)
{
    static const tiny_shape shape = {50, 32, 32, 3, 1, 1, 1024, 32, 0, true, false, F32, F32, F32};
    tiny_model tiny;
    tiny_make_with(&tiny, &shape, layout->flags);
    li_model *model = open_file(&tiny.file, layout);
    tiny_free(&tiny);
    return model;
}

static li_model *open_known(const struct layout *layout)
{
    char path[100];
    snprintf(path, sizeof path, "tests/fuzz/corpus/gguf_fuzz/%s", layout->path);
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
    li_model *model = open_file(&file, layout);
    free(file.bytes);
    return model;
}

static uint32_t token_at(const li_model *model, uint32_t position)
{
    return position * 7 % model->config.vocab_size;
}

static void run(li_model *model, uint32_t sequence, uint32_t count)
{
    const uint32_t at = li_sequence_length(model, sequence);
    li_row *rows = li_model_rows(model);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = (li_row){token_at(model, at + i), at + i, sequence, i + 1 == count, 0};
    require(li_model_forward(model, count) == LI_OK);
}

static void clear(li_model *model, uint32_t slots)
{
    for (uint32_t i = 0; i < 2; i++) require(li_sequence_keep(model, i, 0) == LI_OK);
    require(li_model_free_slots(model) == slots && li_model_states(model) == 0);
}

// Writes piece `piece` of sequence 0; the caller frees it.
static uint8_t *save_piece(const li_model *model, const li_saved_text *text, uint32_t piece, uint32_t size)
{
    uint8_t *bytes = calloc(1, size);
    for (uint32_t i = 0; !piece && i < text->length; i++) {
        const uint32_t token = token_at(model, i);
        memcpy(bytes + 4 * i, &token, sizeof token);
    }
    require(li_sequence_save(model, 0, text, piece, bytes) == LI_OK);
    return bytes;
}

static struct layout *layout_of(uint8_t choice, size_t count)
{
    struct layout *layout = &layouts[choice % count];
    if (layout->model) return layout;
    li_model *model = layout->model = layout->path ? open_known(layout) : open_made(layout);
    for (uint32_t left = layout->length; left; left = layout->length - li_sequence_length(model, 0))
        run(model, 0, left < LI_ROWS_LIMIT ? left : LI_ROWS_LIMIT);
    require(li_sequence_describe(model, 0, &layout->text) == LI_OK);
    layout->pieces = calloc(100, sizeof *layout->pieces);
    layout->sizes = calloc(100, sizeof *layout->sizes);
    for (uint32_t size; (size = li_saved_piece_size(model, &layout->text, layout->count)) != 0; layout->count++) {
        layout->sizes[layout->count] = size;
        layout->pieces[layout->count] = save_piece(model, &layout->text, layout->count, size);
    }
    clear(model, layout->slots);
    return layout;
}

// ---- hashes ------------------------------------------------------------------------------------------

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

static void seal_header(li_saved_text *text)
{
    const uint64_t check = hash_of(0, text, offsetof(li_saved_text, check_low));
    text->check_low = (uint32_t)check;
    text->check_high = (uint32_t)(check >> 32);
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
    seal_header(text);
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

// ---- what is read ------------------------------------------------------------------------------------

// Bytes of the input, and zeros after its end.
typedef struct input {
    const uint8_t *bytes;
    size_t size;
} input;

static void take(input *from, void *into, size_t size)
{
    const size_t some = from->size < size ? from->size : size;
    memset(into, 0, size);
    memcpy(into, from->bytes, some);
    from->bytes += some, from->size -= some;
}

static uint32_t take_number(input *from, size_t size)
{
    uint32_t number = 0;
    take(from, &number, size);
    return number;
}

// Sets one field of the saved header.
static void change_header(input *from, li_saved_text *text)
{
    const uint32_t field = take_number(from, 1) % FIELDS, value = take_number(from, 2);
    // A small number, one from the end, or one bit.
    const uint32_t word = value & 0x8000 ? 1u << (value & 31) : value & 0x4000 ? 0 - (value & 0x3fff) : value;
    memcpy((uint8_t *)text + 4 * field, &word, sizeof word);
}

// Changes bytes of a piece: one, or a word that is repeated to its end.
static void change_piece(input *from, uint8_t *bytes, uint32_t size)
{
    static const uint32_t words[] = {0x7fc00000, 0x7f800000, 0xff800000, 0xffffffff, 0x7e007e00, 0x7c007c00,
                                     0xfc00fc00, 0,          0x80000000, 0x7f7fffff, 0x00000001, 0x3f800000};
    const uint32_t kind = take_number(from, 1), at = take_number(from, 2) % size;
    if (kind < 128) {
        bytes[at] ^= (uint8_t)(kind + 1);
        return;
    }
    const uint32_t word = words[kind % (sizeof words / sizeof *words)];
    for (uint32_t i = at & ~3u; i + 4 <= size; i += 4) memcpy(bytes + i, &word, sizeof word);
}

// The bytes of a piece: those of the saved text, changed, or those of the input.
static void read_piece(input *from, const struct layout *layout, bool is_saved, uint32_t piece, uint8_t *bytes,
                       uint32_t size)
{
    if (!is_saved) {
        take(from, bytes, size);
        return;
    }
    memset(bytes, 0, size);
    const uint32_t other = piece < layout->count ? piece : piece % layout->count;
    memcpy(bytes, layout->pieces[other], size < layout->sizes[other] ? size : layout->sizes[other]);
    for (uint32_t changes = take_number(from, 1) % 4; changes; changes--) change_piece(from, bytes, size);
}

// ---- what follows ------------------------------------------------------------------------------------

static li_status load(li_model *model, const li_saved_text *text, uint8_t *const *pieces)
{
    li_status status = LI_OK;
    for (uint32_t i = 0; status == LI_OK && li_saved_piece_size(model, text, i); i++)
        status = li_sequence_load(model, 0, text, i, pieces[i]);
    return status;
}

// What is saved of the loaded text is loaded again, and saved with the same bytes.
static void save_again(li_model *model, uint32_t slots)
{
    li_saved_text own, again;
    uint8_t *pieces[100];
    uint32_t count = 0;
    require(li_sequence_describe(model, 0, &own) == LI_OK && li_saved_check(model, &own) == LI_OK);
    for (uint32_t size; (size = li_saved_piece_size(model, &own, count)) != 0; count++)
        pieces[count] = save_piece(model, &own, count, size);
    clear(model, slots);
    require(load(model, &own, pieces) == LI_OK);
    require(li_sequence_describe(model, 0, &again) == LI_OK && !memcmp(&own, &again, sizeof own));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t size = li_saved_piece_size(model, &own, i);
        uint8_t *bytes = save_piece(model, &own, i, size);
        require(!memcmp(bytes, pieces[i], size));
        free(bytes);
        free(pieces[i]);
    }
}

// The text goes on, in two sequences, and is cut.
static void use(input *from, const struct layout *layout, const li_saved_text *text)
{
    li_model *model = layout->model;
    li_saved_text own;
    require(li_sequence_describe(model, 0, &own) == LI_OK && li_saved_check(model, &own) == LI_OK);
    require(own.length == text->length && own.settled == text->settled && own.read == text->read);
    require(own.first >= text->first && li_sequence_least(model, 0) <= own.length);
    save_again(model, layout->slots);
    const uint32_t least = li_sequence_least(model, 0), length = own.length, most = model->config.context_length;
    // Slots are enough for both.
    const uint32_t each = length + 32 < most ? 16 : (most - length) / 2;
    if (!each) return;
    const uint32_t to = least + take_number(from, 1) % (length - least + 1);
    require(li_sequence_share(model, 0, 1, to) == LI_OK && li_sequence_length(model, 1) == to);
    run(model, 1, 1 + take_number(from, 1) % each);
    run(model, 0, 1 + take_number(from, 1) % each);
    const uint32_t end = li_sequence_length(model, 0);
    require(li_sequence_keep(model, 0, take_number(from, 1) % (end + 1)) == LI_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2) return 0;
    const bool fits = bytes[1] & 1, is_saved = bytes[1] & 2;
    const struct layout *layout = layout_of(bytes[0], is_saved ? LAYOUTS : 3);
    li_model *model = layout->model;
    input from = {bytes + 2, size - 2};
    li_saved_text text = layout->text;
    if (!is_saved) take(&from, &text, sizeof text);
    for (uint32_t changes = is_saved ? take_number(&from, 1) % 4 : 0; changes; changes--) change_header(&from, &text);
    if (fits && is_saved) seal_header(&text);
    if (fits && !is_saved) fit_header(model, &text);
    if (li_saved_check(model, &text) != LI_OK) return 0;
    li_status status = LI_OK;
    uint32_t piece = 0;
    for (uint32_t length; status == LI_OK && (length = li_saved_piece_size(model, &text, piece)) != 0; piece++) {
        uint8_t *copy = malloc(length);
        read_piece(&from, layout, is_saved, piece, copy, length);
        if (fits) fit_piece(model, &text, piece, copy, length);
        status = li_sequence_load(model, 0, &text, piece, copy);
        require(status == LI_OK || status == LI_ERROR_SAVED_CORRUPT);
        require(status == LI_OK || !fits);
        free(copy);
    }
    if (status == LI_OK) use(&from, layout, &text);
    clear(model, layout->slots);
    return 0;
}
