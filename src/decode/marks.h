// Marks of texts, one file for each scheme: watermark_gumbel.c, watermark_green.c, watermark_synthid.c. Each token of
// the vocabulary has keyed numbers, which depend on the key and on the tokens before it (the window). A draw favours
// tokens with high numbers; a detector adds up the numbers of the tokens that it finds.
#ifndef LI_MARKS_H
#define LI_MARKS_H

#include "sample/funnel.h"

typedef struct li_watermark {
    li_watermark_scheme scheme;
    uint32_t window; // tokens that the numbers of the next one depend on
    uint32_t depth;  // layers of the tournament
    double gamma;    // share of green tokens
    double boost;    // e^delta: the factor of a green token's weight
    uint32_t key[2]; // of Philox
} li_watermark;

// The mark that checked words (count) describe.
li_watermark li_watermark_read(const uint32_t *words, uint32_t count);
// Writes the state (4) in which the block of a token is found: a CBC-MAC by Philox over the scheme, the window and the
// tokens (window, the oldest first).
void li_watermark_context(const li_watermark *mark, const uint32_t *tokens, uint32_t context[4]);
// The block of `token`: 128 pseudorandom bits.
void li_watermark_block(const li_watermark *mark, const uint32_t context[4], uint32_t token, uint32_t block[4]);

// Whether the token of a block is green.
bool li_watermark_is_green(const li_watermark *mark, const uint32_t block[4]);
// Weight of a layer of the tournament in the score: a whole number, from 10 for the first to 1 for the last layer.
uint32_t li_watermark_layer_weight(const li_watermark *mark, uint32_t layer);

// Writes the survivors' marked weights over value_store. May overwrite scratch.keys.
void li_watermark_weigh_green(const li_watermark *mark, li_funnel *funnel, const uint32_t context[4]);
void li_watermark_weigh_synthid(const li_watermark *mark, li_funnel *funnel, const uint32_t context[4]);

// Probability that `count` unmarked tokens have at least the score `total` together.
double li_watermark_tail_gumbel(double total, uint32_t count);
double li_watermark_tail_green(const li_watermark *mark, double total, uint32_t count);
double li_watermark_tail_synthid(const li_watermark *mark, double total, uint32_t count);

#endif
