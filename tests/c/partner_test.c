// Models that lend rows to a partner, here in the same memory: the same bits as alone, and what is refused or lost.
#include "model/partner.h"
#include "tiny_model.h"

static const tiny_shape shapes[] = {
    {50, 32, 64, 2, 4, 2, 64, 0, 0, false, false, F32, F32, F32},
    {70, 64, 96, 2, 4, 2, 64, 0, 0, true, true, Q8_0, F16, F16},
    {45, 64, 64, 2, 4, 4, 64, 0, 0, false, false, Q4_0, F32, F32},
};
#define SHAPES (sizeof shapes / sizeof *shapes)

static const uint32_t text[] = {1, 44, 9, 2, 7, 33};
#define TOKENS (sizeof text / sizeof *text)

// ---- the line ----------------------------------------------------------------------------------------

static uint8_t orders[1 << 20];
static uint32_t order_size, answer_size, taken, exchanges;
static bool is_partner_there = true;

static void add(const void *bytes, uint32_t size)
{
    CHECK(order_size + size <= sizeof orders);
    if (size) memcpy(orders + order_size, bytes, size);
    order_size += (size + 3) / 4 * 4;
}

static void post(const void *head, uint32_t head_size, const void *body, uint32_t body_size, uint32_t wants_answer)
{
    add(head, head_size);
    add(body, body_size);
    if (!wants_answer) return;
    CHECK(taken == answer_size); // of the answer before
    taken = 0;
    exchanges++;
    li_partner_use(UINT32_MAX); // the partner lends nothing itself
    memcpy(li_partner_room(order_size), orders, order_size);
    answer_size = li_partner_obey(order_size);
    CHECK(answer_size > 0);
    li_partner_use(0);
    order_size = 0;
}

static uint32_t wait_for_answer(void)
{
    return is_partner_there;
}

static void take(void *to, uint32_t size)
{
    CHECK(taken + size <= answer_size);
    memcpy(to, (const uint8_t *)li_partner_answer() + taken, size);
    taken += size;
}

// ---- models ------------------------------------------------------------------------------------------

// The logits (TOKENS, vocab) of a prompt, then those of its tokens one by one.
static void run(li_model *model, float *logits, uint32_t vocab)
{
    CHECK(tiny_forward(model, 0, text, TOKENS, true) == LI_OK);
    memcpy(logits, li_model_logits(model), TOKENS * vocab * sizeof(float));
    for (size_t i = 0; i < TOKENS; i++) {
        CHECK(tiny_forward(model, 1, text + i, 1, true) == LI_OK);
        memcpy(logits + (TOKENS + i) * vocab, li_model_logits(model), vocab * sizeof(float));
    }
}

static void test_same_bits(void)
{
    static float alone[2 * TOKENS * 70], together[2 * TOKENS * 70];
    for (size_t i = 0; i < SHAPES; i++) {
        const uint32_t vocab = shapes[i].vocab;
        tiny_model tiny;
        tiny_make(&tiny, &shapes[i]);
        li_partner_use(UINT32_MAX);
        li_model *model = tiny_load(&tiny, 0, 2, 1000);
        const uint32_t before = exchanges;
        run(model, alone, vocab);
        li_model_destroy(model);
        CHECK(exchanges == before);

        exchanges = 0;
        li_partner_use(0);
        model = tiny_load(&tiny, 0, 2, 333);
        CHECK(exchanges == 1); // whether all rows have arrived
        run(model, together, vocab);
        CHECK(memcmp(alone, together, 2 * TOKENS * vocab * sizeof(float)) == 0);
        // At most four products a layer, the logits and the embedding, in each of 1 + TOKENS passes.
        CHECK(exchanges > 2 * (1 + TOKENS) && exchanges <= 1 + (1 + TOKENS) * (4 * 2 + 1) + 2 * TOKENS);
        li_model_destroy(model);
        tiny_free(&tiny);
    }
}

static void test_half_of_the_rows(void)
{
    for (uint32_t rows = 1; rows < 100; rows++) {
        li_matrix matrix = {.type = LI_WEIGHT_F32, .rows = rows, .columns = 4};
        const uint64_t whole = li_matrix_size(&matrix);
        li_partner_lend(&matrix);
        const uint32_t kept = rows - matrix.lent_rows;
        CHECK(kept % LI_TILE_ROWS == 0 || !matrix.lent_rows);
        CHECK((rows >= 2 * LI_TILE_ROWS) == (matrix.lent_rows > 0));
        CHECK(!matrix.lent_rows || (kept + LI_TILE_ROWS >= rows / 2 && kept <= rows / 2 + LI_TILE_ROWS));
        CHECK(li_matrix_size(&matrix) <= whole);
        const li_matrix first = li_matrix_first_rows(&matrix, kept);
        CHECK(first.rows == kept && first.lent_rows == 0);
        const li_matrix all = li_matrix_first_rows(&matrix, rows);
        CHECK(all.rows == rows && all.lent_rows == matrix.lent_rows);
    }
    li_partner_use(1000);
    li_matrix small = {.type = LI_WEIGHT_F32, .rows = 62, .columns = 4};
    li_partner_lend(&small);
    CHECK(small.lent_rows == 0);
    small.rows = 63;
    li_partner_lend(&small);
    CHECK(small.lent_rows > 0);
    small = (li_matrix){.type = LI_WEIGHT_F32, .rows = 63, .columns = 4, .is_looked_up = true};
    li_partner_lend(&small);
    CHECK(small.lent_rows == 0);
    li_partner_use(0);
}

static void test_a_lost_partner(li_model *model)
{
    is_partner_there = false;
    CHECK(tiny_forward(model, 0, text, TOKENS, true) == LI_ERROR_WORKER_FAILED);
    const uint32_t before = exchanges;
    CHECK(tiny_forward(model, 1, text, TOKENS, true) == LI_ERROR_WORKER_FAILED);
    CHECK(exchanges == before);
    CHECK(li_partner_is_lost());
    li_model_destroy(model);
}

static void test_weights_that_are_not_finite(void)
{
    li_matrix matrix = {.type = LI_WEIGHT_F32, .rows = 2 * LI_TILE_ROWS, .columns = 1};
    static float rows[LI_TILE_ROWS];
    CHECK(li_matrix_create(&matrix));
    CHECK(li_matrix_pack(&matrix, 0, LI_TILE_ROWS, (const uint8_t *)rows));
    CHECK(li_matrix_pack(&matrix, LI_TILE_ROWS, LI_TILE_ROWS, (const uint8_t *)rows));
    CHECK(li_partner_check() == LI_OK);
    rows[3] = __builtin_inff();
    CHECK(li_matrix_pack(&matrix, LI_TILE_ROWS, LI_TILE_ROWS, (const uint8_t *)rows));
    CHECK(li_partner_check() == LI_ERROR_MODEL_WEIGHTS);
    li_matrix_destroy(&matrix);
}

int main(void)
{
    li_partner_test_line = (li_partner_line){post, wait_for_answer, take};
    test_same_bits();
    test_half_of_the_rows();
    // A partner that has refused weights, or is lost, stays so.
    tiny_model tiny;
    tiny_make(&tiny, &shapes[0]);
    li_model *model = tiny_load(&tiny, 0, 2, 1000);
    test_weights_that_are_not_finite();
    test_a_lost_partner(model);
    tiny_free(&tiny);
    return check_done("partner");
}
