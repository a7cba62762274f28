// The table of the kinds of terms. Without a header of its own: terms/kinds.h and nodes/shape.h declare what it
// defines.
#include "grammar/compile/rules.h"
#include "grammar/json/array_contains.h"
#include "grammar/json/array_term.h"
#include "grammar/json/json_layout.h"
#include "grammar/json/json_string.h"
#include "grammar/json/json_value.h"
#include "grammar/json/object_key.h"
#include "grammar/json/object_term.h"
#include "grammar/json/unique_items.h"
#include "grammar/numbers/number_term.h"
#include "grammar/terms/assertions.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/kinds.h"
#include "grammar/terms/string_list.h"

const li_kind_traits li_kinds[LI_KIND_COUNT] = {
    [LI_KIND_NOTHING] = {.derive = li_nothing_derive},
    [LI_KIND_EMPTY] = {.derive = li_nothing_derive},
    [LI_KIND_BYTES] = {.derive = li_bytes_derive},
    [LI_KIND_CLASS] = {.derive = li_class_derive},
    [LI_KIND_SEQUENCE] = {.derive = li_sequence_derive},
    [LI_KIND_CHOICE] = {.derive = li_choice_derive},
    [LI_KIND_BOTH] = {.derive = li_both_derive},
    [LI_KIND_NOT] = {.derive = li_not_derive},
    [LI_KIND_REPEAT] = {.derive = li_repeat_derive},
    [LI_KIND_STRINGS] = {.derive = li_strings_derive},
    [LI_KIND_AHEAD] = {.derive = li_nothing_derive},
    [LI_KIND_EDGE] = {.derive = li_nothing_derive},
    [LI_KIND_PATTERN] = {.derive = li_pattern_derive},
    [LI_KIND_RULE] = {.expand = li_rule_expand},
    [LI_KIND_SPECIAL] = {.derive = li_nothing_derive},
    [LI_KIND_SPACE] = {.derive = li_space_derive},
    [LI_KIND_QUOTED] = {.derive = li_quoted_derive},
    [LI_KIND_NUMBER] = {.derive = li_number_derive,
                        .digits_left = li_number_room,
                        .without_digits = li_number_far,
                        .digits_used = li_number_used},
    [LI_KIND_VALUE] = {.expand = li_value_expand},
    [LI_KIND_OBJECT] = {.expand = li_object_expand},
    [LI_KIND_KEY] = {.derive = li_key_derive, .add_first = li_key_first_bytes},
    [LI_KIND_ARRAY] = {.expand = li_array_expand},
    [LI_KIND_RECORDED] = {.derive = li_recorded_derive, .propose = li_recorded_propose},
};

const li_shape_checks li_shapes_can = {
    .finish_object = li_object_can_finish,
    .finish_array = li_array_can_finish,
    .are_few_contains = li_contains_are_few,
};
