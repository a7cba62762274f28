#include "base/simd.h"

#if defined(__wasm_simd128__) && !defined(LI_SCALAR)
const uint32_t li_half_mask = 0x8fffffffu;
const float li_half_scale = 0x1p112f;
#endif
