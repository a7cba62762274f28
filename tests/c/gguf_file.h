// Builds GGUF files in memory: keys first, then tensors; end_header closes the header, and data follows.
#ifndef GGUF_FILE_H
#define GGUF_FILE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct gguf_file {
    uint8_t *bytes; // (size)
    size_t size, capacity;
    uint64_t data_size; // of the tensors so far, padded
    size_t data_start;
} gguf_file;

static inline void put_bytes(gguf_file *file, const void *bytes, size_t count)
{
    if (file->size + count > file->capacity) {
        file->capacity = 2 * (file->size + count);
        file->bytes = realloc(file->bytes, file->capacity);
    }
    if (count) memcpy(file->bytes + file->size, bytes, count);
    file->size += count;
}

static inline void put_u32(gguf_file *file, uint32_t value)
{
    put_bytes(file, &value, sizeof value);
}

static inline void put_u64(gguf_file *file, uint64_t value)
{
    put_bytes(file, &value, sizeof value);
}

static inline void put_f32(gguf_file *file, float value)
{
    put_bytes(file, &value, sizeof value);
}

static inline void put_text(gguf_file *file, const char *text)
{
    put_u64(file, strlen(text));
    put_bytes(file, text, strlen(text));
}

static inline void begin_file(gguf_file *file)
{
    memset(file, 0, sizeof *file);
    put_bytes(file, "GGUF", 4);
    put_u32(file, 3);
    put_u64(file, 0); // tensors
    put_u64(file, 0); // keys
}

static inline void count_one(gguf_file *file, size_t at)
{
    uint64_t count;
    memcpy(&count, file->bytes + at, sizeof count);
    count++;
    memcpy(file->bytes + at, &count, sizeof count);
}

// Writes a key and the type of its value; the caller appends the value.
static inline void put_key(gguf_file *file, const char *key, uint32_t type)
{
    count_one(file, 16);
    put_text(file, key);
    put_u32(file, type);
}

static inline void put_key_u32(gguf_file *file, const char *key, uint32_t value)
{
    put_key(file, key, 4);
    put_u32(file, value);
}

static inline void put_key_f32(gguf_file *file, const char *key, float value)
{
    put_key(file, key, 6);
    put_f32(file, value);
}

static inline void put_key_text(gguf_file *file, const char *key, const char *value)
{
    put_key(file, key, 8);
    put_text(file, value);
}

static inline void put_tensor_at(gguf_file *file, const char *name, uint32_t type, uint64_t columns, uint64_t rows,
                                 uint64_t offset)
{
    count_one(file, 8);
    put_text(file, name);
    put_u32(file, rows ? 2 : 1); // no rows: a vector
    put_u64(file, columns);
    if (rows) put_u64(file, rows);
    put_u32(file, type);
    put_u64(file, offset);
}

// Places the tensor after the one before, at the next multiple of 32.
static inline void put_tensor(gguf_file *file, const char *name, uint32_t type, uint64_t columns, uint64_t rows)
{
    uint64_t count = columns * (rows ? rows : 1);
    put_tensor_at(file, name, type, columns, rows, file->data_size);
    file->data_size += ((type == 0 ? 4 * count : type == 8 ? count / 32 * 34 : 2 * count) + 31) / 32 * 32;
}

static inline void put_padding(gguf_file *file, size_t alignment)
{
    static const uint8_t zeros[4096];
    put_bytes(file, zeros, (alignment - file->size % alignment) % alignment);
}

// Closes the header; the caller appends the data.
static inline void end_header(gguf_file *file)
{
    put_padding(file, 32);
    file->data_start = file->size;
}

#endif
