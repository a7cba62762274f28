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

// ---- strings -------------------------------------------------------------------------------------------------------

static li_grammar *plain_grammar(void)
{
    static const schema any;
    put_form(&form, &any, 1, 0);
    return li_grammar_compile(form.bytes, form.length, 0);
}

static int hex_value(const char *at)
{
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdefABCDEF", *found = at[i] ? strchr(digits, at[i]) : NULL;
        if (!found) return -1;
        int digit = (int)(found - digits);
        sum = sum * 16 + (digit < 16 ? digit : digit - 6);
    }
    return sum;
}

static int utf8(unsigned character, char *to)
{
    if (character < 0x80) return to[0] = (char)character, 1;
    if (character < 0x800) return to[0] = (char)(0xc0 | character >> 6), to[1] = (char)(0x80 | (character & 63)), 2;
    if (character < 0x10000) {
        to[0] = (char)(0xe0 | character >> 12);
        to[1] = (char)(0x80 | (character >> 6 & 63));
        return to[2] = (char)(0x80 | (character & 63)), 3;
    }
    to[0] = (char)(0xf0 | character >> 18);
    to[1] = (char)(0x80 | (character >> 12 & 63));
    to[2] = (char)(0x80 | (character >> 6 & 63));
    return to[3] = (char)(0x80 | (character & 63)), 4;
}

// Reads a string after its opening quote, by RFC 8259, without lone surrogates; -1: it is none.
static int decode(const char *at, int length, char *to)
{
    int count = 0;
    for (int i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)at[i];
        if (byte == '"') return i == length - 1 ? count : -1;
        if (byte < 0x20) return -1;
        if (byte != '\\') {
            to[count++] = at[i];
            continue;
        }
        const char *letters = "\"\\/bfnrt", *meanings = "\"\\/\b\f\n\r\t", *letter;
        if (++i == length) return -1;
        letter = at[i] ? strchr(letters, at[i]) : NULL;
        if (letter) {
            to[count++] = meanings[letter - letters];
            continue;
        }
        int high = at[i] == 'u' && i + 4 < length ? hex_value(at + i + 1) : -1;
        if (high < 0 || (high >= 0xdc00 && high < 0xe000)) return -1;
        i += 4;
        unsigned character = (unsigned)high;
        if (high >= 0xd800 && high < 0xdc00) {
            if (i + 6 >= length || at[i + 1] != '\\' || at[i + 2] != 'u') return -1;
            int low = hex_value(at + i + 3);
            if (low < 0xdc00 || low > 0xdfff) return -1;
            character = 0x10000u + ((unsigned)(high - 0xd800) << 10) + (unsigned)(low - 0xdc00);
            i += 6;
        }
        count += utf8(character, to + count);
    }
    return -1;
}

static bool is_utf8(const char *text, int length)
{
    for (int i = 0; i < length;) {
        unsigned char first = (unsigned char)text[i];
        int more = first < 0x80 ? 0 : first < 0xc2 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : -1;
        if (more < 0 || i + more >= length) return false;
        char again[4];
        unsigned character = first & (more ? 0x3fu >> more : 0x7fu);
        for (int j = 1; j <= more; j++) character = character << 6 | ((unsigned char)text[i + j] & 63u);
        bool is_surrogate = character >= 0xd800 && character < 0xe000;
        if (character > 0x10ffff || is_surrogate || utf8(character, again) != more + 1) return false;
        if (memcmp(again, text + i, (size_t)more + 1) != 0) return false;
        i += more + 1;
    }
    return true;
}

// Spells the text with escapes here and there, and breaks it sometimes.
static int spell_string(const char *text, char *to)
{
    int count = 0;
    for (int i = 0, length; text[i]; i += length) {
        unsigned char first = (unsigned char)text[i];
        length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        unsigned character = length == 1 ? first : first & (0x7fu >> length);
        for (int j = 1; j < length; j++) character = character << 6 | ((unsigned char)text[i + j] & 63u);
        const char *short_one = strchr("\"\\/\b\f\n\r\t", character < 0x80 ? (int)character : 'x');
        if (below(2) && short_one)
            count += sprintf(to + count, "\\%c", "\"\\/bfnrt"[short_one - strchr("\"\\/\b\f\n\r\t", '"')]);
        else if (below(2) && character < 0x10000)
            count += sprintf(to + count, below(2) ? "\\u%04x" : "\\u%04X", character);
        else if (below(2) && character >= 0x10000)
            count += sprintf(to + count, "\\u%04x\\u%04X", 0xd800 + ((character - 0x10000) >> 10),
                             0xdc00 + (character & 0x3ff));
        else
            memcpy(to + count, text + i, (size_t)length), count += length;
    }
    to[count++] = '"';
    if (below(2)) to[below(count)] = "\"\\uaD8d09\x80\xe9\xed\xf0"[below(13)];
    return count;
}

