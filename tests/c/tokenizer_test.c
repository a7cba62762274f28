// The tokenizer: classes of characters, splits, joins against naive references, special tokens, headers that are
// refused.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "gguf_file.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/tokenizer.h"

enum { NORMAL = 1, UNKNOWN, CONTROL, USER_DEFINED };

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)random_state * limit >> 32);
}

// ---- headers -----------------------------------------------------------------------------------------

typedef struct word {
    const char *text;
    float score;
    uint32_t type;
} word;

typedef struct header {
    const char *model, *pre; // pre NULL: no such key
    const word *words;
    uint32_t count;
    const char (*merges)[16];
    uint32_t merge_count;
    const char *family; // NULL: no such key
} header;

static void put_array(gguf_file *file, const char *key, uint32_t element, uint32_t count)
{
    put_key(file, key, 9);
    put_u32(file, element);
    put_u64(file, count);
}

// The tokenizer of a header; NULL: fault says why.
static li_tokenizer *open(const header *from, uint32_t has_prefix, uint32_t fault[2])
{
    gguf_file file;
    begin_file(&file);
    if (from->family) put_key_text(&file, "general.architecture", from->family);
    if (from->model) put_key_text(&file, "tokenizer.ggml.model", from->model);
    if (from->pre) put_key_text(&file, "tokenizer.ggml.pre", from->pre);
    put_array(&file, "tokenizer.ggml.tokens", 8, from->count);
    for (uint32_t i = 0; i < from->count; i++) put_text(&file, from->words[i].text);
    put_array(&file, "tokenizer.ggml.scores", 6, from->count);
    for (uint32_t i = 0; i < from->count; i++) put_f32(&file, from->words[i].score);
    put_array(&file, "tokenizer.ggml.token_type", 5, from->count);
    for (uint32_t i = 0; i < from->count; i++) put_u32(&file, from->words[i].type);
    put_array(&file, "tokenizer.ggml.merges", 8, from->merge_count);
    for (uint32_t i = 0; i < from->merge_count; i++) put_text(&file, from->merges[i]);
    end_header(&file);
    li_gguf *gguf = li_gguf_create();
    memcpy(li_gguf_reserve(gguf, (uint32_t)file.size), file.bytes, file.size);
    CHECK_EQ(li_gguf_parse(gguf, (uint32_t)file.size, (double)file.size), LI_OK);
    li_tokenizer *tokenizer = li_tokenizer_create(gguf, "", has_prefix, fault);
    CHECK_EQ(tokenizer == NULL, fault[0] != LI_TOKENIZER_FINE);
    li_gguf_destroy(gguf);
    free(file.bytes);
    return tokenizer;
}

// The ids of a text as words, for comparison with what is expected.
static bool encodes(li_tokenizer *tokenizer, const char *text, uint32_t flags, const char *expected)
{
    uint32_t ids[512];
    char line[2048] = "";
    int32_t count = li_tokenizer_encode(tokenizer, (const uint8_t *)text, (uint32_t)strlen(text), flags, ids);
    for (int32_t i = 0; i < count; i++) sprintf(line + strlen(line), i ? " %u" : "%u", ids[i]);
    if (strcmp(line, expected) == 0) return true;
    printf("\"%s\" is %s (%d), not %s\n", text, line, count, expected);
    return false;
}

// ---- classes -----------------------------------------------------------------------------------------

static uint32_t class_of(const li_char_classes *classes, uint32_t point)
{
    uint8_t text[4];
    uint32_t size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (uint32_t i = size; i-- > 1; point >>= 6) text[i] = (uint8_t)(0x80 | (point & 0x3f));
    text[0] = (uint8_t)(size == 1 ? point : (0xf00u >> size & 0xf0) | point);
    uint32_t length;
    uint32_t bits = li_char_class_at(classes, text, &length) & 0x1fff;
    CHECK_EQ(length, size);
    CHECK(li_is_utf8(text, size));
    return bits;
}

