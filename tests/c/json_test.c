// JSON text of schemas against a validator by the letter (schema_reference.h): every value of a small universe, however
// spelt, is read if and only if it is valid, and no prefix that is read is a dead end.
#include "check.h"
#include "grammar/json.h"
#include "grammar/term_table.h"
#include "schema_reference.h"

static uint64_t state = 1;

static int below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

// ---- values --------------------------------------------------------------------------------------------------------

static value pool[4000];
static int pool_count, atom_count;
static const char *const keys[] = {"a", "b", "ab", "c"};

static value *new_value(value_kind kind)
{
    value *v = &pool[pool_count++];
    *v = (value){.kind = kind};
    return v;
}

static void make_universe(void)
{
    static const char *const words[] = {"", "a", "b", "ab"};
    static const int numbers[] = {0, 4, 8, 2};
    new_value(V_NULL), new_value(V_TRUE), new_value(V_FALSE);
    for (int i = 0; i < 4; i++) new_value(V_STRING)->text = words[i];
    for (int i = 0; i < 4; i++) new_value(V_NUMBER)->quarters = numbers[i];
    atom_count = pool_count;
    for (int i = 0; i < 3000; i++) {
        value *v = new_value(below(2) ? V_ARRAY : V_OBJECT);
        v->count = below(5);
        int first = below(4), before = i < 1500 ? atom_count : pool_count - 1;
        for (int j = 0; j < v->count; j++) {
            v->items[j] = &pool[below(3) ? below(atom_count) : below(before)];
            v->keys[j] = keys[(first + j) % 4];
        }
    }
}

// Spells the value, in the order of its properties that the number stands for.
static char *spell(char *to, const value *v, int order)
{
    static const char *const words[] = {"null", "false", "true"};
    if (v->kind < V_NUMBER) return to + sprintf(to, "%s", words[v->kind]);
    if (v->kind == V_STRING) {
        *to++ = '"';
        for (const char *at = v->text; *at; at++)
            to += below(4) ? sprintf(to, "%c", *at) : sprintf(to, below(2) ? "\\u%04x" : "\\u%04X", *at);
        return to + sprintf(to, "\"");
    }
    if (v->kind == V_NUMBER) {
        to += sprintf(to, "%g", v->quarters / 4.0);
        if (!below(4)) to += sprintf(to, v->quarters % 4 ? "0" : ".0");
        return to;
    }
    int places[4] = {0, 1, 2, 3};
    for (int i = v->count; i > 1; order /= i--) {
        int swapped = places[i - 1], at = order % i;
        places[i - 1] = places[at];
        places[at] = swapped;
    }
    *to++ = v->kind == V_ARRAY ? '[' : '{';
    for (int i = 0; i < v->count; i++) {
        int at = v->kind == V_ARRAY ? i : places[i];
        if (i) *to++ = ',';
        if (v->kind == V_OBJECT) to += sprintf(to, "\"%s\":", v->keys[at]);
        to = spell(to, v->items[at], order);
    }
    return to + sprintf(to, "%c", v->kind == V_ARRAY ? ']' : '}');
}

// Objects in it whose properties could come in another order.
static int count_orders(const value *v)
{
    int count = v->kind == V_OBJECT && v->count > 1;
    for (int i = 0; i < v->count; i++) count += count_orders(v->items[i]);
    return count;
}

// ---- schemas -------------------------------------------------------------------------------------------------------

enum { SCHEMAS = 10, LEAVES = 5 }; // the last ones are leaves

static keyword *add(schema *s, int kind)
{
    keyword *k = &s->keywords[s->count++];
    *k = (keyword){.kind = kind, .third = -1};
    return k;
}

static void add_list(schema *s, int kind, int index)
{
    keyword *k = add(s, kind);
    k->count = 1 + below(3);
    int first = below(4);
    for (int i = 0; i < k->count; i++) {
        bool is_in_place = kind >= LI_KEYWORD_ALL_OF || kind == LI_KEYWORD_DEPENDENT_SCHEMAS;
        int child = is_in_place ? index + 1 + below(SCHEMAS - index - 1) : 1 + below(SCHEMAS - 1);
        bool has_keys = kind == LI_KEYWORD_PROPERTIES || kind == LI_KEYWORD_REQUIRED ||
                        kind == LI_KEYWORD_DEPENDENT_REQUIRED || kind == LI_KEYWORD_DEPENDENT_SCHEMAS;
        k->list[i] = kind == LI_KEYWORD_PATTERN_PROPERTIES ? (first + i) % PATTERNS : child;
        k->schemas[i] = child;
        if (has_keys) k->keys[i] = keys[(first + i) % 4];
        k->more[i] = keys[below(4)];
        k->values[i] = &pool[below(atom_count)];
    }
}

