// The mask: what cannot be chosen whatever its probability. Padding beyond the tokenizer's vocabulary is
// never read, the allowed tokens are gathered, and logits that the engine or an edit masked are dropped.
#include "sample/stages.h"

li_status li_mask_apply(li_funnel *funnel, const li_settings *settings)
{
    return li_funnel_scan(funnel, settings->allowed, settings->allowed_count);
}
