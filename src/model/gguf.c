// Parses GGUF headers. The bytes are not trusted: every length is compared with the bytes left before use, and counts
// are bounded before tables are allocated.
#include "model/gguf.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "model/fault.h"
#include "model/weight_type.h"

#define KEY_BYTES_MIN    14u // name length, one character, type, one byte
#define TENSOR_BYTES_MIN 33u // name length, one character, rank, one dimension, type, offset
#define ALIGNMENT_LIMIT  65536u

// ---- reading within bounds ---------------------------------------------------------------------------

typedef struct reader {
    const uint8_t *bytes; // (size)
    uint32_t size;
    uint32_t at;
    uint64_t file_size; // 0 = unknown
    li_status status;   // of the first failed read; later reads return 0
} reader;

// Whether `count` more bytes have arrived. If not, the status says whether the file may still hold them.
static bool has_bytes(reader *from, uint64_t count)
{
    LI_ASSERT(from->at <= from->size);
    if (from->status != LI_OK) return false;
    if (count <= from->size - from->at) return true;
    bool is_beyond_file = from->file_size && count > from->file_size - from->at;
    bool is_beyond_limit = count > LI_GGUF_HEADER_LIMIT || from->at + count > LI_GGUF_HEADER_LIMIT;
    from->status = is_beyond_file ? LI_ERROR_GGUF_TRUNCATED : is_beyond_limit ? LI_ERROR_GGUF_TOO_LARGE : LI_NEED_MORE;
    return false;
}

static uint64_t read_unsigned(reader *from, uint32_t size)
{
    LI_ASSERT(size <= 8);
    if (!has_bytes(from, size)) return 0;
    uint64_t value = li_gguf_read_unsigned(from->bytes + from->at, size);
    from->at += size;
    return value;
}

static void skip(reader *from, uint64_t count)
{
    if (has_bytes(from, count)) from->at += (uint32_t)count;
}

static void fail(reader *from, li_status status)
{
    if (from->status == LI_OK) from->status = status;
}

static li_gguf_name read_name(reader *from)
{
    uint64_t length = read_unsigned(from, 8);
    li_gguf_name name = {from->at, 0, 0};
    skip(from, length);
    if (from->status != LI_OK) return name;
    if (length == 0) fail(from, LI_ERROR_GGUF_CORRUPT);
    name.length = (uint32_t)length;
    name.hash = li_gguf_hash(from->bytes + name.offset, length);
    return name;
}

static bool is_same_name(const reader *from, const li_gguf_name *a, const li_gguf_name *b)
{
    LI_ASSERT(a->length && a->offset + a->length <= from->at && b->offset + b->length <= from->at);
    return a->hash == b->hash && a->length == b->length &&
           memcmp(from->bytes + a->offset, from->bytes + b->offset, a->length) == 0;
}

// Reads a count of entries of at least `entry_bytes` each. Refuses a count that the file cannot hold.
static uint32_t read_entry_count(reader *from, uint32_t entry_bytes)
{
    LI_ASSERT(entry_bytes);
    uint64_t count = read_unsigned(from, 8);
    if (from->file_size && count > from->file_size / entry_bytes) fail(from, LI_ERROR_GGUF_CORRUPT);
    if (count > LI_GGUF_ENTRY_LIMIT) fail(from, LI_ERROR_GGUF_TOO_LARGE);
    return from->status == LI_OK ? (uint32_t)count : 0;
}

// ---- keys and tensors --------------------------------------------------------------------------------

static li_gguf_type read_type(reader *from)
{
    uint64_t type = read_unsigned(from, 4);
    if (type >= LI_GGUF_VALUE_TYPES) fail(from, LI_ERROR_GGUF_CORRUPT);
    return from->status == LI_OK ? (li_gguf_type)type : LI_GGUF_UINT8;
}

