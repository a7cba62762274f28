// The table of pre-tokenizers. The regular expressions are those of the models' tokenizer.json files. The names that
// share an expression are llama.cpp's (llama-vocab.cpp).
#include "tokenizer/pre_tokenizer.h"

#include <stddef.h>
#include <string.h>

// ---- sets of characters ------------------------------------------------------------------------------

#define LETTER  LI_CHAR_ANY_LETTER
#define MARK    LI_CHAR_MARK
#define NUMBER  LI_CHAR_NUMBER
#define SPACE   LI_CHAR_ANY_SPACE
#define NEWLINE LI_CHAR_NEWLINE
#define BLANK   LI_CHAR_BLANK
#define SIGN    (LI_CHAR_PUNCT | LI_CHAR_SYMBOL)
#define UPPERS  (LI_CHAR_UPPER | LI_CHAR_TITLE | LI_CHAR_CASE_ANY) // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]
#define LOWERS  (LI_CHAR_LOWER | LI_CHAR_CASE_ANY)                 // [\p{Ll}\p{Lm}\p{Lo}\p{M}]
#define OTHER   (SIGN | MARK | LI_CHAR_REST)                       // [^\s\p{L}\p{N}]
#define BEFORE  (OTHER | LI_CHAR_WHITE | BLANK)                    // [^\r\n\p{L}\p{N}]

// ---- items and alternatives --------------------------------------------------------------------------

#define COUNT(of, least, most)                                                                                         \
    {                                                                                                                  \
        .set = (of), .min = (least), .max = (most)                                                                     \
    }
#define OP(what)                                                                                                       \
    {                                                                                                                  \
        .operation = LI_SPLIT_##what                                                                                   \
    }
#define ONE(of)   COUNT(of, 1, 1)
#define MAYBE(of) COUNT(of, 0, 1)
#define SOME(of)  COUNT(of, 1, LI_SPLIT_MANY)
#define ANY(of)   COUNT(of, 0, LI_SPLIT_MANY)
#define OR        OP(NEXT)
#define STOP      OP(STOP)
// An optional contraction at the end of a word, in upper or lower case.
#define MAYBE_CONTRACTION                                                                                              \
    {                                                                                                                  \
        .operation = LI_SPLIT_CONTRACTION, .max = 1                                                                    \
    }

#define CONTRACTION       OP(CONTRACTION), OR
#define SPACES            SOME(SPACE), OP(NOT_BEFORE_WORD), OR, SOME(SPACE), STOP // \s+(?!\S)|\s+
#define LINES             ANY(SPACE), SOME(NEWLINE), OR, SPACES                   // \s*[\r\n]+|\s+(?!\S)|\s+
#define SIGNS             MAYBE(BLANK), SOME(OTHER), ANY(NEWLINE), OR             // " ?[^\s\p{L}\p{N}]+[\r\n]*|"
#define SIGNS_AND_SLASHES MAYBE(BLANK), SOME(OTHER), ANY(NEWLINE | LI_CHAR_SLASH), OR
#define WORD              MAYBE(BEFORE), SOME(LETTER), OR // [^\r\n\p{L}\p{N}]?\p{L}+|
// A word of upper case and then lower case, as two alternatives: one part may be empty.
#define LOWER_WORD MAYBE(BEFORE), ANY(UPPERS), SOME(LOWERS)
#define UPPER_WORD MAYBE(BEFORE), SOME(UPPERS), ANY(LOWERS)

typedef li_split_item item;

static const item llama3[] = {CONTRACTION, WORD, COUNT(NUMBER, 1, 3), OR, SIGNS, LINES};
static const item qwen2[] = {CONTRACTION, WORD, ONE(NUMBER), OR, SIGNS, LINES};
static const item qwen35[] = {CONTRACTION, MAYBE(BEFORE), SOME(LETTER | MARK),       OR,           ONE(NUMBER),
                              OR,          MAYBE(BLANK),  SOME(SIGN | LI_CHAR_REST), ANY(NEWLINE), OR,
                              LINES};
static const item minicpm[] = {CONTRACTION, WORD, SOME(NUMBER), OR, SIGNS, LINES};
static const item seed_coder[] = {CONTRACTION, WORD, ONE(NUMBER), OR, MAYBE(BLANK), SOME(OTHER), OR, LINES};
static const item bailing[] = {CONTRACTION, WORD, ONE(NUMBER), OR, SIGNS, ANY(SPACE), ONE(NEWLINE), OR, SPACES};
static const item turkish[] = {WORD, ONE(NUMBER), OR, SIGNS, LINES};
static const item gpt2[] = {OP(CONTRACTION_CASED), OR, MAYBE(BLANK), SOME(LETTER), OR, MAYBE(BLANK),
                            SOME(NUMBER),          OR, MAYBE(BLANK), SOME(OTHER),  OR, SPACES};
