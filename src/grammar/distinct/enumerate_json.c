#include "grammar/distinct/enumerate_json.h"

#include <string.h>

#include "base/memory.h"
#include "grammar/distinct/enumerate_words.h"
#include "grammar/json/recorded_text.h"
#include "grammar/numbers/number_term.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/first_bytes.h"
#include "grammar/terms/term.h"

// The number of values, objects and arrays that a search may open, in the first and in the last round; the terms that a
// search may visit for each.
enum { FIRST_DEPTH = 4, LAST_DEPTH = 256, STEPS_OF_DEPTH = 125, LEVELS = 150 };

typedef struct finder {
    li_grammar *grammar;
    const li_texts_query *query;
    uint8_t *bytes;
    uint32_t count, room;
    uint32_t depth; // values, objects and arrays that may still be opened
    uint32_t steps; // left
    uint32_t level; // of recursion
    bool is_cut;    // some texts were left out
} finder;

static bool make_room(finder *finder, uint32_t count)
{
    if (finder->room - finder->count > count) return true;
    uint32_t room = 2 * finder->room + count + 64;
    uint8_t *moved = li_memory_resize(finder->bytes, finder->room, room);
    if (!moved) {
        li_grammar_fail(finder->grammar, LI_ERROR_OUT_OF_MEMORY);
        return false;
    }
    finder->bytes = moved;
    finder->room = room;
    return true;
}

static bool put(finder *finder, const uint8_t *bytes, uint32_t count)
{
    if (!make_room(finder, count)) return false;
    if (count) memcpy(finder->bytes + finder->count, bytes, count);
    finder->count += count;
    return true;
}

static bool put_byte(finder *finder, uint8_t byte)
{
    return put(finder, &byte, 1);
}

static bool put_escaped(finder *finder, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        static const char digits[] = "0123456789abcdef";
        uint8_t byte = bytes[i];
        bool is_control = byte < 0x20;
        uint8_t escape[6] = {'\\', 'u', '0', '0', (uint8_t)digits[byte >> 4], (uint8_t)digits[byte & 15]};
        if (byte == '"' || byte == '\\') escape[1] = byte;
        uint32_t length = is_control ? 6 : byte == '"' || byte == '\\' ? 2 : 1;
        if (!put(finder, length == 1 ? &byte : escape, length)) return false;
    }
    return put_byte(finder, '"');
}

static bool find(finder *finder, li_term term);

// A number, or a choice of its spellings.
static bool is_number(const li_grammar *grammar, li_term head)
{
    if (li_term_kind(grammar, head) != LI_KIND_CHOICE) return li_term_kind(grammar, head) == LI_KIND_NUMBER;
    for (uint32_t i = 0; i < li_term_length(grammar, head); i++)
        if (li_term_kind(grammar, li_term_words(grammar, head)[i]) != LI_KIND_NUMBER) return false;
    return true;
}

// Each word of the head, followed by the tail.
static bool find_words(finder *finder, li_kind kind, li_term head, li_term tail)
{
    li_word_list list = {0};
    uint32_t start = finder->count, depth = finder->depth, most = finder->query->most;
    bool is_number = kind != LI_KIND_QUOTED, listed;
    if (is_number) {
        uint32_t from = start;
        while (from > 0 && li_is_of_number(finder->bytes[from - 1])) from--;
        listed = li_words_of_number(finder->grammar, head, finder->bytes + from, start - from, most, &list);
    } else {
        listed = li_words_list(finder->grammar, li_term_payload(finder->grammar, head)->quoted.text, most, &list);
    }
    bool stops = !listed;
    for (uint32_t i = 0; i < list.ends.count && !stops; i++) {
        uint32_t length;
        const uint8_t *word = li_word_at(&list, i, &length);
        finder->count = start;
        finder->depth = depth;
        stops = is_number ? !put(finder, word, length) : !put_escaped(finder, word, length);
        stops = stops || find(finder, tail);
    }
    finder->is_cut |= list.is_cut;
    li_word_list_clear(&list);
    return stops;
}

typedef struct recorded {
    finder *finder;
    li_term term;
    uint32_t before_length; // of the part read before
} recorded;

static li_term head_of(const li_grammar *grammar, li_term term)
{
    return li_term_kind(grammar, term) == LI_KIND_SEQUENCE ? li_term_payload(grammar, term)->sequence.head : term;
}

// Continues after a text of the rest of a recorded key or value. A number ends at a mark.
static bool find_after(li_grammar *grammar, void *context, const uint8_t *text, uint32_t length)
{
    static const uint8_t marks[] = {',', ']', '\n', ' '};
    recorded *recorded = context;
    finder *finder = recorded->finder;
    uint32_t start = finder->count, depth = finder->depth;
    text += recorded->before_length;
    length -= recorded->before_length;
    li_term rest = li_derive_bytes(grammar, recorded->term, text, length);
    if (rest == LI_TERM_NOTHING) return false;
    bool takes_mark = li_recorded_rest(grammar, head_of(grammar, rest)) != LI_TERM_NOTHING;
    bool stops = false;
    for (uint32_t i = 0; i < (takes_mark ? sizeof marks : 1) && !stops; i++) {
        li_term next = takes_mark ? li_derive(grammar, rest, marks[i]) : rest;
        if (next == LI_TERM_NOTHING) continue;
        finder->count = start;
        finder->depth = depth;
        stops = !put(finder, text, length) || (takes_mark && !put(finder, &marks[i], 1)) || find(finder, next);
    }
    finder->count = start;
    finder->depth = depth;
    return stops;
}

