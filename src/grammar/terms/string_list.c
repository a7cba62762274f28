// A list is sorted, so the strings with a common prefix are a range of the list. A state is a range and the length of
// its prefix.
#include "grammar/terms/string_list.h"

#include <string.h>

#include "grammar/core/arena.h"
#include "grammar/core/utf8.h"
#include "grammar/terms/term.h"

typedef struct string_list {
    const uint8_t *source; // its place in the form; NULL: not from the form
    li_string *strings;    // (count) sorted by bytes, distinct
    uint32_t count;
    uint32_t hash, next; // `next`: the next list of the chain, index + 1
    bool is_text;        // each is valid UTF-8
} string_list;

enum { CHAINS = 64 };

struct li_lists {
    LI_LIST(string_list) all;
    uint32_t chains[CHAINS]; // lists by hash: index + 1
};

static int compare(const li_string *a, const li_string *b)
{
    uint32_t shorter = a->length < b->length ? a->length : b->length;
    int order = shorter ? memcmp(a->bytes, b->bytes, shorter) : 0;
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static void sift(li_string *strings, uint32_t place, uint32_t count)
{
    li_string moved = strings[place];
    for (uint32_t child; (child = 2 * place + 1) < count; place = child) {
        if (child + 1 < count && compare(&strings[child], &strings[child + 1]) < 0) child++;
        if (compare(&moved, &strings[child]) >= 0) break;
        strings[place] = strings[child];
    }
    strings[place] = moved;
}

static void sort(li_string *strings, uint32_t count)
{
    for (uint32_t i = count / 2; i--;) sift(strings, i, count);
    for (uint32_t i = count; i-- > 1;) {
        li_string largest = strings[0];
        strings[0] = strings[i];
        strings[i] = largest;
        sift(strings, 0, i);
    }
}

static string_list *add_list(li_grammar *grammar)
{
    li_lists *lists = grammar->lists;
    if (!lists) lists = grammar->lists = li_grammar_alloc(grammar, sizeof *lists);
    if (!lists) return NULL;
    if (!LI_ARENA_RESERVE(grammar, &lists->all, lists->all.count + 1)) return NULL;
    return &lists->all.at[lists->all.count++];
}

// The strings `first` to `last` of a list without their first `depth` bytes, which are equal.
static li_term range_term(li_grammar *grammar, uint32_t list, uint32_t first, uint32_t last, uint32_t depth)
{
    const string_list *of = &grammar->lists->all.at[list];
    const li_string *start = &of->strings[first];
    bool is_nullable = start->length == depth;
    if (is_nullable && first == last) return LI_TERM_EMPTY;
    // Whether `depth` lies between two characters.
    bool is_boundary = is_nullable || (start->bytes[depth] & 0xc0) != 0x80;
    uint32_t flags = LI_FLAG_REGULAR | (is_nullable ? LI_FLAG_NULLABLE : 0);
    if (of->is_text && is_boundary) flags |= LI_FLAG_TEXT;
    return li_term_intern(grammar, LI_KIND_STRINGS, flags, (uint32_t[]){list, first, last + 1, depth}, 4);
}

static uint32_t hash_strings(const li_string *strings, uint32_t count)
{
    uint32_t hash = count;
    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ strings[i].length) * 0x85ebca6bu;
        for (uint32_t k = 0; k < strings[i].length; k++) hash = (hash ^ strings[i].bytes[k]) * 0x01000193u;
        hash ^= hash >> 15;
    }
    return hash;
}

// The index + 1 of an equal list, or 0. Lists are interned, so that equal terms are one term.
static uint32_t find_equal(const li_lists *lists, const li_string *strings, uint32_t count, uint32_t hash)
{
    uint32_t found = lists ? lists->chains[hash % CHAINS] : 0;
    for (; found; found = lists->all.at[found - 1].next) {
        const string_list *list = &lists->all.at[found - 1];
        uint32_t i = list->hash == hash && list->count == count ? 0 : count + 1;
        while (i < count && compare(&list->strings[i], &strings[i]) == 0) i++;
        if (i == count) break;
    }
    return found;
}

