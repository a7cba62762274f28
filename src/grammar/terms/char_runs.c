// Runs, found from the structure of terms without derivatives.
#include "grammar/terms/char_runs.h"

#include <string.h>

#include "grammar/terms/term.h"

enum { NODES = 200 };

typedef struct finder {
    const li_grammar *grammar;
    uint32_t nodes; // left to visit; also bounds the recursion
    li_run best;
} finder;

static uint32_t beyond_of(const uint32_t *ranges, uint32_t length)
{
    uint32_t beyond = LI_RUN_E2 | LI_RUN_BEYOND, low = 128; // code points below `low` are done
    for (uint32_t i = 0; i <= length; i += 2) {
        uint32_t next = i < length ? ranges[i] : 0x110000;
        bool is_gap = next > low && (low != 0xd800 || next != 0xe000);
        if (is_gap && low < 0x3000 && next > 0x2000) beyond &= ~(uint32_t)LI_RUN_E2;
        if (is_gap && (low < 0x2000 || next > 0x3000)) beyond &= ~(uint32_t)LI_RUN_BEYOND;
        if (i < length && ranges[i + 1] >= low) low = ranges[i + 1] + 1;
    }
    return beyond;
}

// Whether the term contains the empty text in every context. Zero rounds of a repetition need no assertion.
static bool may_be_none(const li_grammar *grammar, li_term term)
{
    bool is_option = li_term_kind(grammar, term) == LI_KIND_REPEAT && li_term_payload(grammar, term)->repeat.least == 0;
    return is_option || (li_term_flags(grammar, term) & (LI_FLAG_NULLABLE | LI_FLAG_OPEN)) == LI_FLAG_NULLABLE;
}

// Adds the characters that are whole texts of the term in every context.
static void add_single(finder *at, li_term term, li_run *run)
{
    const li_grammar *grammar = at->grammar;
    const uint32_t *words = li_term_words(grammar, term);
    const li_payload *of = li_term_payload(grammar, term);
    uint32_t length = li_term_length(grammar, term);
    if (at->nodes == 0) return;
    at->nodes--;
    switch (li_term_kind(grammar, term)) {
    case LI_KIND_BYTES:
        for (uint32_t i = 0; i < 4; i++) run->ascii[i] |= words[i];
        return;
    case LI_KIND_CLASS:
        for (uint32_t i = 0; i < length; i += 2)
            for (uint32_t code = words[i]; code <= words[i + 1] && code < 128; code++)
                run->ascii[code / 32] |= 1u << code % 32;
        run->beyond |= beyond_of(words, length);
        return;
    case LI_KIND_CHOICE:
        for (uint32_t i = 0; i < length; i++) add_single(at, words[i], run);
        return;
    case LI_KIND_REPEAT:
        if (of->repeat.least <= 1) add_single(at, of->repeat.body, run);
        return;
    case LI_KIND_SEQUENCE:
        if (may_be_none(grammar, of->sequence.tail)) add_single(at, of->sequence.head, run);
        if (may_be_none(grammar, of->sequence.head)) add_single(at, of->sequence.tail, run);
        return;
    default:
        return;
    }
}

static uint32_t size_of(const li_run *run)
{
    uint32_t size = 32 * (uint32_t)__builtin_popcount(run->beyond);
    for (uint32_t i = 0; i < 4; i++) size += (uint32_t)__builtin_popcount(run->ascii[i]);
    return size;
}

// No term leads to a dead end, so any text of the run can be finished. In open terms only the parts that do not depend
// on the context count.
static void find(finder *at, li_term term)
{
    const li_grammar *grammar = at->grammar;
    while (at->nodes) {
        const uint32_t *words = li_term_words(grammar, term);
        const li_payload *of = li_term_payload(grammar, term);
        uint32_t flags = li_term_flags(grammar, term);
        at->nodes--;
        switch (li_term_kind(grammar, term)) {
        case LI_KIND_REPEAT: {
            li_run run = {.most = of->repeat.most};
            bool is_open = flags & LI_FLAG_OPEN;
            // An assertion may require that an open round is the last.
            if (is_open && (of->repeat.least > 1 || of->repeat.most != LI_NO_LIMIT)) return;
            add_single(at, of->repeat.body, &run);
            uint32_t size = size_of(&run), best = size_of(&at->best);
            if (size > best || (size == best && run.most > at->best.most)) at->best = run;
            if (is_open) return;
            term = of->repeat.body;
            break;
        }
        case LI_KIND_SEQUENCE: {
            li_term head = of->sequence.head, tail = of->sequence.tail;
            find(at, head);
            if (!may_be_none(grammar, head)) return;
            term = tail;
            break;
        }
        case LI_KIND_CHOICE:
            for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++)
                // Open alternatives may be the empty language. Masks do not propose overrun alternatives.
                if (!(li_term_flags(grammar, words[i]) & (LI_FLAG_OPEN | LI_OVERRUN_FLAGS))) find(at, words[i]);
            return;
        case LI_KIND_PATTERN:
            if (li_term_flags(grammar, of->pattern.open) & LI_FLAG_EDGE ||
                li_term_kind(grammar, of->pattern.condition) != LI_KIND_NOT ||
                li_term_payload(grammar, of->pattern.condition)->complement != LI_TERM_NOTHING)
                return;
            term = of->pattern.open;
            break;
        case LI_KIND_QUOTED: {
            if (of->quoted.escape) return;
            finder inner = {.grammar = grammar, .nodes = at->nodes};
            find(&inner, of->quoted.text);
            // Removes the characters that a JSON string must escape.
            inner.best.ascii[0] = 0;
            inner.best.ascii[1] &= ~(1u << '"' % 32);
            inner.best.ascii[2] &= ~(1u << '\\' % 32);
            at->nodes = inner.nodes;
            if (size_of(&inner.best) > size_of(&at->best)) at->best = inner.best;
            return;
        }
        default:
            return;
        }
    }
}

li_run li_run_of(const li_grammar *grammar, li_term term)
{
    finder at = {.grammar = grammar, .nodes = NODES};
    find(&at, term);
    return at.best;
}
