// Context-free rules: the terms read exactly the texts that the rules generate, and every prefix they let through can
// be finished. The reference recognises by trying every split of the text, to a least fixed point.
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "grammar/core/form_reader.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/term.h"

// The beginning of a form without options and schemas. The number of rules, the rules and the root follow.
#define HEAD            'L', 'I', 'G', 1, 0, 0, 0, 1, ',', 1, ':', 0
#define TEXT(letter)    LI_FORM_TEXT, 1, letter
#define RULE(index)     LI_FORM_RULE, index
#define CHOICE(count)   LI_FORM_CHOICE, count
#define SEQUENCE(count) LI_FORM_SEQUENCE, count

enum { RULES = 4, LENGTH = 6, NODES = 64, FORM = 4096 };

// ---- random grammars ----

typedef enum node_kind { NODE_TEXT, NODE_SEQUENCE, NODE_CHOICE, NODE_REPEAT, NODE_RULE } node_kind;

typedef struct node {
    node_kind kind;
    int a, b;        // sequence, choice: nodes; repeat: body; rule: index; text: the letter, 'a' or 'b', or 0 for none
    int least, most; // repeat; most -1: no limit
} node;

static node nodes[NODES];
static int node_count, roots[RULES];
static uint32_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 10) % limit;
}

// `first`: the lowest rule that may stand at the left edge, so that no rule begins with itself.
static int make_node(int depth, int first)
{
    int index = node_count++;
    node made = {.kind = NODE_TEXT};
    uint32_t draw = random_below(depth > 0 ? 10 : 3);
    if (draw < 2) {
        made.a = 'a' + (int)random_below(2);
    } else if (draw == 2) {
        if (first < RULES) {
            made.kind = NODE_RULE;
            made.a = first + (int)random_below((uint32_t)(RULES - first));
        } else if (random_below(4)) {
            made.a = 'a' + (int)random_below(2);
        }
    } else if (draw < 7) {
        made.kind = NODE_SEQUENCE;
        // An expression after a letter may name any rule.
        made.a = node_count;
        int letter = make_node(0, RULES);
        bool is_letter = nodes[letter].a != 0;
        made.b = make_node(depth - 1, is_letter ? 0 : first);
    } else if (draw < 9) {
        made.kind = NODE_CHOICE;
        made.a = make_node(depth - 1, first);
        made.b = make_node(depth - 1, first);
    } else {
        made.kind = NODE_REPEAT;
        made.a = make_node(depth - 1, first);
        made.least = (int)random_below(3);
        made.most = random_below(2) ? -1 : made.least + (int)random_below(3);
    }
    nodes[index] = made;
    return index;
}

static uint8_t form[FORM];
static uint32_t form_length;

static void put(uint32_t byte)
{
    if (form_length < FORM) form[form_length++] = (uint8_t)byte;
}

static void put_node(int index)
{
    node n = nodes[index];
    switch (n.kind) {
    case NODE_TEXT:
        put(LI_FORM_TEXT);
        put(n.a ? 1 : 0);
        if (n.a) put((uint32_t)n.a);
        break;
    case NODE_SEQUENCE:
    case NODE_CHOICE:
        put(n.kind == NODE_SEQUENCE ? LI_FORM_SEQUENCE : LI_FORM_CHOICE);
        put(2);
        put_node(n.a);
        put_node(n.b);
        break;
    case NODE_REPEAT:
        put(LI_FORM_REPEAT);
        put((uint32_t)n.least);
        put((uint32_t)(n.most + 1));
        put_node(n.a);
        break;
    case NODE_RULE:
        put(LI_FORM_RULE);
        put((uint32_t)n.a);
        break;
    }
}

static void put_form(void)
{
    static const uint8_t head[] = {HEAD, RULES};
    form_length = sizeof head;
    memcpy(form, head, sizeof head);
    for (int rule = 0; rule < RULES; rule++) put_node(roots[rule]);
    put(LI_FORM_RULE);
    put(0);
}

// ---- the reference ----

static const char *text;
static bool known[RULES][LENGTH + 1][LENGTH + 1];

static bool matches(int index, int from, int to);

