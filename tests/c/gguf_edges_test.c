// Edge cases of GGUF headers: numbers of every type, the first unknown type, sizes of files.
#include "check.h"
#include "gguf_file.h"
#include "model/gguf.h"

// Parses the file's header; frees the file.
static li_gguf *parsed(gguf_file *file, double file_size, li_status expected)
{
    li_gguf *gguf = li_gguf_create();
    memcpy(li_gguf_reserve(gguf, (uint32_t)file->size), file->bytes, file->size);
    CHECK_EQ(li_gguf_parse(gguf, (uint32_t)file->size, file_size), expected);
    free(file->bytes);
    return gguf;
}

static void test_a_number_is_read_by_its_own_type(void)
{
    static const struct {
        uint32_t type, size;
        bool is_signed;
    } types[] = {
        {LI_GGUF_UINT8, 1, false}, {LI_GGUF_UINT16, 2, false}, {LI_GGUF_UINT32, 4, false}, {LI_GGUF_UINT64, 8, false},
        {LI_GGUF_INT8, 1, true},   {LI_GGUF_INT16, 2, true},   {LI_GGUF_INT32, 4, true},   {LI_GGUF_INT64, 8, true},
    };
    for (uint32_t i = 0; i < sizeof types / sizeof *types; i++)
        for (uint32_t has_top_bit = 0; has_top_bit < 2; has_top_bit++) {
            CHECK_CASE("i %u, has_top_bit %u", i, has_top_bit);
            uint8_t bytes[8] = {5};
            uint64_t value = 0, expected = types[i].size == 1 ? 5 : 5 + ((uint64_t)3 << (8 * types[i].size - 8));
            gguf_file file;
            if (types[i].size > 1) bytes[types[i].size - 1] = 3;
            if (has_top_bit) {
                bytes[types[i].size - 1] |= 0x80;
                expected |= (uint64_t)0x80 << (8 * types[i].size - 8);
            }
            begin_file(&file);
            put_key(&file, "number", types[i].type);
            put_bytes(&file, bytes, types[i].size);
            end_header(&file);
            li_gguf *gguf = parsed(&file, (double)file.size, LI_OK);
            CHECK_EQ(li_gguf_get_unsigned(gguf, "number", &value), !(has_top_bit && types[i].is_signed));
            if (!(has_top_bit && types[i].is_signed)) CHECK_EQ(value, expected);
            double real;
            CHECK(!li_gguf_get_float(gguf, "number", &real));
            CHECK(!li_gguf_get_unsigned(gguf, "numbe", &value));
            li_gguf_destroy(gguf);
        }
}

static void test_a_real_number_is_read_by_its_own_type(void)
{
    const double wide = 0.1;
    double value = 0;
    uint64_t whole;
    gguf_file file;
    begin_file(&file);
    put_key_f32(&file, "single", 0.5f);
    put_key(&file, "double", LI_GGUF_FLOAT64);
    put_bytes(&file, &wide, sizeof wide);
    put_key_text(&file, "text", "0.5");
    end_header(&file);
    li_gguf *gguf = parsed(&file, (double)file.size, LI_OK);
    CHECK(li_gguf_get_float(gguf, "single", &value));
    CHECK_EQ(value, 0.5);
    CHECK(li_gguf_get_float(gguf, "double", &value));
    CHECK_EQ(value, wide);
    CHECK(!li_gguf_get_float(gguf, "text", &value));
    CHECK(!li_gguf_get_unsigned(gguf, "double", &whole));
    CHECK(li_gguf_is_string(gguf, "text", "0.5"));
    CHECK(!li_gguf_is_string(gguf, "text", "0.6"));
    CHECK(!li_gguf_is_string(gguf, "text", "0."));
    CHECK(!li_gguf_is_string(gguf, "single", "0.5"));
    li_gguf_destroy(gguf);
}

