// Finds marks: the score of a token and the probability of a sum of scores. Only decode.wasm has these functions.
// Public functions: lastinch.h.
#include "base/assert.h"
#include "base/exp.h"
#include "decode/marks.h"
#include "sample/watermark.h"

double li_watermark_score(const uint32_t *words, uint32_t count, const uint32_t *tokens)
{
    const li_watermark mark = li_watermark_read(words, count);
    uint32_t context[4], block[4];
    li_watermark_context(&mark, tokens, context);
    li_watermark_block(&mark, context, tokens[mark.window], block);
    if (mark.scheme == LI_WATERMARK_GREEN) return li_watermark_is_green(&mark, block);
    if (mark.scheme == LI_WATERMARK_GUMBEL) {
        uint64_t missing = (UINT64_C(1) << 53) - (((uint64_t)(block[0] >> 5) << 26) | (block[1] >> 6));
        return -li_log((double)missing * 0x1p-53);
    }
    double ones = 0.0, all = 0.0;
    for (uint32_t layer = 0; layer < mark.depth; layer++) {
        double weight = (double)li_watermark_layer_weight(&mark, layer);
        ones += block[0] >> layer & 1 ? weight : 0.0;
        all += weight;
    }
    return ones / all;
}

double li_watermark_tail(const uint32_t *words, uint32_t count, double total, uint32_t used)
{
    if (!used) return 1.0;
    const li_watermark mark = li_watermark_read(words, count);
    if (mark.scheme == LI_WATERMARK_GREEN) return li_watermark_tail_green(&mark, total, used);
    return mark.scheme == LI_WATERMARK_GUMBEL ? li_watermark_tail_gumbel(total, used)
                                              : li_watermark_tail_synthid(&mark, total, used);
}