static void check_classes(void)
{
    // By Unicode 16.0, at both sides of borders.
    static const struct {
        uint32_t point, bits;
    } expected[] = {
        {0, LI_CHAR_REST},           {8, LI_CHAR_REST},           {9, LI_CHAR_WHITE},
        {'\n', LI_CHAR_NEWLINE},     {0xb, LI_CHAR_WHITE},        {'\r', LI_CHAR_NEWLINE},
        {0xe, LI_CHAR_REST},         {0x1f, LI_CHAR_REST},        {' ', LI_CHAR_BLANK},
        {'!', LI_CHAR_PUNCT},        {'$', LI_CHAR_SYMBOL},       {'0', LI_CHAR_NUMBER},
        {'9', LI_CHAR_NUMBER},       {':', LI_CHAR_PUNCT},        {'@', LI_CHAR_PUNCT},
        {'A', LI_CHAR_UPPER},        {'Z', LI_CHAR_UPPER},        {'[', LI_CHAR_PUNCT},
        {'`', LI_CHAR_SYMBOL},       {'a', LI_CHAR_LOWER},        {'z', LI_CHAR_LOWER},
        {'{', LI_CHAR_PUNCT},        {'~', LI_CHAR_SYMBOL},       {0x7f, LI_CHAR_REST},
        {0x84, LI_CHAR_REST},        {0x85, LI_CHAR_WHITE},       {0x86, LI_CHAR_REST},
        {0xa0, LI_CHAR_WHITE},       {0xaa, LI_CHAR_CASELESS},    {0xad, LI_CHAR_REST},
        {0xb2, LI_CHAR_NUMBER},      {0xb5, LI_CHAR_LOWER},       {0xbc, LI_CHAR_NUMBER},
        {0xc0, LI_CHAR_UPPER},       {0xd7, LI_CHAR_SYMBOL},      {0xff, LI_CHAR_LOWER},
        {0x100, LI_CHAR_UPPER},      {0x101, LI_CHAR_LOWER},      {0x137, LI_CHAR_LOWER},
        {0x138, LI_CHAR_LOWER},      {0x139, LI_CHAR_UPPER},      {0x1bb, LI_CHAR_CASELESS},
        {0x1c5, LI_CHAR_TITLE},      {0x2b0, LI_CHAR_MODIFIER},   {0x2ff, LI_CHAR_SYMBOL},
        {0x300, LI_CHAR_MARK},       {0x36f, LI_CHAR_MARK},       {0x370, LI_CHAR_UPPER},
        {0x378, LI_CHAR_REST},       {0x37e, LI_CHAR_PUNCT},      {0x660, LI_CHAR_NUMBER},
        {0x903, LI_CHAR_MARK},       {0x1680, LI_CHAR_WHITE},     {0x180e, LI_CHAR_REST},
        {0x2000, LI_CHAR_WHITE},     {0x200b, LI_CHAR_REST},      {0x200d, LI_CHAR_REST},
        {0x2028, LI_CHAR_WHITE},     {0x205f, LI_CHAR_WHITE},     {0x20dd, LI_CHAR_MARK},
        {0x2160, LI_CHAR_NUMBER},    {0x2c2f, LI_CHAR_UPPER},     {0x3000, LI_CHAR_WHITE},
        {0x3007, LI_CHAR_NUMBER},    {0x33ff, LI_CHAR_SYMBOL},    {0x3400, LI_CHAR_CASELESS},
        {0x9fff, LI_CHAR_CASELESS},  {0xa490, LI_CHAR_SYMBOL},    {0xa7cb, LI_CHAR_UPPER},
        {0xac00, LI_CHAR_CASELESS},  {0xd7a3, LI_CHAR_CASELESS},  {0xd7a4, LI_CHAR_REST},
        {0xe000, LI_CHAR_REST},      {0xfe0f, LI_CHAR_MARK},      {0xfeff, LI_CHAR_REST},
        {0xff10, LI_CHAR_NUMBER},    {0xff21, LI_CHAR_UPPER},     {0xfffd, LI_CHAR_SYMBOL},
        {0xffff, LI_CHAR_REST},      {0x10000, LI_CHAR_CASELESS}, {0x10400, LI_CHAR_UPPER},
        {0x10428, LI_CHAR_LOWER},    {0x10d4a, LI_CHAR_CASELESS}, {0x10d50, LI_CHAR_UPPER},
        {0x1d7ce, LI_CHAR_NUMBER},   {0x1e900, LI_CHAR_UPPER},    {0x1f600, LI_CHAR_SYMBOL},
        {0x1fbf0, LI_CHAR_NUMBER},   {0x2a6df, LI_CHAR_CASELESS}, {0x2a6e0, LI_CHAR_REST},
        {0x2ebf0, LI_CHAR_CASELESS}, {0x323af, LI_CHAR_CASELESS}, {0x323b0, LI_CHAR_REST},
        {0xe0001, LI_CHAR_REST},     {0xe00ff, LI_CHAR_REST},     {0xe0100, LI_CHAR_MARK},
        {0xe01ef, LI_CHAR_MARK},     {0xe01f0, LI_CHAR_REST},     {0x10ffff, LI_CHAR_REST},
    };
    li_char_classes *classes = li_char_classes_create();
    for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        CHECK_CASE("U+%04X", expected[i].point);
        CHECK_EQ(class_of(classes, expected[i].point), expected[i].bits);
    }
    for (uint32_t point = 0; point < 0x110000; point++) {
        if (point >= 0xd800 && point < 0xe000) continue;
        uint32_t bits = class_of(classes, point);
        CHECK(bits);
        CHECK(!(bits & (bits - 1)));
    }
    free(classes);
}

