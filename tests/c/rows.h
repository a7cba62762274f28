// Rows of logits of many shapes, and helpers to set up samplers.
#ifndef ROWS_H
#define ROWS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lastinch.h"

#include "base/random.h"

static inline double uniform(uint32_t step)
{
    return li_random_uniform(99, 0, step, LI_RANDOM_DRAW, 7);
}

static inline double normal(uint32_t step)
{
    return sqrt(-2.0 * log(1.0 - uniform(2 * step))) * cos(6.283185307179586 * uniform(2 * step + 1));
}

// The chi-square value that a table with these degrees of freedom exceeds by chance about once in a thousand times.
static inline double chi_square_limit(double degrees)
{
    return degrees + 3.09 * sqrt(2.0 * degrees) + 6.0;
}

typedef enum row_kind {
    PEAKED,
    FLAT,
    BIMODAL,
    TIED,
    ALL_EQUAL,
    REALISTIC,
    ASCENDING,
    MASKED,
    HUGE_RANGE,
    HUGE_EQUAL,
    HUGE_TIED,
    NEAR_LIMITS,
    SUBNORMAL,
    ROW_KINDS
} row_kind;

static inline void fill(float *row, uint32_t vocab_size, row_kind kind, uint32_t salt)
{
    for (uint32_t id = 0; id < vocab_size; id++) {
        uint32_t n = salt * 7919u + id;
        switch (kind) {
        case PEAKED:
            row[id] = (float)(normal(n) - (id == vocab_size / 3 ? -25.0 : 0.0));
            break;
        case FLAT:
            row[id] = (float)normal(n);
            break;
        case BIMODAL:
            row[id] = (float)(normal(n) * 0.5 + (uniform(n) < 0.1 ? 6.0 : -6.0));
            break;
        case TIED:
            row[id] = (float)(floor(normal(n) * 2.0) / 2.0);
            break;
        case ALL_EQUAL:
            row[id] = -0.0f * (float)(id & 1);
            break;
        case REALISTIC:
            row[id] = (float)(uniform(n) < 300.0 / vocab_size ? 6.0 + 3.0 * normal(n) : -2.0 + 2.2 * normal(n));
            break;
        case ASCENDING:
            row[id] = (float)id / (float)vocab_size * 20.0f - 10.0f;
            break;
        case MASKED:
            row[id] = uniform(n) < 0.5 ? (uniform(n) < 0.25 ? -3.4e38f : -INFINITY) : (float)normal(n);
            break;
        case HUGE_RANGE:
            row[id] = (float)(normal(n) * 1e4);
            break;
        case HUGE_EQUAL: // so large that a float64 has no room for the logarithm of a probability
            row[id] = (salt & 1 ? -1.0f : 1.0f) * (salt % 3 ? 1e20f : 1e29f);
            break;
        case HUGE_TIED: // a few neighbouring floats
            row[id] = (float)((1.0 + floor(uniform(n) * 3.0) * 0x1p-23) * (salt & 1 ? -0x1p60 : 0x1p40));
            break;
        case NEAR_LIMITS:
            row[id] = uniform(n) < 0.3   ? 3.4028234e38f * (float)uniform(n + 1)
                      : uniform(n) < 0.6 ? -9.99e29f * (float)uniform(n + 2)
                                         : (float)normal(n);
            break;
        case SUBNORMAL:
            row[id] = (float)(floor(normal(n) * 4.0) * 0x1p-149);
            break;
        case ROW_KINDS:
            break;
        }
    }
}

static inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline li_options *options_of(li_sampler *sampler)
{
    return (li_options *)li_sampler_options(sampler);
}

// The default order is the order of the enum.
enum { ORDER = LI_STAGE_COUNT - 1 };
_Static_assert(ORDER == 25, "the list names every stage");
static const uint32_t default_order[ORDER] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                              14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25};

#define STAGES(...) (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

#endif