static li_term make_list(li_grammar *grammar, li_string *strings, uint32_t count, const uint8_t *source)
{
    sort(strings, count);
    uint32_t kept = 0;
    bool is_text = true;
    for (uint32_t i = 0; i < count; i++) {
        if (!li_grammar_spend(grammar)) return LI_TERM_NOTHING;
        if (kept && compare(&strings[kept - 1], &strings[i]) == 0) continue;
        is_text = is_text && li_utf8_is_valid(strings[i].bytes, strings[i].length);
        strings[kept++] = strings[i];
    }
    uint32_t hash = hash_strings(strings, kept), index = source ? 0 : find_equal(grammar->lists, strings, kept, hash);
    if (!index) {
        string_list *list = add_list(grammar);
        if (!list) return LI_TERM_NOTHING;
        uint32_t *chain = &grammar->lists->chains[hash % CHAINS];
        *list = (string_list){source, strings, kept, hash, *chain, is_text};
        index = *chain = grammar->lists->all.count;
    }
    return range_term(grammar, index - 1, 0, kept - 1, 0);
}

li_term li_strings(li_grammar *grammar, const li_string *strings, uint32_t count)
{
    if (count == 0) return LI_TERM_NOTHING;
    li_string *copy = li_grammar_alloc(grammar, count * sizeof *copy);
    if (!copy) return LI_TERM_NOTHING;
    memcpy(copy, strings, count * sizeof *copy);
    return make_list(grammar, copy, count, NULL);
}

li_term li_strings_read(li_reader *reader)
{
    li_grammar *grammar = reader->grammar;
    const uint8_t *source = reader->at;
    uint32_t count = li_read_count(reader), length;
    const li_lists *lists = grammar->lists;
    uint32_t known = 0;
    while (lists && known < lists->all.count && lists->all.at[known].source != source) known++;
    if (lists && known < lists->all.count) {
        while (count--) li_read_text(reader, &length);
        return range_term(grammar, known, 0, lists->all.at[known].count - 1, 0);
    }
    if (count == 0) return LI_TERM_NOTHING;
    li_string *strings = li_grammar_alloc(grammar, count * sizeof *strings);
    if (!strings) return LI_TERM_NOTHING;
    for (uint32_t i = 0; i < count; i++) {
        strings[i].bytes = li_read_text(reader, &length);
        strings[i].length = length;
    }
    return make_list(grammar, strings, count, source);
}

li_string_range li_strings_range(const li_grammar *grammar, li_term term)
{
    const li_payload *of = li_term_payload(grammar, term);
    return (li_string_range){.strings = grammar->lists->all.at[of->strings.list].strings,
                             .list = of->strings.list,
                             .first = of->strings.first,
                             .end = of->strings.end,
                             .depth = of->strings.depth};
}

// The index of the first string from `low` on whose byte at `depth` is at least `byte`. All are longer than `depth`.
static uint32_t find(const li_string *strings, uint32_t low, uint32_t high, uint32_t depth, uint32_t byte)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strings[middle].bytes[depth] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

li_string_range li_strings_narrow(li_string_range range, uint8_t byte)
{
    const li_string *strings = range.strings;
    uint32_t depth = range.depth, end = range.end, step = 1;
    if (strings[range.first].length == depth) range.first++;
    range.first = find(strings, range.first, end, depth, byte);
    // Few strings are left in most cases, so the search for the end doubles its steps from the beginning.
    while (step < end - range.first && strings[range.first + step].bytes[depth] == byte) step *= 2;
    if (step < end - range.first) end = range.first + step;
    range.end = find(strings, range.first, end, depth, byte + 1u);
    range.depth++;
    return range;
}

li_term li_strings_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    li_string_range range = li_strings_narrow(li_strings_range(grammar, term), byte);
    if (range.first == range.end) return LI_TERM_NOTHING;
    return range_term(grammar, range.list, range.first, range.end - 1, range.depth);
}

bool li_strings_refuse(const li_grammar *grammar, li_term term, uint8_t byte)
{
    const li_payload *of = li_term_payload(grammar, term);
    const li_string *strings = grammar->lists->all.at[of->strings.list].strings;
    uint32_t first = of->strings.first, end = of->strings.end, depth = of->strings.depth;
    if (strings[first].length == depth) first++;
    return first == end || byte < strings[first].bytes[depth] || byte > strings[end - 1].bytes[depth];
}

void li_strings_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t of_depth)
{
    (void)of_depth;
    li_string_range range = li_strings_range(grammar, term);
    uint32_t depth = range.depth;
    if (range.strings[range.first].length == depth) range.first++;
    while (range.first < range.end) {
        uint32_t byte = range.strings[range.first].bytes[depth];
        set[byte / 32] |= 1u << byte % 32;
        range.first = find(range.strings, range.first, range.end, depth, byte + 1);
    }
}
