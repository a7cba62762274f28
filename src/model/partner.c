#include "model/partner.h"

#ifndef LI_THREADS

#include <string.h>

#include "base/memory.h"

// A message is a sequence of orders: a head of words, and a body. Each order begins at a multiple of four bytes.
typedef enum kind { MAKE, PACK, CHECK, GET_ROW, MULTIPLY } kind;

typedef struct head {
    uint32_t kind;
    uint32_t body_size; // bytes
    uint32_t number;    // of the matrix; MULTIPLY: of matrices
    uint32_t row;       // the first row; MAKE: the type
    uint32_t rows;      // MULTIPLY: of the input
    uint32_t columns;
    struct {
        uint32_t number, rows; // the first rows
    } factors[LI_PRODUCTS_MOST];
} head;

// ---- the line ----------------------------------------------------------------------------------------

#ifdef LI_PARTNER
#define IMPORT(name) __attribute__((import_module("env"), import_name(#name))) extern
IMPORT(li_partner_post) void li_partner_post(const void *, uint32_t, const void *, uint32_t, uint32_t);
IMPORT(li_partner_wait) uint32_t li_partner_wait(void);
IMPORT(li_partner_take) void li_partner_take(void *, uint32_t);
#else
li_partner_line li_partner_test_line;
#define li_partner_post li_partner_test_line.post
#define li_partner_wait li_partner_test_line.wait
#define li_partner_take li_partner_test_line.take
#endif

// ---- the side of the model ---------------------------------------------------------------------------

static uint32_t smallest_size = UINT32_MAX;
static uint32_t lent_matrices;
static bool is_lost;

void li_partner_use(uint32_t size)
{
    smallest_size = size;
}

static uint32_t bytes_of(const li_matrix *matrix, uint32_t rows)
{
    return rows * (uint32_t)li_weight_row_size(matrix->type, matrix->columns);
}

void li_partner_lend(li_matrix *matrix)
{
    const uint32_t tiles = matrix->rows / LI_TILE_ROWS;
    const bool is_large = matrix->rows * li_weight_row_size(matrix->type, matrix->columns) >= smallest_size;
    if (smallest_size == UINT32_MAX || !is_large || tiles < 2 || matrix->is_looked_up) return;
    matrix->lent_rows = matrix->rows - (tiles + 1) / 2 * LI_TILE_ROWS;
    matrix->lent_number = lent_matrices++;
    const head order = {.kind = MAKE,
                        .number = matrix->lent_number,
                        .row = matrix->type,
                        .rows = matrix->lent_rows,
                        .columns = matrix->columns};
    li_partner_post(&order, sizeof order, NULL, 0, false);
}

void li_partner_pack(const li_matrix *matrix, uint32_t row, uint32_t count, const uint8_t *raw)
{
    const uint32_t size = bytes_of(matrix, count);
    const head order = {.kind = PACK, .body_size = size, .number = matrix->lent_number, .row = row, .rows = count};
    li_partner_post(&order, sizeof order, raw, size, false);
}

static bool receive(void)
{
    if (!is_lost && !li_partner_wait()) is_lost = true;
    return !is_lost;
}

li_status li_partner_check(void)
{
    if (!lent_matrices) return LI_OK;
    const head order = {.kind = CHECK};
    li_partner_post(&order, sizeof order, NULL, 0, true);
    if (!receive()) return LI_ERROR_WORKER_FAILED;
    li_status status;
    li_partner_take(&status, sizeof status);
    return status;
}

void li_partner_get_row(const li_matrix *matrix, uint32_t row, float *out)
{
    const head order = {.kind = GET_ROW, .number = matrix->lent_number, .row = row};
    if (!is_lost) li_partner_post(&order, sizeof order, NULL, 0, true);
    if (receive())
        li_partner_take(out, matrix->columns * sizeof(float));
    else
        memset(out, 0, matrix->columns * sizeof(float));
}

bool li_partner_send(const li_product *products, uint32_t matrices, const li_input *input, uint32_t count)
{
    const uint32_t size = count * input->columns * (uint32_t)sizeof(float);
    head order = {.kind = MULTIPLY, .body_size = size, .rows = count, .columns = input->columns};
    for (uint32_t i = 0; i < matrices; i++) {
        const li_matrix *matrix = products[i].matrix;
        if (!matrix->lent_rows) continue;
        order.factors[order.number].number = matrix->lent_number;
        order.factors[order.number++].rows = matrix->lent_rows;
    }
    if (order.number && !is_lost) li_partner_post(&order, sizeof order, input->values, size, true);
    return order.number;
}

void li_partner_receive(const li_product *products, uint32_t matrices, uint32_t count)
{
    if (!receive()) return;
    for (uint32_t i = 0; i < matrices; i++) {
        const li_matrix *matrix = products[i].matrix;
        float *to = products[i].output + matrix->rows - matrix->lent_rows;
        for (uint32_t row = 0; row < count && matrix->lent_rows; row++, to += matrix->rows)
            li_partner_take(to, matrix->lent_rows * sizeof(float));
    }
}

