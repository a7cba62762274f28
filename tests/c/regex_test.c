// Expressions of the form against a matcher over sets of positions, written after ECMAScript's rules; and that a term
// is NOTHING exactly where no completion exists.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "grammar/compile/expression.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/string_list.h"
#include "grammar/terms/term.h"
#include "grammar/terms/term_table.h"

// The last letter is in no class: it stands for all other text.
enum { LETTERS = 7, CLASS_LETTERS = 6, NODES = 64, LONGEST = 5, REACH = 6 };

static const char *const letters[LETTERS] = {"a", "b", "-", "\xc3\xa9", "z", "\xf0\x9f\x98\x80", "\xe2\x82\xac"};
static const uint32_t code_points[CLASS_LETTERS] = {'a', 'b', '-', 0xe9, 'z', 0x1f600};
static const bool is_word[LETTERS] = {true, true, false, false, true, false, false};

typedef struct node {
    uint32_t tag, a, b, parts[3]; // children by index
    uint32_t set;                 // CLASS: letters
} node;

static node nodes[NODES];
static uint32_t node_count, dice = 1;

static uint32_t below(uint32_t limit)
{
    dice ^= dice << 13, dice ^= dice >> 17, dice ^= dice << 5;
    return dice % limit;
}

// One expression of a kind that the tests choose among: `open` allows assertions.
static uint32_t generate(uint32_t depth, bool open, bool boolean)
{
    uint32_t at = node_count++;
    node *made = &nodes[at];
    *made = (node){.tag = LI_FORM_CLASS, .set = 1u << below(CLASS_LETTERS)};
    if (below(3) == 0) made->set = 1 + below((1u << CLASS_LETTERS) - 1);
    uint32_t kind = depth == 0 || node_count > NODES - 4 ? 0 : below(open ? 12 : 8);
    if (kind >= 2 && kind <= 3) made->tag = LI_FORM_SEQUENCE, made->a = 2 + below(2);
    if (kind == 4) made->tag = LI_FORM_CHOICE, made->a = 2 + below(2);
    if (kind == 5 || kind == 6) {
        made->tag = LI_FORM_REPEAT;
        made->a = below(4) ? below(2) : below(4);
        made->b = below(2) ? LI_NO_LIMIT : made->a + below(3);
    }
    if (kind == 7) {
        uint32_t which = below(boolean ? 3 : 1);
        made->tag = which == 0 ? LI_FORM_EMPTY : which == 1 ? LI_FORM_BOTH : LI_FORM_NOT;
        made->a = 2;
    }
    if (kind == 8 || kind == 9) made->tag = LI_FORM_AHEAD, made->a = below(2);
    if (kind == 10) made->tag = LI_FORM_EDGE, made->a = below(2);
    if (kind == 11) made->tag = below(2) ? LI_FORM_START : LI_FORM_END;
    uint32_t parts = 0;
    switch (made->tag) {
    case LI_FORM_SEQUENCE:
    case LI_FORM_CHOICE:
    case LI_FORM_BOTH:
        parts = made->a;
        break;
    case LI_FORM_REPEAT:
    case LI_FORM_NOT:
    case LI_FORM_AHEAD:
        parts = 1;
        break;
    }
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t child = generate(depth - 1, open, boolean);
        nodes[at].parts[i] = child;
    }
    return at;
}

static uint8_t text[LONGEST + REACH + 1]; // letters
static uint32_t find_ends(uint32_t at, uint32_t low, uint32_t high, uint32_t from);

static uint32_t ends_of_all(uint32_t at, uint32_t low, uint32_t high, uint32_t positions)
{
    uint32_t ends = 0;
    for (uint32_t i = low; i <= high; i++)
        if (positions >> i & 1) ends |= find_ends(at, low, high, i);
    return ends;
}

static bool word_at(uint32_t low, uint32_t high, uint32_t i)
{
    return i >= low && i < high && is_word[text[i]];
}

