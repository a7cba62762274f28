// A JSON Schema validator by the letter of the specification, on values as trees, for tests: no automaton, no sharing,
// one function per keyword. And the writer of its schemas as forms.
#ifndef SCHEMA_REFERENCE_H
#define SCHEMA_REFERENCE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grammar/form.h"
#include "grammar/schema.h"

typedef enum { V_NULL, V_FALSE, V_TRUE, V_NUMBER, V_STRING, V_ARRAY, V_OBJECT } value_kind;

typedef struct value value;
struct value {
    value_kind kind;
    int quarters;     // a number, times four
    const char *text; // ASCII
    int count;
    const value *items[4];
    const char *keys[4];
};

enum { MAX_LIST = 4, MAX_KEYWORDS = 8, PATTERNS = 5 };

typedef struct keyword {
    int kind;                  // li_keyword
    int number, second, third; // numbers, or indexes of schemas
    int count;
    int list[MAX_LIST];    // schemas or patterns
    int schemas[MAX_LIST]; // of patterns
    const char *keys[MAX_LIST];
    const char *more[MAX_LIST]; // dependentRequired: one each
    const value *values[MAX_LIST];
} keyword;

typedef struct schema {
    int count;
    keyword keywords[MAX_KEYWORDS];
} schema;

// ^a, b$, a, ^(ab|b)*$, ^.$
static inline bool pattern_matches(int pattern, const char *text)
{
    size_t length = strlen(text);
    switch (pattern) {
    case 0:
        return text[0] == 'a';
    case 1:
        return length && text[length - 1] == 'b';
    case 2:
        return strchr(text, 'a') != NULL;
    case 3:
        while (*text) {
            if (text[0] == 'a' && text[1] == 'b')
                text += 2;
            else if (text[0] == 'b')
                text++;
            else
                return false;
        }
        return true;
    default:
        return length == 1;
    }
}

static inline bool values_equal(const value *a, const value *b)
{
    if (a->kind != b->kind || a->count != b->count) return false;
    if (a->kind == V_NUMBER) return a->quarters == b->quarters;
    if (a->kind == V_STRING) return strcmp(a->text, b->text) == 0;
    for (int i = 0; i < a->count; i++) {
        int j = i;
        if (a->kind == V_OBJECT) {
            for (j = 0; j < b->count && strcmp(a->keys[i], b->keys[j]) != 0;) j++;
            if (j == b->count) return false;
        }
        if (!values_equal(a->items[i], b->items[j])) return false;
    }
    return true;
}

static inline int find_key(const value *v, const char *key)
{
    for (int i = 0; i < v->count; i++)
        if (strcmp(v->keys[i], key) == 0) return i;
    return -1;
}

static inline bool is_type(const value *v, int bits)
{
    switch (v->kind) {
    case V_NULL:
        return bits & LI_TYPE_NULL;
    case V_FALSE:
    case V_TRUE:
        return bits & LI_TYPE_BOOLEAN;
    case V_NUMBER:
        return bits & LI_TYPE_NUMBER || (bits & LI_TYPE_INTEGER && v->quarters % 4 == 0);
    case V_STRING:
        return bits & LI_TYPE_STRING;
    case V_ARRAY:
        return bits & LI_TYPE_ARRAY;
    default:
        return bits & LI_TYPE_OBJECT;
    }
}

static inline bool is_valid(const schema *all, int index, const value *v, unsigned *evaluated);

static inline bool named_by(const schema *s, const char *key)
{
    for (int i = 0; i < s->count; i++) {
        const keyword *k = &s->keywords[i];
        for (int j = 0; k->kind == LI_KEYWORD_PROPERTIES && j < k->count; j++)
            if (strcmp(k->keys[j], key) == 0) return true;
        for (int j = 0; k->kind == LI_KEYWORD_PATTERN_PROPERTIES && j < k->count; j++)
            if (pattern_matches(k->list[j], key)) return true;
    }
    return false;
}

static inline int prefix_of(const schema *s)
{
    int length = 0;
    for (int i = 0; i < s->count; i++)
        if (s->keywords[i].kind == LI_KEYWORD_PREFIX_ITEMS) length = s->keywords[i].count;
    return length;
}

