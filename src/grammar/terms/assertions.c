// Patterns: regular expressions with assertions (assertions.h).
//
// The words of a PATTERN are an open term, the kind of the character to its left, and a condition on the rest of the
// text. A byte is read at a place of the open term. The parts before that place read nothing; the conditions under
// which they may be empty are added to the condition of the pattern.
#include "grammar/terms/assertions.h"

#include <string.h>

#include "grammar/terms/constructors.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/emptiness.h"
#include "grammar/terms/scratch.h"
#include "grammar/terms/term.h"

static li_term everything(li_grammar *grammar)
{
    return li_not(grammar, LI_TERM_NOTHING);
}

li_term li_ahead(li_grammar *grammar, bool is_negative, li_term rest)
{
    uint32_t flags = li_term_flags(grammar, rest);
    if (is_negative && !(flags & LI_FLAG_OPEN)) return li_ahead(grammar, false, li_not(grammar, rest));
    if (rest == LI_TERM_NOTHING) return is_negative ? LI_TERM_EMPTY : LI_TERM_NOTHING;
    if (rest == everything(grammar)) return is_negative ? LI_TERM_NOTHING : LI_TERM_EMPTY;
    flags = LI_FLAG_REGULAR | LI_FLAG_TEXT | LI_FLAG_OPEN | (flags & LI_FLAG_EDGE);
    return li_term_intern(grammar, LI_KIND_AHEAD, flags, (uint32_t[]){!is_negative, rest}, 2);
}

li_term li_edge_of(li_grammar *grammar, li_edge edge)
{
    uint32_t flags = LI_FLAG_REGULAR | LI_FLAG_TEXT | LI_FLAG_OPEN | LI_FLAG_EDGE;
    return li_term_intern(grammar, LI_KIND_EDGE, flags, (uint32_t[]){edge}, 1);
}

static bool edge_holds(li_edge edge, li_left left)
{
    switch (edge) {
    case LI_EDGE_NOT_WORD:
        return left != LI_LEFT_WORD;
    case LI_EDGE_WORD:
        return left == LI_LEFT_WORD;
    case LI_EDGE_START:
        return left == LI_LEFT_START;
    default:
        return true;
    }
}

static bool is_mark(const li_grammar *grammar, li_term term)
{
    return li_term_kind(grammar, term) == LI_KIND_EDGE && li_term_payload(grammar, term)->edge == LI_EDGE_MARK;
}

static li_term pattern_of(li_grammar *grammar, li_term open, li_left left, li_term condition);

// The texts that may follow when the term reads nothing.
static li_term empty_condition(li_grammar *grammar, li_term term, li_left left)
{
    li_term result = everything(grammar);
    for (;;) {
        uint32_t flags = li_term_flags(grammar, term);
        if (flags & LI_FLAG_NULLABLE) return result;
        if (!(flags & LI_FLAG_OPEN) || result == LI_TERM_NOTHING || !li_depth_enter(grammar)) return LI_TERM_NOTHING;
        const li_payload *of = li_term_payload(grammar, term);
        li_term part = LI_TERM_NOTHING, next = LI_TERM_EMPTY;
        switch (li_term_kind(grammar, term)) {
        case LI_KIND_AHEAD: {
            bool is_negative = !of->ahead.is_positive;
            part = pattern_of(grammar, of->ahead.text, left, everything(grammar));
            if (is_negative) part = li_not(grammar, part);
            break;
        }
        case LI_KIND_EDGE:
            part = edge_holds(of->edge, left) ? result : LI_TERM_NOTHING;
            break;
        case LI_KIND_SEQUENCE: {
            li_term head = of->sequence.head;
            next = of->sequence.tail;
            part = empty_condition(grammar, head, left);
            if (is_mark(grammar, head)) left = LI_LEFT_WORD;
            break;
        }
        case LI_KIND_CHOICE:
            for (uint32_t i = 0; i < li_term_length(grammar, term); i++) {
                li_term other = empty_condition(grammar, li_term_words(grammar, term)[i], left);
                part = li_either(grammar, part, other);
            }
            break;
        default: // REPEAT
            part = empty_condition(grammar, of->repeat.body, left);
            break;
        }
        li_depth_leave(grammar);
        result = li_both(grammar, result, part);
        term = next;
    }
}

static bool is_word_byte(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte == '_';
}