// The positions where a match of the node from `from` on can end, in the text from `low` to `high`.
static uint32_t find_ends(uint32_t at, uint32_t low, uint32_t high, uint32_t from)
{
    const node *of = &nodes[at];
    uint32_t here = 1u << from, ends = 0;
    switch (of->tag) {
    case LI_FORM_EMPTY:
        return here;
    case LI_FORM_CLASS:
        return from < high && of->set >> text[from] & 1 ? here << 1 : 0;
    case LI_FORM_SEQUENCE:
        ends = here;
        for (uint32_t i = 0; i < of->a; i++) ends = ends_of_all(of->parts[i], low, high, ends);
        return ends;
    case LI_FORM_CHOICE:
        for (uint32_t i = 0; i < of->a; i++) ends |= find_ends(of->parts[i], low, high, from);
        return ends;
    case LI_FORM_REPEAT: {
        uint32_t reached = here;
        for (uint32_t i = 0; i < of->a; i++) reached = ends_of_all(of->parts[0], low, high, reached);
        ends = reached;
        for (uint32_t round = of->a; round < of->b && reached; round++) {
            uint32_t next = 0;
            for (uint32_t i = low; i <= high; i++)
                if (reached >> i & 1) next |= find_ends(of->parts[0], low, high, i) & ~(1u << i);
            reached = next;
            ends |= reached;
        }
        return ends;
    }
    case LI_FORM_AHEAD:
        return (find_ends(of->parts[0], low, high, from) != 0) != (bool)of->a ? here : 0;
    case LI_FORM_EDGE: {
        bool is_edge = (from > low && word_at(low, high, from - 1)) != word_at(low, high, from);
        return is_edge == (bool)of->a ? here : 0;
    }
    case LI_FORM_START:
        return from == low ? here : 0;
    case LI_FORM_END:
        return from == high ? here : 0;
    default: // BOTH and NOT see only their own text
        for (uint32_t end = from; end <= high; end++) {
            bool holds = find_ends(of->parts[0], from, end, from) >> end & 1;
            if (of->tag == LI_FORM_NOT) holds = !holds;
            if (of->tag == LI_FORM_BOTH) holds = holds && find_ends(of->parts[1], from, end, from) >> end & 1;
            if (holds) ends |= 1u << end;
        }
        return ends;
    }
}

static uint8_t form[1 << 16];
static uint32_t form_length;

static void put(uint32_t value)
{
    for (; value > 127; value >>= 7) form[form_length++] = (uint8_t)(value | 128);
    form[form_length++] = (uint8_t)value;
}

static void write_node(uint32_t at)
{
    const node *of = &nodes[at];
    uint32_t parts = 0, end = 0, count = 0;
    put(of->tag);
    switch (of->tag) {
    case LI_FORM_CLASS: {
        // Ascending code points.
        static const uint32_t order[CLASS_LETTERS] = {2, 0, 1, 4, 3, 5};
        for (uint32_t i = 0; i < CLASS_LETTERS; i++) count += of->set >> i & 1;
        put(count);
        for (uint32_t i = 0; i < CLASS_LETTERS; i++)
            if (of->set >> order[i] & 1) {
                put(code_points[order[i]] - end);
                put(0);
                end = code_points[order[i]] + 1;
            }
        break;
    }
    case LI_FORM_SEQUENCE:
    case LI_FORM_CHOICE:
    case LI_FORM_BOTH:
        put(of->a);
        parts = of->a;
        break;
    case LI_FORM_REPEAT:
        put(of->a);
        put(of->b == LI_NO_LIMIT ? 0 : of->b + 1);
        parts = 1;
        break;
    case LI_FORM_AHEAD:
    case LI_FORM_EDGE:
        put(of->a);
        parts = of->tag == LI_FORM_AHEAD;
        break;
    case LI_FORM_NOT:
        parts = 1;
        break;
    }
    for (uint32_t i = 0; i < parts; i++) write_node(of->parts[i]);
}

static li_grammar *open_grammar(uint64_t fuel)
{
    li_grammar *grammar = li_memory_alloc(sizeof *grammar);
    grammar->fuel = fuel;
    li_terms_create(grammar);
    return grammar;
}

