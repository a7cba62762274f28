// Special tokens: tokens that are found in a text by their own whole text, before any merge. Declared in tokenizer.h.
// They are sorted by their texts, so tokens with a common prefix are adjacent.
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "tokenizer/tokenizer.h"

static uint32_t kind_of(uint8_t type)
{
    return type == LI_TOKEN_USER_DEFINED ? 1 : type == LI_TOKEN_CONTROL || type == LI_TOKEN_UNKNOWN ? 2 : 0;
}

static bool is_after(const li_texts *texts, uint32_t a, uint32_t b)
{
    uint32_t a_length, b_length;
    const uint8_t *a_text = li_text_at(texts, a, &a_length);
    const uint8_t *b_text = li_text_at(texts, b, &b_length);
    int32_t order = memcmp(a_text, b_text, a_length < b_length ? a_length : b_length);
    if (order) return order > 0;
    return a_length != b_length ? a_length > b_length : a > b;
}

// Shellsort.
static void sort(uint32_t *order, uint32_t count, const li_texts *texts)
{
    for (uint32_t gap = count / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (uint32_t i = gap; i < count; i++) {
            uint32_t index = order[i];
            uint32_t place = i;
            for (; place >= gap && is_after(texts, order[place - gap], index); place -= gap)
                order[place] = order[place - gap];
            order[place] = index;
        }
    }
}

// Appends the text of token `id` to special_bytes. SentencePiece's texts have U+2581 in place of spaces.
static void add(li_tokenizer *tokenizer, uint32_t id, const uint8_t *text, uint32_t length)
{
    LI_ASSERT(length && kind_of(tokenizer->types[id]));
    LI_ASSERT(tokenizer->specials && tokenizer->special_bytes);
    uint32_t index = tokenizer->view.special_count++;
    uint32_t at = index ? tokenizer->special_ends[index - 1] : 0;
    uint8_t *into = tokenizer->special_bytes + at;
    if (tokenizer->is_bpe)
        memcpy(into, text, length);
    else
        length = li_copy_spaced(text, length, into);
    tokenizer->special_starts[*into] |= (uint8_t)kind_of(tokenizer->types[id]);
    tokenizer->special_ends[index] = at + length;
    tokenizer->specials[index] = id;
    tokenizer->special_order[index] = index;
}

li_tokenizer_fault li_specials_read(li_tokenizer *tokenizer, li_texts texts, uint32_t *index)
{
    LI_ASSERT(!tokenizer->specials && tokenizer->types);
    uint32_t count = 1, size = 1, length; // one more than needed, so that no block is empty
    for (uint32_t i = 0; i < tokenizer->view.count; i++) {
        li_text_at(&texts, i, &length);
        if (!kind_of(tokenizer->types[i])) continue;
        if (length > LI_SPECIAL_LIMIT) {
            *index = i;
            return LI_TOKENIZER_SPECIAL;
        }
        count++;
        size += length;
    }
    tokenizer->specials = li_memory_alloc(count * sizeof *tokenizer->specials);
    tokenizer->special_ends = li_memory_alloc(count * sizeof *tokenizer->special_ends);
    tokenizer->special_order = li_memory_alloc(count * sizeof *tokenizer->special_order);
    tokenizer->special_bytes = li_memory_alloc(size);
    bool has_room = tokenizer->specials && tokenizer->special_ends && tokenizer->special_order;
    if (!has_room || !tokenizer->special_bytes) return LI_TOKENIZER_MEMORY;
    for (uint32_t i = 0; i < tokenizer->view.count; i++) {
        const uint8_t *text = li_text_at(&texts, i, &length);
        if (kind_of(tokenizer->types[i]) && length) add(tokenizer, i, text, length);
        LI_ASSERT(tokenizer->view.special_count < count);
    }
    li_texts own = {tokenizer->special_bytes, tokenizer->special_ends, 0};
    sort(tokenizer->special_order, tokenizer->view.special_count, &own);
    LI_ASSERT(!tokenizer->view.special_count || tokenizer->special_ends[tokenizer->view.special_count - 1] < size);
    return LI_TOKENIZER_FINE;
}

uint32_t li_special_at(const li_tokenizer *tokenizer, const uint8_t *text, uint32_t length, uint32_t kinds,
                       uint32_t *size)
{
    LI_ASSERT(length && kinds);
    bool is_inside = (*text & 0xc0) == 0x80; // of a character
    if (!(tokenizer->special_starts[*text] & kinds) || is_inside) return LI_NO_TOKEN;
    li_texts texts = {tokenizer->special_bytes, tokenizer->special_ends, 0};
    uint32_t first = 0, last = tokenizer->view.special_count; // tokens with the text's first `depth` bytes
    uint32_t best = LI_NO_TOKEN, own_length;
    for (uint32_t depth = 0; first < last; depth++) {
        const uint8_t *own = li_text_at(&texts, tokenizer->special_order[first], &own_length);
        LI_ASSERT(own_length >= depth && depth <= length);
        if (own_length == depth) {
            uint32_t token = tokenizer->specials[tokenizer->special_order[first++]];
            bool is_wanted = kind_of(tokenizer->types[token]) & kinds;
            bool is_whole = depth == length || (text[depth] & 0xc0) != 0x80; // ends with a character
            if (is_wanted && is_whole && !(best != LI_NO_TOKEN && *size == depth)) {
                best = token;
                *size = depth;
            }
            depth--; // another may have the same text
            continue;
        }
        if (depth == length) break;
        // Bisects twice: for the first text with this byte, and for the first text after these.
        uint32_t bounds[2];
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t low = first, high = last;
            while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                own = li_text_at(&texts, tokenizer->special_order[middle], &own_length);
                if (own[depth] < text[depth] + i)
                    low = middle + 1;
                else
                    high = middle;
            }
            bounds[i] = low;
        }
        first = bounds[0];
        last = bounds[1];
        LI_ASSERT(bounds[0] <= bounds[1]);
    }
    return best;
}
