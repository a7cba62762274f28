// Keys and values as the cache keeps them: halves and blocks of bytes, against float64.
#include <math.h>

#include "base/half.h"
#include "cache_read.h"
#include "check.h"
#include "model/cache_row.h"
#include "tiny_model.h"

#define WIDTH 96u

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The half nearest to `value` by a search through all halves, ties to the even half; NaN where that is an infinity.
static uint16_t nearest_half(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (!(size < 65520)) return sign | 0x7e00;
    uint32_t low = 0, high = 0x7bff; // the largest half at or below `size` lies between
    while (low < high) {
        uint32_t middle = (low + high + 1) / 2;
        if (tiny_from_half((uint16_t)middle) <= size)
            low = middle;
        else
            high = middle - 1;
    }
    double below = size - tiny_from_half((uint16_t)low);
    double next = low < 0x7bff ? tiny_from_half((uint16_t)(low + 1)) : 65536, above = next - size;
    return sign | (uint16_t)(above < below || (above == below && low % 2) ? low + 1 : low);
}

static void test_halves_are_rounded_to_the_nearest(void)
{
    for (uint32_t half = 0; half < 0x7c00; half++) {
        // Each half, the tie with its neighbour, and the floats beside the tie.
        double here = tiny_from_half((uint16_t)half),
               next = half < 0x7bff ? tiny_from_half((uint16_t)(half + 1)) : 65536;
        float tie = (float)((here + next) / 2);
        const float cases[] = {(float)here, tie, nextafterf(tie, 0), nextafterf(tie, INFINITY)};
        for (int i = 0; i < 8; i++) {
            float value = i < 4 ? cases[i] : -cases[i - 4];
            CHECK_EQ(li_half_from_float(value), nearest_half((double)value));
        }
    }
    for (uint32_t i = 0; i < 100000; i++) {
        float value = float_of(tiny_random() << 8 ^ tiny_random());
        CHECK(li_half_from_float(value) == nearest_half((double)value) || isnan(value));
    }
    CHECK_EQ(li_half_from_float(float_of(1)), 0);
    CHECK_EQ(li_half_from_float(-0.0f), 0x8000);
    const float beyond[] = {65520.0f, 1e30f, INFINITY, NAN};
    for (int i = 0; i < 4; i++) CHECK_EQ(li_half_from_float(beyond[i]) & 0x7fff, 0x7e00);
    CHECK_EQ(li_half_from_float(65519.0f), 0x7bff);
}

static float numbers[WIDTH], back[WIDTH];
static _Alignas(16) uint8_t row[4 * WIDTH];

// Reads `count` numbers of the row into `back`. Both ways to widen a row must give the same numbers.
static void read_back(li_cache_type type, uint32_t count, bool has_nan)
{
    static float wide[WIDTH];
    cache_read(type, row, back, count);
    for (int way = has_nan; way < 2 && type != LI_CACHE_Q8_0; way++) {
        CHECK_CASE("way %d", way);
        li_cache_row_widen(type, row, wide, count, way);
        for (uint32_t i = 0; i < count; i++) {
            float number = type == LI_CACHE_F16 ? wide[i] * 0x1p112f : wide[i];
            CHECK(number == back[i] || (isnan(number) && isnan(back[i])));
        }
    }
}

static void fill(float scale)
{
    for (uint32_t i = 0; i < WIDTH; i++) numbers[i] = scale * ((float)tiny_random() * 0x1p-23f - 1);
}

static void test_rows_keep_their_numbers(void)
{
    static const float scales[] = {1, 1e-3f, 100, 3e-6f};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        CHECK_CASE("scale %g", (double)scales[s]);
        for (uint32_t count = 1; count <= WIDTH; count++) {
            fill(scales[s]);
            li_cache_row_write(LI_CACHE_F32, row, numbers, count);
            read_back(LI_CACHE_F32, count, false);
            CHECK_BYTES(numbers, back, count * sizeof(float));
            CHECK_EQ(li_cache_row_size(LI_CACHE_F16, count), 2 * count);
            CHECK(li_cache_row_write(LI_CACHE_F16, row, numbers, count));
            read_back(LI_CACHE_F16, count, false);
            for (uint32_t i = 0; i < count; i++)
                CHECK_EQ((double)back[i], tiny_from_half(nearest_half((double)numbers[i])));
        }
        for (uint32_t count = 32; count <= WIDTH; count += 32) {
            fill(scales[s]);
            CHECK_EQ(li_cache_row_size(LI_CACHE_Q8_0, count), count / 32 * 34);
            CHECK(li_cache_row_write(LI_CACHE_Q8_0, row, numbers, count));
            read_back(LI_CACHE_Q8_0, count, false);
            for (uint32_t i = 0; i < count; i++) {
                double most = 0;
                for (uint32_t j = i / 32 * 32; j < i / 32 * 32 + 32; j++) most = fmax(most, fabs((double)numbers[j]));
                // Half a step, and what rounding the scale adds: it moves the largest by 127 times 2^-12 of a step, or
                // 2^-25.
                double step = most / 127, slack = 127 * fmax(step * 0x1p-11, 0x1p-25);
                CHECK_NEAR((double)back[i], (double)numbers[i], step / 2 + slack);
            }
        }
    }
}

static void test_numbers_beyond_halves_become_nan(void)
{
    const float beyond[] = {70000, -70000, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        CHECK_CASE("number %g", (double)beyond[i]);
        for (uint32_t place = 0; place < 37; place++) {
            fill(1);
            numbers[place] = beyond[i];
            CHECK(!li_cache_row_write(LI_CACHE_F16, row, numbers, 37));
            read_back(LI_CACHE_F16, 37, true);
            for (uint32_t j = 0; j < 37; j++) CHECK_EQ(isnan(back[j]), j == place);
        }
        fill(1);
        numbers[40] = i < 2 ? 1e7f * beyond[i] : beyond[i]; // its block's scale is beyond halves
        CHECK(!li_cache_row_write(LI_CACHE_Q8_0, row, numbers, WIDTH));
        read_back(LI_CACHE_Q8_0, WIDTH, true);
        for (uint32_t j = 0; j < WIDTH; j++) CHECK_EQ(isnan(back[j]), j / 32 == 1);
    }
}

static void test_zeros_stay_zeros(void)
{
    memset(numbers, 0, sizeof numbers);
    for (li_cache_type type = LI_CACHE_F32; type <= LI_CACHE_Q8_0; type++) {
        CHECK_CASE("type %d", type);
        memset(row, 0xff, sizeof row);
        li_cache_row_write(type, row, numbers, WIDTH);
        read_back(type, WIDTH, false);
        for (uint32_t i = 0; i < WIDTH; i++) CHECK_EQ(back[i], 0);
    }
}

int main(void)
{
    test_halves_are_rounded_to_the_nearest();
    test_rows_keep_their_numbers();
    test_numbers_beyond_halves_become_nan();
    test_zeros_stay_zeros();
    return check_done("cache_row");
}