static inline bool is_valid_number(const keyword *k, int quarters)
{
    switch (k->kind) {
    case LI_KEYWORD_MINIMUM:
        return quarters >= k->number;
    case LI_KEYWORD_MAXIMUM:
        return quarters <= k->number;
    case LI_KEYWORD_EXCLUSIVE_MINIMUM:
        return quarters > k->number;
    case LI_KEYWORD_EXCLUSIVE_MAXIMUM:
        return quarters < k->number;
    default:
        return quarters % k->number == 0;
    }
}

static inline bool is_valid_string(const keyword *k, const char *text)
{
    switch (k->kind) {
    case LI_KEYWORD_MIN_LENGTH:
        return (int)strlen(text) >= k->number;
    case LI_KEYWORD_MAX_LENGTH:
        return (int)strlen(text) <= k->number;
    default:
        return pattern_matches(k->number, text);
    }
}

static inline bool is_valid_array(const schema *all, const schema *s, const keyword *k, const value *v,
                                  unsigned *evaluated)
{
    bool ok = true;
    int counted = 0;
    switch (k->kind) {
    case LI_KEYWORD_PREFIX_ITEMS:
        for (int i = 0; i < k->count && i < v->count; i++) {
            ok &= is_valid(all, k->list[i], v->items[i], NULL);
            *evaluated |= 1u << i;
        }
        return ok;
    case LI_KEYWORD_ITEMS:
        for (int i = prefix_of(s); i < v->count; i++) {
            ok &= is_valid(all, k->number, v->items[i], NULL);
            *evaluated |= 1u << i;
        }
        return ok;
    case LI_KEYWORD_MIN_ITEMS:
        return v->count >= k->number;
    case LI_KEYWORD_MAX_ITEMS:
        return v->count <= k->number;
    case LI_KEYWORD_UNIQUE_ITEMS:
        for (int i = 0; i < v->count; i++)
            for (int j = i + 1; j < v->count; j++) ok &= !values_equal(v->items[i], v->items[j]);
        return ok;
    default:
        for (int i = 0; i < v->count; i++)
            if (is_valid(all, k->number, v->items[i], NULL)) {
                counted++;
                *evaluated |= 1u << i;
            }
        return counted >= k->second && (k->third < 0 || counted <= k->third);
    }
}

static inline bool is_valid_object(const schema *all, const schema *s, const keyword *k, const value *v,
                                   unsigned *evaluated)
{
    bool ok = true;
    switch (k->kind) {
    case LI_KEYWORD_PROPERTIES:
        for (int j = 0; j < k->count; j++) {
            int at = find_key(v, k->keys[j]);
            if (at < 0) continue;
            ok &= is_valid(all, k->schemas[j], v->items[at], NULL);
            *evaluated |= 1u << at;
        }
        return ok;
    case LI_KEYWORD_PATTERN_PROPERTIES:
        for (int j = 0; j < k->count; j++)
            for (int i = 0; i < v->count; i++) {
                if (!pattern_matches(k->list[j], v->keys[i])) continue;
                ok &= is_valid(all, k->schemas[j], v->items[i], NULL);
                *evaluated |= 1u << i;
            }
        return ok;
    case LI_KEYWORD_ADDITIONAL_PROPERTIES:
        for (int i = 0; i < v->count; i++) {
            if (named_by(s, v->keys[i])) continue;
            ok &= is_valid(all, k->number, v->items[i], NULL);
            *evaluated |= 1u << i;
        }
        return ok;
    case LI_KEYWORD_REQUIRED:
        for (int j = 0; j < k->count; j++) ok &= find_key(v, k->keys[j]) >= 0;
        return ok;
    case LI_KEYWORD_MIN_PROPERTIES:
        return v->count >= k->number;
    case LI_KEYWORD_MAX_PROPERTIES:
        return v->count <= k->number;
    case LI_KEYWORD_PROPERTY_NAMES:
        for (int i = 0; i < v->count; i++) {
            value name = {.kind = V_STRING, .text = v->keys[i]};
            ok &= is_valid(all, k->number, &name, NULL);
        }
        return ok;
    case LI_KEYWORD_DEPENDENT_REQUIRED:
        for (int j = 0; j < k->count; j++) ok &= find_key(v, k->keys[j]) < 0 || find_key(v, k->more[j]) >= 0;
        return ok;
    default:
        for (int j = 0; j < k->count; j++)
            if (find_key(v, k->keys[j]) >= 0) ok &= is_valid(all, k->schemas[j], v, evaluated);
        return ok;
    }
}

