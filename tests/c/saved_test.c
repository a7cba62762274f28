// Saved texts: the hash that names files and seals pieces; a text goes on in another model with the bits that it would
// have had; and what is refused.
#include "model/hash.h"
#include "model/model.h"
#include "tiny_model.h"

enum { TRAINED = 1024, SEQUENCES = 2, VOCAB = 50 };

static const tiny_shape shape = {VOCAB, 32, 32, 3, 1, 1, TRAINED, 32, 0, true, false, F32, F32, F32};
static const tiny_flags plain = {0};
static const tiny_flags sliding = {
    .family = "gemma3", .has_qk_norm = true, .has_norms_after = true, .window = 37, .window_period = 2};
static const tiny_flags longer = {.has_long_factors = true, .scaling = "longrope", .original_length = 400, .factor = 1};

static uint32_t ids[TRAINED];

static tiny_model make(const tiny_flags *flags, li_cache_type type)
{
    tiny_model tiny;
    tiny_flags with = *flags;
    with.cache_type = type;
    tiny_make_with(&tiny, &shape, &with);
    return tiny;
}

// ---- the hash ------------------------------------------------------------------------------------------------

static uint64_t hash_in_pieces(const uint8_t *bytes, size_t size, size_t piece, uint64_t seed)
{
    li_hash hash;
    li_hash_begin(&hash, seed);
    for (size_t at = 0; at < size; at += piece) li_hash_add(&hash, bytes + at, size - at < piece ? size - at : piece);
    return li_hash_value(&hash);
}

static void test_the_hash_is_xxh64(void)
{
    static const struct {
        const char *text;
        uint64_t seed, hash;
    } known[] = {
        {"", 0, UINT64_C(0xef46db3751d8e999)},
        {"", 0x9e3779b1, UINT64_C(0xac75fda2929b17ef)},
        {"abc", 0, UINT64_C(0x44bc2cf5ad770999)},
        {"Nobody inspects the spammish repetition", 0, UINT64_C(0xfbcea83c8a378bf1)},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const uint8_t *bytes = (const uint8_t *)known[i].text;
        const size_t size = strlen(known[i].text);
        for (size_t piece = 1; piece <= size + 1; piece++)
            CHECK(hash_in_pieces(bytes, size, piece, known[i].seed) == known[i].hash);
    }
}

static void test_the_hash_depends_on_every_byte_and_on_no_piece(void)
{
    uint8_t bytes[200];
    for (uint32_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)tiny_random();
    for (size_t size = 0; size <= sizeof bytes; size++) {
        const uint64_t whole = hash_in_pieces(bytes, size, sizeof bytes, size);
        for (size_t piece = 1; piece < 70; piece += 3) CHECK(hash_in_pieces(bytes, size, piece, size) == whole);
        for (size_t i = 0; i < size; i++) {
            bytes[i] ^= 0x10;
            CHECK(hash_in_pieces(bytes, size, sizeof bytes, size) != whole);
            bytes[i] ^= 0x10;
        }
    }
}

static uint64_t file_hash(const gguf_file *file, size_t piece)
{
    li_status status;
    li_model *model = tiny_create(file, 64, 1, &status);
    for (size_t at = file->data_start; at < file->size; at += piece)
        CHECK_EQ(li_model_write(model, file->bytes + at, (uint32_t)(file->size - at < piece ? file->size - at : piece)),
                 LI_OK);
    CHECK_EQ(li_model_finish(model), LI_OK);
    li_saved_text text;
    CHECK_EQ(li_sequence_describe(model, 0, &text), LI_OK);
    CHECK_EQ(li_sequence_describe(model, 1, &text), LI_ERROR_BAD_ARGUMENT);
    li_model_destroy(model);
    return (uint64_t)text.file_high << 32 | text.file_low;
}

static void test_a_file_has_the_same_hash_in_pieces_of_any_size(void)
{
    tiny_model tiny = make(&plain, LI_CACHE_F32);
    gguf_file *file = &tiny.file;
    const uint64_t hash = file_hash(file, file->size);
    CHECK(hash_in_pieces(file->bytes, file->data_start, file->size, 0) != hash);
    for (size_t piece = 1; piece < 10000; piece = piece * 3 + 1) CHECK(file_hash(file, piece) == hash);
    const tiny_tensor *last = &tiny.tensors[tiny.count - 1];
    // A weight of the first and of the last tensor, and a name in the header.
    const size_t places[] = {file->data_start + 1, file->data_start + (size_t)last->offset + 1};
    for (size_t i = 0; i < 2; i++) {
        file->bytes[places[i]] ^= 1;
        CHECK(file_hash(file, 4096) != hash);
        file->bytes[places[i]] ^= 1;
    }
    tiny_free(&tiny);
    tiny = make(&(tiny_flags){.has_rope_factors = true}, LI_CACHE_F32);
    CHECK(file_hash(&tiny.file, 4096) != hash);
    tiny_free(&tiny);
}