static void check_utf8(void)
{
    static const char *const wrong[] = {"\x80",
                                        "\xc3",
                                        "a\xc3",
                                        "\xc0\x80",
                                        "\xc1\xbf",
                                        "\xe0\x9f\xbf",
                                        "\xe4\xb8",
                                        "\xed\xa0\x80",
                                        "\xf0\x8f\xbf\xbf",
                                        "\xf4\x90\x80\x80",
                                        "\xf5\x80\x80\x80",
                                        "\xff",
                                        "\xc3\x28",
                                        "\xf0\x9f\x98"};
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!li_is_utf8((const uint8_t *)wrong[i], (uint32_t)strlen(wrong[i])));
    static const char right[] = "a\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf";
    CHECK(li_is_utf8((const uint8_t *)right, sizeof right - 1));
}

static void check_alphabet(void)
{
    uint8_t all[512], back[512];
    uint32_t size = 0;
    for (uint32_t byte = 0; byte < 256; byte++) size += li_alphabet_encode((uint8_t)byte, all + size);
    CHECK_EQ(size, 94 + 2 * 162); // only printable ASCII takes one byte
    CHECK_EQ(li_alphabet_decode(all, size, back), 256);
    for (uint32_t byte = 0; byte < 256; byte++) CHECK_EQ(back[byte], byte);
    CHECK_EQ(li_alphabet_decode((const uint8_t *)"\xc4\xa0the", 5, back), 4);
    CHECK_BYTES(back, " the", 4);
    CHECK_EQ(li_alphabet_decode((const uint8_t *)"a b", 3, back), 3);
    CHECK_BYTES(back, "a b", 3);
    CHECK_EQ(li_alphabet_decode((const uint8_t *)"\xc5\x84", 2, back), 2);
    CHECK_EQ(back[0], 0xc5); // U+0144, beyond
}

// ---- splits ------------------------------------------------------------------------------------------

static char pieces[512];

static void take_piece(void *context, const uint8_t *piece, uint32_t length)
{
    (void)context;
    CHECK_GT(length, 0);
    strncat(pieces, (const char *)piece, length);
    strcat(pieces, "|");
}

static bool splits(const li_char_classes *classes, const char *name, const char *text, const char *expected)
{
    const li_pre_tokenizer *pre = li_pre_tokenizer_find((const uint8_t *)name, (uint32_t)strlen(name));
    if (!pre) return false;
    *pieces = 0;
    li_split(classes, pre->steps, (const uint8_t *)text, (uint32_t)strlen(text), take_piece, NULL);
    if (strcmp(pieces, expected) == 0) return true;
    printf("%s: \"%s\" is %s\n", name, text, pieces);
    return false;
}

