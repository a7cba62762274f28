// What the kernels on a GPU do (web/sampler/gpu), in plain C: the part of a row.
#ifndef PART_KERNELS_H
#define PART_KERNELS_H

#include <stdbool.h>
#include <string.h>

#include "lastinch.h"

#define MASKED_KEY (~0xf149f2cau) // of -1e30

static inline uint32_t kernel_key(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits == 0x80000000u) bits = 0;
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static inline bool kernel_is_strange(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x7fffffffu) > 0x7f800000u || bits == 0x7f800000u;
}

// The number in 2^-16, by integers alone.
static inline int32_t kernel_fixed(uint32_t key)
{
    uint32_t bits = key & 0x80000000u ? key ^ 0x80000000u : ~key, exponent = bits >> 23 & 255;
    int32_t size = (int32_t)((bits & 0x7fffffu) | 0x800000u);
    if (exponent > 140)
        size = 1 << 30;
    else if (exponent >= 134)
        size <<= exponent - 134;
    else
        size = 134 - exponent > 23 ? 0 : size >> (134 - exponent);
    return bits & 0x80000000u ? -size : size;
}

static inline uint32_t kernel_bin(uint32_t peak, uint32_t key, uint32_t *rest)
{
    uint32_t distance = (uint32_t)kernel_fixed(peak) - (uint32_t)kernel_fixed(key), bin, inside;
    if (distance < 524288) { // 8 logits in bins of 1/32
        bin = distance / 2048;
        inside = distance % 2048;
    } else if (distance < 1572864) { // 16 in bins of 1/8
        bin = 256 + (distance - 524288) / 8192;
        inside = (distance - 524288) % 8192 / 4;
    } else if (distance < 3670016) { // 32 in bins of 1/2
        bin = 384 + (distance - 1572864) / 32768;
        inside = (distance - 1572864) % 32768 / 16;
    } else { // in bins of 4
        bin = 448 + (distance - 3670016) / 262144;
        inside = (distance - 3670016) % 262144 / 128;
    }
    if (bin > 510) {
        bin = 511;
        inside = 0;
    }
    *rest = inside;
    return bin;
}

static inline bool kernel_counts(const uint32_t *mask, uint32_t id, float value)
{
    return !(mask && !(mask[id / 32] >> id % 32 & 1)) && !kernel_is_strange(value) && kernel_key(value) > MASKED_KEY;
}

// row (size: tokenCount); mask (or NULL): a bit for each token.
static inline void kernels_run(const float *row, uint32_t size, const uint32_t *mask, li_part *part)
{
    uint32_t kept = 0, rest;
    memset(part, 0, sizeof *part);
    for (uint32_t id = 0; id < size; id++) {
        if (mask && !(mask[id / 32] >> id % 32 & 1)) continue;
        part->strange += kernel_is_strange(row[id]);
        if (kernel_counts(mask, id, row[id]) && kernel_key(row[id]) > part->peak) part->peak = kernel_key(row[id]);
    }
    for (uint32_t id = 0; id < size; id++) {
        if (!kernel_counts(mask, id, row[id])) continue;
        uint32_t bin = kernel_bin(part->peak, kernel_key(row[id]), &rest);
        part->counts[bin]++;
        part->rests[bin] += rest;
    }
    while (part->bins < LI_PART_BINS && kept + part->counts[part->bins] <= LI_PART_TOKENS)
        kept += part->counts[part->bins++];
    for (uint32_t id = size; id-- > 0;) { // a GPU has no order either
        uint32_t key = kernel_key(row[id]);
        if (!kernel_counts(mask, id, row[id])) continue;
        if (kernel_bin(part->peak, key, &rest) >= part->bins) {
            if (key > part->left_out) part->left_out = key;
            continue;
        }
        part->tokens[part->count][0] = id;
        memcpy(&part->tokens[part->count++][1], &row[id], sizeof *row);
    }
}

#endif
