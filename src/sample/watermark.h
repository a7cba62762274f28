// What the sampler knows of watermarks. decode/watermark.c has the functions. They are weak, because sampler.wasm is
// linked without them: that module refuses the list, so it never marks.
#ifndef LI_WATERMARK_H
#define LI_WATERMARK_H

#include "sample/stages.h"

#define LI_UNMARKED UINT32_MAX

// Whether the words (count) have the format that lastinch.h gives for LI_LIST_WATERMARK.
__attribute__((weak)) bool li_watermark_is_list(const uint32_t *words, uint32_t count);
// Writes the index of the survivor that the mark chooses, or LI_UNMARKED where the draw is left to the seed: where the
// text has fewer tokens than the window, and where an earlier token of the output followed the same window. `u` is the
// uniform number of the step, negative if the sampler draws by Gumbel noise. The survivors are weighed. May overwrite
// value_store, block_sums and scratch.keys of the funnel, so their logits are gone; the weights stay.
// LI_ERROR_OUT_OF_MEMORY: the text has grown, and there is no room for its windows.
__attribute__((weak)) li_status li_watermark_draw(li_funnel *funnel, const li_settings *settings, li_history *history,
                                                  double u, uint32_t *chosen);

#endif