// What the regular expressions of the models say, worked out by hand.
static void check_splits(void)
{
    li_char_classes *classes = li_char_classes_create();
    CHECK(splits(classes, "llama-bpe", "I'll GO'LL 12345  x\n\n y", "I|'ll| GO|'LL| |123|45| | x|\n\n| y|"));
    CHECK(splits(classes, "llama-bpe", "it'\xc5\xbf", "it|'\xc5\xbf|")); // the long s folds to s
    CHECK(splits(classes, "qwen2", "a1234 !?\n\n  ", "a|1|2|3|4| !?\n\n|  |"));
    CHECK(splits(classes, "qwen2", "e\xcc\x81x", "e|\xcc\x81x|"));
    CHECK(splits(classes, "qwen35", "e\xcc\x81x", "e\xcc\x81x|"));
    CHECK(splits(classes, "gpt-2", "I'll GO'LL 123  x!", "I|'ll| GO|'|LL| 123| | x|!|"));
    CHECK(splits(classes, "gpt-2", "it'\xc5\xbf", "it|'|\xc5\xbf|"));
    CHECK(splits(classes, "smollm", "a12 b  3", "a|1|2| b|  |3|"));
    CHECK(splits(classes, "tekken", "HTTPServer's aB", "HTTPServer|'s| a|B|"));
    CHECK(splits(classes, "gpt-4o", "HTTPServer's iPhone12345/\n", "HTTPServer's| i|Phone|123|45|/\n|"));
    CHECK(splits(classes, "gpt-4o", "\xc3\x89\xc3\xa9\xc3\x89", "\xc3\x89\xc3\xa9|\xc3\x89|"));
    CHECK(splits(classes, "deepseek-v3", "x12345\xe4\xb8\xad\xe6\x96\x87y !a",
                 "x|123|45|\xe4\xb8\xad\xe6\x96\x87|y| !|a|"));
    CHECK(splits(classes, "deepseek-llm", "ab  \nc  ", "ab|  |\n|c|  |"));
    CHECK(splits(classes, "falcon", "a+b 1234", "a|+|b| |123|4|"));
    CHECK(splits(classes, "default", "a`b 1234", "a|`|b| |123|4|"));
    CHECK(splits(classes, "qwen2", "", ""));
    CHECK(splits(classes, "qwen2", " ", " |"));
    CHECK(splits(classes, "gpt-2", "\n", "\n|"));
    CHECK(!li_pre_tokenizer_find((const uint8_t *)"qwen", 4));
    CHECK(!li_pre_tokenizer_find((const uint8_t *)"", 0));
    free(classes);
}

// ---- joins against references that look at every pair again and again --------------------------------

#define LETTERS    4u
#define WORD_LIMIT 96u

static uint32_t find_word(const word *words, uint32_t count, const char *text, uint32_t length)
{
    for (uint32_t i = 0; i < count; i++) {
        if (words[i].type == NORMAL && strlen(words[i].text) == length && memcmp(words[i].text, text, length) == 0)
            return i;
    }
    return LI_NO_TOKEN;
}

// Letters, then `count` words of two shorter ones each; returns how many there are.
static uint32_t make_words(word *words, char texts[][16], char merges[][16], uint32_t count)
{
    for (uint32_t i = 0; i < LETTERS; i++) sprintf(texts[i], "%c", 'a' + (char)i);
    uint32_t known = LETTERS, tries = 0;
    for (uint32_t i = 0; i < LETTERS; i++) words[i] = (word){texts[i], 0, NORMAL};
    while (known < LETTERS + count && tries++ < 1000) {
        const char *left = texts[random_below(known)], *right = texts[random_below(known)];
        if (strlen(left) + strlen(right) > 7) continue;
        char both[16];
        sprintf(both, "%s%s", left, right);
        if (find_word(words, known, both, (uint32_t)strlen(both)) != LI_NO_TOKEN) continue;
        sprintf(merges[known - LETTERS], "%s %s", left, right);
        strcpy(texts[known], both);
        words[known] = (word){texts[known], (float)random_below(6), NORMAL};
        known++;
    }
    return known;
}

