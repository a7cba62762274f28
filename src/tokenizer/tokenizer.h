// The parts of a tokenizer, for the files of src/tokenizer. The interface is in lastinch.h.
#ifndef LI_TOKENIZER_H
#define LI_TOKENIZER_H

#include "base/assert.h"
#include "lastinch.h"
#include "model/gguf.h"
#include "tokenizer/merger.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/text_class.h"
#include "tokenizer/text_table.h"

// Kinds of tokens, as GGUF numbers them.
enum { LI_TOKEN_NORMAL = 1, LI_TOKEN_UNKNOWN, LI_TOKEN_CONTROL, LI_TOKEN_USER_DEFINED, LI_TOKEN_UNUSED, LI_TOKEN_BYTE };

#define LI_TOKENS_LIMIT  1048576u // as many as a sampler can take
#define LI_MERGES_LIMIT  2097152u
#define LI_ENDS_LIMIT    64u
#define LI_SPECIAL_LIMIT 1024u // bytes; bounds the comparisons at each position of a text

// Two adjacent tokens that byte-level BPE merges.
typedef struct li_bpe_merge {
    uint32_t left, right; // tokens; left is LI_NO_TOKEN in a free slot
    uint32_t rank;        // index in the file
    uint32_t token;
} li_bpe_merge;

struct li_tokenizer {
    li_tokenizer_view view;
    bool is_bpe;
    bool has_prefix;        // SentencePiece: a space is added before text
    bool is_phi;            // Phi-3's SentencePiece: white space after special tokens is dropped
    uint32_t kept_after[3]; // special tokens after which white space stays
    // ---- the vocabulary (view.count), which the view points to
    uint8_t *bytes;
    uint32_t *ends;
    uint8_t *types;
    uint32_t *ranks;  // SentencePiece: the higher the score, the lower the rank
    uint32_t unknown; // the unknown token, or LI_NO_TOKEN
    uint32_t of_byte[256];
    uint32_t end_tokens[LI_ENDS_LIMIT];
    // ---- special tokens: see special.c
    uint32_t *specials;
    uint8_t *special_bytes;
    uint32_t *special_ends;
    uint32_t *special_order;     // by text
    uint8_t special_starts[256]; // by first byte, a sum: 1: user-defined tokens, 2: control tokens begin with the byte
    // ---- merging
    const li_pre_tokenizer *pre;
    li_char_classes *classes; // byte-level BPE
    li_bpe_merge *merges;     // byte-level BPE (merge_mask + 1)
    uint32_t merge_mask;
    li_text_table table;   // from the bytes of tokens to ids, if pieces are looked up by their bytes
    bool splits_at_spaces; // SentencePiece: no piece has a space after another character
    li_merger merger;
    // ---- one call of li_tokenizer_encode
    uint32_t *ids; // owned by the caller
    uint32_t id_count;
    const uint8_t *text; // from its first byte on
    bool is_full;        // memory ran out
};

static inline void li_tokenizer_push(li_tokenizer *tokenizer, uint32_t token)
{
    LI_ASSERT(token == LI_NO_TOKEN || token < tokenizer->view.count);
    if (token != LI_NO_TOKEN) tokenizer->ids[tokenizer->id_count++] = token;
}

// ---- token_bytes.c -----------------------------------------------------------------------------------

// The array of `element`s under a key; NULL: there is none.
const li_gguf_key *li_tokenizer_array(const li_gguf *gguf, const char *key, li_gguf_type element);
// Texts of an array of strings, whose `ends` (array->count) the caller frees. False: no memory.
bool li_tokenizer_texts(const li_gguf *gguf, const li_gguf_key *array, li_texts *texts);
// Reads types, ranks and byte tokens. Then, after li_end_tokens_find has changed types, reads the bytes of every token.
li_tokenizer_fault li_vocabulary_read_types(li_tokenizer *tokenizer, const li_gguf *gguf, const li_text_table *names);
li_tokenizer_fault li_vocabulary_read_bytes(li_tokenizer *tokenizer, li_texts texts);
// Copies text (length) with U+2581 as a space, and returns the bytes written. `into` (length) may be the text itself.
uint32_t li_copy_spaced(const uint8_t *text, uint32_t length, uint8_t *into);

// ---- end_tokens.c, special.c -------------------------------------------------------------------------

// Finds the end tokens by their texts, and makes them control tokens.
void li_end_tokens_find(li_tokenizer *tokenizer, const li_text_table *names);
li_tokenizer_fault li_specials_read(li_tokenizer *tokenizer, li_texts texts, uint32_t *index);
// The longest special token at the beginning of text (length), of the kinds in `kinds` (as in special_starts), and its
// bytes. LI_NO_TOKEN: none.
uint32_t li_special_at(const li_tokenizer *tokenizer, const uint8_t *text, uint32_t length, uint32_t kinds,
                       uint32_t *size);

// ---- bpe.c, spm.c ------------------------------------------------------------------------------------

li_tokenizer_fault li_bpe_read_merges(li_tokenizer *tokenizer, const li_gguf *gguf, const li_text_table *names,
                                      uint32_t *index);
// Appends the tokens of text (length) without special tokens.
void li_bpe_encode(li_tokenizer *tokenizer, const uint8_t *text, uint32_t length);
void li_spm_encode(li_tokenizer *tokenizer, const uint8_t *text, uint32_t length);

#endif