static inline bool is_valid_any(const schema *all, const keyword *k, const value *v, unsigned *evaluated)
{
    int counted = 0;
    switch (k->kind) {
    case LI_KEYWORD_FALSE:
        return false;
    case LI_KEYWORD_TYPE:
        return is_type(v, k->number);
    case LI_KEYWORD_ENUM:
        for (int i = 0; i < k->count; i++) counted += values_equal(k->values[i], v);
        return counted > 0;
    case LI_KEYWORD_NOT:
        return !is_valid(all, k->number, v, NULL);
    case LI_KEYWORD_REF:
        return is_valid(all, k->number, v, evaluated);
    case LI_KEYWORD_IF:
        if (is_valid(all, k->number, v, evaluated)) return k->second < 0 || is_valid(all, k->second, v, evaluated);
        return k->third < 0 || is_valid(all, k->third, v, evaluated);
    default:
        for (int i = 0; i < k->count; i++) counted += is_valid(all, k->list[i], v, evaluated);
        if (k->kind == LI_KEYWORD_ALL_OF) return counted == k->count;
        return k->kind == LI_KEYWORD_ANY_OF ? counted > 0 : counted == 1;
    }
}

// Adds the items or properties that it evaluates, if it holds.
static inline bool is_valid(const schema *all, int index, const value *v, unsigned *evaluated)
{
    const schema *s = &all[index];
    unsigned seen = 0;
    bool ok = true;
    for (int i = 0; i < s->count; i++) {
        const keyword *k = &s->keywords[i];
        if (k->kind == LI_KEYWORD_UNEVALUATED_ITEMS || k->kind == LI_KEYWORD_UNEVALUATED_PROPERTIES) continue;
        if (k->kind >= LI_KEYWORD_MINIMUM && k->kind <= LI_KEYWORD_MULTIPLE_OF)
            ok &= v->kind != V_NUMBER || is_valid_number(k, v->quarters);
        else if (k->kind >= LI_KEYWORD_MIN_LENGTH && k->kind <= LI_KEYWORD_FORMAT)
            ok &= v->kind != V_STRING || is_valid_string(k, v->text);
        else if (k->kind >= LI_KEYWORD_PREFIX_ITEMS && k->kind <= LI_KEYWORD_CONTAINS)
            ok &= v->kind != V_ARRAY || is_valid_array(all, s, k, v, &seen);
        else if (k->kind >= LI_KEYWORD_PROPERTIES && k->kind <= LI_KEYWORD_DEPENDENT_SCHEMAS)
            ok &= v->kind != V_OBJECT || is_valid_object(all, s, k, v, &seen);
        else
            ok &= is_valid_any(all, k, v, &seen);
    }
    for (int i = 0; i < s->count; i++) {
        const keyword *k = &s->keywords[i];
        bool is_about = (k->kind == LI_KEYWORD_UNEVALUATED_ITEMS && v->kind == V_ARRAY) ||
                        (k->kind == LI_KEYWORD_UNEVALUATED_PROPERTIES && v->kind == V_OBJECT);
        for (int j = 0; is_about && j < v->count; j++) {
            if (seen >> j & 1) continue;
            ok &= is_valid(all, k->number, v->items[j], NULL);
        }
        if (is_about) seen = ~0u;
    }
    if (ok && evaluated) *evaluated |= seen;
    return ok;
}

// ---- the form ------------------------------------------------------------------------------------------------------

typedef struct writer {
    uint8_t bytes[1 << 16];
    uint32_t length;
} writer;

