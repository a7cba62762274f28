// The GGUF parser: what it reads and what it refuses.
#include "check.h"
#include "gguf_file.h"
#include "lastinch.h"

static li_status parse_bytes(const uint8_t *bytes, size_t size, double file_size)
{
    li_gguf *gguf = li_gguf_create();
    // Allocates exactly, so that the sanitizer sees a read beyond the end.
    uint8_t *to = li_gguf_reserve(gguf, (uint32_t)size);
    if (size) memcpy(to, bytes, size);
    li_status status = li_gguf_parse(gguf, (uint32_t)size, file_size);
    li_gguf_destroy(gguf);
    return status;
}

// The status of parsing a finished file of known length; frees the file.
static li_status parse(gguf_file *file)
{
    li_status status = parse_bytes(file->bytes, file->size, (double)file->size);
    free(file->bytes);
    return status;
}

static void make_good(gguf_file *file)
{
    static const uint8_t zeros[1024];
    begin_file(file);
    put_key_text(file, "general.architecture", "llama");
    put_key_u32(file, "a.number", 77);
    put_key(file, "a.list", LI_GGUF_ARRAY);
    put_u32(file, LI_GGUF_STRING);
    put_u64(file, 3);
    put_text(file, "one");
    put_text(file, "");
    put_text(file, "three");
    put_key(file, "a.truth", LI_GGUF_BOOL);
    put_bytes(file, "\1", 1);
    put_key(file, "no numbers", LI_GGUF_ARRAY);
    put_u32(file, LI_GGUF_FLOAT32);
    put_u64(file, 0);
    put_tensor(file, "matrix", 8, 64, 3);
    put_tensor(file, "vector", 0, 5, 0);
    end_header(file);
    put_bytes(file, zeros, 224 + 20);
}

static void test_reads_a_valid_header(void)
{
    gguf_file file;
    make_good(&file);
    li_gguf *gguf = li_gguf_create();
    memcpy(li_gguf_reserve(gguf, (uint32_t)file.size), file.bytes, file.size);
    CHECK_EQ(li_gguf_parse(gguf, (uint32_t)file.size, (double)file.size), LI_OK);
    CHECK_EQ(li_gguf_key_count(gguf), 5);
    CHECK_EQ(li_gguf_data_start(gguf), file.data_start);
    CHECK_EQ(li_gguf_data_size(gguf), 224 + 20);

    int32_t number = li_gguf_find(gguf, "a.number"), list = li_gguf_find(gguf, "a.list");
    CHECK_EQ(number, 1);
    CHECK_EQ(list, 2);
    CHECK_EQ(li_gguf_find(gguf, "a.numbe"), -1);
    CHECK_EQ(li_gguf_find(gguf, "a.number2"), -1);
    CHECK_EQ(li_gguf_find(gguf, ""), -1);
    CHECK_EQ(li_gguf_value_type(gguf, 1), LI_GGUF_UINT32);
    CHECK_EQ(li_gguf_element_type(gguf, 1), LI_GGUF_UINT32);
    CHECK_EQ(li_gguf_value_count(gguf, 1), 1);
    CHECK_EQ(file.bytes[li_gguf_value_offset(gguf, 1)], 77);
    CHECK_EQ(li_gguf_value_type(gguf, 2), LI_GGUF_ARRAY);
    CHECK_EQ(li_gguf_element_type(gguf, 2), LI_GGUF_STRING);
    CHECK_EQ(li_gguf_value_count(gguf, 2), 3);
    CHECK_BYTES(file.bytes + li_gguf_value_offset(gguf, 2), "\3\0\0\0\0\0\0\0one", 11);
    CHECK_EQ(li_gguf_value_count(gguf, 4), 0);
    CHECK_EQ(li_gguf_tensor_count(gguf), 2);
    CHECK_EQ(li_gguf_tensor_type(gguf, 0), 8);
    CHECK_EQ(li_gguf_tensor_type(gguf, 1), 0);
    CHECK_EQ(li_gguf_tensor_elements(gguf, 0), 64 * 3);
    CHECK_EQ(li_gguf_tensor_elements(gguf, 1), 5);
    CHECK_EQ(li_gguf_tensor_size(gguf, 0), 2 * 34 * 3);
    CHECK_EQ(li_gguf_tensor_size(gguf, 1), 20);
    li_gguf_destroy(gguf);
    free(file.bytes);
    li_gguf_destroy(NULL);
}

