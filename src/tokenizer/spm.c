// SentencePiece's BPE (Kudo and Richardson, "SentencePiece", 2018): any two adjacent symbols that form a piece may be
// merged, the best score first. Declared in tokenizer.h.
#include "base/assert.h"
#include "tokenizer/tokenizer.h"

static bool find_merge(const void *context, const li_symbol *left, const li_symbol *right, uint32_t *rank,
                       uint32_t *token)
{
    LI_ASSERT(left->end == right->begin);
    const li_tokenizer *tokenizer = context;
    uint32_t found =
        li_text_table_find(&tokenizer->table, tokenizer->text + left->begin, right->end - left->begin, NULL, 0);
    if (found == LI_NO_TOKEN) return false;
    LI_ASSERT(found < tokenizer->view.count);
    *rank = tokenizer->ranks[found];
    *token = found;
    return true;
}

// Byte fallback: a character without a piece becomes byte tokens if every byte has one, otherwise the unknown token.
// Consecutive unknown characters become one token.
static void push_unknown(li_tokenizer *tokenizer, const uint8_t *bytes, uint32_t length, bool *is_unknown)
{
    LI_ASSERT(length && length <= 4); // a character
    bool has_bytes = true;
    for (uint32_t i = 0; i < length; i++) has_bytes = has_bytes && tokenizer->of_byte[bytes[i]] != LI_NO_TOKEN;
    for (uint32_t i = 0; i < length && has_bytes; i++) li_tokenizer_push(tokenizer, tokenizer->of_byte[bytes[i]]);
    if (!has_bytes && !*is_unknown) li_tokenizer_push(tokenizer, tokenizer->unknown);
    *is_unknown = !has_bytes;
}

// Encodes the text from `first` to `last`.
static void encode_word(li_tokenizer *tokenizer, uint32_t first, uint32_t last, bool *is_unknown)
{
    const uint8_t *bytes = tokenizer->text;
    LI_ASSERT(first < last && (bytes[first] & 0xc0) != 0x80);
    li_merger *merger = &tokenizer->merger;
    li_merger_note(merger, first, last, LI_STEP_PIECE);
    if (!li_merger_begin(merger, last - first)) {
        tokenizer->is_full = true;
        return;
    }
    for (uint32_t begin = first, end = first + 1; begin < last; begin = end++) {
        while (end < last && (bytes[end] & 0xc0) == 0x80) end++;
        uint32_t token = li_text_table_find(&tokenizer->table, bytes + begin, end - begin, NULL, 0);
        li_merger_add(merger, begin, end, token);
    }
    li_merger_run(merger, find_merge, tokenizer);
    for (uint32_t i = 0; i != LI_NO_SYMBOL; i = merger->symbols[i].next) {
        const li_symbol *symbol = &merger->symbols[i];
        if (symbol->token == LI_NO_TOKEN)
            push_unknown(tokenizer, bytes + symbol->begin, symbol->end - symbol->begin, is_unknown);
        else {
            li_tokenizer_push(tokenizer, symbol->token);
            *is_unknown = false;
        }
    }
}

void li_spm_encode(li_tokenizer *tokenizer, const uint8_t *text, uint32_t length)
{
    LI_ASSERT(!tokenizer->is_bpe && tokenizer->ranks);
    bool is_unknown = false;
    uint32_t at = (uint32_t)(text - tokenizer->text);
    for (uint32_t begin = 0, end = 0; begin < length; begin = end) {
        // If no piece has a space after another character, no merge crosses the beginning of a word.
        for (end++; end < length; end++) {
            if (tokenizer->splits_at_spaces && text[end] == ' ' && text[end - 1] != ' ') break;
        }
        encode_word(tokenizer, at + begin, at + end, &is_unknown);
    }
}
