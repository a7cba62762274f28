// Nodes and their shapes against a validator written by the letter of the specification (schema_reference.h).
#include "check.h"
#include "grammar/json.h"
#include "schema_reference.h"

#include "base/memory.h"

// ---- random numbers, values ----------------------------------------------------------------------------------------

static uint64_t state = 1;

static int below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

static value pool[20000];
static int pool_count;
static const char *const words[] = {"", "a", "b", "ab", "aa", "c", "abb"};
static const char *const keys[] = {"a", "b", "ab", "c"};

static value *new_value(value_kind kind)
{
    value *v = &pool[pool_count++];
    *v = (value){.kind = kind};
    return v;
}

static int atom_count, simple_count;

static void add_arrays(int items, int of, int length)
{
    int total = 1;
    for (int i = 0; i < length; i++) total *= of;
    for (int n = 0; n < total; n++) {
        value *v = new_value(V_ARRAY);
        v->count = length;
        for (int i = 0, rest = n; i < length; i++, rest /= of) v->items[i] = &pool[(rest % of) * items / of];
    }
}

static void add_objects(int first, int of)
{
    for (int set = 0; set < 16; set++) {
        int count = __builtin_popcount((unsigned)set), total = 1;
        for (int i = 0; i < count; i++) total *= of;
        for (int n = 0; n < total && count <= 3; n++) {
            value *v = new_value(V_OBJECT);
            for (int i = 0, rest = n; i < 4; i++) {
                if (!(set >> i & 1)) continue;
                v->keys[v->count] = keys[i];
                v->items[v->count++] = &pool[first + rest % of];
                rest /= of;
            }
        }
    }
}

static void make_universe(void)
{
    new_value(V_NULL);
    new_value(V_TRUE);
    for (int i = 0; i < 7; i++) new_value(V_STRING)->text = words[i];
    static const int numbers[] = {0, 4, 8, 6, -4, 12, 1};
    for (int i = 0; i < 7; i++) new_value(V_NUMBER)->quarters = numbers[i];
    new_value(V_FALSE);
    atom_count = pool_count;
    for (int length = 0; length <= 3; length++) add_arrays(atom_count, length < 3 ? 8 : 5, length);
    add_objects(1, 4);
    simple_count = pool_count;
    // Some that nest.
    for (int i = 0; i < 400; i++) {
        value *v = new_value(i % 2 ? V_ARRAY : V_OBJECT);
        v->count = 1 + below(2);
        for (int j = 0; j < v->count; j++) {
            v->items[j] = &pool[atom_count + below(simple_count - atom_count)];
            if (v->kind == V_OBJECT) v->keys[j] = keys[(i + j) % 4];
        }
    }
}

// ---- random schemas ------------------------------------------------------------------------------------------------

enum { SCHEMAS = 9 };

// Schemas that apply in place come later in the table, so that nothing applies itself.
static int later(int index)
{
    return index + 1 < SCHEMAS ? index + 1 + below(SCHEMAS - index - 1) : index;
}

static const value *random_constant(void)
{
    return below(3) ? &pool[below(atom_count)] : &pool[atom_count + below(pool_count - atom_count)];
}