static void test_strings(int seed)
{
    static const char *const pieces[] = {"a",
                                         "\"",
                                         "\\",
                                         "\n",
                                         "\x01",
                                         "é",
                                         "€",
                                         "\xf0\x9f\x98\x80",
                                         "\xf4\x8f\xbf\xbf",
                                         "\xed\x9f\xbf",
                                         "\xee\x80\x80",
                                         "/",
                                         "\x7f",
                                         "\xf0\x90\x80\x80",
                                         "\xc2\x80"};
    state = (uint64_t)seed * 31 + 7;
    below(2);
    li_grammar *grammar = plain_grammar();
    char texts[6][32];
    int count = 1 + below(5);
    li_term inner = LI_TERM_NOTHING;
    bool is_any = !below(6);
    for (int i = 0; i < count; i++) {
        texts[i][0] = 0;
        for (int j = below(4); j > 0; j--) strcat(texts[i], pieces[below(15)]);
        inner = li_either(grammar, inner, li_literal(grammar, (const uint8_t *)texts[i], (uint32_t)strlen(texts[i])));
    }
    li_term term = li_quoted(grammar, is_any ? li_any_text(grammar) : inner);
    CHECK(count_dead_ends(grammar, term) == 0);
    bool agrees = true;
    for (int i = 0; i < 2000 && agrees; i++) {
        char spelt[200], text[200];
        int length = spell_string(texts[below(count)], spelt), decoded = decode(spelt, length, text);
        bool expected = decoded >= 0 && is_utf8(text, decoded), is_one = is_any;
        for (int j = 0; j < count && decoded >= 0; j++)
            is_one |= (int)strlen(texts[j]) == decoded && memcmp(texts[j], text, (size_t)decoded) == 0;
        li_term rest = li_derive_bytes(grammar, term, (const uint8_t *)spelt, (uint32_t)length);
        agrees = (expected && is_one) == li_term_is_nullable(grammar, rest);
        CHECK(agrees);
        if (!agrees) printf("strings %d: %.*s\n", seed, length, spelt);
    }
    CHECK(grammar->status == LI_OK);
    li_grammar_destroy(grammar);
}

// ---- by hand -------------------------------------------------------------------------------------------------------

static const schema *const_schemas(void)
{
    // 0: an object of a (any), b (required, an array of different booleans), others; 1: that array; 2: booleans; 3: any.
    static schema all[4];
    memset(all, 0, sizeof all);
    keyword *properties = add(&all[0], LI_KEYWORD_PROPERTIES), *required = add(&all[0], LI_KEYWORD_REQUIRED);
    properties->count = 2;
    properties->keys[0] = "a", properties->schemas[0] = 3;
    properties->keys[1] = "b", properties->schemas[1] = 1;
    required->count = 1;
    required->keys[0] = "b";
    add(&all[0], LI_KEYWORD_TYPE)->number = LI_TYPE_OBJECT;
    add(&all[1], LI_KEYWORD_TYPE)->number = LI_TYPE_ARRAY;
    add(&all[1], LI_KEYWORD_ITEMS)->number = 2;
    add(&all[1], LI_KEYWORD_UNIQUE_ITEMS);
    add(&all[2], LI_KEYWORD_TYPE)->number = LI_TYPE_BOOLEAN;
    return all;
}

