// Reads any bytes as a file of heads for a small model, and lets them guess where the file allows.
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
    li_gguf_destroy(gguf);
    if (heads) guess(heads);
    li_heads_destroy(heads);
    return 0;
}