// Joins the pair of the best rank, leftmost among equals, until none is left, and writes where each begins and ends,
// and its token. Pieces are [ends[i - 1], ends[i]).
static uint32_t join_naively(const header *from, const char *text, uint32_t *ids, uint32_t *steps)
{
    uint32_t ends[WORD_LIMIT], count = (uint32_t)strlen(text);
    bool is_bpe = strcmp(from->model, "gpt2") == 0;
    for (uint32_t i = 0; i < count; i++) ends[i] = i + 1;
    for (;;) {
        double best = -1e9;
        uint32_t place = 0;
        for (uint32_t i = 0; i + 1 < count; i++) {
            uint32_t begin = i ? ends[i - 1] : 0;
            double value = -1e9;
            char pair[200];
            sprintf(pair, "%.*s %.*s", (int)(ends[i] - begin), text + begin, (int)(ends[i + 1] - ends[i]),
                    text + ends[i]);
            for (uint32_t j = 0; is_bpe && j < from->merge_count && value < -1e8; j++) {
                if (strcmp(pair, from->merges[j]) == 0) value = -(double)j;
            }
            uint32_t token = find_word(from->words, from->count, text + begin, ends[i + 1] - begin);
            if (!is_bpe && token != LI_NO_TOKEN) value = from->words[token].score;
            if (value > best) {
                best = value;
                place = i;
            }
        }
        if (best < -1e8) break;
        uint32_t begin = place ? ends[place - 1] : 0, end = ends[place + 1];
        *steps++ = begin;
        *steps++ = end;
        *steps++ = find_word(from->words, from->count, text + begin, end - begin);
        memmove(ends + place, ends + place + 1, (--count - place) * sizeof *ends);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t begin = i ? ends[i - 1] : 0;
        ids[i] = find_word(from->words, from->count, text + begin, ends[i] - begin);
    }
    return count;
}

static void check_joins(const char *model)
{
    for (int round = 0; round < check_rounds(300); round++) {
        CHECK_CASE("round %d", round);
        static word words[64];
        static char texts[64][16], merges[64][16];
        uint32_t count = make_words(words, texts, merges, 3 + random_below(40));
        bool is_bpe = strcmp(model, "gpt2") == 0;
        words[count] = (word){"<unk>", 0, UNKNOWN};
        header from = {model, "gpt-2", words, count + 1, merges, is_bpe ? count - LETTERS : 0, NULL};
        uint32_t fault[2], ids[2 * WORD_LIMIT + 2], expected[WORD_LIMIT];
        uint32_t traced[8 * WORD_LIMIT + 8], expected_steps[3 * WORD_LIMIT];
        li_tokenizer *tokenizer = open(&from, 0, fault);
        if (!tokenizer) continue;
        for (uint32_t i = 0; i < 20; i++) {
            char text[WORD_LIMIT] = "";
            uint32_t length = 1 + random_below(WORD_LIMIT - 2);
            for (uint32_t j = 0; j < length; j++) text[j] = (char)('a' + random_below(1 + random_below(LETTERS)));
            int32_t found = li_tokenizer_encode(tokenizer, (uint8_t *)text, length, 0, ids);
            CHECK_EQ(found, (int32_t)join_naively(&from, text, expected, expected_steps));
            CHECK_GT(found, 0);
            CHECK_BYTES(ids, expected, (uint32_t)found * sizeof *ids);
            const uint32_t *steps = traced + 2 * length + 2;
            // One piece; every merge takes a symbol away.
            CHECK_EQ(li_tokenizer_encode(tokenizer, (uint8_t *)text, length, LI_ENCODE_TRACE, traced),
                     3 * (1 + (int32_t)length - found));
            CHECK_BYTES(traced, expected, (uint32_t)found * sizeof *ids);
            CHECK(steps[0] == 0 && steps[1] == length && steps[2] == LI_STEP_PIECE);
            CHECK_BYTES(steps + 3, expected_steps, 3 * (length - (uint32_t)found) * sizeof *steps);
        }
        li_tokenizer_destroy(tokenizer);
    }
}

// ---- special tokens ----------------------------------------------------------------------------------

