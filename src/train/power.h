// Exponentials for a softmax. Those that no single-precision sum would notice are 0: else a model with large logits
// would compute with subnormal numbers, for which processors take ten times as long.
#ifndef LI_POWER_H
#define LI_POWER_H

#include "base/exp.h"

// e^x of x <= 0, less 1e-20; at least 0. NaN stays NaN.
LI_INLINE li_f32x4 li_power(li_f32x4 x)
{
    return li_f32x4_pmax(li_f32x4_sub(li_exp_single(x), li_f32x4_splat(1e-20f)), li_f32x4_splat(0));
}

#endif