static li_term read_form(li_grammar *grammar)
{
    li_reader reader = {.grammar = grammar, .at = form, .end = form + form_length};
    li_term term = li_read_expression(&reader);
    if (grammar->status == LI_OK) CHECK_EQ(reader.at, reader.end);
    return term;
}

static li_term read_letter(li_grammar *grammar, li_term term, uint32_t letter)
{
    return li_derive_bytes(grammar, term, (const uint8_t *)letters[letter], (uint32_t)strlen(letters[letter]));
}

static void print_node(uint32_t at)
{
    static const char *const names[] = {"?",    "nothing", "empty",  "text",    "class", "any",  "seq",   "choice",
                                        "both", "not",     "repeat", "strings", "ahead", "edge", "start", "end"};
    const node *of = &nodes[at];
    printf("%s", names[of->tag]);
    uint32_t parts = 0;
    if (of->tag == LI_FORM_CLASS) printf("[%x]", of->set);
    if (of->tag == LI_FORM_REPEAT) printf("{%u,%d}", of->a, (int)of->b), parts = 1;
    if (of->tag == LI_FORM_AHEAD) printf(":%u", of->a), parts = 1;
    if (of->tag == LI_FORM_EDGE) printf(":%u", of->a);
    if (of->tag == LI_FORM_NOT) parts = 1;
    if (of->tag == LI_FORM_SEQUENCE || of->tag == LI_FORM_CHOICE || of->tag == LI_FORM_BOTH) parts = of->a;
    if (!parts) return;
    printf("(");
    for (uint32_t i = 0; i < parts; i++) {
        if (i) printf(",");
        print_node(of->parts[i]);
    }
    printf(")");
}

static uint32_t root;
static uint32_t wrong;

// Whether some text of at most `more` letters after the first `length` matches, by the reference.
static bool completes(uint32_t length, uint32_t more)
{
    if (find_ends(root, 0, length, 0) >> length & 1) return true;
    for (uint32_t letter = 0; more && letter < LETTERS; letter++) {
        text[length] = (uint8_t)letter;
        if (completes(length + 1, more - 1)) return true;
    }
    return false;
}

// A shortest completion of the term by breadth-first search, over the letters; its length, or UINT32_MAX.
static bool search_completion(li_grammar *grammar, li_term term, uint32_t length)
{
    enum { MOST = 4000 };
    static struct {
        li_term term;
        uint32_t parent, letter;
    } queue[MOST];
    uint32_t count = 1;
    queue[0].term = term;
    for (uint32_t at = 0; at < count; at++) {
        if (li_term_is_nullable(grammar, queue[at].term)) {
            uint32_t steps = 0, tail[64];
            for (uint32_t i = at; i; i = queue[i].parent) tail[steps++] = queue[i].letter;
            if (length + steps > LONGEST + REACH) return true; // too long for the reference
            for (uint32_t i = 0; i < steps; i++) text[length + i] = (uint8_t)tail[steps - 1 - i];
            uint32_t end = length + steps;
            return find_ends(root, 0, end, 0) >> end & 1;
        }
        for (uint32_t letter = 0; letter < LETTERS; letter++) {
            li_term next = read_letter(grammar, queue[at].term, letter);
            bool is_known = next == LI_TERM_NOTHING;
            for (uint32_t i = 0; i < count && !is_known; i++) is_known = queue[i].term == next;
            if (is_known || count == MOST) continue;
            queue[count].term = next;
            queue[count].parent = at;
            queue[count++].letter = letter;
        }
    }
    return false;
}

