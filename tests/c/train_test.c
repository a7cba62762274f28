// The transformer that learns: its gradients are those of a reference in double, its steps AdamW's, its mistakes told.
#include "train_reference.h"

#include "base/random.h"
#include "check.h"

static const li_trainer_shape tiny = {
    .vocab_size = 7, .layers = 2, .dim = 16, .hidden = 12, .heads = 2, .context = 16, .batch = 2};

static li_trainer *begin(const li_trainer_shape *shape, uint64_t seed)
{
    li_status status;
    li_trainer *trainer = li_trainer_create(shape, seed, &status);
    CHECK_EQ(status, LI_OK);
    uint16_t text[400];
    for (uint32_t i = 0; i < 400; i++) text[i] = (uint16_t)(i * i % 7 % shape->vocab_size);
    CHECK_EQ(li_trainer_read(trainer, text, 400), LI_OK);
    return trainer;
}

static train_reference mirror(const li_trainer *trainer)
{
    train_reference reference = {trainer, malloc(trainer->weight_count * sizeof(double))};
    for (uint32_t i = 0; i < trainer->weight_count; i++) reference.values[i] = (double)trainer->values[i];
    return reference;
}

static void starts_of(const li_trainer *trainer, size_t *starts)
{
    for (uint32_t i = 0; i < trainer->shape.batch; i++)
        starts[i] = (size_t)(li_random_uniform(trainer->seed, 0, trainer->steps, LI_RANDOM_WINDOW, i) *
                             (double)(trainer->learned - trainer->shape.context));
}

// Central differences of the reference, for every weight.
static void test_gradients(const li_trainer_shape *shape)
{
    li_trainer *trainer = begin(shape, 5);
    // Away from the beginning, where norms are 1 and attention is nearly even.
    for (uint32_t i = 0; i < trainer->weight_count; i++)
        trainer->values[i] *= 1 + (float)li_random_uniform(9, 0, 0, LI_RANDOM_DRAW, i);
    train_reference reference = mirror(trainer);
    size_t starts[2];
    starts_of(trainer, starts);
    CHECK_NEAR(li_trainer_differentiate(trainer), reference_loss(&reference, starts), 1e-6);
    double largest = 0, worst = 0;
    for (uint32_t i = 0; i < trainer->weight_count; i++) {
        const double value = reference.values[i], step = 1e-5;
        reference.values[i] = value + step;
        const double above = reference_loss(&reference, starts);
        reference.values[i] = value - step;
        const double gradient = (above - reference_loss(&reference, starts)) / (2 * step);
        reference.values[i] = value;
        CHECK_CASE("weight %u", i);
        CHECK_NEAR((double)trainer->gradient_values[i], gradient, 1e-6 + 2e-5 * fabs(gradient));
        worst = fmax(worst, fabs((double)trainer->gradient_values[i] - gradient));
        largest = fmax(largest, fabs(gradient));
    }
    printf("%u gradients, the largest %.3g, the worst error %.2g\n", trainer->weight_count, largest, worst);
    CHECK(largest > 0.05);
    free(reference.values);
    li_trainer_destroy(trainer);
}

static void test_logits(void)
{
    li_trainer *trainer = begin(&tiny, 6);
    train_reference reference = mirror(trainer);
    double logits[16 * 7];
    reference_logits(&reference, trainer->text, logits);
    for (uint32_t count = 1; count <= 16; count++) {
        const float *row = li_trainer_logits(trainer, trainer->text, count);
        for (uint32_t i = 0; i < 7; i++) CHECK_NEAR((double)row[i], logits[(count - 1) * 7 + i], 2e-6);
    }
    free(reference.values);
    li_trainer_destroy(trainer);
}

// AdamW in double, by the paper's algorithm 2, with gradients of the trainer.
static void test_steps(void)
{
    li_trainer *trainer = begin(&tiny, 7);
    const uint32_t count = trainer->weight_count;
    train_reference reference = mirror(trainer);
    double *values = reference.values, *first = calloc(count, sizeof *first), *second = calloc(count, sizeof *second);
    uint32_t clipped = 0;
    for (uint32_t step = 1; step <= 20; step++) {
        const double rate = step < 10 ? 0.01 : 0.003;
        double norm = 0, loss;
        li_trainer_differentiate(trainer);
        float *gradients = malloc(count * sizeof *gradients);
        memcpy(gradients, trainer->gradient_values, count * sizeof *gradients);
        for (uint32_t i = 0; i < count; i++) norm += (double)gradients[i] * (double)gradients[i];
        norm = sqrt(norm);
        clipped += norm > 1;
        norm = fmax(1, norm);
        CHECK_EQ(li_trainer_step(trainer, rate, &loss), LI_OK);
        double worst = 0;
        for (uint32_t i = 0; i < count; i++) {
            const double g = (double)gradients[i] / norm;
            first[i] = 0.9 * first[i] + 0.1 * g;
            second[i] = 0.99 * second[i] + 0.01 * g * g;
            const double mean = first[i] / (1 - pow(0.9, step)), square = second[i] / (1 - pow(0.99, step));
            if (i < trainer->matrix_count) values[i] -= rate * 0.1 * values[i];
            values[i] -= rate * mean / (sqrt(square) + 1e-8);
            worst = fmax(worst, fabs(values[i] - (double)trainer->values[i]));
        }
        CHECK(worst < 1e-5);
        free(gradients);
    }
    CHECK(clipped > 0 && clipped < 20);
    free(first);
    free(second);
    free(values);
    li_trainer_destroy(trainer);
}

