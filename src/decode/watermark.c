// Marks draws. What the schemes share: the key and the window. Public functions: lastinch.h.
#include "sample/watermark.h"

#include <string.h>

#include "base/assert.h"
#include "base/exp.h"
#include "base/random.h"
#include "decode/marks.h"
#include "decode/windows.h"
#include "sample/gumbel.h"
#include "sample/softmax.h"

// The words of the list before the key.
enum { SCHEME, WINDOW, DEPTH, GAMMA, DELTA, KEY_LENGTH, KEY };

static float float_of(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

bool li_watermark_is_list(const uint32_t *words, uint32_t count)
{
    if (count < KEY || words[SCHEME] > LI_WATERMARK_SYNTHID) return false;
    uint32_t length = words[KEY_LENGTH];
    float gamma = float_of(words[GAMMA]), delta = float_of(words[DELTA]);
    return words[WINDOW] - 1 < LI_WATERMARK_WINDOW && words[DEPTH] - 1 < LI_WATERMARK_DEPTH && gamma > 0.0f &&
           gamma < 1.0f && delta > 0.0f && delta <= LI_WATERMARK_DELTA && length - 1 < LI_WATERMARK_KEY &&
           count == KEY + (length + 3) / 4 && !(length % 4 && words[count - 1] >> 8 * (length % 4));
}

li_watermark li_watermark_read(const uint32_t *words, uint32_t count)
{
    LI_ASSERT(li_watermark_is_list(words, count));
    li_watermark mark = {
        .scheme = (li_watermark_scheme)words[SCHEME],
        .window = words[WINDOW],
        .depth = words[DEPTH],
        .gamma = (double)float_of(words[GAMMA]),
        .boost = li_exp((double)float_of(words[DELTA])),
        .key = {words[KEY_LENGTH], 0},
    };
    // Matyas, Meyer and Oseas: each block of the key is enciphered under what came before, and added to the result.
    for (uint32_t at = KEY; at < count; at += 4) {
        uint32_t block[4] = {0}, out[4];
        for (uint32_t i = 0; i < 4 && at + i < count; i++) block[i] = words[at + i];
        li_random_philox(block, mark.key, out);
        mark.key[0] = out[0] ^ block[0];
        mark.key[1] = out[1] ^ block[1];
    }
    return mark;
}

void li_watermark_context(const li_watermark *mark, const uint32_t *tokens, uint32_t context[4])
{
    uint32_t block[4] = {(uint32_t)mark->scheme, mark->window, 0, 0};
    li_random_philox(block, mark->key, context);
    for (uint32_t i = 0; i < mark->window; i++) {
        context[i % 4] ^= tokens[i];
        if (i % 4 < 3 && i + 1 < mark->window) continue;
        memcpy(block, context, sizeof block);
        li_random_philox(block, mark->key, context);
    }
}

void li_watermark_block(const li_watermark *mark, const uint32_t context[4], uint32_t token, uint32_t block[4])
{
    const uint32_t counter[4] = {context[0], context[1], context[2], context[3] ^ token};
    li_random_philox(counter, mark->key, block);
}

uint32_t li_watermark_draw(li_funnel *funnel, const li_settings *settings, li_history *history, double u)
{
    const li_list *list = &settings->lists[LI_LIST_WATERMARK];
    const li_watermark mark = li_watermark_read(list->words, list->count);
    if (history->length < mark.window) return LI_UNMARKED;
    // One key gives one window one set of numbers: a second draw by them would not be independent of the first.
    const uint32_t *place = li_windows_find(history, mark.window);
    if (!place) return LI_NO_ROOM;
    if (*place) return LI_UNMARKED;
    uint32_t tokens[LI_WATERMARK_WINDOW], context[4];
    for (uint32_t i = 0; i < mark.window; i++) tokens[i] = li_history_back(history, mark.window - 1 - i);
    li_watermark_context(&mark, tokens, context);
    // Aaronson's choice, the largest u^(1 / probability), is the Gumbel-max draw by the numbers of the key.
    if (mark.scheme == LI_WATERMARK_GUMBEL) return li_gumbel_draw(funnel, context, mark.key);
    const li_options *options = &settings->options;
    if (u < 0.0)
        u = li_random_uniform((uint64_t)options->seed, (uint32_t)options->stream, funnel->step, LI_RANDOM_DRAW, 0);
    (mark.scheme == LI_WATERMARK_GREEN ? li_watermark_weigh_green : li_watermark_weigh_synthid)(&mark, funnel, context);
    double total = 0.0;
    for (uint32_t start = 0; start < funnel->length; start += LI_SOFTMAX_BLOCK) {
        double sum = 0.0;
        for (uint32_t i = start; i < start + LI_SOFTMAX_BLOCK && i < funnel->length; i++)
            sum += (double)funnel->value_store[i];
        total += funnel->block_sums[start / LI_SOFTMAX_BLOCK] = sum;
    }
    return li_softmax_find(funnel->value_store, funnel->length, funnel->block_sums, u * total);
}
