// JSON text of schemas against a validator that follows the specification by the letter (schema_reference.h): every
// value of a small universe, in any spelling, is read if and only if it is valid, and no prefix that is read is a dead
// end.
#include "check.h"
#include "dead_ends.h"
#include "grammar/core/form_reader.h"
#include "grammar/json/json_value.h"
#include "schema_form.h"

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

// Spells the value. The number chooses the order of the properties.
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
    for (int i = v->kind == V_OBJECT ? v->count : 0; i > 1; order /= i--) {
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

// The number of objects in the value whose properties could come in another order.
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

// Objects and arrays with as few values as possible, so that every state can be reached.
static void tight_schemas(schema *all, bool is_object)
{
    memset(all, 0, SCHEMAS * sizeof *all);
    for (int i = SCHEMAS - LEAVES; i < SCHEMAS; i++) add_list(&all[i], LI_KEYWORD_ENUM, 0);
    for (int i = 0; i < 3; i++) {
        schema *s = &all[i];
        if (i == 0) add(s, LI_KEYWORD_TYPE)->number = is_object ? LI_TYPE_OBJECT : LI_TYPE_ARRAY;
        int leaf = SCHEMAS - 1 - below(LEAVES), least = is_object ? LI_KEYWORD_MIN_PROPERTIES : LI_KEYWORD_MIN_ITEMS;
        if (below(2)) add(s, least)->number = below(4);
        if (below(2)) add(s, least + 1)->number = below(5);
        if (is_object) {
            if (i == 0 || below(3)) add(s, LI_KEYWORD_PROPERTY_NAMES)->number = leaf;
            if (i == 0 || below(2)) add(s, LI_KEYWORD_ADDITIONAL_PROPERTIES)->number = SCHEMAS - 1 - below(LEAVES);
            if (below(2)) add_list(s, LI_KEYWORD_PROPERTIES, 0);
            if (!below(3)) add_list(s, LI_KEYWORD_REQUIRED, 0);
        } else {
            if (i == 0 || below(2)) add(s, LI_KEYWORD_ITEMS)->number = leaf;
            if (below(2)) add_list(s, LI_KEYWORD_PREFIX_ITEMS, 0);
            if (i == 0 && below(2)) add(s, LI_KEYWORD_UNIQUE_ITEMS);
            if (below(2)) {
                keyword *k = add(s, LI_KEYWORD_CONTAINS);
                k->number = SCHEMAS - 1 - below(LEAVES);
                k->second = below(3);
                k->third = below(2) ? below(3) : -1;
            }
        }
        for (int j = 0; j < s->count; j++)
            for (int n = 0; n < MAX_LIST; n++) {
                int *child =
                    s->keywords[j].kind == LI_KEYWORD_PROPERTIES ? s->keywords[j].schemas : s->keywords[j].list;
                child[n] = SCHEMAS - 1 - below(LEAVES);
            }
    }
    keyword *k = below(3) ? add(&all[0], below(2) ? LI_KEYWORD_NOT : LI_KEYWORD_ALL_OF) : NULL;
    if (!k) return;
    k->number = k->list[0] = 1;
    k->list[1] = 2;
    k->count = 2;
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

// ---- tests ---------------------------------------------------------------------------------------------------------

static writer form;
static int compared, valid_count, without_answer, twice_count;

// A repeated key of an object: the text that is read is valid with the last value. With unique keys none is read.
static void compare_twice(const schema *all, li_grammar *grammar, li_term term, int seed)
{
    for (int i = 0; i < 200 && grammar->status == LI_OK; i++) {
        const value *v = &pool[below(pool_count)];
        if (v->kind != V_OBJECT || v->count == 0 || v->count == 4) continue;
        char text[4096], *at = text;
        int first = below(v->count);
        at += sprintf(at, "{\"%s\":", v->keys[first]);
        at = spell(at, &pool[below(atom_count)], 0);
        *at++ = ',';
        spell(at, v, 0);
        memmove(at, at + 1, strlen(at));
        if (!reads(grammar, term, text)) continue;
        bool holds = is_valid(all, 0, v, NULL) && !grammar->spelling.unique_keys;
        twice_count++;
        CHECK(holds);
        if (holds) continue;
        printf("seed %d: %s is not valid\n", seed, text);
        return;
    }
}

static void compare(const schema *all, uint32_t flags, int seed)
{
    bool any_order = flags & LI_FORM_ANY_ORDER;
    put_form(&form, all, SCHEMAS, flags);
    li_grammar *grammar = li_grammar_compile(form.bytes, form.length, 20000000);
    CHECK(grammar);
    CHECK_EQ(grammar->status, LI_OK);
    li_term term = li_value(grammar, li_node_of(grammar, 0, false), 0);
    bool agrees = true, is_met = false;
    for (int i = 0; i < (seed % 3 ? 120 : 300) && agrees && grammar->status == LI_OK; i++) {
        const value *v = &pool[i < atom_count ? i : below(pool_count)];
        static char text[4096];
        bool expected = is_valid(all, 0, v, NULL), got = false;
        // In the schema's order at least one order of the properties must be read.
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
        printf("seed %d, flags %u: %s is %svalid\n", seed, flags, text, expected ? "" : "not ");
        print_schema(all, SCHEMAS);
    }
    if (flags) compare_twice(all, grammar, term, seed);
    if (grammar->status == LI_OK) {
        CHECK(!is_met || term != LI_TERM_NOTHING);
        int dead = term == LI_TERM_NOTHING ? 0 : count_dead_ends(grammar, term);
        if (dead && grammar->status == LI_OK) {
            printf("seed %d, flags %u: %d dead ends\n", seed, flags, dead);
            if (check_failures < 3) print_schema(all, SCHEMAS);
            CHECK_EQ(dead, 0);
        }
    }
    without_answer += grammar->status != LI_OK;
    CHECK(grammar->status == LI_OK || grammar->status == LI_ERROR_GRAMMAR_FUEL ||
          grammar->status == LI_ERROR_GRAMMAR_UNSUPPORTED);
    li_grammar_destroy(grammar);
}

int main(void)
{
    const int first = check_number("CHECK_FIRST", 0), count = check_number("CHECK_COUNT", check_rounds(150));
    make_universe();
    for (int seed = first; seed < first + count; seed++) {
        CHECK_CASE("seed %d", seed);
        static schema all[SCHEMAS];
        state = (uint64_t)seed * 7919 + 1;
        below(2);
        if (seed % 3)
            tight_schemas(all, seed % 3 == 1);
        else
            random_schemas(all);
        compare(all, 0, seed);
        compare(all, LI_FORM_ANY_ORDER, seed);
        compare(all, LI_FORM_UNIQUE_KEYS | (seed % 2 ? LI_FORM_ANY_ORDER : 0), seed);
    }
    printf("%d values compared, %d valid, %d with a key twice, %d schemas without an answer\n", compared, valid_count,
           twice_count, without_answer);
    return check_done("json");
}