static void check_specials(void)
{
    static const word words[] = {
        {"<unk>", 0, UNKNOWN},
        {"<s>", 0, CONTROL},
        {"</s>", 0, CONTROL},
        {"a", 0, NORMAL},
        {"\xe2\x96\x81", -1, NORMAL},
        {"\xe2\x96\x81"
         "a",
         2, NORMAL},
        {"<x>", 0, USER_DEFINED},
        {"<x>>", 0, USER_DEFINED},
        {"<", -2, NORMAL},
        {"s", -2, NORMAL},
        {">", -2, NORMAL},
        {"\xb8", 0, USER_DEFINED},
        {"\xe4", 0, USER_DEFINED},
    };
    header from = {"llama", NULL, words, sizeof words / sizeof *words, NULL, 0, NULL};
    uint32_t fault[2];
    li_tokenizer *tokenizer = open(&from, 1, fault);
    CHECK_NE(tokenizer, NULL);
    if (!tokenizer) return;
    CHECK(encodes(tokenizer, "a<s>a", 0, "5 8 9 10 3"));
    CHECK(encodes(tokenizer, "a<s>a", LI_ENCODE_SPECIAL, "5 1 5")); // a space follows a control token …
    CHECK(encodes(tokenizer, "<s>", LI_ENCODE_SPECIAL, "1"));       // … and begins a text, but not
    CHECK(encodes(tokenizer, "a", LI_ENCODE_CONTINUES, "3"));       // before these, or in a continuation
    CHECK(encodes(tokenizer, "<s><s></s>", LI_ENCODE_SPECIAL | LI_ENCODE_CONTINUES, "1 1 2"));
    CHECK(encodes(tokenizer, "a<x>a<x>>a", 0, "5 6 3 7 3"));        // the longest; no space after a user's token
    static const uint32_t whole[] = {0, 4, LI_STEP_PIECE, 0, 4, 7}; // found as it is, not merged
    uint32_t traced[40];
    const uint32_t flags = LI_ENCODE_CONTINUES | LI_ENCODE_TRACE;
    CHECK_EQ(li_tokenizer_encode(tokenizer, (const uint8_t *)"<x>>", 4, flags, traced), 6);
    CHECK_BYTES(traced + 10, whole, sizeof whole);
    CHECK(encodes(tokenizer, "<x", LI_ENCODE_CONTINUES, "8 0"));
    CHECK(encodes(tokenizer, "\xe4\xb8\xad", LI_ENCODE_CONTINUES, "0")); // no special token is a part of a character
    CHECK(encodes(tokenizer, "", LI_ENCODE_SPECIAL, ""));
    CHECK(encodes(tokenizer, "<unk>", LI_ENCODE_SPECIAL | LI_ENCODE_CONTINUES, "0"));
    const li_tokenizer_view *view = li_tokenizer_get_view(tokenizer);
    CHECK_EQ(view->count, from.count);
    CHECK_EQ(view->special_count, 7);
    CHECK_EQ(view->adds_bos, 1);
    CHECK_EQ(view->end_count, 1);
    CHECK_EQ(view->end_tokens[0], 2);
    CHECK_EQ(view->ends[2], 0);
    CHECK_EQ(view->ends[5], 4);
    CHECK_BYTES(view->bytes, "a  a", 4);
    uint32_t ids[8];
    CHECK_EQ(li_tokenizer_encode(tokenizer, (const uint8_t *)"\xe4", 1, 0, ids), LI_ERROR_BAD_ARGUMENT);
    li_tokenizer_destroy(tokenizer);

    // Phi-3 drops white space after special tokens. U+2581 is not white space.
    from.family = "phi3";
    tokenizer = open(&from, 0, fault);
    CHECK_NE(tokenizer, NULL);
    if (!tokenizer) return;
    CHECK(encodes(tokenizer, "</s> \n a", LI_ENCODE_SPECIAL, "2 3"));
    CHECK(encodes(tokenizer,
                  "</s>\xe2\x96\x81"
                  "a",
                  LI_ENCODE_SPECIAL, "2 5"));
    CHECK(encodes(tokenizer, "a\xe2\x96\x81<x>\t\xe2\x96\x81 a", 0, "3 4 6 4 5"));
    CHECK(encodes(tokenizer, "<s> a", LI_ENCODE_SPECIAL, "1 5"));
    li_tokenizer_destroy(tokenizer);
}