static void skip_elements(reader *from, li_gguf_type type, uint64_t count)
{
    LI_ASSERT(type < LI_GGUF_VALUE_TYPES && type != LI_GGUF_ARRAY);
    if (type == LI_GGUF_STRING) {
        // A string takes at least its length field, so a count beyond the limit fails before the loop.
        if (count > LI_GGUF_HEADER_LIMIT / 8) skip(from, count > UINT64_MAX / 8 ? UINT64_MAX : count * 8);
        for (uint64_t i = 0; i < count && from->status == LI_OK; i++) skip(from, read_unsigned(from, 8));
        return;
    }
    uint64_t size = li_gguf_value_sizes[type];
    LI_ASSERT(size);
    uint32_t start = from->at;
    skip(from, count > UINT64_MAX / size ? UINT64_MAX : count * size);
    if (type != LI_GGUF_BOOL || from->status != LI_OK) return;
    for (uint32_t i = start; i < from->at; i++) {
        if (from->bytes[i] > 1) fail(from, LI_ERROR_GGUF_CORRUPT);
    }
}

static void read_key(reader *from, li_gguf_key *key)
{
    key->name = read_name(from);
    key->type = key->element = read_type(from);
    uint64_t count = 1;
    if (key->type == LI_GGUF_ARRAY) {
        key->element = read_type(from);
        count = read_unsigned(from, 8);
        if (key->element == LI_GGUF_ARRAY) fail(from, LI_ERROR_GGUF_CORRUPT);
    }
    key->offset = from->at;
    if (from->status == LI_OK) skip_elements(from, key->element, count);
    key->count = (uint32_t)count;
}

static void read_tensor(reader *from, li_gguf_tensor *tensor)
{
    tensor->name = read_name(from);
    tensor->rank = (uint32_t)read_unsigned(from, 4);
    if (from->status == LI_OK && (tensor->rank < 1 || tensor->rank > 4)) fail(from, LI_ERROR_GGUF_CORRUPT);
    uint64_t elements = 1;
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t length = i < tensor->rank && from->status == LI_OK ? read_unsigned(from, 8) : 1;
        if (from->status != LI_OK) return;
        // With at most 2^48 elements, no later sum or product of sizes overflows.
        if (length == 0 || length > (UINT64_C(1) << 48) / elements) {
            fail(from, LI_ERROR_GGUF_CORRUPT);
            return;
        }
        elements *= length;
        tensor->shape[i] = length;
    }
    tensor->type = (uint32_t)read_unsigned(from, 4);
    tensor->offset = read_unsigned(from, 8);
    if (from->status != LI_OK) return;
    const li_weight_format *format = li_weight_format_of(tensor->type);
    if (!format) {
        fail(from, LI_ERROR_MODEL_TENSOR_TYPE);
        return;
    }
    if (tensor->shape[0] % format->columns) fail(from, LI_ERROR_MODEL_TENSOR_SHAPE);
    tensor->size = elements / format->columns * format->size;
}

// Records a tensor whose type is unknown, or whose row length is not a multiple of the block.
static void name_tensor(li_gguf *gguf, const li_gguf_tensor *tensor, li_status status)
{
    LI_ASSERT(status == LI_ERROR_MODEL_TENSOR_TYPE || status == LI_ERROR_MODEL_TENSOR_SHAPE);
    bool is_type = status == LI_ERROR_MODEL_TENSOR_TYPE;
    li_fault *fault = li_fault_begin(gguf, is_type ? LI_FAULT_TENSOR_TYPE : LI_FAULT_TENSOR_SHAPE);
    li_fault_add_text(gguf, gguf->bytes + tensor->name.offset, tensor->name.length);
    fault->found = is_type ? tensor->type : (double)tensor->shape[0];
    fault->found_rows = is_type ? 0 : (double)(tensor->shape[1] * tensor->shape[2] * tensor->shape[3]);
}

static void read_keys(reader *from, li_gguf *gguf)
{
    for (uint32_t i = 0; i < gguf->key_count && from->status == LI_OK; i++) {
        read_key(from, &gguf->keys[i]);
        for (uint32_t j = 0; j < i && from->status == LI_OK; j++) {
            if (is_same_name(from, &gguf->keys[i].name, &gguf->keys[j].name)) fail(from, LI_ERROR_GGUF_CORRUPT);
        }
    }
}