bool li_partner_is_lost(void)
{
    return is_lost;
}

// ---- the side of the partner -------------------------------------------------------------------------

// A block of memory that grows, and does not keep its contents.
typedef struct room {
    uint8_t *bytes;
    size_t size;
} room;

static struct {
    li_matrix *matrices;
    uint32_t count, capacity;
    li_status status; // of all orders so far
    li_input input;
    uint32_t input_rows, input_columns;
    room message, answer;
} own;

static void *reserve(room *room, size_t size)
{
    if (size > room->size) {
        li_memory_free(room->bytes);
        room->bytes = li_memory_alloc(size);
        room->size = room->bytes ? size : 0;
    }
    return room->bytes;
}

void *li_partner_room(uint32_t size)
{
    return reserve(&own.message, size);
}

const void *li_partner_answer(void)
{
    return own.answer.bytes;
}

static bool make_matrix(const head *order)
{
    if (own.count == own.capacity) {
        const uint32_t capacity = own.capacity ? 2 * own.capacity : 64;
        li_matrix *more =
            li_memory_resize(own.matrices, own.capacity * sizeof(li_matrix), capacity * sizeof(li_matrix));
        if (!more) return false;
        own.matrices = more;
        own.capacity = capacity;
    }
    li_matrix *matrix = &own.matrices[own.count];
    *matrix =
        (li_matrix){.type = (li_weight_type)order->row, .rows = order->rows, .columns = order->columns, .tiles = NULL};
    if (!li_matrix_create(matrix)) return false;
    own.count++;
    return true;
}

// The rows of one message, without the head.
static bool fill_input(const head *order, const uint8_t *body)
{
    if (order->rows > own.input_rows || order->columns > own.input_columns) {
        if (order->rows > own.input_rows) own.input_rows = order->rows;
        if (order->columns > own.input_columns) own.input_columns = order->columns;
        li_input_destroy(&own.input);
        if (!li_input_create(&own.input, own.input_rows, own.input_columns)) {
            own.input_rows = own.input_columns = 0;
            return false;
        }
    }
    own.input.columns = order->columns;
    own.input.quantised_for = LI_WEIGHT_F32;
    memcpy(own.input.values, body, order->body_size);
    return true;
}

// Returns the bytes of the products, 0 without memory.
static uint32_t multiply(const head *order, const uint8_t *body)
{
    li_matrix matrices[LI_PRODUCTS_MOST];
    li_product products[LI_PRODUCTS_MOST];
    size_t numbers = 0;
    for (uint32_t i = 0; i < order->number; i++) {
        matrices[i] = own.matrices[order->factors[i].number];
        matrices[i].rows = order->factors[i].rows;
        numbers += (size_t)order->rows * matrices[i].rows;
    }
    float *output = reserve(&own.answer, numbers * sizeof(float));
    if (!output || !fill_input(order, body)) return 0;
    for (uint32_t i = 0; i < order->number; i++) {
        products[i] = (li_product){&matrices[i], output};
        output += (size_t)order->rows * matrices[i].rows;
    }
    li_matrices_multiply(products, order->number, &own.input, order->rows);
    return (uint32_t)(numbers * sizeof(float));
}

static uint32_t answer(const head *order, const uint8_t *body)
{
    if (order->kind == MULTIPLY) return multiply(order, body);
    const li_matrix *matrix = &own.matrices[order->number];
    const size_t size = order->kind == CHECK ? sizeof own.status : matrix->columns * sizeof(float);
    if (!reserve(&own.answer, size)) return 0;
    if (order->kind == CHECK)
        memcpy(own.answer.bytes, &own.status, sizeof own.status);
    else
        li_matrix_get_row(matrix, order->row, (float *)(void *)own.answer.bytes);
    return (uint32_t)size;
}

uint32_t li_partner_obey(uint32_t size)
{
    uint32_t answered = 0;
    for (uint32_t at = 0; at < size;) {
        head order;
        memcpy(&order, own.message.bytes + at, sizeof order);
        const uint8_t *body = own.message.bytes + at + sizeof order;
        if (order.kind == MAKE) {
            if (own.status == LI_OK && !make_matrix(&order)) own.status = LI_ERROR_OUT_OF_MEMORY;
        } else if (order.kind == PACK) {
            if (own.status == LI_OK && !li_matrix_pack(&own.matrices[order.number], order.row, order.rows, body))
                own.status = LI_ERROR_MODEL_WEIGHTS;
        } else
            answered = answer(&order, body);
        at += (uint32_t)sizeof order + (order.body_size + 3) / 4 * 4;
    }
    return answered;
}

#endif
