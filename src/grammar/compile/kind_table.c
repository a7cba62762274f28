// The table of the kinds of terms, and the tables of functions through which lower rooms call higher ones.
// Without a header: terms/kinds.h, nodes/shape.h and json/array_frame.h declare the tables.
#include "grammar/compile/rules.h"
#include "grammar/distinct/distinct_items.h"
#include "grammar/distinct/enumerate_values.h"
#include "grammar/distinct/unique_items.h"
#include "grammar/json/array_contains.h"
#include "grammar/json/array_term.h"
#include "grammar/json/constant_term.h"
#include "grammar/json/constant_text.h"
#include "grammar/json/json_layout.h"
#include "grammar/json/json_string.h"
#include "grammar/json/json_value.h"
#include "grammar/json/object_key.h"
#include "grammar/json/object_term.h"
#include "grammar/numbers/number_term.h"
#include "grammar/terms/assertions.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/kinds.h"
#include "grammar/terms/proposal.h"
#include "grammar/terms/string_list.h"

const li_kind_traits li_kinds[LI_KIND_COUNT] = {
    [LI_KIND_NOTHING] = {.derive = li_nothing_derive, .add_first = li_nothing_add_first},
    [LI_KIND_EMPTY] =
        {
            .derive = li_nothing_derive,
            .add_first = li_nothing_add_first,
            .extent = li_empty_extent,
        },
    [LI_KIND_BYTES] =
        {
            .derive = li_bytes_derive,
            .refuses = li_bytes_refuse,
            .add_first = li_bytes_add_first,
            .split = li_bytes_split,
            .extent = li_bytes_extent,
        },
    [LI_KIND_CLASS] =
        {
            .derive = li_class_derive,
            .add_first = li_class_add_first,
            .split = li_class_split,
            .extent = li_class_extent,
        },
    [LI_KIND_SEQUENCE] =
        {
            .derive = li_sequence_derive,
            .refuses = li_sequence_refuses,
            .derive_special = li_sequence_derive_special,
            .visit_specials = li_sequence_visit_specials,
            .add_first = li_sequence_add_first,
            .split = li_sequence_split,
            .extent = li_sequence_extent,
            .lowest_count = li_parts_lowest_count,
            .without_counts = li_sequence_without_counts,
            .counts_used = li_parts_counts_used,
            .propose = li_sequence_propose,
            .widen = li_sequence_widen,
        },
    [LI_KIND_CHOICE] =
        {
            .derive = li_choice_derive,
            .derive_special = li_choice_derive_special,
            .visit_specials = li_choice_visit_specials,
            .add_first = li_choice_add_first,
            .split = li_parts_split,
            .extent = li_choice_extent,
            .lowest_count = li_parts_lowest_count,
            .without_counts = li_choice_without_counts,
            .counts_used = li_parts_counts_used,
            .propose = li_choice_propose,
            .widen = li_choice_widen,
        },
    [LI_KIND_BOTH] =
        {
            .derive = li_both_derive,
            .add_first = li_both_add_first,
            .split = li_parts_split,
            .widen = li_both_widen,
            .keep = LI_KEEP_BEFORE_MORE,
        },
    [LI_KIND_NOT] =
        {
            .derive = li_not_derive,
            .split = li_body_split,
            .widen = li_not_widen,
            .keep = LI_KEEP_BEFORE_MORE,
        },
    [LI_KIND_REPEAT] =
        {
            .derive = li_repeat_derive,
            .derive_special = li_repeat_derive_special,
            .visit_specials = li_repeat_visit_specials,
            .add_first = li_repeat_add_first,
            .split = li_body_split,
            .extent = li_repeat_extent,
            .lowest_count = li_repeat_lowest_count,
            .without_counts = li_repeat_without_counts,
            .counts_used = li_repeat_counts_used,
            .widen = li_repeat_widen,
            .keep = LI_KEEP_BEFORE_MORE,
        },
    [LI_KIND_STRINGS] =
        {
            .derive = li_strings_derive,
            .refuses = li_strings_refuse,
            .add_first = li_strings_add_first,
            .keep = LI_KEEP_BEFORE_MORE,
        },
    [LI_KIND_AHEAD] =
        {
            .derive = li_nothing_derive,
            .split = li_ahead_split,
            .widen = li_assertion_widen,
        },
    [LI_KIND_EDGE] =
        {
            .derive = li_nothing_derive,
            .split = li_edge_split,
            .widen = li_assertion_widen,
        },
    [LI_KIND_PATTERN] =
        {
            .derive = li_pattern_derive,
            .split = li_pattern_split,
            .widen = li_pattern_widen,
            .keep = LI_KEEP_BEFORE_MORE,
        },
    [LI_KIND_RULE] =
        {
            .expand = li_rule_expand,
            .derive_special = li_expanded_derive_special,
            .visit_specials = li_expanded_visit_specials,
            .add_first = li_expanded_add_first,
        },
    [LI_KIND_SPECIAL] =
        {
            .derive = li_nothing_derive,
            .derive_special = li_special_derive_special,
            .visit_specials = li_special_visit_specials,
            .add_first = li_nothing_add_first,
        },
    [LI_KIND_SPACE] = {.derive = li_space_derive, .add_first = li_space_add_first},
    [LI_KIND_QUOTED] =
        {
            .derive = li_quoted_derive,
            .refuses = li_quoted_refuses,
            .add_first = li_quoted_add_first,
            .split = li_quoted_split,
            .counts_used = li_quoted_counts_used,
            .abounds = li_quoted_abounds,
            .keep = LI_KEEP_ALWAYS,
        },
    [LI_KIND_NUMBER] =
        {
            .derive = li_number_derive,
            .add_first = li_number_add_first,
            .lowest_count = li_number_lowest_count,
            .without_counts = li_number_without_counts,
            .counts_used = li_number_counts_used,
            .abounds = li_number_abounds,
            .keep = LI_KEEP_ALWAYS,
        },
    [LI_KIND_VALUE] = {.expand = li_value_expand, .add_first = li_expanded_add_first, .abounds = li_value_abounds},
    [LI_KIND_OBJECT] = {.expand = li_object_expand, .add_first = li_expanded_add_first, .abounds = li_object_abounds},
    [LI_KIND_KEY] = {.derive = li_key_derive, .add_first = li_key_add_first, .abounds = li_key_abounds},
    [LI_KIND_ARRAY] = {.expand = li_array_expand, .add_first = li_expanded_add_first, .abounds = li_array_abounds},
    [LI_KIND_CONSTANT] = {.expand = li_constant_expand, .add_first = li_expanded_add_first},
    [LI_KIND_CONSTANT_TEXT] = {.derive = li_constant_text_derive, .add_first = li_constant_text_add_first},
    [LI_KIND_RECORDED] =
        {
            .derive = li_recorded_derive,
            .add_first = li_recorded_add_first,
            .propose = li_recorded_propose,
            .abounds = li_recorded_abounds,
        },
};

const li_shape_checks li_shapes_can = {
    .finish_object = li_object_can_finish,
    .finish_array = li_array_can_finish,
    .list_constants = li_constant_texts,
    .are_few_contains = li_contains_are_few,
};

const li_unique_items li_unique = {
    .may_finish = li_unique_may_finish,
    .can_finish = li_unique_can_finish,
    .item = li_unique_item,
};
