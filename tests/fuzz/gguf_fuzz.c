// Parses any bytes as a GGUF file, creates and loads the model, and runs a forward pass where the file allows.
#include <stdlib.h>
#include <string.h>

#include "lastinch.h"

#define SLOTS     6u
#define SEQUENCES 2u

static void require(bool holds)
{
    if (!holds) abort();
}

// A prefix of a valid file is never refused, only too short.
static void parse_prefix(li_gguf *gguf, const uint8_t *bytes, size_t size, li_status whole)
{
    uint32_t part = (uint32_t)(size / 2);
    memcpy(li_gguf_reserve(gguf, part), bytes, part);
    li_status status = li_gguf_parse(gguf, part, (double)size);
    if (whole == LI_OK) require(status == LI_OK || status == LI_NEED_MORE);
}

static void read_values(const li_gguf *gguf)
{
    for (uint32_t i = 0; i < li_gguf_key_count(gguf); i++) {
        require(li_gguf_value_offset(gguf, i) <= li_gguf_data_start(gguf));
        require(li_gguf_element_type(gguf, i) != LI_GGUF_ARRAY);
        require(li_gguf_value_type(gguf, i) == LI_GGUF_ARRAY || li_gguf_value_count(gguf, i) == 1);
    }
    double size = 0;
    for (uint32_t i = 0; i < li_gguf_tensor_count(gguf); i++) {
        require(li_gguf_tensor_elements(gguf, i) >= 1 && li_gguf_tensor_size(gguf, i) > 0);
        size += li_gguf_tensor_size(gguf, i);
    }
    require(size <= li_gguf_data_size(gguf));
}

// The block that predicts later tokens reads a sequence of two tokens.
static void use_block(li_model *model, uint32_t token)
{
    const li_model_config *config = li_model_get_config(model);
    const uint32_t free = li_model_free_slots(model);
    li_row *rows = li_model_rows(model);
    uint32_t guesses[2] = {UINT32_MAX, UINT32_MAX};
    for (uint32_t i = 0; i < 3; i++) rows[i] = (li_row){token % config->vocab_size, i, 1, 0, 0};
    li_status status = li_model_draft(model, 3, 2, guesses);
    if (!config->drafts) {
        require(status == LI_ERROR_BAD_ARGUMENT);
        return;
    }
    require(status == LI_OK || (status == LI_ERROR_MODEL_CONTEXT_FULL && config->context_length < 4));
    if (status == LI_OK) require(guesses[0] < config->vocab_size && guesses[1] < config->vocab_size);
    require(li_sequence_length(model, 1) == 2 && li_model_free_slots(model) == free);
    require(li_sequence_read(model, 1) == (status == LI_OK ? 2 : 0));
}

static void use_model(li_model *model, uint32_t token)
{
    const li_model_config *config = li_model_get_config(model);
    float sum = 0;
    li_row *rows = li_model_rows(model);
    rows[0] = (li_row){token % config->vocab_size, 0, 0, 1, 0};
    rows[1] = (li_row){0, 1, 0, 0, 0};
    rows[2] = (li_row){config->vocab_size - 1, 0, 1, 1, 0};
    const uint32_t layer = token % (config->layers + 1);
    require(li_model_set_taps(model, &layer, 1) == LI_OK);
    li_status status = li_model_forward(model, 3);
    if (status == LI_ERROR_MODEL_INCOMPLETE) return; // a layer that drafts for another model: heads_fuzz
    require(status == LI_OK || (status == LI_ERROR_MODEL_CONTEXT_FULL && config->context_length < 2));
    if (status != LI_OK) return;
    for (size_t i = 0; i < 2 * (size_t)config->vocab_size; i++) sum += li_model_logits(model)[i];
    for (size_t i = 0; i < 3 * (size_t)config->dim; i++) sum += li_model_taps(model)[i];
    volatile float sink = sum; // reads every number: none may be out of bounds
    (void)sink;
    require(li_sequence_share(model, 0, 1, 2) == LI_OK && li_sequence_keep(model, 0, 1) == LI_OK);
    rows[0] = (li_row){token, 9, 0, 0, 0};
    require(li_model_forward(model, 1) == LI_ERROR_MODEL_ROWS);
    require(li_sequence_length(model, 0) == 1 && li_sequence_length(model, 1) == 2);
    use_block(model, token);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0) return 0;
    li_gguf *gguf = li_gguf_create();
    memcpy(li_gguf_reserve(gguf, (uint32_t)size), bytes, size);
    li_status status = li_gguf_parse(gguf, (uint32_t)size, (double)size);
    require(status != LI_NEED_MORE);
    li_model *model = NULL;
    uint32_t data_start = li_gguf_data_start(gguf);
    if (status == LI_OK) {
        li_status created;
        read_values(gguf);
        model = li_model_create(gguf, SLOTS, size % (LI_CACHE_Q8_0 + 1), SEQUENCES, &created);
        require((model != NULL) == (created == LI_OK));
    }
    parse_prefix(gguf, bytes, size, status);
    li_gguf_destroy(gguf);
    if (!model) return 0;

    // The file itself chooses the size of the pieces.
    uint32_t piece = 1 + bytes[size - 1] * 7u;
    for (size_t at = data_start; at < size; at += piece)
        li_model_write(model, bytes + at, size - at < piece ? (uint32_t)(size - at) : piece);
    status = li_model_finish(model);
    require(status == LI_OK || status == LI_ERROR_MODEL_WEIGHTS); // the header promised no more data than the file has
    if (status == LI_OK) use_model(model, bytes[size - 1]);
    li_model_destroy(model);
    return 0;
}