// ---- texts ---------------------------------------------------------------------------------------------------

static void run(li_model *model, uint32_t sequence, uint32_t end)
{
    while (li_sequence_length(model, sequence) < end) {
        const uint32_t at = li_sequence_length(model, sequence);
        CHECK_EQ(tiny_forward(model, sequence, ids + at, end - at < LI_ROWS_LIMIT ? end - at : LI_ROWS_LIMIT, false),
                 LI_OK);
    }
}

typedef struct blob {
    li_saved_text text;
    uint32_t count;
    uint8_t *pieces[TRAINED]; // (count)
} blob;

static blob save(const li_model *model, uint32_t sequence)
{
    blob saved = {0};
    CHECK_EQ(li_sequence_describe(model, sequence, &saved.text), LI_OK);
    for (uint32_t size; (size = li_saved_piece_size(model, &saved.text, saved.count)) != 0; saved.count++) {
        uint8_t *piece = malloc(size);
        if (!saved.count) memcpy(piece, ids, size - 8);
        CHECK_EQ(li_sequence_save(model, sequence, &saved.text, saved.count, piece), LI_OK);
        saved.pieces[saved.count] = piece;
    }
    return saved;
}

static li_status load(li_model *model, uint32_t sequence, const blob *saved)
{
    li_status status = li_saved_check(model, &saved->text);
    for (uint32_t i = 0; i < saved->count && status == LI_OK; i++)
        status = li_sequence_load(model, sequence, &saved->text, i, saved->pieces[i]);
    return status;
}

static void drop(blob *saved)
{
    for (uint32_t i = 0; i < saved->count; i++) free(saved->pieces[i]);
}

static void test_a_text_goes_on_in_another_model(void)
{
    static const tiny_flags *const flags[] = {&plain, &sliding};
    static const uint32_t lengths[] = {1, 16, 17, 129, 300};
    for (uint32_t i = 0; i < 2; i++)
        for (li_cache_type type = LI_CACHE_F32; type <= LI_CACHE_Q8_0; type++)
            for (uint32_t slots = 0; slots < 4; slots++) {
                CHECK_CASE("model %u, cache %u, slots %u", i, type, slots);
                tiny_model tiny = make(flags[i], type);
                // A context of 512 positions keeps all of a window, one of 1,024 drops some.
                li_model *from = tiny_load(&tiny, slots & 1 ? 512 : TRAINED, SEQUENCES, 4096);
                li_model *to = tiny_load(&tiny, slots & 2 ? 512 : TRAINED, SEQUENCES, 4096);
                for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
                    const uint32_t length = lengths[l];
                    run(from, 0, length);
                    blob saved = save(from, 0);
                    CHECK_EQ(load(to, 0, &saved), LI_OK);
                    CHECK_EQ(li_sequence_length(to, 0), length);
                    CHECK_LE(li_sequence_least(to, 0), length);
                    CHECK_EQ(li_sequence_share(from, 0, 1, length), LI_OK);
                    const uint32_t free_slots = li_model_free_slots(to);
                    run(from, 1, length + 40);
                    run(to, 0, length + 40);
                    CHECK_BYTES(li_model_logits(to), li_model_logits(from), VOCAB * sizeof(float));
                    CHECK_EQ(li_model_free_slots(to), free_slots - 40);
                    li_sequence_keep(to, 0, 0);
                    drop(&saved);
                }
                CHECK_EQ(li_model_free_slots(to), slots & 2 ? 512 : TRAINED);
                li_model_destroy(from);
                li_model_destroy(to);
                tiny_free(&tiny);
            }
}

static void test_nan_in_the_cache_is_saved(void)
{
    tiny_model tiny = make(&plain, LI_CACHE_F16);
    li_model *from = tiny_load(&tiny, 64, SEQUENCES, 4096), *to = tiny_load(&tiny, 64, SEQUENCES, 4096);
    run(from, 0, 20);
    from->cache.has_nan = true;
    blob saved = save(from, 0);
    CHECK_EQ(load(to, 0, &saved), LI_OK);
    CHECK(to->cache.has_nan);
    drop(&saved);
    // It is gone with the text.
    CHECK_EQ(li_sequence_keep(to, 0, 0), LI_OK);
    CHECK_EQ(li_sequence_describe(to, 0, &saved.text), LI_OK);
    CHECK_EQ(saved.text.flags, 0);
    li_model_destroy(from);
    li_model_destroy(to);
    tiny_free(&tiny);
}