static li_term intern_pattern(li_grammar *grammar, li_term open, li_left left, li_term condition)
{
    if (!(li_term_flags(grammar, open) & LI_FLAG_EDGE)) left = LI_LEFT_OTHER;
    uint32_t flags = li_term_flags(grammar, condition);
    flags = LI_FLAG_REGULAR | ((flags | li_term_flags(grammar, open)) & LI_FLAG_TEXT) | (flags & LI_FLAG_NULLABLE);
    if (flags & LI_FLAG_NULLABLE && !li_term_is_nullable(grammar, empty_condition(grammar, open, left)))
        flags &= ~(uint32_t)LI_FLAG_NULLABLE;
    return li_term_intern(grammar, LI_KIND_PATTERN, flags, (uint32_t[]){open, left, condition}, 3);
}

// Pushes terms whose union is the pattern. No term is a choice or begins with an assertion.
static void push_pattern(li_grammar *grammar, li_term open, li_left left, li_term condition, bool checks)
{
    for (;;) {
        condition = open == LI_TERM_NOTHING ? open : condition;
        if (condition == LI_TERM_NOTHING) return;
        li_kind kind = li_term_kind(grammar, open);
        bool is_sequence = kind == LI_KIND_SEQUENCE;
        li_term head = is_sequence ? li_term_payload(grammar, open)->sequence.head : open;
        if (!(li_term_flags(grammar, open) & LI_FLAG_OPEN)) {
            li_term both = li_both(grammar, open, condition);
            if (both != LI_TERM_NOTHING) li_scratch_push(grammar, both);
            return;
        }
        kind = li_term_kind(grammar, head);
        if (kind == LI_KIND_CHOICE && !is_sequence) break;
        if (kind != LI_KIND_AHEAD && kind != LI_KIND_EDGE) break;
        condition = li_both(grammar, condition, empty_condition(grammar, head, left));
        if (is_mark(grammar, head)) left = LI_LEFT_WORD;
        open = is_sequence ? li_term_payload(grammar, open)->sequence.tail : LI_TERM_EMPTY;
    }
    if (li_term_kind(grammar, open) == LI_KIND_CHOICE) {
        if (!li_depth_enter(grammar)) return;
        for (uint32_t i = 0; i < li_term_length(grammar, open); i++)
            push_pattern(grammar, li_term_words(grammar, open)[i], left, condition, checks);
        li_depth_leave(grammar);
        return;
    }
    li_term term = intern_pattern(grammar, open, left, condition);
    if (!checks || !li_is_empty(grammar, term)) li_scratch_push(grammar, term);
}

static li_term pattern_of(li_grammar *grammar, li_term open, li_left left, li_term condition)
{
    uint32_t mark = li_scratch_mark(grammar);
    push_pattern(grammar, open, left, condition, true);
    return li_scratch_choose(grammar, mark);
}

li_term li_pattern(li_grammar *grammar, li_term open)
{
    return pattern_of(grammar, open, LI_LEFT_START, everything(grammar));
}

// The derivative of a pattern by one byte.
typedef struct reading {
    li_grammar *grammar;
    uint8_t byte;
    bool checks;
} reading;

// Pushes the derivatives of `term` by the byte, each followed by `rest`.
static void read_byte(const reading *at, li_term term, li_term rest, li_left left, li_term condition)
{
    li_grammar *grammar = at->grammar;
    if (!li_grammar_spend(grammar) || !li_depth_enter(grammar)) return;
    while (condition != LI_TERM_NOTHING) {
        li_kind kind = li_term_kind(grammar, term);
        const li_payload *of = li_term_payload(grammar, term);
        if (!(li_term_flags(grammar, term) & LI_FLAG_OPEN)) {
            li_term open = li_sequence(grammar, li_derive(grammar, term, at->byte), rest);
            push_pattern(grammar, open, is_word_byte(at->byte) ? LI_LEFT_WORD : LI_LEFT_OTHER, condition, at->checks);
            break;
        }
        if (kind == LI_KIND_SEQUENCE) {
            li_term head = of->sequence.head, tail = of->sequence.tail;
            read_byte(at, head, li_sequence(grammar, tail, rest), left, condition);
            li_term before = li_derive(grammar, empty_condition(grammar, head, left), at->byte);
            condition = li_both(grammar, condition, before);
            if (is_mark(grammar, head)) left = LI_LEFT_WORD;
            term = tail;
            continue;
        }
        if (kind == LI_KIND_CHOICE)
            for (uint32_t i = 0; i < li_term_length(grammar, term); i++)
                read_byte(at, li_term_words(grammar, term)[i], rest, left, condition);
        if (kind == LI_KIND_REPEAT) {
            li_term body = of->repeat.body;
            uint32_t least = of->repeat.least, most = of->repeat.most;
            uint32_t most_left = most == LI_NO_LIMIT ? most : most - 1;
            li_term again = li_repeat(grammar, body, least ? least - 1 : 0, most_left);
            read_byte(at, body, li_sequence(grammar, again, rest), left, condition);
            // A required round may be empty where its assertions hold. No later round is required then.
            if (least == 0 || most == 1) break;
            li_term before = li_derive(grammar, empty_condition(grammar, body, left), at->byte);
            again = li_repeat(grammar, body, 0, most == LI_NO_LIMIT ? most : most - 2);
            term = body;
            rest = li_sequence(grammar, again, rest);
            condition = li_both(grammar, condition, before);
            continue;
        }
        break;
    }
    li_depth_leave(grammar);
}