static const item tekken[] = {LOWER_WORD, OR, UPPER_WORD, OR, ONE(NUMBER), OR, SIGNS_AND_SLASHES, LINES};
static const item gpt4o[] = {LOWER_WORD, MAYBE_CONTRACTION,   OR, UPPER_WORD,        MAYBE_CONTRACTION,
                             OR,         COUNT(NUMBER, 1, 3), OR, SIGNS_AND_SLASHES, LINES};

static const item number[] = {ONE(NUMBER), STOP};
static const item numbers[] = {SOME(NUMBER), STOP};
static const item numbers_3[] = {COUNT(NUMBER, 1, 3), STOP};
static const item digits_3[] = {COUNT(LI_CHAR_ASCII_DIGIT, 3, 3), STOP};
static const item newline[] = {ONE(NEWLINE), STOP};
static const item kana_han[] = {SOME(LI_CHAR_KANA_HAN), STOP};
static const item east[] = {SOME(LI_CHAR_EAST), STOP};

static const item deepseek3[] = {ONE(LI_CHAR_ASCII_PUNCT),
                                 SOME(LI_CHAR_ASCII_LETTER),
                                 OR,
                                 MAYBE(MARK | NUMBER | LI_CHAR_WHITE | BLANK | LI_CHAR_REST),
                                 SOME(LETTER | MARK),
                                 OR,
                                 MAYBE(BLANK),
                                 SOME(SIGN),
                                 ANY(NEWLINE),
                                 OR,
                                 LINES};
static const item cased_word[] = {MAYBE(SPACE), SOME(LI_CHAR_CASED), STOP};
static const item mixed_signs[] = {MAYBE(SPACE), SOME(LI_CHAR_ASCII_PUNCT | LI_CHAR_ASCII_LETTER | LI_CHAR_EAST_PUNCT),
                                   STOP};
static const item spaces_at_end[] = {OP(NOT_AFTER_SPACE), SOME(SPACE), OP(AT_END), STOP};
static const item word[] = {MAYBE(SPACE), SOME(LETTER), STOP};
static const item punctuation[] = {MAYBE(SPACE), SOME(LI_CHAR_PUNCT), STOP};
static const item falcon_signs[] = {SOME(LI_CHAR_PUNCT | LI_CHAR_ASCII_SYMBOL | LI_CHAR_GRAVE), STOP};
static const item default_signs[] = {SOME(LI_CHAR_PUNCT | LI_CHAR_ASCII_SYMBOL), STOP};

static const li_pre_tokenizer table[] = {
    {"llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano", {llama3}, true, true},
    {"smaug-bpe dbrx glm4 chatglm-bpe", {llama3}, false, false},
    {"qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2", {qwen2}, false, false},
    {"qwen35", {qwen35}, false, false},
    {"smollm starcoder refact command-r codeshell exaone minerva-7b mellum2", {number, gpt2}, false, false},
    {"gpt-2 phi-2 jina-es jina-de jina-v2-es jina-v2-de jina-v1-en jina-v2-code roberta-bpe gigachat a.x-4.0 mellum "
     "modern-bert exaone4 mpt olmo jais trillion granite-docling",
     {gpt2},
     false,
     false},
    {"tekken", {tekken}, true, true},
    {"gpt-4o llama4 kanana2 talkie minimax-m2", {gpt4o}, false, false},
    {"deepseek-v3 hunyuan-dense joyai-llm hy_v4", {numbers_3, kana_han, deepseek3}, false, false},
    {"deepseek-llm", {newline, cased_word, mixed_signs, spaces_at_end, east, numbers}, false, false},
    {"deepseek-coder", {newline, word, punctuation, east, number}, false, false},
    {"falcon", {falcon_signs, gpt2, digits_3}, false, false},
    {"default", {default_signs, gpt2, numbers, digits_3}, false, false},
    {"minicpm5", {numbers_3, minicpm}, true, false},
    {"seed-coder", {seed_coder}, false, false},
    {"bailingmoe bailingmoe2 llada-moe", {bailing}, false, false},
    {"ufakzeka", {turkish}, false, false},
};

const li_pre_tokenizer *li_pre_tokenizer_find(const uint8_t *name, uint32_t length)
{
    for (uint32_t i = 0; i < sizeof table / sizeof *table; i++) {
        for (const char *at = table[i].names; *at;) {
            size_t size = 0;
            while (at[size] && at[size] != ' ') size++;
            if (size == length && memcmp(at, name, length) == 0) return &table[i];
            at += size + (at[size] == ' ');
        }
    }
    return NULL;
}