// Sets the hash of the header, as one who makes a text of his own would.
static void seal(li_saved_text *text)
{
    const uint64_t hash = hash_in_pieces((const uint8_t *)text, offsetof(li_saved_text, check_low), 100, 0);
    text->check_low = (uint32_t)hash;
    text->check_high = (uint32_t)(hash >> 32);
}

// Sets the hashes of the header and of all pieces.
static void seal_all(const li_model *model, blob *saved)
{
    seal(&saved->text);
    const uint64_t check = (uint64_t)saved->text.check_high << 32 | saved->text.check_low;
    for (uint32_t i = 0; i < saved->count; i++) {
        const uint32_t size = li_saved_piece_size(model, &saved->text, i) - 8;
        const uint64_t hash = hash_in_pieces(saved->pieces[i], size, 100, check + i);
        memcpy(saved->pieces[i] + size, &hash, 8);
    }
}

// Whether all logits after the next token are NaN, or none. The token runs alone and, in the other sequence, as the
// first of many.
static bool is_nan_after(li_model *model, uint32_t length)
{
    float alone[VOCAB];
    CHECK_EQ(li_sequence_share(model, 0, 1, length), LI_OK);
    CHECK_EQ(tiny_forward(model, 0, ids + length, 1, true), LI_OK);
    memcpy(alone, li_model_logits(model), sizeof alone);
    CHECK_EQ(tiny_forward(model, 1, ids + length, 20, true), LI_OK);
    uint32_t nan = 0;
    for (uint32_t i = 0; i < VOCAB; i++) {
        const float other = li_model_logits(model)[i];
        CHECK(isnan(alone[i]) ? isnan(other) : alone[i] == other);
        nan += isnan(alone[i]) != 0;
    }
    CHECK(nan == 0 || nan == VOCAB);
    return nan != 0;
}

// Keys and values of another's text may be any bits. Such a text is not refused: its logits are NaN, which every
// sampler refuses, or numbers, as after any other text.
static void test_nan_and_infinity_in_another_s_text_do_no_harm(void)
{
    static const tiny_flags *const flags[] = {&plain, &sliding};
    enum { LENGTH = 40 };
    for (uint32_t i = 0; i < 2; i++)
        for (li_cache_type type = LI_CACHE_F32; type <= LI_CACHE_Q8_0; type++) {
            tiny_model tiny = make(flags[i], type);
            li_model *from = tiny_load(&tiny, 512, SEQUENCES, 4096), *to = tiny_load(&tiny, 512, SEQUENCES, 4096);
            run(from, 0, LENGTH);
            static const uint32_t wide[] = {0x7fc00000, 0x7f800000, 0xff800000, 0xffffffff};
            static const uint32_t halves[] = {0x7e007e00, 0x7c007c00, 0xfc00fc00, 0xffffffff};
            for (uint32_t pattern = 0; pattern < 8; pattern++) {
                CHECK_CASE("model %u, cache %u, pattern %u", i, type, pattern);
                const uint32_t word = (type == LI_CACHE_F32 ? wide : halves)[pattern / 2];
                const bool is_flagged = pattern % 2;
                blob saved = save(from, 0);
                saved.text.flags |= is_flagged ? LI_SAVED_NAN : 0;
                // The keys and values of the first sixteen positions, or those of one in all layers.
                const uint32_t size = li_saved_piece_size(from, &saved.text, 1) - 8;
                for (uint32_t at = 0; at + 4 <= size; at += 4) memcpy(saved.pieces[1] + at, &word, 4);
                seal_all(from, &saved);
                CHECK_EQ(load(to, 0, &saved), LI_OK);
                CHECK_EQ(to->cache.has_nan, is_flagged);
                const bool is_nan = is_nan_after(to, LENGTH);
                const bool is_known = pattern / 2 < 2; // -infinity as a key is a weight of 0
                if (is_known && (type == LI_CACHE_F32 || is_flagged)) CHECK(is_nan);
                if (type != LI_CACHE_F32 && !is_flagged) CHECK(!is_nan);
                drop(&saved);
                // The next text is as in a model that has never had it.
                li_sequence_keep(to, 0, 0);
                li_sequence_keep(to, 1, 0);
                CHECK(!to->cache.has_nan);
                li_sequence_share(from, 0, 1, LENGTH);
                run(to, 0, LENGTH + 20);
                run(from, 1, LENGTH + 20);
                CHECK_BYTES(li_model_logits(to), li_model_logits(from), VOCAB * sizeof(float));
                li_sequence_keep(to, 0, 0);
            }
            li_model_destroy(from);
            li_model_destroy(to);
            tiny_free(&tiny);
        }
}

