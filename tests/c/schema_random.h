// A universe of small values, and random schemas about them.
#ifndef SCHEMA_RANDOM_H
#define SCHEMA_RANDOM_H

#include "schema_reference.h"

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
    // Some nested values.
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

// Schemas that apply in place come later in the table, so that no schema applies itself.
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

// Groups of related keywords: random schemas combine them.
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

#endif