static bool repeats(const node *n, int from, int to, int done, int limit)
{
    if (from == to && done >= n->least) return true;
    if (limit == 0 || done == n->most) return false;
    for (int middle = from; middle <= to; middle++)
        if (matches(n->a, from, middle) && repeats(n, middle, to, done + 1, limit - 1)) return true;
    return false;
}

static bool matches(int index, int from, int to)
{
    const node *n = &nodes[index];
    switch (n->kind) {
    case NODE_TEXT:
        return n->a ? to == from + 1 && text[from] == n->a : to == from;
    case NODE_CHOICE:
        return matches(n->a, from, to) || matches(n->b, from, to);
    case NODE_RULE:
        return known[n->a][from][to];
    case NODE_REPEAT:
        return repeats(n, from, to, 0, to - from + n->least + 1);
    case NODE_SEQUENCE:
        for (int middle = from; middle <= to; middle++)
            if (matches(n->a, from, middle) && matches(n->b, middle, to)) return true;
    }
    return false;
}

static bool is_generated(const char *letters, int length)
{
    text = letters;
    memset(known, 0, sizeof known);
    for (bool changed = true; changed;) {
        changed = false;
        for (int rule = 0; rule < RULES; rule++)
            for (int from = 0; from <= length; from++)
                for (int to = from; to <= length; to++)
                    if (!known[rule][from][to] && matches(roots[rule], from, to))
                        known[rule][from][to] = changed = true;
    }
    return known[0][0][length];
}

// ---- the terms ----

// Whether a text finishes the term: a search of its derivatives, breadth first.
static bool can_finish(li_grammar *grammar, li_term term)
{
    enum { SEEN = 400 };
    li_term seen[SEEN];
    int count = 1;
    seen[0] = term;
    for (int i = 0; i < count; i++) {
        if (li_term_is_nullable(grammar, seen[i])) return true;
        for (uint8_t letter = 'a'; letter <= 'b'; letter++) {
            li_term next = li_derive(grammar, seen[i], letter);
            bool is_new = next != LI_TERM_NOTHING;
            for (int j = 0; j < count; j++) is_new &= seen[j] != next;
            if (is_new && count < SEEN) seen[count++] = next;
        }
    }
    return count == SEEN; // undecided
}

static void check_grammar(void)
{
    li_grammar *grammar = li_grammar_compile(form, form_length, 0);
    CHECK(grammar);
    CHECK_EQ(grammar->status, LI_OK);
    if (!grammar || grammar->status != LI_OK) {
        li_grammar_destroy(grammar);
        return;
    }
    for (int length = 0; length <= LENGTH; length++)
        for (int bits = 0; bits < 1 << length; bits++) {
            char letters[LENGTH + 1] = {0};
            for (int i = 0; i < length; i++) letters[i] = bits >> i & 1 ? 'b' : 'a';
            grammar->fuel = 10000000;
            li_term rest = li_derive_bytes(grammar, grammar->root, (const uint8_t *)letters, (uint32_t)length);
            CHECK_EQ(grammar->status, LI_OK);
            bool expected = is_generated(letters, length);
            CHECK_EQ(li_term_is_nullable(grammar, rest), expected);
            if (rest != LI_TERM_NOTHING && length <= 3) CHECK(can_finish(grammar, rest));
        }
    li_grammar_destroy(grammar);
}

static void rules_read_what_they_generate(void)
{
    for (random_state = 1; random_state < 1500000000u; random_state += 3000017u) {
        uint32_t seed = random_state;
        node_count = 0;
        bool fits = true;
        for (int rule = 0; rule < RULES && fits; rule++) {
            fits = node_count < NODES / 2;
            if (fits) roots[rule] = make_node(3, rule + 1);
        }
        if (fits) {
            put_form();
            check_grammar();
        }
        random_state = seed;
    }
}

static void left_recursion_ends_in_an_error(void)
{
    // rule 0 = rule 0 "a" | "a", which JavaScript would have rewritten.
    static const uint8_t bytes[] = {HEAD, 1, CHOICE(2), SEQUENCE(2), RULE(0), TEXT('a'), TEXT('a'), RULE(0)};
    li_grammar *grammar = li_grammar_compile(bytes, sizeof bytes, 0);
    CHECK(grammar);
    CHECK_EQ(grammar->status, LI_OK);
    CHECK_EQ(li_derive(grammar, grammar->root, 'a'), LI_TERM_NOTHING);
    CHECK_EQ(grammar->status, LI_ERROR_GRAMMAR_FUEL);
    li_grammar_destroy(grammar);
}