// ---- refusals ------------------------------------------------------------------------------------------------

static void test_a_header_that_does_not_fit_is_refused(void)
{
    tiny_model tiny = make(&sliding, LI_CACHE_F16);
    li_model *model = tiny_load(&tiny, 512, SEQUENCES, 4096);
    run(model, 0, 200);
    li_saved_text text;
    CHECK_EQ(li_sequence_describe(model, 0, &text), LI_OK);
    CHECK_EQ(li_saved_check(model, &text), LI_OK);
    const struct {
        size_t at;
        uint32_t value;
        li_status status;
    } changes[] = {
        {offsetof(li_saved_text, magic), 0, LI_ERROR_SAVED_MAGIC},
        {offsetof(li_saved_text, version), LI_SAVED_VERSION + 1, LI_ERROR_SAVED_VERSION},
        {offsetof(li_saved_text, file_low), text.file_low ^ 1, LI_ERROR_SAVED_FILE},
        {offsetof(li_saved_text, file_high), text.file_high ^ 1, LI_ERROR_SAVED_FILE},
        {offsetof(li_saved_text, cache_type), LI_CACHE_F32, LI_ERROR_SAVED_SETTINGS},
        {offsetof(li_saved_text, flags), LI_SAVED_LONG, LI_ERROR_SAVED_SETTINGS},
        {offsetof(li_saved_text, flags), 8, LI_ERROR_SAVED_CORRUPT},
        {offsetof(li_saved_text, length), 0, LI_ERROR_SAVED_CORRUPT},
        {offsetof(li_saved_text, length), 513, LI_ERROR_MODEL_CONTEXT_FULL},
        {offsetof(li_saved_text, length), TRAINED + 1, LI_ERROR_SAVED_CORRUPT},
        {offsetof(li_saved_text, length), UINT32_MAX, LI_ERROR_SAVED_CORRUPT},
        {offsetof(li_saved_text, first), 64, LI_ERROR_SAVED_CORRUPT},  // no block begins there
        {offsetof(li_saved_text, first), 128, LI_OK},                  // the last window is there
        {offsetof(li_saved_text, first), 256, LI_ERROR_SAVED_CORRUPT}, // it is not
        {offsetof(li_saved_text, first), UINT32_MAX & ~127u, LI_ERROR_SAVED_CORRUPT},
        {offsetof(li_saved_text, settled), 1, LI_ERROR_SAVED_CORRUPT}, // there is no state
        {offsetof(li_saved_text, read), 1, LI_ERROR_SAVED_CORRUPT},    // no block predicts later tokens
        {offsetof(li_saved_text, check_high), text.check_high ^ 1, LI_ERROR_SAVED_CORRUPT},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        CHECK_CASE("change %zu", i);
        li_saved_text changed = text;
        memcpy((uint8_t *)&changed + changes[i].at, &changes[i].value, sizeof changes[i].value);
        const bool is_check = changes[i].at >= offsetof(li_saved_text, check_low);
        // The magic and the version count before the hash.
        if (changes[i].at >= offsetof(li_saved_text, file_low) && !is_check)
            CHECK_EQ(li_saved_check(model, &changed), LI_ERROR_SAVED_CORRUPT);
        if (!is_check) seal(&changed);
        CHECK_EQ(li_saved_check(model, &changed), changes[i].status);
    }
    li_model_destroy(model);
    tiny_free(&tiny);
}

static void test_positions_of_a_long_context_are_no_others(void)
{
    tiny_model tiny = make(&longer, LI_CACHE_F32);
    li_model *near = tiny_load(&tiny, 400, SEQUENCES, 4096), *far = tiny_load(&tiny, 401, SEQUENCES, 4096);
    run(near, 0, 50);
    run(far, 0, 50);
    blob saved[] = {save(near, 0), save(far, 0)};
    CHECK_EQ(load(near, 1, &saved[1]), LI_ERROR_SAVED_SETTINGS);
    CHECK_EQ(load(far, 1, &saved[0]), LI_ERROR_SAVED_SETTINGS);
    CHECK_EQ(load(near, 1, &saved[0]), LI_OK);
    CHECK_EQ(load(far, 1, &saved[1]), LI_OK);
    for (uint32_t i = 0; i < 2; i++) drop(&saved[i]);
    li_model_destroy(near);
    li_model_destroy(far);
    tiny_free(&tiny);
}