static void add_leaf(schema *s)
{
    if (below(3))
        add_list(s, LI_KEYWORD_ENUM, 0);
    else if (below(3))
        add(s, LI_KEYWORD_TYPE)->number = 1 + below(31);
    else
        add(s, LI_KEYWORD_PATTERN)->number = below(PATTERNS);
}

static void add_object(schema *s, int index)
{
    if (below(4)) add(s, LI_KEYWORD_TYPE)->number = LI_TYPE_OBJECT;
    if (below(4)) add_list(s, LI_KEYWORD_PROPERTIES, index);
    if (below(2)) add_list(s, LI_KEYWORD_REQUIRED, index);
    if (below(2)) add(s, LI_KEYWORD_ADDITIONAL_PROPERTIES)->number = 1 + below(SCHEMAS - 1);
    if (!below(4)) add_list(s, LI_KEYWORD_PATTERN_PROPERTIES, index);
    if (!below(3)) add(s, LI_KEYWORD_MIN_PROPERTIES)->number = below(4);
    if (!below(3)) add(s, LI_KEYWORD_MAX_PROPERTIES)->number = below(4);
    if (!below(6)) add(s, LI_KEYWORD_PROPERTY_NAMES)->number = SCHEMAS - 1 - below(LEAVES);
    if (s->count < 6 && !below(5)) add_list(s, LI_KEYWORD_DEPENDENT_REQUIRED, index);
}

static void add_array(schema *s, int index)
{
    if (below(4)) add(s, LI_KEYWORD_TYPE)->number = LI_TYPE_ARRAY;
    if (below(2)) add_list(s, LI_KEYWORD_PREFIX_ITEMS, index);
    if (below(4)) add(s, LI_KEYWORD_ITEMS)->number = 1 + below(SCHEMAS - 1);
    if (below(2)) add(s, LI_KEYWORD_MIN_ITEMS)->number = below(4);
    if (below(2)) add(s, LI_KEYWORD_MAX_ITEMS)->number = below(5);
    if (!below(3)) add(s, LI_KEYWORD_UNIQUE_ITEMS);
    if (!below(3)) {
        keyword *k = add(s, LI_KEYWORD_CONTAINS);
        k->number = 1 + below(SCHEMAS - 1);
        k->second = below(3);
        k->third = below(2) ? below(3) : -1;
    }
}

static void random_schemas(schema *all)
{
    memset(all, 0, SCHEMAS * sizeof *all);
    for (int i = SCHEMAS - 1; i >= 0; i--) {
        bool is_leaf = i >= SCHEMAS - LEAVES;
        if (is_leaf)
            add_leaf(&all[i]);
        else if (below(2))
            add_object(&all[i], i);
        else
            add_array(&all[i], i);
        if (is_leaf || all[i].count == MAX_KEYWORDS || below(3)) continue;
        static const int kinds[] = {LI_KEYWORD_ALL_OF, LI_KEYWORD_ANY_OF, LI_KEYWORD_ONE_OF, LI_KEYWORD_NOT};
        int kind = kinds[below(4)];
        if (kind == LI_KEYWORD_NOT)
            add(&all[i], kind)->number = i + 1 + below(SCHEMAS - i - 1);
        else
            add_list(&all[i], kind, i);
    }
}

// ---- dead ends -----------------------------------------------------------------------------------------------------

enum { MOST_STATES = 1500, MOST_TERMS = 1 << 22, MOST_EDGES = 1 << 20 };