static void test_versions_two_and_three_are_read(void)
{
    for (uint32_t version = 0; version < 6; version++) {
        CHECK_CASE("version %u", version);
        gguf_file file;
        make_good(&file);
        memcpy(file.bytes + 4, &version, 4);
        CHECK_EQ(parse(&file), version == 2 || version == 3 ? LI_OK : LI_ERROR_GGUF_VERSION);
    }
    gguf_file big_endian;
    make_good(&big_endian);
    memcpy(big_endian.bytes + 4, "\0\0\0\3", 4);
    CHECK_EQ(parse(&big_endian), LI_ERROR_GGUF_VERSION);
}

static void test_a_wrong_magic_is_refused_at_its_first_byte(void)
{
    gguf_file file;
    make_good(&file);
    file.bytes[3] = 'f';
    CHECK_EQ(parse_bytes(file.bytes, 4, 0), LI_ERROR_GGUF_MAGIC);
    CHECK_EQ(parse(&file), LI_ERROR_GGUF_MAGIC);
    CHECK_EQ(parse_bytes((const uint8_t *)"<", 1, 0), LI_ERROR_GGUF_MAGIC);
    CHECK_EQ(parse_bytes((const uint8_t *)"GG", 2, 2), LI_ERROR_GGUF_TRUNCATED);
}

static void test_every_prefix_needs_more(void)
{
    gguf_file file;
    make_good(&file);
    // Up to the padding before the data, which the parser does not read.
    size_t header = 0;
    while (header <= file.size && parse_bytes(file.bytes, header, 0) == LI_NEED_MORE) header++;
    CHECK_GT(header, file.data_start - 32);
    CHECK_LE(header, file.data_start);
    for (size_t size = 0; size <= file.size; size++) {
        CHECK_EQ(parse_bytes(file.bytes, size, (double)file.size), size < header ? LI_NEED_MORE : LI_OK);
        CHECK_EQ(parse_bytes(file.bytes, size, 0), size < header ? LI_NEED_MORE : LI_OK);
    }
    free(file.bytes);
}

static void test_every_cut_is_found(void)
{
    gguf_file file;
    make_good(&file);
    for (size_t size = 1; size < file.size; size++) {
        li_status status = parse_bytes(file.bytes, size, (double)size);
        // A count that the whole file could not hold is LI_ERROR_GGUF_CORRUPT.
        CHECK(status == LI_ERROR_GGUF_TRUNCATED || (size < 200 && status == LI_ERROR_GGUF_CORRUPT));
    }
    free(file.bytes);
}

