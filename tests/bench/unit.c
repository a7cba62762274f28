// The unit that sampler.js measures steps in: the largest of the logits and the sum of e^(logit - largest), exp within
// 1e-6, each read once, as fast as plain SIMD goes. It shares no code with the sampler.
#include <stdint.h>
#include <wasm_simd128.h>

#define BLOCK 64u

static float row[1u << 20];

__attribute__((export_name("row"))) float *unit_row(void)
{
    return row;
}

static float peak_of(uint32_t count)
{
    v128_t a = wasm_v128_load(row), b = a, c = a, d = a;
    for (uint32_t i = 0; i < count; i += 16) {
        a = wasm_f32x4_pmax(a, wasm_v128_load(row + i));
        b = wasm_f32x4_pmax(b, wasm_v128_load(row + i + 4));
        c = wasm_f32x4_pmax(c, wasm_v128_load(row + i + 8));
        d = wasm_f32x4_pmax(d, wasm_v128_load(row + i + 12));
    }
    a = wasm_f32x4_pmax(wasm_f32x4_pmax(a, b), wasm_f32x4_pmax(c, d));
    float lanes[4];
    wasm_v128_store(lanes, a);
    for (int i = 1; i < 4; i++) lanes[0] = lanes[i] > lanes[0] ? lanes[i] : lanes[0];
    return lanes[0];
}

// e^x for x <= 0: 2^whole goes into the exponent's bits, 2^f is a polynomial on [-0.5, 0.5].
static inline v128_t exp_of(v128_t x)
{
    const v128_t shift = wasm_f32x4_splat(0x1.8p23f);
    v128_t y = wasm_f32x4_pmax(wasm_f32x4_mul(x, wasm_f32x4_splat(1.44269504f)), wasm_f32x4_splat(-127.0f));
    v128_t shifted = wasm_f32x4_add(y, shift);
    v128_t f = wasm_f32x4_sub(y, wasm_f32x4_sub(shifted, shift));
    v128_t power = wasm_f32x4_splat(0.0013275433f);
    power = wasm_f32x4_add(wasm_f32x4_mul(power, f), wasm_f32x4_splat(0.0096715614f));
    power = wasm_f32x4_add(wasm_f32x4_mul(power, f), wasm_f32x4_splat(0.055506978f));
    power = wasm_f32x4_add(wasm_f32x4_mul(power, f), wasm_f32x4_splat(0.24022241f));
    power = wasm_f32x4_add(wasm_f32x4_mul(power, f), wasm_f32x4_splat(0.69314700f));
    power = wasm_f32x4_add(wasm_f32x4_mul(power, f), wasm_f32x4_splat(1.0f));
    return wasm_i32x4_add(power, wasm_i32x4_shl(shifted, 23));
}

// `count` is a multiple of 64.
__attribute__((export_name("pass"))) double unit_pass(uint32_t count)
{
    v128_t peak = wasm_f32x4_splat(peak_of(count));
    double total = 0.0;
    for (uint32_t start = 0; start < count; start += BLOCK) {
        v128_t sum = wasm_f32x4_splat(0.0f);
        for (uint32_t i = start; i < start + BLOCK; i += 4)
            sum = wasm_f32x4_add(sum, exp_of(wasm_f32x4_sub(wasm_v128_load(row + i), peak)));
        float lanes[4];
        wasm_v128_store(lanes, sum);
        total += (double)((lanes[0] + lanes[2]) + (lanes[1] + lanes[3]));
    }
    return total;
}
