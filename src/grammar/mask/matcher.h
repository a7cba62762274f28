// A matcher: the state of a grammar in one text. lastinch.h describes the functions.
#ifndef LI_MATCHER_H
#define LI_MATCHER_H

#include "grammar/core/grammar.h"

struct li_matcher {
    li_masker *masker;
    li_term state;
    li_term *history; // (history_room) the states before each step
    uint32_t history_count, history_room;
};

#endif