// A text that repeats is learnt by heart, also where it is held out; the same seed gives the same bits.
static void test_learning(void)
{
    li_trainer *trainers[2];
    double losses[2] = {0, 0}, before, after;
    for (uint32_t i = 0; i < 2; i++) {
        trainers[i] = begin(&tiny, 11);
        if (!i) CHECK_EQ(li_trainer_evaluate(trainers[i], 8, &before), LI_OK);
        for (uint32_t step = 0; step < 150; step++) CHECK_EQ(li_trainer_step(trainers[i], 0.01, &losses[i]), LI_OK);
        CHECK_EQ(li_trainer_evaluate(trainers[i], 8, &after), LI_OK);
    }
    CHECK_NEAR(before, log(7), 0.2);
    CHECK(after < 0.7 * before);
    CHECK(losses[0] == losses[1]);
    CHECK(!memcmp(trainers[0]->values, trainers[1]->values, trainers[0]->weight_count * sizeof(float)));
    for (uint32_t i = 0; i < 2; i++) li_trainer_destroy(trainers[i]);
}

// The same natively and as WebAssembly: the weights after 25 steps, by FNV-1a.
static void test_bits(void)
{
    li_trainer *trainer = begin(&tiny, 12);
    double loss;
    for (uint32_t step = 0; step < 25; step++) CHECK_EQ(li_trainer_step(trainer, 0.01, &loss), LI_OK);
    const uint8_t *bytes = (const uint8_t *)trainer->values;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < trainer->weight_count * sizeof(float); i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    CHECK_EQ(hash, 0x7d70aa600ca5e78fu);
    li_trainer_destroy(trainer);
}

// A softmax of large logits has no subnormal numbers, which would slow all that follows.
static void test_small_shares(void)
{
    static const uint16_t target = 0;
    float logits[8] = {0, -1, -40, -50, -80, -88, -120, -1e6f};
    const li_targets targets = {.rows = 1, .width = 8, .count = 8, .targets = &target, .factor = 1 / 1024.0f};
    CHECK_NEAR(li_cross_entropy(&targets, logits), log(1 + exp(-1)), 1e-6);
    CHECK(logits[1] > 0 && logits[2] > 0);
    for (uint32_t i = 3; i < 8; i++) CHECK(logits[i] == 0);
}

static void test_refusals(void)
{
    li_status status;
    const li_trainer_shape wrong[] = {{.vocab_size = 0}, {.vocab_size = 513}, {.layers = 9},   {.dim = 18},
                                      {.hidden = 10},    {.heads = 65},       {.context = 24}, {.batch = 257}};
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        li_trainer_shape shape = tiny;
        const uint32_t *from = &wrong[i].vocab_size;
        uint32_t *to = &shape.vocab_size;
        for (uint32_t field = 0; field < 7; field++)
            if (from[field] || (!i && !field)) to[field] = from[field];
        CHECK_CASE("shape %u", i);
        CHECK(!li_trainer_create(&shape, 1, &status));
        CHECK_EQ(status, LI_ERROR_BAD_ARGUMENT);
    }
    const li_trainer_shape large = {512, 8, 512, 2048, 64, 512, 1};
    CHECK(!li_trainer_create(&large, 1, &status));
    CHECK_EQ(status, LI_ERROR_OUT_OF_MEMORY);
    li_trainer *trainer = li_trainer_create(&tiny, 1, &status);
    double loss;
    uint16_t text[34] = {0};
    CHECK_EQ(li_trainer_step(trainer, 0.01, &loss), LI_ERROR_BAD_STATE);
    CHECK_EQ(li_trainer_evaluate(trainer, 1, &loss), LI_ERROR_BAD_STATE);
    CHECK_EQ(li_trainer_read(trainer, text, 33), LI_ERROR_BAD_ARGUMENT);
    text[33] = 7;
    CHECK_EQ(li_trainer_read(trainer, text, 34), LI_ERROR_BAD_ARGUMENT);
    text[33] = 6;
    CHECK_EQ(li_trainer_read(trainer, text, 34), LI_OK);
    CHECK_EQ(li_trainer_step(trainer, NAN, &loss), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_trainer_step(trainer, 11, &loss), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_trainer_step(trainer, 10, &loss), LI_OK);
    CHECK_EQ(li_trainer_evaluate(trainer, 0, &loss), LI_ERROR_BAD_ARGUMENT);
    CHECK(!li_trainer_logits(trainer, text, 0));
    CHECK(!li_trainer_logits(trainer, text, 17));
    text[0] = 7;
    CHECK(!li_trainer_logits(trainer, text, 1));
    li_trainer_destroy(trainer);
}

int main(void)
{
    test_gradients(&tiny);
    // Attention in several blocks of rows.
    const li_trainer_shape longer = {
        .vocab_size = 5, .layers = 1, .dim = 8, .hidden = 8, .heads = 2, .context = 48, .batch = 2};
    test_gradients(&longer);
    test_logits();
    test_steps();
    test_learning();
    test_bits();
    test_small_shares();
    test_refusals();
    return check_done("train");
}
