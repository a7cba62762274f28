// Cursors, stored as the words of terms.
#include "grammar/numbers/number_cursor.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/terms/term.h"

enum { IS_SCIENTIFIC = 16, IS_NEGATIVE = 32, IS_POWER_NEGATIVE = 64, ENDS_IN_ZERO = 128 };

void li_cursor_load(li_grammar *grammar, li_term term, li_cursor *cursor)
{
    LI_ASSERT(li_term_kind(grammar, term) == LI_KIND_NUMBER);
    LI_ASSERT(li_term_words(grammar, term)[LI_CURSOR_RANGE] < grammar->numbers->range_count);
    struct li_numbers *numbers = grammar->numbers;
    const uint32_t *words = li_term_words(grammar, term);
    uint32_t phase = words[LI_CURSOR_PHASE];
    const li_range *range = numbers->ranges[words[LI_CURSOR_RANGE]];
    *cursor =
        (li_cursor){.range = range, .phase = phase & 15, .residues = numbers->residues, .pin = words[LI_CURSOR_PIN]};
    cursor->is_scientific = phase & IS_SCIENTIFIC;
    cursor->is_negative = phase & IS_NEGATIVE;
    cursor->ends_in_zero = phase & ENDS_IN_ZERO;
    cursor->side = &range->sides[cursor->is_negative];
    if (cursor->phase >= LI_NUMBER_EXPONENT) {
        cursor->is_power_negative = phase & IS_POWER_NEGATIVE;
        cursor->least = (int32_t)words[LI_CURSOR_A];
        cursor->most = (int32_t)words[LI_CURSOR_B];
        cursor->power = words[LI_CURSOR_C];
        cursor->power_digits = words[LI_CURSOR_D];
        return;
    }
    cursor->read = words[LI_CURSOR_A];
    cursor->significant = words[LI_CURSOR_B];
    if (cursor->is_scientific) {
        cursor->least = (int32_t)words[LI_CURSOR_C];
        cursor->most = (int32_t)words[LI_CURSOR_D];
    } else {
        cursor->need = words[LI_CURSOR_C];
        cursor->room = words[LI_CURSOR_D];
    }
    if (li_term_length(grammar, term) > LI_CURSOR_RESIDUES)
        memcpy(cursor->residues, words + LI_CURSOR_RESIDUES, range->residue_words * sizeof *words);
}

li_term li_cursor_store(li_grammar *grammar, const li_cursor *cursor, bool is_nullable)
{
    LI_ASSERT(cursor->pin == LI_NO_PIN || cursor->pin < cursor->side->special_count);
    LI_ASSERT(cursor->phase <= LI_NUMBER_POWER && cursor->side == &cursor->range->sides[cursor->is_negative]);
    LI_ASSERT(cursor->range->residue_words <= grammar->numbers->residue_room);
    uint32_t *words = grammar->numbers->words, count = LI_CURSOR_RESIDUES;
    uint32_t phase = (uint32_t)cursor->phase | (cursor->is_scientific ? IS_SCIENTIFIC : 0) |
                     (cursor->is_negative ? IS_NEGATIVE : 0) | (cursor->is_power_negative ? IS_POWER_NEGATIVE : 0) |
                     (cursor->ends_in_zero ? ENDS_IN_ZERO : 0);
    words[LI_CURSOR_RANGE] = cursor->range->id;
    words[LI_CURSOR_PHASE] = phase;
    words[LI_CURSOR_PIN] = cursor->pin;
    if (cursor->phase >= LI_NUMBER_EXPONENT) {
        words[LI_CURSOR_A] = (uint32_t)cursor->least;
        words[LI_CURSOR_B] = (uint32_t)cursor->most;
        words[LI_CURSOR_C] = cursor->power;
        words[LI_CURSOR_D] = cursor->power_digits;
    } else {
        words[LI_CURSOR_A] = cursor->read;
        words[LI_CURSOR_B] = cursor->significant;
        words[LI_CURSOR_C] = cursor->is_scientific ? (uint32_t)cursor->least : cursor->need;
        words[LI_CURSOR_D] = cursor->is_scientific ? (uint32_t)cursor->most : cursor->room;
        if (cursor->pin == LI_NO_PIN && cursor->phase >= LI_NUMBER_WHOLE) {
            count += cursor->range->residue_words;
            memcpy(words + LI_CURSOR_RESIDUES, cursor->residues, cursor->range->residue_words * sizeof *words);
        }
    }
    // 3.5e1 is an integer, but a model that begins with 3.5 does not mean an integer. The matcher reads this spelling;
    // masks do not propose it.
    bool is_odd = cursor->is_scientific && cursor->phase == LI_NUMBER_FRACTION && cursor->range->lattice_count &&
                  cursor->range->lattices[0].exponent >= 0;
    uint32_t flags =
        LI_FLAG_REGULAR | LI_FLAG_TEXT | (is_nullable ? LI_FLAG_NULLABLE : 0) | (is_odd ? LI_FLAG_OVERRUN : 0);
    return li_term_intern(grammar, LI_KIND_NUMBER, flags, words, count);
}