static void walk(li_grammar *grammar, li_term term, uint32_t length, uint32_t longest)
{
    bool matches = find_ends(root, 0, length, 0) >> length & 1;
    bool agrees = li_term_is_nullable(grammar, term) == matches && grammar->status == LI_OK;
    if (agrees && term == LI_TERM_NOTHING)
        agrees = !completes(length, 3);
    else if (agrees && length < 3)
        agrees = search_completion(grammar, term, length);
    CHECK(agrees);
    if (!agrees && wrong++ < 3) {
        print_node(root);
        printf("\n  on \"");
        for (uint32_t i = 0; i < length; i++) printf("%s", letters[text[i]]);
        printf("\": term %u kind %u, nullable %d, reference %d, status %d\n", term, li_term_kind(grammar, term),
               li_term_is_nullable(grammar, term), matches, grammar->status);
    }
    if (length == longest || !agrees || term == LI_TERM_NOTHING) return;
    for (uint32_t letter = 0; letter < LETTERS; letter++) {
        text[length] = (uint8_t)letter;
        walk(grammar, read_letter(grammar, term, letter), length + 1, longest);
    }
}

static void check_expression(uint32_t longest)
{
    form_length = 0;
    put(LI_FORM_PATTERN);
    write_node(root);
    li_grammar *grammar = open_grammar(20000000);
    walk(grammar, read_form(grammar), 0, longest);
    li_grammar_destroy(grammar);
}

static void random_expressions_match_as_ecmascript_says(uint32_t count, bool open, bool boolean)
{
    for (uint32_t i = 0; i < (uint32_t)check_rounds((int)count); i++) {
        dice = i * 2654435761u + 12345 + open + 2 * boolean;
        for (int k = 0; k < 5; k++) below(2);
        node_count = 0;
        root = generate(1 + below(5), open, boolean);
        check_expression(i % 8 ? 3 : LONGEST);
        if (wrong > 3) return;
    }
}

static uint32_t make(uint32_t tag, uint32_t a, uint32_t b, uint32_t first, uint32_t second)
{
    nodes[node_count] = (node){.tag = tag, .a = a, .b = b, .parts = {first, second}};
    return node_count++;
}

static uint32_t letters_of(uint32_t set)
{
    uint32_t at = make(LI_FORM_CLASS, 0, 0, 0, 0);
    nodes[at].set = set;
    return at;
}

static uint32_t pair(uint32_t first, uint32_t second)
{
    return make(LI_FORM_SEQUENCE, 2, 0, first, second);
}

// Cases that random expressions seldom hit.
static uint32_t make_rare(uint32_t which)
{
    enum { A = 1, B = 2, DASH = 4 };
    switch (which) {
    case 0: // (?:(?=a)|[ab]){2}: the first round may be empty, and the second not
        return make(LI_FORM_REPEAT, 2, 2,
                    make(LI_FORM_CHOICE, 2, 0, make(LI_FORM_AHEAD, 0, 0, letters_of(A), 0), letters_of(A | B)), 0);
    case 1: // [ab-]\b-: of the class, only some are word characters
        return pair(letters_of(A | B | DASH), pair(make(LI_FORM_EDGE, 1, 0, 0, 0), letters_of(DASH)));
    case 2: // (?=ba)[ab][ab]\b: only the lookahead tells a from b
        return pair(make(LI_FORM_AHEAD, 0, 0, pair(letters_of(B), letters_of(A)), 0),
                    pair(pair(letters_of(A | B), letters_of(A | B)), make(LI_FORM_EDGE, 1, 0, 0, 0)));
    case 3: // a?|a{3}: two are not among them
        return make(LI_FORM_CHOICE, 2, 0, make(LI_FORM_REPEAT, 0, 1, letters_of(A), 0),
                    make(LI_FORM_REPEAT, 3, 3, letters_of(A), 0));
    case 4: // (?:a\b|-){2,}
        return make(LI_FORM_REPEAT, 2, LI_NO_LIMIT,
                    make(LI_FORM_CHOICE, 2, 0, pair(letters_of(A), make(LI_FORM_EDGE, 1, 0, 0, 0)), letters_of(DASH)),
                    0);
    default: // (?!(?!a))b|(?!(?!b))b
        return make(LI_FORM_CHOICE, 2, 0,
                    pair(make(LI_FORM_AHEAD, 1, 0, make(LI_FORM_AHEAD, 1, 0, letters_of(A), 0), 0), letters_of(B)),
                    pair(make(LI_FORM_AHEAD, 1, 0, make(LI_FORM_AHEAD, 1, 0, letters_of(B), 0), 0), letters_of(B)));
    }
}