static void test_bad_arguments_are_refused(void)
{
    gguf_file file;
    make_good(&file);
    CHECK_EQ(parse_bytes(file.bytes, file.size, -1), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(parse_bytes(file.bytes, file.size, (double)__builtin_nanf("")), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(parse_bytes(file.bytes, file.size, (double)file.size - 1), LI_ERROR_BAD_ARGUMENT);
    li_gguf *gguf = li_gguf_create();
    li_gguf_reserve(gguf, 64);
    CHECK_EQ(li_gguf_parse(gguf, 65, 0), LI_ERROR_BAD_ARGUMENT);
    li_gguf_destroy(gguf);
    free(file.bytes);
}

// A file with one defect, chosen by number, and the expected status.
typedef struct bad_case {
    const char *what;
    li_status expected;
} bad_case;

static const bad_case bad_cases[] = {
    {"a key twice", LI_ERROR_GGUF_CORRUPT},
    {"an empty key", LI_ERROR_GGUF_CORRUPT},
    {"an unknown value type", LI_ERROR_GGUF_CORRUPT},
    {"an array of arrays", LI_ERROR_GGUF_CORRUPT},
    {"a truth value of 2", LI_ERROR_GGUF_CORRUPT},
    {"a string of 2^63 bytes", LI_ERROR_GGUF_TRUNCATED},
    {"an array of 2^62 numbers", LI_ERROR_GGUF_TRUNCATED},
    {"an array of 2^61 strings", LI_ERROR_GGUF_TRUNCATED},
    {"2^40 keys", LI_ERROR_GGUF_CORRUPT},
    {"2^63 tensors", LI_ERROR_GGUF_CORRUPT},
    {"a tensor twice", LI_ERROR_GGUF_CORRUPT},
    {"five dimensions", LI_ERROR_GGUF_CORRUPT},
    {"no dimensions", LI_ERROR_GGUF_CORRUPT},
    {"a dimension of 0", LI_ERROR_GGUF_CORRUPT},
    {"dimensions whose product overflows", LI_ERROR_GGUF_CORRUPT},
    {"an unknown tensor type", LI_ERROR_MODEL_TENSOR_TYPE},
    {"a tensor type that was withdrawn", LI_ERROR_MODEL_TENSOR_TYPE},
    {"rows that no block fits", LI_ERROR_MODEL_TENSOR_SHAPE},
    {"an offset between alignments", LI_ERROR_GGUF_CORRUPT},
    {"an offset of 2^64 - 32", LI_ERROR_GGUF_CORRUPT},
    {"an offset beyond the file", LI_ERROR_GGUF_TRUNCATED},
    {"tensors that overlap", LI_ERROR_GGUF_CORRUPT},
    {"a tensor larger than the file", LI_ERROR_GGUF_TRUNCATED},
    {"an alignment of 0", LI_ERROR_GGUF_CORRUPT},
    {"an alignment of 48", LI_ERROR_GGUF_CORRUPT},
    {"an alignment of 2^31", LI_ERROR_GGUF_CORRUPT},
    {"an alignment that is text", LI_ERROR_GGUF_CORRUPT},
};

static void make_bad(gguf_file *file, size_t number)
{
    static const uint8_t zeros[512];
    begin_file(file);
    put_key_u32(file, "good", 1);
    switch (number) {
    case 0:
        put_key_u32(file, "good", 1);
        break;
    case 1:
        put_key_u32(file, "", 1);
        break;
    case 2:
        put_key(file, "k", 13);
        break;
    case 3:
        put_key(file, "k", LI_GGUF_ARRAY);
        put_u32(file, LI_GGUF_ARRAY);
        put_u64(file, 0);
        break;
    case 4:
        put_key(file, "k", LI_GGUF_BOOL);
        put_bytes(file, "\2", 1);
        break;
    case 5:
        put_key(file, "k", LI_GGUF_STRING);
        put_u64(file, UINT64_C(1) << 63);
        break;
    case 6:
    case 7:
        put_key(file, "k", LI_GGUF_ARRAY);
        put_u32(file, number == 6 ? LI_GGUF_UINT32 : LI_GGUF_STRING);
        put_u64(file, UINT64_C(1) << (number == 6 ? 62 : 61));
        break;
    case 8:
        memcpy(file->bytes + 16, "\1\0\0\0\0\1\0\0", 8);
        break;
    case 9:
        memcpy(file->bytes + 8, "\0\0\0\0\0\0\0\200", 8);
        break;
    case 23:
        put_key_u32(file, "general.alignment", 0);
        break;
    case 24:
        put_key_u32(file, "general.alignment", 48);
        break;
    case 25:
        put_key_u32(file, "general.alignment", 1u << 31);
        break;
    case 26:
        put_key_text(file, "general.alignment", "32");
        break;
    default:
        break;
    }
    put_tensor(file, "t", 0, 8, 2);
    switch (number) {
    case 10:
        put_tensor(file, "t", 0, 8, 2);
        break;
    case 11:
    case 12:
        count_one(file, 8);
        put_text(file, "u");
        put_u32(file, number == 11 ? 5 : 0);
        for (int i = 0; i < 5; i++) put_u64(file, 1);
        break;
    case 13:
        put_tensor(file, "u", 0, 8, 1);
        memset(file->bytes + file->size - 28, 0, 8);
        break;
    case 14:
        put_tensor_at(file, "u", 0, UINT64_C(1) << 40, UINT64_C(1) << 40, 64);
        break;
    case 15:
        put_tensor_at(file, "u", 43, 8, 1, 64);
        break;
    case 16:
        put_tensor_at(file, "u", 4, 32, 1, 64);
        break;
    case 17:
        put_tensor_at(file, "u", 8, 33, 1, 64);
        break;
    case 18:
        put_tensor_at(file, "u", 0, 8, 1, 68);
        break;
    case 19:
        put_tensor_at(file, "u", 0, 8, 1, UINT64_MAX - 31);
        break;
    case 20:
        put_tensor_at(file, "u", 0, 8, 1, 1 << 20);
        break;
    case 21:
        put_tensor_at(file, "u", 0, 8, 1, 32);
        break;
    case 22:
        put_tensor_at(file, "u", 0, 1 << 20, 1 << 20, 64);
        break;
    default:
        break;
    }
    end_header(file);
    put_bytes(file, zeros, 256);
}

static void test_contradictions_are_refused(void)
{
    gguf_file good;
    make_bad(&good, 1000);
    CHECK_EQ(parse(&good), LI_OK);
    for (size_t i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++) {
        CHECK_CASE("%s", bad_cases[i].what);
        gguf_file file;
        make_bad(&file, i);
        CHECK_EQ(parse(&file), bad_cases[i].expected);
    }
}

static void test_oversized_headers_are_refused(void)
{
    gguf_file file;
    begin_file(&file);
    put_key(&file, "k", LI_GGUF_STRING);
    put_u64(&file, 65 << 20);
    CHECK_EQ(parse_bytes(file.bytes, file.size, 0), LI_ERROR_GGUF_TOO_LARGE);
    CHECK_EQ(parse_bytes(file.bytes, file.size, 1e9), LI_ERROR_GGUF_TOO_LARGE);
    CHECK_EQ(parse_bytes(file.bytes, file.size, 1e6), LI_ERROR_GGUF_TRUNCATED);
    memcpy(file.bytes + 16, "\0\0\1\0\0\0\0\0", 8); // 65,536 keys
    CHECK_EQ(parse_bytes(file.bytes, file.size, 0), LI_ERROR_GGUF_TOO_LARGE);
    free(file.bytes);
}

static void test_data_begin_at_the_alignment_of_the_file(void)
{
    gguf_file file;
    begin_file(&file);
    put_key_u32(&file, "general.alignment", 1024);
    put_tensor_at(&file, "t", 0, 8, 0, 2048);
    put_padding(&file, 1024);
    li_gguf *gguf = li_gguf_create();
    memcpy(li_gguf_reserve(gguf, (uint32_t)file.size), file.bytes, file.size);
    CHECK_EQ(li_gguf_parse(gguf, (uint32_t)file.size, 0), LI_OK);
    CHECK_EQ(li_gguf_data_start(gguf), 1024);
    CHECK_EQ(li_gguf_data_size(gguf), 2048 + 32);
    CHECK_EQ(li_gguf_parse(gguf, (uint32_t)file.size, 1024 + 2048 + 31), LI_ERROR_GGUF_TRUNCATED);
    CHECK_EQ(li_gguf_key_count(gguf), 0);
    li_gguf_destroy(gguf);
    free(file.bytes);
}

// Every status is fine, as long as no byte out of bounds is read.
static void test_survives_every_changed_byte(void)
{
    gguf_file file;
    make_good(&file);
    int accepted = 0;
    for (size_t i = 0; i < file.data_start; i++) {
        for (uint32_t bit = 0; bit < 8; bit++) {
            file.bytes[i] ^= (uint8_t)(1u << bit);
            accepted += parse_bytes(file.bytes, file.size, (double)file.size) == LI_OK;
            file.bytes[i] ^= (uint8_t)(1u << bit);
        }
    }
    CHECK_GT(accepted, 0);
    CHECK_EQ(parse_bytes(file.bytes, file.size, 0), LI_OK);
    free(file.bytes);
}

int main(void)
{
    test_reads_a_valid_header();
    test_versions_two_and_three_are_read();
    test_a_wrong_magic_is_refused_at_its_first_byte();
    test_every_prefix_needs_more();
    test_every_cut_is_found();
    test_bad_arguments_are_refused();
    test_contradictions_are_refused();
    test_oversized_headers_are_refused();
    test_data_begin_at_the_alignment_of_the_file();
    test_survives_every_changed_byte();
    return check_done("gguf");
}
