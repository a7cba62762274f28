// The parsed GGUF header, for the rest of src/model. Parsing has checked every offset and length.
#ifndef LI_GGUF_H
#define LI_GGUF_H

#include "lastinch.h"

#define LI_GGUF_HEADER_LIMIT (64u << 20) // bytes; real headers are below 20 MB
#define LI_GGUF_ENTRY_LIMIT  8192u       // keys, and tensors; real files have below 3,000

typedef struct li_gguf_name {
    uint32_t offset; // of the name in the header
    uint32_t length;
    uint32_t hash;
} li_gguf_name;

typedef struct li_gguf_key {
    li_gguf_name name;
    li_gguf_type type;    // LI_GGUF_ARRAY for arrays
    li_gguf_type element; // the type of one element
    uint32_t count;       // elements
    uint32_t offset;      // of the first element in the header
} li_gguf_key;

typedef struct li_gguf_tensor {
    li_gguf_name name;
    uint32_t type;     // as numbered by GGML
    uint32_t rank;     // dimensions in the file
    uint64_t shape[4]; // [0] is the length of a row; 1 beyond the rank
    uint64_t offset;   // in the tensor data
    uint64_t size;     // bytes in the file
} li_gguf_tensor;

struct li_gguf {
    uint8_t *bytes; // (capacity) the start of the file
    uint32_t capacity;
    bool is_parsed; // parsing succeeded: the tables below are valid
    uint32_t key_count, tensor_count;
    li_gguf_key *keys;       // (key_count)
    li_gguf_tensor *tensors; // (tensor_count)
    uint32_t *order;         // (tensor_count) tensors by ascending offset
    uint32_t tensors_start;  // offset of the tensors' entries in the header
    uint32_t header_size;    // bytes, without the padding before the tensor data
    uint32_t data_start;     // bytes
    uint64_t data_size;      // bytes
    li_fault fault;          // the last refusal
    char fault_name[128];    // the name in that refusal
};

// ---- for gguf.c and gguf_lookup.c --------------------------------------------------------------------

#define LI_GGUF_VALUE_TYPES 13u
// Bytes of one scalar of each li_gguf_type; 0: not a scalar of fixed size.
extern const uint8_t li_gguf_value_sizes[LI_GGUF_VALUE_TYPES];
// The little-endian number in bytes (size, at most 8).
uint64_t li_gguf_read_unsigned(const uint8_t *bytes, uint32_t size);
// The FNV-1a hash of bytes (length).
uint32_t li_gguf_hash(const uint8_t *bytes, uint64_t length);

// ---- lookups, after li_gguf_parse ---------------------------------------------------------------------

// The tensor of this name, or NULL.
const li_gguf_tensor *li_gguf_find_tensor(const li_gguf *gguf, const char *name);

// Scalars by key. False: there is no such key, it has another type, or the value does not fit.
bool li_gguf_get_unsigned(const li_gguf *gguf, const char *key, uint64_t *value);
// A scalar, or element `element` of an array, of key number `index`. False: the array is shorter, or as above.
bool li_gguf_get_element(const li_gguf *gguf, uint32_t index, uint32_t element, uint64_t *value);
bool li_gguf_get_float(const li_gguf *gguf, const char *key, double *value);
// Whether `key` is a string with exactly this text.
bool li_gguf_is_string(const li_gguf *gguf, const char *key, const char *text);

#endif