static void rare_expressions_match_too(void)
{
    for (uint32_t which = 0; which < 6; which++) {
        CHECK_CASE("which %u", which);
        node_count = 0;
        root = make_rare(which);
        check_expression(LONGEST);
    }
}

// Counts the texts of the term that begin with the code point's bytes so far; each must be the one spelling of a
// member.
static uint32_t count_members(li_grammar *grammar, li_term term, uint8_t *bytes, uint32_t length,
                              const uint32_t *ranges, uint32_t count)
{
    uint32_t found = 0;
    if (li_term_is_nullable(grammar, term)) {
        uint32_t code = length == 1 ? bytes[0] : bytes[0] & (0x3fu >> (length - 1)), least = 0;
        for (uint32_t i = 1; i < length; i++) code = code << 6 | (bytes[i] & 63);
        bool is_member = false, is_spelt = length > 0;
        for (uint32_t i = 0; i < count; i++) is_member |= ranges[2 * i] <= code && code <= ranges[2 * i + 1];
        for (uint32_t i = 1; i < length; i++) is_spelt &= (bytes[i] & 0xc0) == 0x80;
        if (length == 2) least = 0x80;
        if (length == 3) least = 0x800;
        if (length == 4) least = 0x10000;
        CHECK(is_member);
        CHECK(is_spelt);
        CHECK_GE(code, least);
        CHECK_LE(code, 0x10ffff);
        CHECK(code < 0xd800 || code > 0xdfff);
        CHECK(length == 1 || bytes[0] >> (7 - length) == (1u << (length + 1)) - 2);
        found++;
    }
    if (length == 4) return found;
    for (uint32_t byte = 0; byte < 256; byte++) {
        bytes[length] = (uint8_t)byte;
        li_term next = li_derive(grammar, term, (uint8_t)byte);
        if (next != LI_TERM_NOTHING) found += count_members(grammar, next, bytes, length + 1, ranges, count);
    }
    return found;
}

static void classes_are_their_code_points_in_utf8(void)
{
    static const uint32_t marks[] = {0,       0x41,    0x7f,    0x80,    0xff,    0x7ff,   0x800,    0x801,
                                     0xfff,   0x1000,  0xd7ff,  0xd800,  0xdfff,  0xe000,  0xfffe,   0xffff,
                                     0x10000, 0x10001, 0x1f600, 0x3ffff, 0x40000, 0xfffff, 0x100000, 0x10ffff};
    enum { MARKS = sizeof marks / sizeof *marks };
    for (uint32_t round = 0; round < 4; round++) {
        CHECK_CASE("round %u", round);
        dice = round + 1;
        uint32_t ranges[MARKS], count = 0, members = 0, i = round ? below(4) : 0;
        for (; i + 1 < MARKS; i += 2 + below(4)) {
            ranges[2 * count] = marks[i] + (round ? below(2) : 0);
            ranges[2 * count + 1] = round ? marks[i + 1] : 0x10ffff;
            if (ranges[2 * count] > ranges[2 * count + 1]) continue;
            for (uint32_t code = ranges[2 * count]; code <= ranges[2 * count + 1]; code++)
                members += code < 0xd800 || code > 0xdfff;
            count++;
            if (!round) break;
        }
        li_grammar *grammar = open_grammar(UINT64_MAX);
        uint8_t bytes[4];
        CHECK_EQ(count_members(grammar, li_class(grammar, ranges, count), bytes, 0, ranges, count), members);
        li_grammar_destroy(grammar);
    }
}

static bool is_in(const li_string *list, uint32_t count, const uint8_t *bytes, uint32_t length, bool as_prefix)
{
    for (uint32_t i = 0; i < count; i++)
        if ((as_prefix ? list[i].length >= length : list[i].length == length) &&
            (length == 0 || memcmp(list[i].bytes, bytes, length) == 0))
            return true;
    return false;
}