static void rules_without_any_text_are_nothing(void)
{
    // rule 0 = "a" rule 0 | rule 1; rule 1 = "b" rule 1
    static const uint8_t bytes[] = {HEAD,    2,           CHOICE(2), SEQUENCE(2), TEXT('a'), RULE(0),
                                    RULE(1), SEQUENCE(2), TEXT('b'), RULE(1),     RULE(0)};
    li_grammar *grammar = li_grammar_compile(bytes, sizeof bytes, 0);
    CHECK(grammar);
    CHECK_EQ(grammar->status, LI_OK);
    CHECK_EQ(grammar->root, LI_TERM_NOTHING);
    li_grammar_destroy(grammar);
}

static void counts_that_no_text_has_are_nothing(void)
{
    // rule 0 = rule 1 {least,2}; rule 1 = "a"
    for (uint8_t least = 0; least < 4; least++) {
        CHECK_CASE("least %u", least);
        const uint8_t bytes[] = {HEAD, 2, LI_FORM_REPEAT, least, 3, RULE(1), TEXT('a'), RULE(0)};
        li_grammar *grammar = li_grammar_compile(bytes, sizeof bytes, 0);
        CHECK(grammar);
        CHECK_EQ(grammar->status, LI_OK);
        CHECK_EQ(grammar->root == LI_TERM_NOTHING, least > 2);
        li_grammar_destroy(grammar);
    }
}

static void truncated_forms_are_refused(void)
{
    random_state = 7;
    node_count = 0;
    for (int rule = 0; rule < RULES; rule++) roots[rule] = make_node(3, rule + 1);
    put_form();
    for (uint32_t length = 0; length < form_length; length++) {
        li_grammar *grammar = li_grammar_compile(form, length, 0);
        CHECK(grammar);
        CHECK_EQ(grammar->status, LI_ERROR_GRAMMAR_FORM);
        CHECK_EQ(grammar->root, LI_TERM_NOTHING);
        li_grammar_destroy(grammar);
    }
}

static void long_right_recursion_keeps_the_state_small(void)
{
    // rule 0 = "a" rule 0 | "b": after a thousand letters the state is the first one again.
    static const uint8_t bytes[] = {HEAD, 1, CHOICE(2), SEQUENCE(2), TEXT('a'), RULE(0), TEXT('b'), RULE(0)};
    li_grammar *grammar = li_grammar_compile(bytes, sizeof bytes, 0);
    li_term term = grammar->root;
    for (int i = 0; i < 1000; i++) term = li_derive(grammar, term, 'a');
    CHECK_EQ(term, grammar->root);
    CHECK_EQ(li_derive(grammar, term, 'b'), LI_TERM_EMPTY);
    li_grammar_destroy(grammar);
}

static void a_rule_that_ends_in_itself_repeated_keeps_the_state_small(void)
{
    // rule 0 = "a" rule 0*: the repetitions of all letters before are one.
    static const uint8_t bytes[] = {HEAD, 1, SEQUENCE(2), TEXT('a'), LI_FORM_REPEAT, 0, 0, RULE(0), RULE(0)};
    li_grammar *grammar = li_grammar_compile(bytes, sizeof bytes, 0);
    CHECK(grammar);
    CHECK_EQ(grammar->status, 0);
    li_term once = li_derive(grammar, grammar->root, 'a'), term = once;
    for (int i = 0; i < 12; i++) term = li_derive(grammar, term, 'a');
    CHECK_EQ(term, once);
    CHECK(li_term_is_nullable(grammar, term));
    CHECK_EQ(li_derive(grammar, term, 'b'), LI_TERM_NOTHING);
    li_grammar_destroy(grammar);
}

int main(void)
{
    rules_read_what_they_generate();
    left_recursion_ends_in_an_error();
    rules_without_any_text_are_nothing();
    counts_that_no_text_has_are_nothing();
    truncated_forms_are_refused();
    long_right_recursion_keeps_the_state_small();
    a_rule_that_ends_in_itself_repeated_keeps_the_state_small();
    return check_done("rules");
}
