// What the sampler knows of watermarks. decode/watermark.c has the functions. They are weak, because sampler.wasm is
// linked without them: that module refuses the list, so it never marks.
#ifndef LI_WATERMARK_H
#define LI_WATERMARK_H

#include "sample/stages.h"

#define LI_UNMARKED UINT32_MAX
#define LI_NO_ROOM  (UINT32_MAX - 1)

// Whether the words (count) have the format that lastinch.h gives for LI_LIST_WATERMARK.
__attribute__((weak)) bool li_watermark_is_list(const uint32_t *words, uint32_t count);
// Index of the survivor that the mark chooses, or LI_UNMARKED where the draw is left to the seed: where the
// text has fewer tokens than the window, and where an earlier token of the output followed the same window. `u` is the
// uniform number of the step, negative if the sampler draws by Gumbel noise. The survivors are weighed. May overwrite
// value_store, block_sums and scratch.keys of the funnel, so their logits are gone; the weights stay.
// LI_NO_ROOM: the text has grown, and there is no memory for its windows.
__attribute__((weak)) uint32_t li_watermark_draw(li_funnel *funnel, const li_settings *settings, li_history *history,
                                                 double u);

#endif