static void read_tensors(reader *from, li_gguf *gguf)
{
    for (uint32_t i = 0; i < gguf->tensor_count && from->status == LI_OK; i++) {
        read_tensor(from, &gguf->tensors[i]);
        if (from->status == LI_ERROR_MODEL_TENSOR_TYPE || from->status == LI_ERROR_MODEL_TENSOR_SHAPE)
            name_tensor(gguf, &gguf->tensors[i], from->status);
        for (uint32_t j = 0; j < i && from->status == LI_OK; j++) {
            if (is_same_name(from, &gguf->tensors[i].name, &gguf->tensors[j].name)) fail(from, LI_ERROR_GGUF_CORRUPT);
        }
    }
}

// ---- where the tensors lie ---------------------------------------------------------------------------

static uint32_t read_alignment(const li_gguf *gguf, reader *from)
{
    if (li_gguf_find(gguf, "general.alignment") < 0) return 32;
    uint64_t alignment = 0;
    bool is_number = li_gguf_get_unsigned(gguf, "general.alignment", &alignment);
    if (!is_number || alignment == 0 || alignment > ALIGNMENT_LIMIT || (alignment & (alignment - 1))) {
        fail(from, LI_ERROR_GGUF_CORRUPT);
        return 32;
    }
    return (uint32_t)alignment;
}

// Insertion sort: files list their tensors almost in order.
static void order_tensors(li_gguf *gguf)
{
    for (uint32_t i = 0; i < gguf->tensor_count; i++) {
        uint32_t place = i;
        for (; place > 0 && gguf->tensors[gguf->order[place - 1]].offset > gguf->tensors[i].offset; place--)
            gguf->order[place] = gguf->order[place - 1];
        gguf->order[place] = i;
    }
}

static void place_tensors(reader *from, li_gguf *gguf)
{
    uint32_t alignment = read_alignment(gguf, from);
    LI_ASSERT(alignment && (alignment & (alignment - 1)) == 0);
    gguf->header_size = from->at;
    gguf->data_start = (from->at + alignment - 1) / alignment * alignment;
    gguf->data_size = 0;
    order_tensors(gguf);
    for (uint32_t i = 0; i < gguf->tensor_count && from->status == LI_OK; i++) {
        const li_gguf_tensor *tensor = &gguf->tensors[gguf->order[i]];
        bool is_overlapping = tensor->offset < gguf->data_size;
        if (tensor->offset % alignment || tensor->offset > UINT64_C(1) << 52 || is_overlapping) {
            fail(from, LI_ERROR_GGUF_CORRUPT);
            return;
        }
        gguf->data_size = tensor->offset + tensor->size;
        LI_ASSERT(tensor->size && gguf->data_size > tensor->offset); // no sum overflows
    }
    bool is_cut = from->file_size && gguf->data_size && gguf->data_start + gguf->data_size > from->file_size;
    if (is_cut) fail(from, LI_ERROR_GGUF_TRUNCATED);
}

static void free_tables(li_gguf *gguf)
{
    li_memory_free(gguf->keys);
    li_memory_free(gguf->tensors);
    li_memory_free(gguf->order);
    gguf->keys = NULL;
    gguf->tensors = NULL;
    gguf->order = NULL;
    gguf->key_count = gguf->tensor_count = 0;
    gguf->is_parsed = false;
}

static li_status check_start(reader *from)
{
    LI_ASSERT(from->at == 0);
    static const uint8_t magic[4] = {'G', 'G', 'U', 'F'};
    for (uint32_t i = 0; i < 4 && i < from->size; i++) {
        if (from->bytes[i] != magic[i]) return LI_ERROR_GGUF_MAGIC;
    }
    skip(from, 4);
    uint64_t version = read_unsigned(from, 4);
    if (from->status == LI_OK && version != 2 && version != 3) return LI_ERROR_GGUF_VERSION;
    return from->status;
}

// ---- the interface -----------------------------------------------------------------------------------

li_gguf *li_gguf_create(void)
{
    li_memory_keep_tight();
    return li_memory_alloc(sizeof(li_gguf));
}

void li_gguf_destroy(li_gguf *gguf)
{
    if (!gguf) return;
    free_tables(gguf);
    li_memory_free(gguf->bytes);
    li_memory_free(gguf);
}