static void check_ends(void)
{
    static const word words[] = {{"a", 0, NORMAL},          {"<|end|>", 0, CONTROL},   {"<|return|>", 0, CONTROL},
                                 {"<|call|>", 0, CONTROL},  {"<eos>", 0, NORMAL},      {"<|im_end|>", 0, USER_DEFINED},
                                 {"<fim_pad>", 0, CONTROL}, {"<reponame>", 0, CONTROL}};
    header from = {"gpt2", "qwen2", words, 8, NULL, 0, NULL};
    uint32_t fault[2];
    li_tokenizer *tokenizer = open(&from, 0, fault);
    const li_tokenizer_view *view = li_tokenizer_get_view(tokenizer);
    // <|end|> ends only a part of a message where <|return|> and <|call|> are there.
    CHECK_EQ(view->end_count, 6);
    for (uint32_t i = 0; i < view->end_count; i++) {
        CHECK_NE(view->end_tokens[i], 1);
        CHECK_EQ(view->types[view->end_tokens[i]], CONTROL);
    }
    CHECK_EQ(view->adds_bos, 0);
    li_tokenizer_destroy(tokenizer);
}

// ---- refusals ----------------------------------------------------------------------------------------

static bool refuses(header from, uint32_t expected)
{
    uint32_t fault[2];
    li_tokenizer *tokenizer = open(&from, 0, fault);
    li_tokenizer_destroy(tokenizer);
    return fault[0] == expected;
}

static void check_refusals(void)
{
    static const word words[] = {
        {"a", 0, NORMAL}, {"b", 0, NORMAL}, {"ab", 0, NORMAL}, {"", 0, NORMAL}, {"", 0, NORMAL}};
    static const char merges[][16] = {"a b", "a b", "a c", "ab", "b b"};
    const header fine = {"gpt2", NULL, words, 5, merges, 2, NULL}; // empty tokens and a merge twice
    CHECK(refuses(fine, LI_TOKENIZER_FINE));
    header from = fine;
    from.model = "bert";
    CHECK(refuses(from, LI_TOKENIZER_MODEL));
    from.model = NULL;
    CHECK(refuses(from, LI_TOKENIZER_MODEL));
    from = fine;
    from.pre = "no-such";
    CHECK(refuses(from, LI_TOKENIZER_PRE));
    from = fine;
    from.count = 0;
    CHECK(refuses(from, LI_TOKENIZER_TOKENS));
    for (uint32_t i = 2; i < 5; i++) {
        from = fine;
        from.merges = merges + i;
        from.merge_count = 1;
        CHECK(refuses(from, LI_TOKENIZER_MERGE));
    }
    from = fine;
    from.model = "llama";
    CHECK(refuses(from, LI_TOKENIZER_BYTES));
    static const word nan[] = {{"a", 0.0f / 0.0f, NORMAL}};
    from.words = nan;
    from.count = 1;
    CHECK(refuses(from, LI_TOKENIZER_SCORES));
    // Each place of a text is compared with the special tokens.
    static char long_text[1026];
    memset(long_text, 'a', 1025);
    word longest[] = {{"a", 0, NORMAL}, {long_text, 0, CONTROL}};
    from = fine;
    from.words = longest;
    from.count = 2;
    from.merge_count = 0;
    CHECK(refuses(from, LI_TOKENIZER_SPECIAL));
    long_text[1024] = 0;
    CHECK(refuses(from, LI_TOKENIZER_FINE));
}

// Tokens that all hash alike would take quadratic time.
static void check_collisions(void)
{
    static char texts[1100][12];
    static word words[1100];
    uint32_t count = 0;
    for (uint32_t i = 0; count < 1100; i++) {
        char text[12];
        uint32_t hash = 2166136261u;
        sprintf(text, "%x", i);
        for (const char *at = text; *at; at++) hash = (hash ^ (uint8_t)*at) * 16777619u;
        if ((hash ^ hash >> 15) & 4095) continue; // of the 4096 slots of 1100 tokens
        strcpy(texts[count], text);
        words[count] = (word){texts[count], 0, NORMAL};
        count++;
    }
    header from = {"gpt2", NULL, words, 1100, NULL, 0, NULL};
    CHECK(refuses(from, LI_TOKENIZER_TOKENS));
}

int main(void)
{
    check_classes();
    check_utf8();
    check_alphabet();
    check_splits();
    check_joins("gpt2");
    check_joins("llama");
    check_specials();
    check_ends();
    check_refusals();
    check_collisions();
    return check_done("tokenizer");
}