static void test_a_damaged_piece_is_refused(void)
{
    tiny_model tiny = make(&sliding, LI_CACHE_Q8_0);
    li_model *from = tiny_load(&tiny, 512, SEQUENCES, 4096), *to = tiny_load(&tiny, 512, SEQUENCES, 4096);
    run(from, 0, 100);
    blob saved = save(from, 0);
    for (uint32_t piece = 0; piece < saved.count; piece++) {
        CHECK_CASE("piece %u", piece);
        const uint32_t size = li_saved_piece_size(from, &saved.text, piece);
        for (uint32_t at = 0; at < size; at += 1 + size / 50) {
            saved.pieces[piece][at] ^= 0x80;
            CHECK_EQ(li_saved_piece_check(to, &saved.text, piece, saved.pieces[piece]), LI_ERROR_SAVED_CORRUPT);
            CHECK_EQ(load(to, 0, &saved), LI_ERROR_SAVED_CORRUPT);
            saved.pieces[piece][at] ^= 0x80;
            CHECK_EQ(li_saved_piece_check(to, &saved.text, piece, saved.pieces[piece]), LI_OK);
            li_sequence_keep(to, 0, 0);
            CHECK_EQ(li_model_free_slots(to), 512);
        }
    }
    // Pieces of the same text in another order.
    uint8_t *second = saved.pieces[1];
    saved.pieces[1] = saved.pieces[2];
    CHECK_EQ(load(to, 0, &saved), LI_ERROR_SAVED_CORRUPT);
    saved.pieces[1] = second;
    li_sequence_keep(to, 0, 0);
    // A token that the model does not have, with a hash that fits.
    const uint32_t token = ids[7];
    ids[7] = VOCAB;
    CHECK_EQ(li_sequence_load(to, 0, &saved.text, 1, saved.pieces[1]), LI_ERROR_BAD_ARGUMENT); // piece 0 comes first
    memcpy(saved.pieces[0], ids, 100 * sizeof *ids);
    CHECK_EQ(li_sequence_save(from, 0, &saved.text, 0, saved.pieces[0]), LI_OK);
    CHECK_EQ(li_saved_piece_check(to, &saved.text, 0, saved.pieces[0]), LI_ERROR_SAVED_CORRUPT);
    CHECK_EQ(li_saved_piece_check(to, &saved.text, saved.count, saved.pieces[0]), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(load(to, 0, &saved), LI_ERROR_SAVED_CORRUPT);
    CHECK_EQ(li_sequence_length(to, 0), 0);
    ids[7] = token;
    drop(&saved);
    li_model_destroy(from);
    li_model_destroy(to);
    tiny_free(&tiny);
}

static void test_a_text_needs_room(void)
{
    tiny_model tiny = make(&plain, LI_CACHE_F32);
    li_model *from = tiny_load(&tiny, 64, SEQUENCES, 4096), *to = tiny_load(&tiny, 64, SEQUENCES, 4096);
    run(from, 0, 40);
    blob saved = save(from, 0);
    run(to, 1, 25);
    CHECK_EQ(load(to, 0, &saved), LI_ERROR_MODEL_CONTEXT_FULL);
    CHECK_EQ(li_sequence_length(to, 0), 0);
    li_sequence_keep(to, 1, 24);
    CHECK_EQ(load(to, 0, &saved), LI_OK);
    CHECK_EQ(li_model_free_slots(to), 0);
    CHECK_EQ(li_sequence_load(to, 0, &saved.text, 0, saved.pieces[0]), LI_ERROR_BAD_ARGUMENT); // it is not empty
    CHECK_EQ(li_sequence_load(to, SEQUENCES, &saved.text, 0, saved.pieces[0]), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sequence_save(to, 1, &saved.text, 1, saved.pieces[1]), LI_ERROR_BAD_ARGUMENT); // of another length
    drop(&saved);
    li_model_destroy(from);
    li_model_destroy(to);
    tiny_free(&tiny);
}

int main(void)
{
    for (uint32_t i = 0; i < TRAINED; i++) ids[i] = tiny_random() % VOCAB;
    test_the_hash_is_xxh64();
    test_the_hash_depends_on_every_byte_and_on_no_piece();
    test_a_file_has_the_same_hash_in_pieces_of_any_size();
    test_a_text_goes_on_in_another_model();
    test_nan_in_the_cache_is_saved();
    test_nan_and_infinity_in_another_s_text_do_no_harm();
    test_a_header_that_does_not_fit_is_refused();
    test_positions_of_a_long_context_are_no_others();
    test_a_damaged_piece_is_refused();
    test_a_text_needs_room();
    return check_done("saved");
}