static void walk_strings(li_grammar *grammar, li_term term, const li_string *list, uint32_t count, uint8_t *bytes,
                         uint32_t length)
{
    static const uint8_t alphabet[] = {'a', 'b', 0xc3, 0xa9, 0xff};
    CHECK_EQ(li_term_is_nullable(grammar, term), is_in(list, count, bytes, length, false));
    CHECK_EQ(term != LI_TERM_NOTHING, is_in(list, count, bytes, length, true));
    // A term with LI_FLAG_TEXT continues with whole characters.
    bool is_text = term != LI_TERM_NOTHING && li_term_flags(grammar, term) & LI_FLAG_TEXT;
    if (is_text) CHECK_EQ(li_both(grammar, term, li_not(grammar, li_any_text(grammar))), LI_TERM_NOTHING);
    if (length == 5 || term == LI_TERM_NOTHING) return;
    for (uint32_t i = 0; i < sizeof alphabet; i++) {
        CHECK_CASE("i %u", i);
        bytes[length] = alphabet[i];
        walk_strings(grammar, li_derive(grammar, term, alphabet[i]), list, count, bytes, length + 1);
    }
}

static void lists_hold_their_strings(void)
{
    static const char *const words[] = {
        "",    "a",    "ab",    "b",    "\xc3\xa9", "a\xc3\xa9", "abab", "bb", "\xc3\xa9\xc3\xa9",
        "aab", "\xff", "a\xc3", "\xa9", "ba"};
    for (uint32_t round = 0; round < 300; round++) {
        CHECK_CASE("round %u", round);
        dice = round + 1;
        li_string list[12];
        uint32_t count = 1 + below(12), known = 1 + below(sizeof words / sizeof *words);
        for (uint32_t i = 0; i < count; i++) {
            const char *word = words[below(known)];
            list[i] = (li_string){(const uint8_t *)word, (uint32_t)strlen(word)};
        }
        li_grammar *grammar = open_grammar(1000000);
        uint8_t bytes[5];
        walk_strings(grammar, li_strings(grammar, list, count), list, count, bytes, 0);
        CHECK_EQ(grammar->status, LI_OK);
        CHECK_EQ(li_strings(grammar, list, 0), LI_TERM_NOTHING);
        li_grammar_destroy(grammar);
    }
}

static void put_letter(char letter)
{
    put(LI_FORM_TEXT);
    put(1);
    form[form_length++] = (uint8_t)letter;
}

static void put_any(void)
{
    put(LI_FORM_CLASS);
    put(1);
    put(0);
    put(0x10ffff);
}

static void put_repeat(uint32_t least, uint32_t most)
{
    put(LI_FORM_REPEAT);
    put(least);
    put(most == LI_NO_LIMIT ? 0 : most + 1);
}

static void put_all(uint32_t tag, uint32_t count)
{
    put(tag);
    put(count);
}

// [^]*a[^]{count}
static void put_far_back(uint32_t count)
{
    put_all(LI_FORM_SEQUENCE, 3);
    put_repeat(0, LI_NO_LIMIT);
    put_any();
    put_letter('a');
    put_repeat(count, count);
    put_any();
}

