// A cursor: how far a number of a range has been read. The terms of LI_KIND_NUMBER hold it as words.
#ifndef LI_NUMBER_CURSOR_H
#define LI_NUMBER_CURSOR_H

#include "grammar/numbers/number_range.h"

typedef enum li_number_phase {
    LI_NUMBER_START,    // nothing read
    LI_NUMBER_SIGNED,   // a minus sign
    LI_NUMBER_WHOLE,    // digits before the point; scientific: one digit
    LI_NUMBER_FRACTION, // the point and maybe digits
    LI_NUMBER_EXPONENT, // e
    LI_NUMBER_POWER,    // e and its sign and maybe digits
} li_number_phase;

#define LI_NO_PIN UINT32_MAX

// What a state keeps of the digits read. A pinned cursor keeps a special number that begins with these digits. Any
// other cursor keeps how many digits the bounds require and allow, and the remainders (residues) of the digits. A
// residue with all bits set: no further digits make the number a multiple.
typedef struct li_cursor {
    const li_range *range;
    const li_side *side;
    li_number_phase phase;
    bool is_scientific, is_negative;
    bool ends_in_zero;    // canonical: the fraction is empty or ends in zero, so another digit must come
    uint32_t pin;         // index of a special; EXPONENT, POWER: of a special with the same digits
    uint32_t read;        // digits; plain and not pinned: of the fraction
    uint32_t need, room;  // plain and not pinned: digits that must and may still come before the point
    uint32_t significant; // scientific: digits up to the last that is not zero; 0 without lattices
    int32_t least, most;  // exponents; POWER: without their sign
    uint32_t power, power_digits;
    bool is_power_negative;
    uint32_t *residues; // plain: of the digits without zeros below the lattice; scientific: of `significant` digits
} li_cursor;

// The words of such a term, in this order; A to D depend on the phase. A range of LI_NO_LIMIT: unbounded_number.c.
enum {
    LI_CURSOR_RANGE,
    LI_CURSOR_PHASE,
    LI_CURSOR_PIN,
    LI_CURSOR_A,
    LI_CURSOR_B,
    LI_CURSOR_C,
    LI_CURSOR_D,
    LI_CURSOR_RESIDUES
};

// The cursor of a term. Its residues are the grammar's scratch memory: one cursor at a time.
void li_cursor_load(li_grammar *grammar, li_term term, li_cursor *cursor);
// The term of a cursor.
li_term li_cursor_store(li_grammar *grammar, const li_cursor *cursor, bool is_nullable);

#endif
