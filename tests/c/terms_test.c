// Flags of terms.
#include "base/memory.h"
#include "check.h"
#include "grammar/core/arena.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/term.h"

static li_grammar *make_grammar(void)
{
    li_grammar *grammar = li_memory_alloc(sizeof *grammar);
    grammar->fuel = UINT64_MAX;
    li_terms_create(grammar);
    return grammar;
}

static void test_a_byte_beyond_ascii_is_no_text(void)
{
    li_grammar *grammar = make_grammar();
    for (uint32_t byte = 0; byte < 256; byte++) {
        li_term one = li_byte_range(grammar, (uint8_t)byte, (uint8_t)byte);
        li_term more = li_byte_range(grammar, 0, (uint8_t)byte);
        CHECK(!!(li_term_flags(grammar, one) & LI_FLAG_TEXT) == (byte < 0x80));
        CHECK(!!(li_term_flags(grammar, more) & LI_FLAG_TEXT) == (byte < 0x80));
    }
    li_grammar_destroy(grammar);
}

int main(void)
{
    test_a_byte_beyond_ascii_is_no_text();
    return check_done("terms");
}