// "genesqvdacgw" has the hash and the length of "general.name".
static void test_names_of_the_same_hash_are_told_apart(void)
{
    static const char *const names[] = {"genesqvdacgw", "general.name"};
    for (uint32_t first = 0; first < 2; first++) {
        CHECK_CASE("first %u", first);
        gguf_file file;
        begin_file(&file);
        put_key_u32(&file, names[first], 7);
        put_tensor(&file, names[first], 0, 8, 1);
        end_header(&file);
        li_gguf *gguf = parsed(&file, (double)file.size + 64, LI_OK);
        CHECK_EQ(li_gguf_hash((const uint8_t *)names[0], 12), li_gguf_hash((const uint8_t *)names[1], 12));
        CHECK_EQ(li_gguf_find(gguf, names[first]), 0);
        CHECK_EQ(li_gguf_find_tensor(gguf, names[first]), gguf->tensors);
        CHECK_EQ(li_gguf_find(gguf, names[!first]), -1);
        CHECK(!li_gguf_find_tensor(gguf, names[!first]));
        li_gguf_destroy(gguf);
    }
}

static void test_the_first_unknown_type_is_refused(void)
{
    for (uint32_t type = LI_GGUF_FLOAT64; type <= LI_GGUF_FLOAT64 + 2; type++)
        for (uint32_t is_element = 0; is_element < 2; is_element++) {
            CHECK_CASE("type %u, is_element %u", type, is_element);
            gguf_file file;
            begin_file(&file);
            put_key(&file, "key", is_element ? LI_GGUF_ARRAY : type);
            if (is_element) {
                put_u32(&file, type);
                put_u64(&file, 1);
            }
            put_u64(&file, 0);
            end_header(&file);
            li_gguf_destroy(parsed(&file, (double)file.size, type == LI_GGUF_FLOAT64 ? LI_OK : LI_ERROR_GGUF_CORRUPT));
        }
}

static void test_the_file_size_may_be_unknown_and_has_a_limit(void)
{
    const double sizes[] = {0, 0x1p53, -1, 0x1p53 + 2, 10};
    for (uint32_t i = 0; i < 5; i++) {
        gguf_file file;
        begin_file(&file);
        put_key_u32(&file, "key", 1);
        end_header(&file);
        li_gguf_destroy(parsed(&file, sizes[i], i < 2 ? LI_OK : LI_ERROR_BAD_ARGUMENT));
    }
}

// The fault names the tensor and quotes its header.
static void test_a_refused_tensor_is_described(void)
{
    static const struct {
        uint32_t type, columns, rows;
        li_status status;
        li_fault_kind kind;
        double found, found_rows;
    } cases[] = {
        {77, 32, 5, LI_ERROR_MODEL_TENSOR_TYPE, LI_FAULT_TENSOR_TYPE, 77, 0},
        {8, 33, 5, LI_ERROR_MODEL_TENSOR_SHAPE, LI_FAULT_TENSOR_SHAPE, 33, 5}, // Q8_0 has blocks of 32
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CASE("type %u, %u columns, %u rows", cases[i].type, cases[i].columns, cases[i].rows);
        gguf_file file;
        begin_file(&file);
        put_tensor(&file, "first", 0, 8, 1);
        put_tensor(&file, "other", cases[i].type, cases[i].columns, cases[i].rows);
        end_header(&file);
        li_gguf *gguf = parsed(&file, 0, cases[i].status);
        const li_fault *fault = li_gguf_fault(gguf);
        CHECK_EQ(fault->kind, cases[i].kind);
        CHECK_EQ(fault->name_length, 5);
        CHECK_BYTES(fault->name, "other", 5);
        CHECK_EQ(fault->found, cases[i].found);
        CHECK_EQ(fault->found_rows, cases[i].found_rows);
        li_gguf_destroy(gguf);
    }
    gguf_file file;
    begin_file(&file);
    count_one(&file, 8);
    put_text(&file, "deep");
    put_u32(&file, 4);
    for (uint64_t extent = 33; extent > 0; extent /= 3) put_u64(&file, extent); // 33, 11, 3, 1
    put_u32(&file, 8);
    put_u64(&file, 0);
    end_header(&file);
    li_gguf *gguf = parsed(&file, 0, LI_ERROR_MODEL_TENSOR_SHAPE);
    CHECK_EQ(li_gguf_fault(gguf)->found, 33);
    CHECK_EQ(li_gguf_fault(gguf)->found_rows, 33);
    li_gguf_destroy(gguf);
}

int main(void)
{
    test_a_number_is_read_by_its_own_type();
    test_a_real_number_is_read_by_its_own_type();
    test_names_of_the_same_hash_are_told_apart();
    test_the_first_unknown_type_is_refused();
    test_the_file_size_may_be_unknown_and_has_a_limit();
    test_a_refused_tensor_is_described();
    return check_done("gguf edges");
}