uint8_t *li_gguf_reserve(li_gguf *gguf, uint32_t size)
{
    if (size <= gguf->capacity && gguf->bytes) return gguf->bytes;
    uint8_t *bytes = li_memory_resize(gguf->bytes, gguf->capacity, size);
    if (!bytes) return NULL;
    gguf->bytes = bytes;
    gguf->capacity = size;
    return bytes;
}

li_status li_gguf_parse(li_gguf *gguf, uint32_t size, double file_size)
{
    free_tables(gguf);
    li_fault_begin(gguf, LI_FAULT_NONE);
    if (size > gguf->capacity || !(file_size >= 0) || file_size > 0x1p53) return LI_ERROR_BAD_ARGUMENT;
    reader from = {gguf->bytes, size, 0, (uint64_t)file_size, LI_OK};
    if (from.file_size && size > from.file_size) return LI_ERROR_BAD_ARGUMENT;
    if (size > LI_GGUF_HEADER_LIMIT) from.size = LI_GGUF_HEADER_LIMIT;
    li_status status = check_start(&from);
    if (status != LI_OK) return status;
    gguf->tensor_count = read_entry_count(&from, TENSOR_BYTES_MIN);
    gguf->key_count = read_entry_count(&from, KEY_BYTES_MIN);
    if (from.status == LI_OK) {
        gguf->keys = li_memory_alloc(gguf->key_count * sizeof(li_gguf_key));
        gguf->tensors = li_memory_alloc(gguf->tensor_count * sizeof(li_gguf_tensor));
        gguf->order = li_memory_alloc(gguf->tensor_count * sizeof(uint32_t));
        if (!gguf->keys || !gguf->tensors || !gguf->order) fail(&from, LI_ERROR_OUT_OF_MEMORY);
    }
    read_keys(&from, gguf);
    gguf->tensors_start = from.at;
    read_tensors(&from, gguf);
    if (from.status == LI_OK) place_tensors(&from, gguf);
    if (from.status != LI_OK) free_tables(gguf);
    gguf->is_parsed = from.status == LI_OK;
    return from.status;
}

uint32_t li_gguf_tensors_start(const li_gguf *gguf)
{
    return gguf->tensors_start;
}

uint32_t li_gguf_data_start(const li_gguf *gguf)
{
    return gguf->data_start;
}

double li_gguf_data_size(const li_gguf *gguf)
{
    return (double)gguf->data_size;
}

uint32_t li_gguf_key_count(const li_gguf *gguf)
{
    return gguf->key_count;
}

li_gguf_type li_gguf_value_type(const li_gguf *gguf, uint32_t index)
{
    LI_ASSERT(index < gguf->key_count);
    return gguf->keys[index].type;
}

li_gguf_type li_gguf_element_type(const li_gguf *gguf, uint32_t index)
{
    LI_ASSERT(index < gguf->key_count);
    return gguf->keys[index].element;
}

uint32_t li_gguf_value_count(const li_gguf *gguf, uint32_t index)
{
    LI_ASSERT(index < gguf->key_count);
    return gguf->keys[index].count;
}

uint32_t li_gguf_value_offset(const li_gguf *gguf, uint32_t index)
{
    LI_ASSERT(index < gguf->key_count);
    return gguf->keys[index].offset;
}

uint32_t li_gguf_tensor_count(const li_gguf *gguf)
{
    return gguf->tensor_count;
}

uint32_t li_gguf_tensor_type(const li_gguf *gguf, uint32_t index)
{
    LI_ASSERT(index < gguf->tensor_count);
    return gguf->tensors[index].type;
}

double li_gguf_tensor_elements(const li_gguf *gguf, uint32_t index)
{
    LI_ASSERT(index < gguf->tensor_count);
    const uint64_t *shape = gguf->tensors[index].shape;
    return (double)(shape[0] * shape[1] * shape[2] * shape[3]);
}

double li_gguf_tensor_size(const li_gguf *gguf, uint32_t index)
{
    LI_ASSERT(index < gguf->tensor_count);
    return (double)gguf->tensors[index].size;
}