static void put_spelt(uint32_t flags, const char *indent, const char *item, const char *key)
{
    const schema *all = const_schemas();
    put_form(&form, all, 4, flags);
    writer plain = form;
    form.length = 4;
    put(&form, flags), put(&form, 3);
    put_text(&form, indent), put_text(&form, item), put_text(&form, key);
    // What follows flags, the run and the three texts.
    uint32_t after = 4 + 2 + 1 + 2 + 2;
    memcpy(form.bytes + form.length, plain.bytes + after, plain.length - after);
    form.length += plain.length - after;
}

static void test_spelling(void)
{
    static const struct {
        uint32_t flags;
        const char *indent, *item, *key;
        const char *texts[5]; // those with a ! in front are not to be read
    } cases[] = {
        {0,
         "",
         ",",
         ":",
         {"{\"b\":[]}", "{\"a\":{},\"b\":[true,false],\"c\":[[],{\"\":null}]}", "!{ \"b\":[]}",
          "!{\"b\":[true, false]}", "!{\"b\":[],\"a\":1}"}},
        {0, "", ", ", ": ", {"{\"a\": 1, \"b\": [true, false]}", "!{\"a\":1, \"b\": []}", "!{\"a\": 1,\"b\": []}"}},
        {LI_FORM_FLEXIBLE,
         "",
         ",",
         ":",
         {"{\"b\":[]}", "{ \n\t\"b\" :\r[ ] }", "{\"a\" : [ 1 , 2 ] , \"b\" : [ true , false ] }", "!{\"b\":[]} ",
          "!{\"b\":[] \"c\":1}"}},
        {LI_FORM_INDENTS,
         "  ",
         ",",
         ": ",
         {"{\n  \"b\": []\n}", "{\n  \"a\": {},\n  \"b\": [\n    true,\n    false\n  ]\n}", "!{\"b\": []}",
          "!{\n  \"b\": [\n  ]\n}", "{\n  \"a\": [\n    [\n      {}\n    ]\n  ],\n  \"b\": []\n}"}},
        {LI_FORM_ANY_ORDER,
         "",
         ",",
         ":",
         {"{\"c\":0,\"b\":[],\"a\":1}", "!{\"b\":[],\"b\":[]}", "{\"\\u0062\":[]}", "!{\"b\":[true,true]}",
          "!{\"b\":[],\"\\u0062\":[]}"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_spelt(cases[i].flags, cases[i].indent, cases[i].item, cases[i].key);
        li_grammar *grammar = li_grammar_compile(form.bytes, form.length, 0);
        li_term term = li_value(grammar, li_node_of(grammar, 0, false), 0);
        for (int j = 0; j < 5 && cases[i].texts[j]; j++) {
            const char *text = cases[i].texts[j];
            bool is_valid = *text != '!', agrees = reads(grammar, term, text + !is_valid) == is_valid;
            CHECK(agrees);
            if (!agrees) printf("spelling %d: %s\n", (int)i, text);
        }
        CHECK(count_dead_ends(grammar, term) == 0);
        CHECK(grammar->status == LI_OK);
        li_grammar_destroy(grammar);
    }
}

// Three different booleans do not exist; nor does an object that needs them.
static void test_impossible(void)
{
    schema all[4];
    memcpy(all, const_schemas(), sizeof all);
    add(&all[1], LI_KEYWORD_MIN_ITEMS)->number = 3;
    put_form(&form, all, 4, 0);
    li_grammar *grammar = li_grammar_compile(form.bytes, form.length, 0);
    CHECK(li_value(grammar, li_node_of(grammar, 1, false), 0) == LI_TERM_NOTHING);
    CHECK(li_value(grammar, li_node_of(grammar, 0, false), 0) == LI_TERM_NOTHING);
    CHECK(grammar->status == LI_OK);
    li_grammar_destroy(grammar);
}

int main(int argc, char **argv)
{
    int first = argc > 1 ? atoi(argv[1]) : 0, count = argc > 2 ? atoi(argv[2]) : 40;
    make_universe();
    test_spelling();
    test_impossible();
    for (int seed = first; seed < first + count; seed++) {
        static schema all[SCHEMAS];
        state = (uint64_t)seed * 7919 + 1;
        below(2);
        random_schemas(all);
        compare(all, false, seed);
        compare(all, true, seed);
        test_strings(seed);
    }
    printf("%d values compared, %d valid, %d without an answer\n", compared, valid_count, without_answer);
    return check_done("json");
}