static inline void put(writer *w, uint32_t number)
{
    for (; number > 127; number >>= 7) w->bytes[w->length++] = (uint8_t)(number | 128);
    w->bytes[w->length++] = (uint8_t)number;
}

static inline void put_text(writer *w, const char *text)
{
    put(w, (uint32_t)strlen(text));
    memcpy(w->bytes + w->length, text, strlen(text));
    w->length += (uint32_t)strlen(text);
}

static inline void put_any(writer *w, bool is_many)
{
    if (is_many) put(w, LI_FORM_REPEAT), put(w, 0), put(w, 0);
    put(w, LI_FORM_CLASS), put(w, 1), put(w, 0), put(w, 0x10ffff);
}

static inline void put_pattern(writer *w, int pattern)
{
    if (pattern == 4) {
        put_any(w, false);
        return;
    }
    if (pattern == 3) {
        put(w, LI_FORM_REPEAT), put(w, 0), put(w, 0);
        put(w, LI_FORM_CHOICE), put(w, 2);
        put(w, LI_FORM_TEXT), put_text(w, "ab");
        put(w, LI_FORM_TEXT), put_text(w, "b");
        return;
    }
    put(w, LI_FORM_SEQUENCE), put(w, pattern == 2 ? 3 : 2);
    if (pattern > 0) put_any(w, true);
    put(w, LI_FORM_TEXT), put_text(w, pattern == 1 ? "b" : "a");
    if (pattern != 1) put_any(w, true);
}

static inline void put_quarters(writer *w, int quarters)
{
    char text[32];
    snprintf(text, sizeof text, "%g", quarters / 4.0);
    put_text(w, text);
}

static inline void put_value(writer *w, const value *v)
{
    static const int tags[] = {LI_FORM_NULL,   LI_FORM_FALSE, LI_FORM_TRUE,  LI_FORM_DECIMAL,
                               LI_FORM_STRING, LI_FORM_ARRAY, LI_FORM_OBJECT};
    put(w, (uint32_t)tags[v->kind]);
    if (v->kind == V_NUMBER) put_quarters(w, v->quarters);
    if (v->kind == V_STRING) put_text(w, v->text);
    if (v->kind < V_ARRAY) return;
    put(w, (uint32_t)v->count);
    for (int i = 0; i < v->count; i++) {
        if (v->kind == V_OBJECT) put_text(w, v->keys[i]);
        put_value(w, v->items[i]);
    }
}

static inline void put_keyword(writer *w, const keyword *k)
{
    put(w, (uint32_t)k->kind);
    switch (k->kind) {
    case LI_KEYWORD_FALSE:
    case LI_KEYWORD_UNIQUE_ITEMS:
        return;
    case LI_KEYWORD_MINIMUM:
    case LI_KEYWORD_MAXIMUM:
    case LI_KEYWORD_EXCLUSIVE_MINIMUM:
    case LI_KEYWORD_EXCLUSIVE_MAXIMUM:
    case LI_KEYWORD_MULTIPLE_OF:
        put_quarters(w, k->number);
        return;
    case LI_KEYWORD_PATTERN:
    case LI_KEYWORD_FORMAT:
        put_pattern(w, k->number);
        return;
    case LI_KEYWORD_CONTAINS:
        put(w, (uint32_t)k->number), put(w, (uint32_t)k->second), put(w, (uint32_t)(k->third + 1));
        return;
    case LI_KEYWORD_IF:
        put(w, (uint32_t)k->number), put(w, (uint32_t)(k->second + 1)), put(w, (uint32_t)(k->third + 1));
        return;
    case LI_KEYWORD_ENUM:
    case LI_KEYWORD_PREFIX_ITEMS:
    case LI_KEYWORD_ALL_OF:
    case LI_KEYWORD_ANY_OF:
    case LI_KEYWORD_ONE_OF:
    case LI_KEYWORD_PROPERTIES:
    case LI_KEYWORD_PATTERN_PROPERTIES:
    case LI_KEYWORD_REQUIRED:
    case LI_KEYWORD_DEPENDENT_REQUIRED:
    case LI_KEYWORD_DEPENDENT_SCHEMAS:
        break;
    default:
        put(w, (uint32_t)k->number);
        return;
    }
    put(w, (uint32_t)k->count);
    for (int i = 0; i < k->count; i++) {
        if (k->kind == LI_KEYWORD_ENUM) put_value(w, k->values[i]);
        if (k->kind == LI_KEYWORD_PATTERN_PROPERTIES) put_pattern(w, k->list[i]), put(w, (uint32_t)k->schemas[i]);
        if (k->keys[i]) put_text(w, k->keys[i]);
        if (k->kind == LI_KEYWORD_DEPENDENT_REQUIRED) put(w, 1), put_text(w, k->more[i]);
        if (k->kind == LI_KEYWORD_PROPERTIES || k->kind == LI_KEYWORD_DEPENDENT_SCHEMAS)
            put(w, (uint32_t)k->schemas[i]);
        if (k->kind >= LI_KEYWORD_ALL_OF || k->kind == LI_KEYWORD_PREFIX_ITEMS) put(w, (uint32_t)k->list[i]);
    }
}