static bool find_recorded(finder *outer, li_term term, li_term left)
{
    recorded recorded = {outer, term, 0};
    li_texts_query query = {.most = outer->query->most, .visit = find_after, .context = &recorded};
    li_term head = head_of(outer->grammar, term);
    bool is_value = li_term_kind(outer->grammar, head) == LI_KIND_RECORDED;
    li_term text = is_value ? li_term_payload(outer->grammar, head)->recorded.text : LI_TERM_NOTHING;
    recorded.before_length = li_recorded_length(outer->grammar, text);
    finder inner = {.grammar = outer->grammar,
                    .query = &query,
                    .depth = outer->depth,
                    .steps = outer->steps,
                    .level = outer->level};
    bool stops = !make_room(&inner, recorded.before_length);
    if (!stops) {
        li_recorded_bytes(outer->grammar, text, inner.bytes);
        inner.count = recorded.before_length;
        stops = find(&inner, left);
    }
    if (inner.steps < outer->steps) outer->steps = inner.steps;
    outer->is_cut |= inner.is_cut;
    li_memory_free(inner.bytes);
    return stops;
}

// Tries single bytes. Tries all but the last here; appends the last and returns its derivative in *term.
static bool find_bytes(finder *finder, li_term *term)
{
    uint32_t start = finder->count, depth = finder->depth;
    li_term last = LI_TERM_NOTHING;
    uint8_t last_byte = 0;
    uint32_t first[8] = {0};
    li_first_bytes(finder->grammar, *term, first);
    for (uint32_t i = 0; i < 257; i++) {
        // An escape only if no other byte is possible.
        uint8_t byte = i < 256 ? (uint8_t)i : '\\';
        if ((i < 256 && byte == '\\') || (i == 256 && last != LI_TERM_NOTHING)) continue;
        if (!(first[byte / 32] >> byte % 32 & 1)) continue;
        li_term rest = li_derive(finder->grammar, *term, byte);
        if (rest == LI_TERM_NOTHING) continue;
        if (last != LI_TERM_NOTHING) {
            finder->count = start;
            finder->depth = depth;
            if (!put(finder, &last_byte, 1) || find(finder, last)) return true;
        }
        last = rest;
        last_byte = byte;
    }
    finder->count = start;
    finder->depth = depth;
    *term = last;
    return last != LI_TERM_NOTHING && !put(finder, &last_byte, 1);
}

// Tries all alternatives but the last, which is returned in *term.
static bool find_choice(finder *finder, li_term *term)
{
    uint32_t start = finder->count, depth = finder->depth;
    uint32_t last = li_term_length(finder->grammar, *term) - 1;
    for (uint32_t i = 0; i < last; i++) {
        if (find(finder, li_term_words(finder->grammar, *term)[i])) return true;
        finder->count = start;
        finder->depth = depth;
    }
    *term = li_term_words(finder->grammar, *term)[last];
    return false;
}

// Does not restore count and depth.
static bool find_from(finder *finder, li_term term)
{
    li_grammar *grammar = finder->grammar;
    while (term != LI_TERM_NOTHING && term != LI_TERM_EMPTY) {
        if (finder->steps == 0 || !li_grammar_spend(grammar)) {
            finder->is_cut = true;
            return grammar->status != LI_OK;
        }
        finder->steps--;
        if (li_term_is_nullable(grammar, term) &&
            finder->query->visit(grammar, finder->query->context, finder->bytes, finder->count))
            return true;
        li_term head = head_of(grammar, term), tail = LI_TERM_EMPTY;
        if (head != term) tail = li_term_payload(grammar, term)->sequence.tail;
        li_kind kind = li_term_kind(grammar, head);
        li_term left = li_recorded_rest(grammar, head);
        bool is_plain = kind == LI_KIND_QUOTED && li_term_payload(grammar, head)->quoted.escape == 0;
        if (left != LI_TERM_NOTHING) return find_recorded(finder, term, left);
        if (is_plain || is_number(grammar, head)) return find_words(finder, kind, head, tail);
        if (kind == LI_KIND_VALUE || kind == LI_KIND_OBJECT || kind == LI_KIND_ARRAY) {
            if (finder->depth == 0) {
                finder->is_cut = true;
                return false;
            }
            finder->depth--;
            term = li_sequence(grammar, li_expand(grammar, head), tail);
        } else if (kind == LI_KIND_SPACE) {
            term = tail;
        } else if (kind == LI_KIND_CHOICE && head == term) {
            if (find_choice(finder, &term)) return true;
        } else if (find_bytes(finder, &term)) {
            return true;
        }
    }
    if (term == LI_TERM_NOTHING) return grammar->status != LI_OK;
    return finder->query->visit(grammar, finder->query->context, finder->bytes, finder->count);
}

static bool find(finder *finder, li_term term)
{
    // A search may start another search, about an item of an array within the item. So all their levels count together.
    if (finder->level == LEVELS || finder->grammar->depth >= LI_DEPTH_LIMIT / 2) {
        finder->is_cut = true;
        return false;
    }
    finder->level++;
    finder->grammar->depth++;
    bool stops = find_from(finder, term);
    finder->grammar->depth--;
    finder->level--;
    return stops;
}

li_texts_result li_texts(li_grammar *grammar, li_term term, const li_texts_query *query)
{
    finder finder = {.grammar = grammar, .query = query};
    li_texts_result result = LI_TEXTS_SOME;
    for (uint32_t depth = FIRST_DEPTH; depth <= LAST_DEPTH && result == LI_TEXTS_SOME; depth *= 2) {
        finder.depth = depth;
        finder.steps = STEPS_OF_DEPTH * depth;
        finder.is_cut = false;
        finder.count = 0;
        if (!put(&finder, query->before, query->before_length)) break;
        if (find(&finder, term))
            result = LI_TEXTS_STOPPED;
        else if (!finder.is_cut)
            result = LI_TEXTS_ALL;
    }
    li_memory_free(finder.bytes);
    return result;
}