// Goes through the states that can be reached, the nearest first, and counts those from which no way leads to an end or
// out of what was looked at.
static int count_dead_ends(li_grammar *grammar, li_term root)
{
    static uint32_t place[MOST_TERMS], edges[MOST_EDGES][2];
    static li_term states[MOST_EDGES];
    static bool lives[MOST_EDGES];
    uint32_t count = 0, edge_count = 0;
    states[count++] = root;
    place[root] = 1;
    for (uint32_t at = 0; at < count && at < MOST_STATES && edge_count < MOST_EDGES - 256; at++) {
        lives[at] = li_term_is_nullable(grammar, states[at]);
        li_term before = LI_TERM_NOTHING;
        for (int byte = 0; byte < 256; byte++) {
            li_term next = li_derive(grammar, states[at], (uint8_t)byte);
            if (next == LI_TERM_NOTHING || next == before || next >= MOST_TERMS) continue;
            before = next;
            if (!place[next]) {
                lives[count] = true; // unless it is looked at
                states[count++] = next;
                place[next] = count;
            }
            edges[edge_count][0] = at;
            edges[edge_count++][1] = place[next] - 1;
        }
    }
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (uint32_t i = edge_count; i-- > 0;) {
            if (lives[edges[i][0]] || !lives[edges[i][1]]) continue;
            lives[edges[i][0]] = goes_on = true;
        }
    }
    int dead = 0;
    for (uint32_t at = 0; at < count; at++) {
        dead += !lives[at];
        place[states[at]] = 0;
    }
    return dead;
}

// ---- tests ---------------------------------------------------------------------------------------------------------

static writer form;
static int compared, valid_count, without_answer;

static bool reads(li_grammar *grammar, li_term term, const char *text)
{
    term = li_derive_bytes(grammar, term, (const uint8_t *)text, (uint32_t)strlen(text));
    return li_term_is_nullable(grammar, term);
}

static void compare(const schema *all, bool any_order, int seed)
{
    put_form(&form, all, SCHEMAS, any_order ? LI_FORM_ANY_ORDER : 0);
    li_grammar *grammar = li_grammar_compile(form.bytes, form.length, 20000000);
    CHECK(grammar && grammar->status == LI_OK);
    li_term term = li_value(grammar, li_node_of(grammar, 0, false), 0);
    bool agrees = true, is_met = false;
    for (int i = 0; i < 500 && agrees && grammar->status == LI_OK; i++) {
        const value *v = &pool[i < atom_count ? i : below(pool_count)];
        static char text[4096];
        bool expected = is_valid(all, 0, v, NULL), got = false;
        // In the schema's order: in one order at least.
        for (int order = 0; order < (any_order ? 1 : 24) && !got; order++) {
            spell(text, v, any_order ? below(24) : order);
            got = reads(grammar, term, text);
        }
        if (grammar->status != LI_OK) break;
        compared++;
        valid_count += expected;
        is_met |= expected;
        // Not all orders of several objects were tried.
        agrees = expected == got || (expected && !any_order && count_orders(v) > 1);
        CHECK(agrees);
        if (agrees || check_failures > 5) continue;
        printf("seed %d%s: %s is %svalid\n", seed, any_order ? ", any order" : "", text, expected ? "" : "not ");
        print_schema(all, SCHEMAS);
    }
    if (grammar->status == LI_OK) {
        CHECK(!is_met || term != LI_TERM_NOTHING);
        int dead = term == LI_TERM_NOTHING ? 0 : count_dead_ends(grammar, term);
        if (dead && grammar->status == LI_OK) {
            printf("seed %d%s: %d dead ends\n", seed, any_order ? ", any order" : "", dead);
            if (check_failures < 3) print_schema(all, SCHEMAS);
            CHECK(dead == 0);
        }
    }
    without_answer += grammar->status != LI_OK;
    CHECK(grammar->status == LI_OK || grammar->status == LI_ERROR_GRAMMAR_FUEL ||
          grammar->status == LI_ERROR_GRAMMAR_UNSUPPORTED);
    li_grammar_destroy(grammar);
}

int main(int argc, char **argv)
{
    int first = argc > 1 ? atoi(argv[1]) : 0, count = argc > 2 ? atoi(argv[2]) : 60;
    make_universe();
    for (int seed = first; seed < first + count; seed++) {
        static schema all[SCHEMAS];
        state = (uint64_t)seed * 7919 + 1;
        below(2);
        random_schemas(all);
        compare(all, false, seed);
        compare(all, true, seed);
    }
    printf("%d values compared, %d valid, %d without an answer\n", compared, valid_count, without_answer);
    return check_done("json");
}