// A form of nothing but schemas, whose root is no JSON.
static inline void put_form(writer *w, const schema *all, int count, uint32_t flags)
{
    static const uint8_t magic[] = {'L', 'I', 'G', 1};
    memcpy(w->bytes, magic, 4);
    w->length = 4;
    put(w, flags), put(w, 0);
    put_text(w, ""), put_text(w, ","), put_text(w, ":");
    put(w, (uint32_t)count);
    for (int i = 0; i < count; i++) {
        put(w, (uint32_t)all[i].count);
        for (int j = 0; j < all[i].count; j++) put_keyword(w, &all[i].keywords[j]);
    }
    put(w, 0);
    put(w, LI_FORM_EMPTY);
}

static inline void print_value(const value *v)
{
    static const char *const names[] = {"null", "false", "true"};
    if (v->kind < V_NUMBER) printf("%s", names[v->kind]);
    if (v->kind == V_NUMBER) printf("%g", v->quarters / 4.0);
    if (v->kind == V_STRING) printf("\"%s\"", v->text);
    if (v->kind < V_ARRAY) return;
    printf("%c", v->kind == V_ARRAY ? '[' : '{');
    for (int i = 0; i < v->count; i++) {
        if (i) printf(",");
        if (v->kind == V_OBJECT) printf("\"%s\":", v->keys[i]);
        print_value(v->items[i]);
    }
    printf("%c", v->kind == V_ARRAY ? ']' : '}');
}

static inline void print_schema(const schema *all, int count)
{
    static const char *const names[] = {"",
                                        "false",
                                        "type",
                                        "enum",
                                        "minimum",
                                        "maximum",
                                        "exclusiveMinimum",
                                        "exclusiveMaximum",
                                        "multipleOf",
                                        "minLength",
                                        "maxLength",
                                        "pattern",
                                        "format",
                                        "prefixItems",
                                        "items",
                                        "minItems",
                                        "maxItems",
                                        "uniqueItems",
                                        "contains",
                                        "properties",
                                        "patternProperties",
                                        "additionalProperties",
                                        "required",
                                        "minProperties",
                                        "maxProperties",
                                        "propertyNames",
                                        "dependentRequired",
                                        "dependentSchemas",
                                        "allOf",
                                        "anyOf",
                                        "oneOf",
                                        "not",
                                        "if",
                                        "ref",
                                        "unevaluatedItems",
                                        "unevaluatedProperties"};
    for (int i = 0; i < count; i++) {
        printf("  #%d {", i);
        for (int j = 0; j < all[i].count; j++) {
            const keyword *k = &all[i].keywords[j];
            printf("%s%s: %d %d %d [", j ? ", " : "", names[k->kind], k->number, k->second, k->third);
            for (int n = 0; n < k->count; n++) {
                if (n) printf("; ");
                if (k->keys[n]) printf("\"%s\" ", k->keys[n]);
                if (k->more[n]) printf("-> \"%s\" ", k->more[n]);
                if (k->values[n]) print_value(k->values[n]);
                printf("%d %d", k->list[n], k->schemas[n]);
            }
            printf("]");
        }
        printf("}\n");
    }
}

#endif
