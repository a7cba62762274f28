// SynthID's tournament (Dathathri et al., "Scalable watermarking for identifying large language model outputs", Nature
// 634, 2024), with two tokens in each match, in its vectorised form: layer after layer, a token's probability is
// multiplied by 1 + g - (sum of g * probability), where g is its bit of that layer. The token is then drawn with the
// seed's number. Over all keys and seeds the distribution is the unmarked one; not over all keys with one seed.
#include "base/assert.h"
#include "base/exp.h"
#include "decode/marks.h"

void li_watermark_weigh_synthid(const li_watermark *mark, li_funnel *funnel, const uint32_t context[4])
{
    LI_ASSERT(mark->depth <= 32);
    float *marked = funnel->value_store;
    uint32_t *bits = funnel->scratch.keys;
    double total = 0.0, ones = 0.0;
    for (uint32_t i = 0; i < funnel->length; i++) {
        uint32_t block[4] = {0};
        marked[i] = funnel->weights[i];
        if (marked[i] > 0.0f) li_watermark_block(mark, context, li_funnel_id(funnel, i), block);
        bits[i] = block[0];
        total += (double)marked[i];
        ones += (double)(bits[i] & 1) * (double)marked[i];
    }
    for (uint32_t layer = 0; layer < mark->depth; layer++) {
        // ones <= total, because rounding keeps the order of sums: no weight becomes negative.
        const double factors[2] = {1.0 - ones / total, 2.0 - ones / total};
        const uint32_t next = (layer + 1) % 32;
        total = ones = 0.0;
        // The sums of the next layer in the same pass, without a branch: bits of a key cannot be predicted.
        for (uint32_t i = 0; i < funnel->length; i++) {
            marked[i] = (float)((double)marked[i] * factors[bits[i] >> layer & 1]);
            total += (double)marked[i];
            ones += (double)(bits[i] >> next & 1) * (double)marked[i];
        }
    }
}

uint32_t li_watermark_layer_weight(const li_watermark *mark, uint32_t layer)
{
    LI_ASSERT(layer < mark->depth);
    const uint32_t steps = mark->depth - 1;
    return steps ? 10 - (18 * layer + steps) / (2 * steps) : 1;
}

typedef struct complex {
    double re, im;
} complex;

static complex times(complex a, complex b)
{
    return (complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static complex power(complex base, uint64_t exponent)
{
    complex result = {1.0, 0.0};
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) result = times(result, base);
        base = times(base, base);
    }
    return result;
}

// e^(i angle) for a small angle.
static complex turn(double angle)
{
    double square = angle * angle, cosine = 1.0, sine = 1.0;
    for (int k = 16; k >= 2; k -= 2) {
        cosine = 1.0 - square / (k * (k - 1)) * cosine;
        sine = 1.0 - square / (k * (k + 1)) * sine;
    }
    return (complex){cosine, angle * sine};
}

#define WEIGHTS 10

// The score of unmarked tokens times the sum of the weights: a sum of independent bits, `count[w - 1]` of which have
// the weight w.
typedef struct bits {
    double count[WEIGHTS];
    double most, deviation;
} bits;

// Shares of ones when each bit of weight w is e^(tilt w) times as likely to be 1 as 0. Returns the mean of the sum.
static double tilt_shares(const bits *sum, double tilt, double shares[WEIGHTS])
{
    double mean = 0.0;
    for (uint32_t w = 1; w <= WEIGHTS; w++) {
        shares[w - 1] = 1.0 / (1.0 + li_exp(-tilt * w));
        mean += sum->count[w - 1] * w * shares[w - 1];
    }
    return mean;
}

// Probability that the sum is at least `least`, above its mean: the exact distribution, by Fourier inversion. The
// distribution is tilted so that its mean is near `least`; then a small probability has as many digits as a large one.
// With K nodes the result also has what lies K further up, and down with the factor e^(-tilt K): K makes both vanish.
static double upper_tail(const bits *sum, double least)
{
    double low = 1.0 / sum->deviation, high = 40.0, shares[WEIGHTS];
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2.0;
        if (tilt_shares(sum, middle, shares) < least)
            low = middle;
        else
            high = middle;
    }
    const double tilt = low, step = li_exp(-tilt);
    tilt_shares(sum, tilt, shares);
    double log_scale = -tilt * least;
    for (uint32_t w = 1; w <= WEIGHTS; w++)
        log_scale += sum->count[w - 1] * (tilt * w + li_log(1.0 + li_exp(-tilt * w)) - 0.69314718055994530942);
    const uint64_t half = (uint64_t)(20.0 / tilt + 10.0 * sum->deviation) + 40;
    const complex first = turn(3.14159265358979323846 * 2.0 / (double)(2 * half + 1));
    const complex back = power((complex){first.re, -first.im}, (uint64_t)least);
    complex node = {1.0, 0.0}, shift = node;
    double result = 0.0;
    for (uint64_t k = 0; k <= half; k++) {
        complex value = shift, raised = node;
        // Most nodes are soon as good as 0.
        for (uint32_t w = 0; w < WEIGHTS && value.re * value.re + value.im * value.im > 1e-40; w++) {
            complex bit = {1.0 - shares[w] + shares[w] * raised.re, shares[w] * raised.im};
            value = times(value, power(bit, (uint64_t)sum->count[w]));
            raised = times(raised, node);
        }
        // The geometric series of e^(-tilt - i angle).
        double re = 1.0 - step * node.re, im = step * node.im;
        double term = (value.re * re + value.im * im) / (re * re + im * im);
        result += k ? 2.0 * term : term;
        node = times(node, first);
        shift = times(shift, back);
    }
    result *= li_exp(log_scale) / (double)(2 * half + 1);
    return result < 0.0 ? 0.0 : result < 1.0 ? result : 1.0;
}

double li_watermark_tail_synthid(const li_watermark *mark, double total, uint32_t count)
{
    bits sum = {{0}, 0.0, 0.0};
    double variance = 0.0, weights = 0.0;
    for (uint32_t layer = 0; layer < mark->depth; layer++) {
        uint32_t weight = li_watermark_layer_weight(mark, layer);
        sum.count[weight - 1] += (double)count;
        weights += (double)weight;
        variance += (double)(weight * weight) * (double)count / 4.0;
    }
    sum.most = weights * (double)count;
    const double least = (double)(uint64_t)(total * weights + 0.5);
    if (least <= 0.0) return 1.0;
    if (least > sum.most) return 0.0;
    // A square root by Newton's method, from above.
    sum.deviation = 1.0 + variance;
    for (int i = 0; i < 60; i++) sum.deviation = (sum.deviation + variance / sum.deviation) / 2.0;
    if (2.0 * least > sum.most) return upper_tail(&sum, least);
    // The distribution is symmetric.
    const double mirrored = sum.most - least + 1.0;
    return mirrored > sum.most ? 1.0 : 1.0 - upper_tail(&sum, mirrored);
}