void li_pattern_next(li_grammar *grammar, li_term term, uint8_t byte, bool checks)
{
    const li_payload *of = li_term_payload(grammar, term);
    li_term open = of->pattern.open, condition = of->pattern.condition;
    li_left left = of->pattern.left;
    reading at = {grammar, byte, checks};
    condition = li_derive(grammar, condition, byte);
    read_byte(&at, open, LI_TERM_EMPTY, left, condition);
}

li_term li_pattern_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    uint32_t mark = li_scratch_mark(grammar);
    li_pattern_next(grammar, term, byte, true);
    return li_scratch_choose(grammar, mark);
}

// Pushes the open terms of the pattern at `from` and of later patterns that differ only in their open terms. Replaces
// these patterns by NOTHING.
static void push_opens(li_grammar *grammar, uint32_t from, uint32_t end)
{
    const li_term pattern = grammar->scratch.at[from];
    for (uint32_t i = from; i < end; i++) {
        li_term term = grammar->scratch.at[i];
        if (li_term_kind(grammar, term) != LI_KIND_PATTERN) continue;
        const li_payload *of = li_term_payload(grammar, term), *first = li_term_payload(grammar, pattern);
        if (of->pattern.left != first->pattern.left || of->pattern.condition != first->pattern.condition ||
            !li_scratch_push(grammar, of->pattern.open))
            continue;
        grammar->scratch.at[i] = LI_TERM_NOTHING;
    }
}

// Pushes a pattern for each alternative of an open term. Each contains one of the merged patterns, so none is empty.
static void push_merged(li_grammar *grammar, li_term open, li_left left, li_term condition)
{
    bool is_choice = li_term_kind(grammar, open) == LI_KIND_CHOICE;
    for (uint32_t i = 0, count = is_choice ? li_term_length(grammar, open) : 1; i < count; i++) {
        li_term part = is_choice ? li_term_words(grammar, open)[i] : open;
        li_term term = intern_pattern(grammar, part, left, condition);
        li_note_full(grammar, term);
        li_scratch_push(grammar, term);
    }
}

void li_patterns_merge(li_grammar *grammar, uint32_t mark)
{
    uint32_t end = grammar->scratch.count, patterns = 0;
    for (uint32_t i = mark; i < end; i++) patterns += li_term_kind(grammar, grammar->scratch.at[i]) == LI_KIND_PATTERN;
    if (patterns < 2) return;
    for (uint32_t i = mark; i < end; i++) {
        li_term term = grammar->scratch.at[i];
        if (li_term_kind(grammar, term) == LI_KIND_PATTERN) {
            uint32_t opens = li_scratch_mark(grammar);
            li_left left = li_term_payload(grammar, term)->pattern.left;
            li_term condition = li_term_payload(grammar, term)->pattern.condition;
            push_opens(grammar, i, end);
            if (grammar->scratch.count > opens + 1) {
                push_merged(grammar, li_scratch_choose(grammar, opens), left, condition);
                continue;
            }
            li_scratch_drop(grammar, opens);
        }
        if (term != LI_TERM_NOTHING) li_scratch_push(grammar, term);
    }
    uint32_t count = grammar->scratch.count - end;
    memmove(grammar->scratch.at + mark, grammar->scratch.at + end, count * sizeof(li_term));
    li_scratch_drop(grammar, mark + count);
}

li_term li_ahead_split(li_byte_classes *classes, li_term term)
{
    return li_term_payload(classes->grammar, term)->ahead.text;
}

li_term li_edge_split(li_byte_classes *classes, li_term term)
{
    (void)classes, (void)term;
    return LI_TERM_EMPTY;
}

li_term li_pattern_split(li_byte_classes *classes, li_term term)
{
    static const uint32_t word_bytes[8] = {0, 0x03ff0000, 0x87fffffe, 0x07fffffe};
    const li_payload *of = li_term_payload(classes->grammar, term);
    li_term open = of->pattern.open, condition = of->pattern.condition;
    if (li_term_flags(classes->grammar, open) & LI_FLAG_EDGE) li_byte_classes_part(classes, word_bytes);
    li_byte_classes_split(classes, open);
    return condition;
}
