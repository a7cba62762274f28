// Constant objects as texts.
#ifndef LI_CONSTANT_TEXT_H
#define LI_CONSTANT_TEXT_H

#include "grammar/nodes/shape.h"

// The bytes that such texts are made of. A value is LI_MARK_NULL, LI_MARK_FALSE, LI_MARK_TRUE; LI_MARK_NUMBER and the
// number as JSON.stringify writes a number without an exponent; LI_MARK_POWER and digits, e and an exponent, for all
// other numbers; LI_MARK_STRING and the decoded text; LI_MARK_ARRAY, items and LI_MARK_ARRAY_END; or LI_MARK_OBJECT,
// members and LI_MARK_OBJECT_END. A member is LI_MARK_KEY, the decoded key, LI_MARK_COLON and the value. LI_MARK_END,
// which no text has, ends numbers, strings and keys.
enum {
    LI_MARK_NULL = 'n',
    LI_MARK_FALSE = 'f',
    LI_MARK_TRUE = 't',
    LI_MARK_NUMBER = '0',
    LI_MARK_POWER = '1',
    LI_MARK_STRING = '"',
    LI_MARK_ARRAY = '[',
    LI_MARK_ARRAY_END = ']',
    LI_MARK_OBJECT = '{',
    LI_MARK_OBJECT_END = '}',
    LI_MARK_KEY = 'k',
    LI_MARK_COLON = ':',
    LI_MARK_END = 0xff,
};

// The term of the texts of the objects of a shape that are known to be constants, each after LI_MARK_OBJECT, as a list
// (terms/string_list.h). Members are in the order of the shapes. NOTHING: there are only a few, or properties have no
// order, or the grammar has failed.
li_term li_constant_texts(li_grammar *grammar, const li_shape *shape);

#endif
