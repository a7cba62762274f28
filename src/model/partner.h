// A partner is an instance of this module in another thread, with a memory of its own. It has the last rows of the
// large matrices and multiplies them while this instance multiplies the others. The two exchange messages; no memory is
// shared. A sum is never divided between the two, so results are the same bits as without a partner.
//
// Without LI_PARTNER there is a partner only in tests, which define the line to it.
#ifndef LI_PARTNER_H
#define LI_PARTNER_H

#include "base/parallel.h"
#include "lastinch.h"
#include "model/multiply.h"

#ifndef LI_THREADS

// ---- the side of the model ---------------------------------------------------------------------------

// From now on li_matrix_create lends half of the rows of every matrix of at least `size` bytes to the partner.
// UINT32_MAX: of none, as at first.
void li_partner_use(uint32_t size);

// Sets lent_rows and lent_number of a matrix, and asks the partner for memory. Matrices that are looked up are never
// lent.
void li_partner_lend(li_matrix *matrix);
// li_matrix_pack of lent rows, of which `row` is the first row: counted from the first lent row.
void li_partner_pack(const li_matrix *matrix, uint32_t row, uint32_t count, const uint8_t *raw);
// Whether the partner has stored all rows that were packed.
li_status li_partner_check(void);
// li_matrix_get_row of a lent row, counted from the first lent row. The row is zeros if the partner is lost.
void li_partner_get_row(const li_matrix *matrix, uint32_t row, float *out);

// Begins the lent part of li_matrices_multiply. False: no rows are lent. Otherwise li_partner_receive must follow; it
// waits for the results and copies them to the outputs.
bool li_partner_send(const li_product *products, uint32_t matrices, const li_input *input, uint32_t count);
void li_partner_receive(const li_product *products, uint32_t matrices, uint32_t count);

// Whether the partner's thread has ended. Results since then are wrong.
bool li_partner_is_lost(void);

// ---- the side of the partner -------------------------------------------------------------------------

// Memory for a message of `size` bytes, valid until the next call. NULL: no memory.
void *li_partner_room(uint32_t size);
// Does what the message of `size` bytes in that memory says. Returns the size of the answer in bytes; 0: none.
uint32_t li_partner_obey(uint32_t size);
// The answer, valid until the next li_partner_obey.
const void *li_partner_answer(void);

// ---- the line between the two ------------------------------------------------------------------------

typedef struct li_partner_line {
    // Sends a message of two parts. Messages without an answer may wait for the next message that wants one.
    void (*post)(const void *head, uint32_t head_size, const void *body, uint32_t body_size, uint32_t wants_answer);
    uint32_t (*wait)(void);                // for an answer. 0: the partner is lost
    void (*take)(void *to, uint32_t size); // the next bytes of the answer
} li_partner_line;

#ifndef LI_PARTNER
extern li_partner_line li_partner_test_line;
#endif

#else
#define li_partner_lend(matrix)                      ((void)0)
#define li_partner_pack(matrix, row, count, raw)     ((void)0)
#define li_partner_check()                           LI_OK
#define li_partner_get_row(matrix, row, out)         ((void)0)
#define li_partner_send(products, count, input, row) false
#define li_partner_receive(products, count, row)     ((void)0)
#define li_partner_is_lost()                         false
#endif

// How a pass ended: with LI_ERROR_WORKER_FAILED if a helper or the partner is lost.
static inline li_status li_partner_pass_status(void)
{
    return li_parallel_has_lost_helper() || li_partner_is_lost() ? LI_ERROR_WORKER_FAILED : LI_OK;
}

#endif
