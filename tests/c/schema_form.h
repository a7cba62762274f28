// Schemas of schema_reference.h as forms, and as text for messages of failures.
#ifndef SCHEMA_FORM_H
#define SCHEMA_FORM_H

#include "grammar/core/form_reader.h"
#include "grammar/schema/keywords.h"
#include "schema_reference.h"

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

// A form of nothing but schemas: its root is not JSON.
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
