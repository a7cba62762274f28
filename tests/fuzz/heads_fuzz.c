// Reads any bytes as a file of heads or of EAGLE's layer for a small model, and lets them guess where the file allows.
#include <stdlib.h>
#include <string.h>

#include "tiny_model.h"

enum { VOCAB = 20, DIM = 8, WIDTH = 4 };

static void require(bool holds)
{
    if (!holds) abort();
}

static li_model *open_model(void)
{
    static const tiny_shape shape = {VOCAB, DIM, 8, 1, 1, 1, 32, 0, 0, true, false, F32, F32, F32};
    tiny_model tiny;
    tiny_make(&tiny, &shape);
    li_model *model = tiny_load(&tiny, 8, 1, 4096);
    tiny_free(&tiny);
    return model;
}

static void guess(li_heads *heads)
{
    const uint32_t count = li_heads_count(heads);
    require(count >= 1 && count <= LI_HEADS_LIMIT);
    float state[DIM];
    uint32_t guesses[LI_HEADS_LIMIT * WIDTH];
    for (uint32_t i = 0; i < DIM; i++) state[i] = (float)i - 3;
    require(li_heads_guess(heads, state, count, WIDTH, guesses) == LI_OK);
    for (uint32_t i = 0; i < count * WIDTH; i++) require(guesses[i] < VOCAB);
}

// The layer reads a text of two positions, and a guess in two branches.
static void draft(li_model *layer)
{
    float states[LI_EAGLE_FUSED * LI_EAGLE_TAPS * DIM];
    uint32_t guesses[WIDTH];
    for (uint32_t i = 0; i < LI_EAGLE_FUSED * LI_EAGLE_TAPS * DIM; i++) states[i] = (float)i - 3;
    li_eagle_fuse(layer, states, 0, LI_EAGLE_FUSED);
    li_row *rows = li_model_rows(layer);
    rows[0] = (li_row){3, 0, 0, 0, 0};
    rows[1] = (li_row){VOCAB - 1, 1, 0, 1, 0};
    rows[2] = (li_row){5, 2, 0, 1, 0};
    rows[3] = (li_row){6, 2, 1, 1, 1};
    const uint32_t own = 0;
    require(li_model_set_taps(layer, &own, 1) == LI_OK);
    const li_status status = li_model_forward(layer, 4);
    require(status == LI_OK ||
            (status == LI_ERROR_MODEL_CONTEXT_FULL && li_model_get_config(layer)->context_length < 3));
    if (status != LI_OK) return;
    li_eagle_choices(layer, li_model_logits(layer), 1, guesses);
    require(guesses[0] < VOCAB);
}

static void use_layer(li_model *target, li_gguf *gguf, const uint8_t *bytes, size_t size)
{
    li_status status;
    li_model *layer = li_model_create(gguf, 8, 1, 2, &status);
    require((layer != NULL) == (status == LI_OK));
    const uint32_t start = li_gguf_data_start(gguf);
    if (!layer) return;
    li_model_write(layer, bytes + start, size > start ? (uint32_t)(size - start) : 0);
    if (li_model_finish(layer) == LI_OK && li_eagle_attach(layer, target) == LI_OK) draft(layer);
    li_model_destroy(layer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static li_model *model;
    if (!model) model = open_model();
    if (size > UINT16_MAX) return 0;
    li_gguf *gguf = li_gguf_create();
    memcpy(li_gguf_reserve(gguf, (uint32_t)size + 1), bytes, size);
    const li_status parsed = li_gguf_parse(gguf, (uint32_t)size, (double)size);
    li_status status = LI_OK;
    li_heads *heads = li_heads_create(model, gguf, &status);
    require((heads != NULL) == (status == LI_OK));
    if (parsed != LI_OK) require(!heads);
    if (heads) require(li_heads_check(gguf, DIM) == LI_OK);
    if (parsed == LI_OK) use_layer(model, gguf, bytes, size);
    li_gguf_destroy(gguf);
    if (heads) guess(heads);
    li_heads_destroy(heads);
    return 0;
}
