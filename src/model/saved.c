// A sequence as bytes that another instance can take over: see li_saved_text in lastinch.h. The bytes are foreign:
// every length is bounded by the model's own, and no piece is copied before its hash is checked.
#include <string.h>

#include "model/attention_query.h"
#include "model/hash.h"
#include "model/model.h"

#define MAGIC     0x5453494cu // "LIST" in the order of bytes
#define FLAGS     (LI_SAVED_NAN | LI_SAVED_LONG | LI_SAVED_RELAXED)
#define HASH_SIZE 8u

static uint64_t hash_of(uint64_t seed, const void *bytes, size_t size)
{
    li_hash hash;
    li_hash_begin(&hash, seed);
    li_hash_add(&hash, bytes, size);
    return li_hash_value(&hash);
}

static uint64_t joined(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

// The hash of the fields before it.
static uint64_t check_of(const li_saved_text *saved)
{
    return hash_of(0, saved, offsetof(li_saved_text, check_low));
}

// ---- the header --------------------------------------------------------------------------------------

li_status li_sequence_describe(const li_model *model, uint32_t sequence, li_saved_text *into)
{
    if (sequence >= model->cache.sequences) return LI_ERROR_BAD_ARGUMENT;
    const li_sequence *table = &model->cache.tables[sequence];
    *into = (li_saved_text){.magic = MAGIC, .version = LI_SAVED_VERSION};
    into->file_low = (uint32_t)model->file_hash;
    into->file_high = (uint32_t)(model->file_hash >> 32);
    into->cache_type = model->cache.type;
    into->flags = (model->has_long_rope ? LI_SAVED_LONG : 0) |
                  (model->cache.has_nan || model->window_cache.has_nan ? LI_SAVED_NAN : 0);
#ifdef __wasm_relaxed_simd__
    into->flags |= LI_SAVED_RELAXED;
#endif
    into->length = table->length;
    into->first = model->window_layers ? model->window_cache.tables[sequence].first : 0;
    into->settled = model->states.layers ? li_states_least(&model->states, sequence) : 0;
    into->read = table->read;
    const uint64_t check = check_of(into);
    into->check_low = (uint32_t)check;
    into->check_high = (uint32_t)(check >> 32);
    return LI_OK;
}

li_status li_saved_check(const li_model *model, const li_saved_text *saved)
{
    if (saved->magic != MAGIC) return LI_ERROR_SAVED_MAGIC;
    if (saved->version != LI_SAVED_VERSION) return LI_ERROR_SAVED_VERSION;
    if (joined(saved->check_low, saved->check_high) != check_of(saved)) return LI_ERROR_SAVED_CORRUPT;
    if (joined(saved->file_low, saved->file_high) != model->file_hash) return LI_ERROR_SAVED_FILE;
    const bool is_long = (saved->flags & LI_SAVED_LONG) != 0;
    if (saved->cache_type != model->cache.type || is_long != model->has_long_rope) return LI_ERROR_SAVED_SETTINGS;
    const uint32_t length = saved->length, settled = saved->settled, first = saved->first;
    if (!length || length > model->config.trained_length || saved->flags & ~FLAGS) return LI_ERROR_SAVED_CORRUPT;
    if (settled > (model->states.layers ? length : 0)) return LI_ERROR_SAVED_CORRUPT;
    if (model->states.layers && length - settled > LI_ROWS_TENTATIVE) return LI_ERROR_SAVED_CORRUPT;
    if (saved->read > (model->config.drafts ? length : 0)) return LI_ERROR_SAVED_CORRUPT;
    // The window of the last position must be there.
    const uint64_t least = first ? (uint64_t)first + model->window_cache.window - 1 : 0;
    if (first % LI_ATTENTION_BLOCK || (first && !model->window_layers) || least > length) return LI_ERROR_SAVED_CORRUPT;
    return length > model->cache.positions ? LI_ERROR_MODEL_CONTEXT_FULL : LI_OK;
}

// ---- pieces ------------------------------------------------------------------------------------------

static uint32_t count_positions(const li_saved_text *saved)
{
    return (saved->length + LI_SAVED_POSITIONS - 1) / LI_SAVED_POSITIONS;
}

// Bytes of a position in the layers of a cache.
static size_t position_size(const li_cache *cache)
{
    return cache->layers * cache->heads * (cache->key_size + cache->value_size) +
           cache->convolutions * cache->channels * sizeof(float);
}

// Rows of a layer's state that the text needs.
static size_t count_rows(const li_model *model, const li_saved_text *saved)
{
    return model->graph.taps - 1 + saved->length - saved->settled;
}

uint32_t li_saved_piece_size(const li_model *model, const li_saved_text *saved, uint32_t piece)
{
    const uint32_t positions = count_positions(saved);
    if (!piece) return saved->length * sizeof(uint32_t) + HASH_SIZE;
    if (piece > positions + model->states.layers) return 0;
    if (piece > positions) {
        const size_t numbers = model->states.matrices + count_rows(model, saved) * model->states.row;
        return (uint32_t)(numbers * sizeof(float)) + HASH_SIZE;
    }
    const uint32_t from = (piece - 1) * LI_SAVED_POSITIONS, left = saved->length - from;
    const uint32_t count = left < LI_SAVED_POSITIONS ? left : LI_SAVED_POSITIONS;
    const uint32_t slid = from >= saved->first ? count : from + count <= saved->first ? 0 : from + count - saved->first;
    const size_t window = model->window_layers ? slid * position_size(&model->window_cache) : 0;
    return (uint32_t)(count * position_size(&model->cache) + window) + HASH_SIZE;
}

// The place in a piece from which, or to which, the next bytes are copied.
typedef struct walk {
    uint8_t *at;
    bool is_loading;
} walk;

// Copies between the piece and the model. `to` NULL: the model does not keep the bytes, or has none.
static void pass(walk *walk, void *to, size_t size)
{
    if (walk->is_loading && to)
        memcpy(to, walk->at, size);
    else if (!walk->is_loading && to)
        memcpy(walk->at, to, size);
    else if (!walk->is_loading)
        memset(walk->at, 0, size);
    walk->at += size;
}

// Positions of a sequence; those that the cache holds are from `first` on and, in the layer `ahead`, before `read`.
typedef struct span {
    const li_sequence *table;
    uint32_t from, end;
    uint32_t ahead;
} span;

// The keys or values of a head, which begin at `at` in each page.
static void pass_head(walk *walk, const li_cache *cache, const span *span, uint32_t end, size_t at, size_t size)
{
    for (uint32_t i = span->from; i < span->end; i++) {
        const bool is_held = i >= span->table->first && i < end;
        pass(walk, is_held ? li_cache_row(cache, at, span->table->slots[i], size) : NULL, size);
    }
}

static void pass_cache(walk *walk, const li_cache *cache, const span *span)
{
    for (uint32_t layer = 0; layer < cache->layers; layer++) {
        const uint32_t end = layer == span->ahead ? span->table->read : span->end;
        for (uint32_t head = 0; head < cache->heads; head++) {
            pass_head(walk, cache, span, end, li_cache_keys_at(cache, layer, head), cache->key_size);
            pass_head(walk, cache, span, end, li_cache_values_at(cache, layer, head), cache->value_size);
        }
    }
    for (uint32_t layer = 0; layer < cache->convolutions; layer++)
        for (uint32_t i = span->from; i < span->end; i++)
            pass(walk, li_cache_convolution(cache, layer, span->table->slots[i]), cache->channels * sizeof(float));
}

// Copies a piece other than that of the tokens.
static void pass_piece(walk *walk, const li_model *model, uint32_t sequence, const li_saved_text *saved, uint32_t piece)
{
    const uint32_t positions = count_positions(saved);
    if (piece > positions) {
        float *matrices = li_state_matrices(&model->states, model->states.of[sequence], piece - positions - 1);
        // The rows follow the matrices.
        const size_t numbers = model->states.matrices + count_rows(model, saved) * model->states.row;
        pass(walk, matrices, numbers * sizeof(float));
        return;
    }
    const li_layer *ahead = model->config.drafts ? &model->weights.layers[model->config.layers] : NULL;
    span span = {.table = &model->cache.tables[sequence], .ahead = ahead ? ahead->place : UINT32_MAX};
    span.from = (piece - 1) * LI_SAVED_POSITIONS;
    span.end = piece < positions ? span.from + LI_SAVED_POSITIONS : saved->length;
    pass_cache(walk, &model->cache, &span);
    if (!model->window_layers || span.end <= saved->first) return;
    span.table = &model->window_cache.tables[sequence];
    span.ahead = UINT32_MAX;
    if (span.from < saved->first) span.from = saved->first;
    pass_cache(walk, &model->window_cache, &span);
}

// ---- saving and loading ------------------------------------------------------------------------------

// The hash of a piece that belongs to this header. A piece of another text does not fit.
static uint64_t seal_of(const li_saved_text *saved, uint32_t piece, const uint8_t *bytes, uint32_t size)
{
    return hash_of(joined(saved->check_low, saved->check_high) + piece, bytes, size - HASH_SIZE);
}

static bool is_described(const li_model *model, uint32_t sequence, const li_saved_text *saved)
{
    return sequence < model->cache.sequences && saved->length && model->cache.tables[sequence].length == saved->length;
}

li_status li_sequence_save(const li_model *model, uint32_t sequence, const li_saved_text *saved, uint32_t piece,
                           uint8_t *into)
{
    const uint32_t size = li_saved_piece_size(model, saved, piece);
    if (!size || !is_described(model, sequence, saved)) return LI_ERROR_BAD_ARGUMENT;
    walk walk = {.at = into};
    if (piece) pass_piece(&walk, model, sequence, saved, piece);
    const uint64_t seal = seal_of(saved, piece, into, size);
    memcpy(into + size - HASH_SIZE, &seal, HASH_SIZE);
    return LI_OK;
}

li_status li_saved_piece_check(const li_model *model, const li_saved_text *saved, uint32_t piece, const uint8_t *bytes)
{
    const uint32_t size = li_saved_piece_size(model, saved, piece);
    if (!size) return LI_ERROR_BAD_ARGUMENT;
    uint64_t seal;
    memcpy(&seal, bytes + size - HASH_SIZE, HASH_SIZE);
    if (seal != seal_of(saved, piece, bytes, size)) return LI_ERROR_SAVED_CORRUPT;
    for (uint32_t i = 0; !piece && i < saved->length; i++) {
        uint32_t token;
        memcpy(&token, bytes + i * sizeof token, sizeof token);
        if (token >= model->config.vocab_size) return LI_ERROR_SAVED_CORRUPT;
    }
    return LI_OK;
}

// Gives an empty sequence the slots and the state of the text, whose contents the other pieces bring.
static li_status begin(li_model *model, uint32_t sequence, const li_saved_text *saved)
{
    const uint32_t length = saved->length;
    const uint32_t window_need = li_sequence_window_need(model, sequence, length);
    if (length > model->cache.unused_count) return LI_ERROR_MODEL_CONTEXT_FULL;
    if (!li_model_reserve(model, sequence, length) || !li_states_own(&model->states, sequence) ||
        li_model_take_slots(model, length, window_need) != LI_OK)
        return LI_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < length; i++) {
        li_cache_append(&model->cache, sequence);
        if (model->window_layers) li_cache_append(&model->window_cache, sequence);
    }
    if (model->window_layers) li_cache_drop(&model->window_cache, sequence, saved->first);
    if (model->states.layers) model->states.of[sequence]->settled = saved->settled;
    model->cache.tables[sequence].read = saved->read;
    if (saved->flags & LI_SAVED_NAN) {
        model->cache.has_nan = true;
        if (model->window_layers) model->window_cache.has_nan = true;
    }
    return LI_OK;
}

li_status li_sequence_load(li_model *model, uint32_t sequence, const li_saved_text *saved, uint32_t piece,
                           uint8_t *from)
{
    if (sequence >= model->cache.sequences) return LI_ERROR_BAD_ARGUMENT;
    if (piece ? !is_described(model, sequence, saved) : li_sequence_length(model, sequence) != 0)
        return LI_ERROR_BAD_ARGUMENT;
    const li_status status = li_saved_piece_check(model, saved, piece, from);
    if (status != LI_OK || !piece) return status == LI_OK ? begin(model, sequence, saved) : status;
    walk walk = {.at = from, .is_loading = true};
    pass_piece(&walk, model, sequence, saved, piece);
    return LI_OK;
}
