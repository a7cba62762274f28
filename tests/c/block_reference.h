// Blocks of quantised weights as files have them: random ones, and their weights in float64, element by element as
// ggml-common.h of llama.cpp describes the fields. Nothing of src/ is used.
#ifndef BLOCK_REFERENCE_H
#define BLOCK_REFERENCE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct block_type {
    const char *name;
    uint32_t number, columns, size;
    int halves[2];                 // where the half scales are; -1: none
    uint32_t factors, factors_end; // where the small scales and minima are
} block_type;

static const block_type block_types[] = {
    {"Q4_0", 2, 32, 18, {0, -1}, 0, 0},         {"Q4_1", 3, 32, 20, {0, 2}, 0, 0},
    {"Q5_0", 6, 32, 22, {0, -1}, 0, 0},         {"Q5_1", 7, 32, 24, {0, 2}, 0, 0},
    {"Q8_0", 8, 32, 34, {0, -1}, 0, 0},         {"Q2_K", 10, 256, 84, {80, 82}, 0, 16},
    {"Q3_K", 11, 256, 110, {108, -1}, 96, 108}, {"Q4_K", 12, 256, 144, {0, 2}, 4, 16},
    {"Q5_K", 13, 256, 176, {0, 2}, 4, 16},      {"Q6_K", 14, 256, 210, {208, -1}, 192, 208},
    {"IQ4_NL", 20, 32, 18, {0, -1}, 0, 0},      {"IQ4_XS", 23, 256, 136, {0, -1}, 2, 8},
    {"MXFP4", 39, 32, 17, {-1, -1}, 0, 0},
};
#define BLOCK_TYPES (sizeof block_types / sizeof *block_types)

static inline double block_half(const uint8_t *at)
{
    int exponent = at[1] >> 2 & 31, fraction = (at[1] & 3) << 8 | at[0];
    double size = exponent ? ldexp(1024 + fraction, exponent - 25) : fraction * 0x1p-24;
    return at[1] & 0x80 ? -size : size;
}

static inline int block_nibble(const uint8_t *bytes, uint32_t j) // of 32 in 16 bytes
{
    return j < 16 ? bytes[j] & 15 : bytes[j - 16] >> 4;
}

// The six-bit scale or minimum of one of eight parts in Q4_K and Q5_K.
static inline int block_six_bits(const uint8_t *k, uint32_t part, int is_min)
{
    if (part < 4) return k[part + (is_min ? 4 : 0)] & 63;
    int low = is_min ? k[part + 4] >> 4 : k[part + 4] & 15;
    return low | (k[is_min ? part : part - 4] >> 6) << 4;
}

static const int block_iq4[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
static const double block_e2m1[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

// The weight of column j of a block.
static inline double block_weight(uint32_t number, const uint8_t *b, uint32_t j)
{
    uint32_t part = j / 32, l = j % 32, of_128 = j / 128, in_128 = j % 128;
    int digit;
    switch (number) {
    case 2:
        return (block_nibble(b + 2, j) - 8) * block_half(b);
    case 3:
        return block_nibble(b + 4, j) * block_half(b) + block_half(b + 2);
    case 6:
        return (block_nibble(b + 6, j) + 16 * (b[2 + j / 8] >> j % 8 & 1) - 16) * block_half(b);
    case 7:
        return (block_nibble(b + 8, j) + 16 * (b[4 + j / 8] >> j % 8 & 1)) * block_half(b) + block_half(b + 2);
    case 8:
        return (int8_t)b[2 + j] * block_half(b);
    case 10:
        digit = b[16 + 32 * of_128 + l] >> (in_128 / 32 * 2) & 3;
        return block_half(b + 80) * (b[j / 16] & 15) * digit - block_half(b + 82) * (b[j / 16] >> 4);
    case 11: {
        uint32_t s = j / 16;
        int low = s < 8 ? b[96 + s] & 15 : b[96 + s - 8] >> 4, high = b[104 + s % 4] >> (s / 4 * 2) & 3;
        digit = (b[32 + 32 * of_128 + l] >> (in_128 / 32 * 2) & 3) - (b[l] >> part & 1 ? 0 : 4);
        return block_half(b + 108) * (low + 16 * high - 32) * digit;
    }
    case 12:
        digit = part % 2 ? b[16 + part / 2 * 32 + l] >> 4 : b[16 + part / 2 * 32 + l] & 15;
        return block_half(b) * block_six_bits(b + 4, part, 0) * digit -
               block_half(b + 2) * block_six_bits(b + 4, part, 1);
    case 13:
        digit = part % 2 ? b[48 + part / 2 * 32 + l] >> 4 : b[48 + part / 2 * 32 + l] & 15;
        digit += 16 * (b[16 + l] >> part & 1);
        return block_half(b) * block_six_bits(b + 4, part, 0) * digit -
               block_half(b + 2) * block_six_bits(b + 4, part, 1);
    case 14: {
        int low = b[64 * of_128 + in_128 % 64], high = b[128 + 32 * of_128 + l] >> (in_128 / 32 * 2) & 3;
        digit = (in_128 < 64 ? low & 15 : low >> 4) + 16 * high - 32;
        return block_half(b + 208) * (int8_t)b[192 + j / 16] * digit;
    }
    case 20:
        return block_iq4[block_nibble(b + 2, j)] * block_half(b);
    case 23: {
        int low = part % 2 ? b[4 + part / 2] >> 4 : b[4 + part / 2] & 15, high = (b[2] | b[3] << 8) >> 2 * part & 3;
        return block_half(b) * (low + 16 * high - 32) * block_iq4[block_nibble(b + 8 + 16 * part, l)];
    }
    case 39:
        digit = block_nibble(b + 1, j);
        return ldexp(block_e2m1[digit & 7], b[0] - 127) * (digit & 8 ? -1 : 1);
    default:
        return NAN;
    }
}

// Random bytes, and scales of about 2^exponent; exponent -100: any finite halves, zero and subnormal ones too.
static inline void block_fill(const block_type *type, uint8_t *b, int exponent, uint32_t (*random)(void))
{
    for (uint32_t i = 0; i < type->size; i++) b[i] = (uint8_t)(random() >> 7);
    if (type->number == 39) b[0] = (uint8_t)(exponent == -100 ? random() % 253 : 127 + exponent + random() % 2);
    for (int i = 0; i < 2 && type->halves[i] >= 0; i++) {
        uint8_t *half = b + type->halves[i];
        uint32_t high = exponent == -100 ? random() % 31 : (uint32_t)(15 + exponent) + random() % 2;
        half[1] = (uint8_t)((half[1] & 0x83u) | high << 2);
        if (exponent == -100 && random() % 8 == 0) memset(half, 0, 2);
        if (exponent == -100 && random() % 8 == 0) memcpy(half, "\377\173", 2); // 65504
    }
}

#endif
