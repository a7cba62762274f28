// Keys and tensors of a parsed GGUF header by name, and the values of scalar keys. Declared in gguf.h and lastinch.h.
#include <string.h>

#include "base/assert.h"
#include "model/gguf.h"

const uint8_t li_gguf_value_sizes[LI_GGUF_VALUE_TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

uint64_t li_gguf_read_unsigned(const uint8_t *bytes, uint32_t size)
{
    LI_ASSERT(size <= 8);
    uint64_t value = 0;
    for (uint32_t i = size; i-- > 0;) value = value << 8 | bytes[i];
    return value;
}

uint32_t li_gguf_hash(const uint8_t *bytes, uint64_t length)
{
    uint32_t hash = 2166136261u;
    for (uint64_t i = 0; i < length; i++) hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

static bool has_text(const li_gguf *gguf, const li_gguf_name *name, const char *text, size_t length, uint32_t hash)
{
    return name->hash == hash && name->length == length && memcmp(gguf->bytes + name->offset, text, length) == 0;
}

int32_t li_gguf_find(const li_gguf *gguf, const char *key)
{
    size_t length = strlen(key);
    uint32_t hash = li_gguf_hash((const uint8_t *)key, length);
    for (uint32_t i = 0; i < gguf->key_count; i++) {
        if (has_text(gguf, &gguf->keys[i].name, key, length, hash)) return (int32_t)i;
    }
    return -1;
}

const li_gguf_tensor *li_gguf_find_tensor(const li_gguf *gguf, const char *name)
{
    size_t length = strlen(name);
    uint32_t hash = li_gguf_hash((const uint8_t *)name, length);
    for (uint32_t i = 0; i < gguf->tensor_count; i++) {
        if (has_text(gguf, &gguf->tensors[i].name, name, length, hash)) return &gguf->tensors[i];
    }
    return NULL;
}

// ---- scalars by key ----------------------------------------------------------------------------------

bool li_gguf_get_element(const li_gguf *gguf, uint32_t index, uint32_t element, uint64_t *value)
{
    LI_ASSERT(index < gguf->key_count);
    const li_gguf_key *key = &gguf->keys[index];
    bool is_signed = false;
    if (element >= key->count) return false;
    switch (key->element) {
    case LI_GGUF_UINT8:
    case LI_GGUF_UINT16:
    case LI_GGUF_UINT32:
    case LI_GGUF_UINT64:
    case LI_GGUF_BOOL:
        break;
    case LI_GGUF_INT8:
    case LI_GGUF_INT16:
    case LI_GGUF_INT32:
    case LI_GGUF_INT64:
        is_signed = true;
        break;
    default:
        return false;
    }
    uint32_t size = li_gguf_value_sizes[key->element];
    LI_ASSERT(size && (size_t)key->offset + ((size_t)element + 1) * size <= gguf->capacity);
    *value = li_gguf_read_unsigned(gguf->bytes + key->offset + (size_t)element * size, size);
    return !(is_signed && *value >> (8 * size - 1));
}

bool li_gguf_get_unsigned(const li_gguf *gguf, const char *key, uint64_t *value)
{
    int32_t index = li_gguf_find(gguf, key);
    return index >= 0 && gguf->keys[index].type != LI_GGUF_ARRAY &&
           li_gguf_get_element(gguf, (uint32_t)index, 0, value);
}

bool li_gguf_get_float(const li_gguf *gguf, const char *key, double *value)
{
    int32_t index = li_gguf_find(gguf, key);
    if (index < 0) return false;
    const li_gguf_key *found = &gguf->keys[index];
    if (found->type == LI_GGUF_FLOAT64) {
        memcpy(value, gguf->bytes + found->offset, sizeof *value);
        return true;
    }
    float single = 0;
    if (found->type != LI_GGUF_FLOAT32) return false;
    memcpy(&single, gguf->bytes + found->offset, sizeof single);
    *value = (double)single;
    return true;
}

bool li_gguf_is_string(const li_gguf *gguf, const char *key, const char *text)
{
    int32_t index = li_gguf_find(gguf, key);
    if (index < 0 || gguf->keys[index].type != LI_GGUF_STRING) return false;
    const uint8_t *value = gguf->bytes + gguf->keys[index].offset;
    size_t length = strlen(text);
    return li_gguf_read_unsigned(value, 8) == length && memcmp(value + 8, text, length) == 0;
}