static void write_hostile(uint32_t which)
{
    switch (which) {
    case 0: // (a|a)*
        put_repeat(0, LI_NO_LIMIT);
        put_all(LI_FORM_CHOICE, 2);
        put_letter('a');
        put_letter('a');
        break;
    case 1: // ((a{1,1000}){1,1000}){1,1000}
        for (int i = 0; i < 3; i++) put_repeat(1, 1000);
        put_letter('a');
        break;
    case 2: // (a?){5000}
        put_repeat(5000, 5000);
        put_repeat(0, 1);
        put_letter('a');
        break;
    case 3:
        put_far_back(5000);
        break;
    case 4: // [^]{5000} that also has an a, and nowhere aa
        put_all(LI_FORM_SEQUENCE, 3);
        put_all(LI_FORM_AHEAD, 0);
        put_far_back(0);
        put_all(LI_FORM_AHEAD, 1);
        put_all(LI_FORM_SEQUENCE, 3);
        put_repeat(0, LI_NO_LIMIT);
        put_any();
        put_letter('a');
        put_letter('a');
        put_repeat(5000, 5000);
        put_any();
        break;
    case 5: // no texts at all: 20th from the end is an a, and is not
        put_all(LI_FORM_BOTH, 2);
        put_far_back(13);
        put(LI_FORM_NOT);
        put_far_back(13);
        break;
    case 6: // every text: (a{2}|a{3}|a{5}|a{7}|a{11})* and what it leaves out
        put(LI_FORM_NOT);
        put_repeat(0, LI_NO_LIMIT);
        put_all(LI_FORM_CHOICE, 5);
        for (uint32_t i = 0; i < 5; i++) {
            static const uint32_t primes[] = {2, 3, 5, 7, 11};
            put_repeat(primes[i], primes[i]);
            put_letter('a');
        }
        break;
    case 7: // (?:(?=(?:(?=(?:...a)b)c)...)*
        for (int i = 0; i < 60; i++) {
            put_repeat(0, LI_NO_LIMIT);
            put_all(LI_FORM_SEQUENCE, 2);
            put_all(LI_FORM_AHEAD, 0);
        }
        put_letter('a');
        for (int i = 0; i < 60; i++) put_any();
        break;
    case 8: // ((a?)*?)* ... nested 200 deep
        for (int i = 0; i < 200; i++) put_repeat(i % 3, i % 2 ? LI_NO_LIMIT : 5);
        put_letter('a');
        break;
    case 9: // five lengths at once: (a{97})* and (a{101})* and ...
        put_all(LI_FORM_BOTH, 5);
        for (uint32_t i = 0; i < 5; i++) {
            static const uint32_t primes[] = {97, 101, 103, 107, 109};
            put_repeat(1, LI_NO_LIMIT);
            put_repeat(primes[i], primes[i]);
            put_letter('a');
        }
        break;
    case 10: // (?:(?=[^]*a[^]{30})a|b){1000}
        put_repeat(1000, 1000);
        put_all(LI_FORM_CHOICE, 2);
        put_all(LI_FORM_SEQUENCE, 2);
        put_all(LI_FORM_AHEAD, 0);
        put_far_back(30);
        put_letter('a');
        put_letter('b');
        break;
    case 11: // (?:a|b(?=a{0,1000}b)){0,1000}
        put_repeat(0, 1000);
        put_all(LI_FORM_CHOICE, 2);
        put_letter('a');
        put_all(LI_FORM_SEQUENCE, 2);
        put_letter('b');
        put_all(LI_FORM_AHEAD, 0);
        put_all(LI_FORM_SEQUENCE, 2);
        put_repeat(0, 1000);
        put_letter('a');
        put_letter('b');
        break;
    }
}

static void hostile_expressions_end_soon(void)
{
    for (uint32_t which = 0; which < 12; which++) {
        CHECK_CASE("which %u", which);
        form_length = 0;
        put(LI_FORM_PATTERN);
        write_hostile(which);
        li_grammar *grammar = open_grammar(20000000);
        li_term term = read_form(grammar);
        uint32_t steps = 0;
        for (; steps < 3000 && term != LI_TERM_NOTHING; steps++)
            term = li_derive(grammar, term, steps % 7 == 6 ? 'b' : 'a');
        CHECK(grammar->status == LI_OK || grammar->status == LI_ERROR_GRAMMAR_FUEL);
        // Each new term costs fuel, so both bound the work.
        CHECK_LE(grammar->terms->entries.count, 20000000 - grammar->fuel + 1000);
        li_grammar_destroy(grammar);
    }
}

int main(void)
{
    const uint32_t rounds = (uint32_t)check_number("CHECK_COUNT", 800);
    rare_expressions_match_too();
    random_expressions_match_as_ecmascript_says(rounds, false, false);
    random_expressions_match_as_ecmascript_says(rounds, false, true);
    random_expressions_match_as_ecmascript_says(rounds, true, false);
    random_expressions_match_as_ecmascript_says(rounds, true, true);
    classes_are_their_code_points_in_utf8();
    lists_hold_their_strings();
    hostile_expressions_end_soon();
    return check_done("regex");
}
