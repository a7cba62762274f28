// A JSON Schema validator by the letter of the specification, on values as trees, for tests: no automaton, no sharing,
// one function per keyword.
#ifndef SCHEMA_REFERENCE_H
#define SCHEMA_REFERENCE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grammar/schema/keywords.h"

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

// Adds the items or properties that the schema evaluates, if the schema holds.
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

#endif