static keyword random_keyword(int index, int kind)
{
    keyword k = {.kind = kind};
    k.count = 1 + below(3);
    switch (kind) {
    case LI_KEYWORD_TYPE:
        k.number = 1 + below(127);
        break;
    case LI_KEYWORD_MINIMUM:
    case LI_KEYWORD_MAXIMUM:
    case LI_KEYWORD_EXCLUSIVE_MINIMUM:
    case LI_KEYWORD_EXCLUSIVE_MAXIMUM:
        k.number = below(16) - 4;
        break;
    case LI_KEYWORD_MULTIPLE_OF:
        k.number = 1 + below(8);
        break;
    case LI_KEYWORD_PATTERN:
    case LI_KEYWORD_FORMAT:
        k.number = below(PATTERNS);
        break;
    case LI_KEYWORD_MIN_LENGTH:
    case LI_KEYWORD_MAX_LENGTH:
    case LI_KEYWORD_MIN_ITEMS:
    case LI_KEYWORD_MAX_ITEMS:
    case LI_KEYWORD_MIN_PROPERTIES:
    case LI_KEYWORD_MAX_PROPERTIES:
        k.number = below(4);
        break;
    case LI_KEYWORD_ITEMS:
    case LI_KEYWORD_ADDITIONAL_PROPERTIES:
    case LI_KEYWORD_PROPERTY_NAMES:
    case LI_KEYWORD_UNEVALUATED_ITEMS:
    case LI_KEYWORD_UNEVALUATED_PROPERTIES:
        k.number = below(SCHEMAS);
        break;
    case LI_KEYWORD_NOT:
    case LI_KEYWORD_REF:
        k.number = later(index);
        break;
    case LI_KEYWORD_IF:
        k.number = later(index);
        k.second = below(4) ? later(index) : -1;
        k.third = below(4) ? later(index) : -1;
        break;
    case LI_KEYWORD_CONTAINS:
        k.number = below(SCHEMAS);
        k.second = below(3);
        k.third = below(2) ? below(3) : -1;
        break;
    default:
        break;
    }
    int first_key = below(4);
    for (int i = 0; i < k.count; i++) {
        if (kind == LI_KEYWORD_PROPERTIES || kind == LI_KEYWORD_REQUIRED || kind == LI_KEYWORD_DEPENDENT_REQUIRED ||
            kind == LI_KEYWORD_DEPENDENT_SCHEMAS)
            k.keys[i] = keys[(first_key + i) % 4];
        if (kind == LI_KEYWORD_DEPENDENT_REQUIRED) k.more[i] = keys[below(4)];
        if (kind == LI_KEYWORD_ENUM) k.values[i] = random_constant();
        k.list[i] = kind == LI_KEYWORD_PREFIX_ITEMS         ? below(SCHEMAS)
                    : kind == LI_KEYWORD_PATTERN_PROPERTIES ? (i + first_key) % PATTERNS
                                                            : later(index);
        k.schemas[i] = kind == LI_KEYWORD_DEPENDENT_SCHEMAS ? later(index) : below(SCHEMAS);
    }
    return k;
}

// Keywords that have to do with each other, so that random schemas are about something.
enum { THEMES = 6, THEME_KINDS = 14 };
static const uint8_t themes[THEMES][THEME_KINDS] = {
    {0}, // all of them
    {LI_KEYWORD_TYPE, LI_KEYWORD_PROPERTIES, LI_KEYWORD_REQUIRED, LI_KEYWORD_ADDITIONAL_PROPERTIES, LI_KEYWORD_ONE_OF,
     LI_KEYWORD_ANY_OF, LI_KEYWORD_NOT, LI_KEYWORD_IF, LI_KEYWORD_ENUM, LI_KEYWORD_ENUM, LI_KEYWORD_PROPERTIES},
    {LI_KEYWORD_TYPE, LI_KEYWORD_PREFIX_ITEMS, LI_KEYWORD_ITEMS, LI_KEYWORD_CONTAINS, LI_KEYWORD_MIN_ITEMS,
     LI_KEYWORD_MAX_ITEMS, LI_KEYWORD_NOT, LI_KEYWORD_ONE_OF, LI_KEYWORD_ENUM, LI_KEYWORD_UNEVALUATED_ITEMS,
     LI_KEYWORD_ALL_OF, LI_KEYWORD_IF},
    {LI_KEYWORD_PROPERTIES, LI_KEYWORD_PATTERN_PROPERTIES, LI_KEYWORD_UNEVALUATED_PROPERTIES, LI_KEYWORD_ANY_OF,
     LI_KEYWORD_ALL_OF, LI_KEYWORD_IF, LI_KEYWORD_DEPENDENT_SCHEMAS, LI_KEYWORD_REF, LI_KEYWORD_ONE_OF, LI_KEYWORD_NOT,
     LI_KEYWORD_REQUIRED, LI_KEYWORD_ENUM, LI_KEYWORD_TYPE},
    {LI_KEYWORD_PATTERN_PROPERTIES, LI_KEYWORD_PROPERTY_NAMES, LI_KEYWORD_ADDITIONAL_PROPERTIES, LI_KEYWORD_NOT,
     LI_KEYWORD_ONE_OF, LI_KEYWORD_MIN_PROPERTIES, LI_KEYWORD_MAX_PROPERTIES, LI_KEYWORD_PATTERN, LI_KEYWORD_PROPERTIES,
     LI_KEYWORD_TYPE, LI_KEYWORD_DEPENDENT_REQUIRED, LI_KEYWORD_ENUM, LI_KEYWORD_MAX_LENGTH},
    {LI_KEYWORD_MINIMUM, LI_KEYWORD_MAXIMUM, LI_KEYWORD_MULTIPLE_OF, LI_KEYWORD_TYPE, LI_KEYWORD_ENUM,
     LI_KEYWORD_ONE_OF, LI_KEYWORD_NOT, LI_KEYWORD_ANY_OF, LI_KEYWORD_MIN_LENGTH, LI_KEYWORD_PATTERN, LI_KEYWORD_FORMAT,
     LI_KEYWORD_EXCLUSIVE_MAXIMUM, LI_KEYWORD_ITEMS},
};

static int random_kind(int theme)
{
    int count = 0;
    while (count < THEME_KINDS && themes[theme][count]) count++;
    return theme ? themes[theme][below(count)] : LI_KEYWORD_FALSE + below(LI_KEYWORD_COUNT - 1);
}

static void random_schemas(schema *all, int most, int theme)
{
    for (int i = 0; i < SCHEMAS; i++) {
        all[i].count = 0;
        for (int wanted = 1 + below(most); wanted > 0; wanted--) {
            int kind = random_kind(theme);
            bool is_in_place = kind >= LI_KEYWORD_ALL_OF && kind <= LI_KEYWORD_REF;
            if (is_in_place || kind == LI_KEYWORD_DEPENDENT_SCHEMAS) kind = i + 1 < SCHEMAS ? kind : LI_KEYWORD_TYPE;
            if (kind == LI_KEYWORD_FALSE && below(3)) continue;
            for (int j = 0; j < all[i].count; j++)
                if (all[i].keywords[j].kind == kind) kind = 0;
            if (kind) all[i].keywords[all[i].count++] = random_keyword(i, kind);
        }
    }
}

// ---- values against shapes -----------------------------------------------------------------------------------------

static bool term_matches(li_grammar *grammar, li_term term, const char *text)
{
    return li_term_is_nullable(grammar, li_derive_bytes(grammar, term, (const uint8_t *)text, (uint32_t)strlen(text)));
}

static bool satisfies(li_grammar *grammar, li_node node, const value *v);

static bool fits_object(li_grammar *grammar, const li_object_shape *shape, const value *v)
{
    if ((uint32_t)v->count < shape->least || (uint32_t)v->count > shape->most) return false;
    uint32_t place[4] = {0}, met = 0, required = 0;
    for (uint32_t k = 0; k < shape->known_count; k++) required += shape->required[k];
    for (int i = 0; i < v->count; i++) {
        uint32_t found = UINT32_MAX;
        for (uint32_t k = 0; k < shape->known_count; k++)
            if (shape->known[k].length == strlen(v->keys[i]) &&
                memcmp(shape->known[k].bytes, v->keys[i], shape->known[k].length) == 0)
                found = k;
        for (uint32_t c = 0; c < shape->class_count; c++)
            if (term_matches(grammar, shape->class_keys[c], v->keys[i])) {
                CHECK(found == UINT32_MAX); // classes are disjoint, and without what is known
                found = shape->known_count + c;
            }
        if (found == UINT32_MAX) return false;
        place[i] = found;
        bool is_known = found < shape->known_count;
        met += is_known && shape->required[found];
        li_node node = is_known ? shape->known_nodes[found] : shape->class_nodes[found - shape->known_count];
        if (!satisfies(grammar, node, v->items[i])) return false;
    }
    if (met < required) return false;
    for (uint32_t o = 0; o < shape->obligation_count; o++) {
        bool is_fulfilled = false;
        for (int i = 0; i < v->count; i++) {
            li_node witness = shape->witnesses[o][place[i]];
            bool is_witness = satisfies(grammar, witness, v->items[i]);
            is_fulfilled |= is_witness;
            if (witness > LI_NODE_ANY) CHECK(is_witness != satisfies(grammar, shape->others[o][place[i]], v->items[i]));
        }
        if (!is_fulfilled) return false;
    }
    return true;
}

static bool fits_array(li_grammar *grammar, const li_array_shape *shape, const value *v)
{
    if ((uint32_t)v->count < shape->least || (uint32_t)v->count > shape->most) return false;
    for (int i = 0; i < v->count; i++)
        if (!satisfies(grammar, (uint32_t)i < shape->prefix_count ? shape->prefix[i] : shape->rest, v->items[i]))
            return false;
    for (uint32_t c = 0; c < shape->contains_count; c++) {
        uint32_t counted = 0;
        for (int i = 0; i < v->count; i++) {
            bool counts = satisfies(grammar, shape->contains[c].node, v->items[i]);
            bool avoids = satisfies(grammar, shape->contains[c].other, v->items[i]);
            CHECK(counts != avoids || grammar->status != LI_OK);
            counted += counts;
        }
        if (counted < shape->contains[c].least || counted > shape->contains[c].most) return false;
    }
    for (int i = 0; shape->is_unique && i < v->count; i++)
        for (int j = i + 1; j < v->count; j++)
            if (values_equal(v->items[i], v->items[j])) return false;
    return true;
}

static bool satisfies(li_grammar *grammar, li_node node, const value *v)
{
    if (node <= LI_NODE_ANY) return node == LI_NODE_ANY;
    const li_shape *shape = li_node_shape(grammar, node);
    if (!shape) return false;
    bool found = false;
    switch (v->kind) {
    case V_NULL:
        return shape->has_null;
    case V_FALSE:
        return shape->has_false;
    case V_TRUE:
        return shape->has_true;
    case V_STRING:
        return term_matches(grammar, shape->strings, v->text);
    case V_NUMBER: {
        char text[32];
        li_decimal decimal;
        snprintf(text, sizeof text, "%g", v->quarters / 4.0);
        CHECK(li_decimal_read(grammar, (const uint8_t *)text, (uint32_t)strlen(text), &decimal));
        for (uint32_t i = 0; i < shape->number_count; i++)
            found |= li_number_contains(grammar, &shape->numbers[i], &decimal);
        return found;
    }
    case V_ARRAY:
        for (uint32_t i = 0; i < shape->array_count; i++) found = found || fits_array(grammar, &shape->arrays[i], v);
        return found;
    default:
        for (uint32_t i = 0; i < shape->object_count; i++) found = found || fits_object(grammar, &shape->objects[i], v);
        return found;
    }
}

// ---- tests ---------------------------------------------------------------------------------------------------------

static writer form;
static uint64_t compared, refused, exhausted, satisfiable, met;

static void compare(const schema *all, const char *name)
{
    put_form(&form, all, SCHEMAS, 0);
    li_grammar *grammar = li_grammar_compile(form.bytes, form.length, 3000000);
    CHECK(grammar && grammar->status == LI_OK);
    for (int root = 0; root < 4 && grammar->status == LI_OK; root++) {
        for (int is_negated = 0; is_negated < 2 && grammar->status == LI_OK; is_negated++) {
            li_node node = li_node_of(grammar, (uint32_t)root, is_negated);
            li_node_explore(grammar, node);
            bool has_any = li_node_is_satisfiable(grammar, node), is_met = false;
            bool all_agree = true;
            for (int i = 0; i < pool_count && all_agree && grammar->status == LI_OK; i++) {
                // Every atom, and some of the many others.
                if (i >= atom_count && below(8)) continue;
                bool expected = is_valid(all, root, &pool[i], NULL) != (bool)is_negated;
                bool got = has_any && satisfies(grammar, node, &pool[i]);
                if (grammar->status != LI_OK) break;
                is_met |= expected;
                compared++;
                CHECK(expected == got);
                all_agree = expected == got;
                if (!all_agree && check_failures <= 5) {
                    printf("%s: schema %d%s, value ", name, root, is_negated ? " negated" : "");
                    print_value(&pool[i]);
                    printf(" is %svalid\n", expected ? "" : "not ");
                    print_schema(all, SCHEMAS);
                }
            }
            satisfiable += has_any && grammar->status == LI_OK;
            met += is_met && grammar->status == LI_OK;
        }
    }
    refused += grammar->status == LI_ERROR_GRAMMAR_UNSUPPORTED;
    exhausted += grammar->status == LI_ERROR_GRAMMAR_FUEL;
    CHECK(grammar->status == LI_OK || grammar->status == LI_ERROR_GRAMMAR_UNSUPPORTED ||
          grammar->status == LI_ERROR_GRAMMAR_FUEL);
    li_grammar_destroy(grammar);
}

static void test_random_schemas(int first, int count)
{
    static schema all[SCHEMAS];
    for (int seed = first; seed < first + count; seed++) {
        state = (uint64_t)seed * 7919 + 1;
        below(2);
        random_schemas(all, 1 + seed % 4, seed / 4 % THEMES);
        char name[32];
        snprintf(name, sizeof name, "seed %d", seed);
        compare(all, name);
        if (check_failures > 5) break;
    }
    printf("%llu values compared, %llu refused, %llu without fuel; %llu nodes have values, %llu were met\n",
           (unsigned long long)compared, (unsigned long long)refused, (unsigned long long)exhausted,
           (unsigned long long)satisfiable, (unsigned long long)met);
}

int main(int argc, char **argv)
{
    make_universe();
    int first = argc > 1 ? atoi(argv[1]) : 1, count = argc > 2 ? atoi(argv[2]) : 300;
    test_random_schemas(first, count);
    return check_done("node");
}
