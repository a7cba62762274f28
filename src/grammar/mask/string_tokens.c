// Which tokens stay inside strings.
#include "grammar/mask/string_tokens.h"

#include <string.h>

#include "base/memory.h"
#include "grammar/json/json_string.h"
#include "grammar/mask/front_scan.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/term.h"

static uint32_t digit(uint8_t byte)
{
    return byte <= '9' ? byte - '0' : (byte | 0x20u) - 'a' + 10;
}

uint32_t li_string_tokens_count(const uint8_t *bytes, uint32_t length)
{
    uint32_t count = 0, at = 0;
    bool is_paired = false; // the escape before was a high surrogate
    while (at < length) {
        if (bytes[at] != '\\') {
            count += (bytes[at++] & 0xc0) != 0x80;
            continue;
        }
        count += !is_paired;
        if (at + 6 > length || bytes[at + 1] != 'u') {
            at += 2; // an escape of a letter, or the end of the bytes
            if (at < length && bytes[at - 1] == 'u') return count;
            continue;
        }
        uint32_t high = digit(bytes[at + 2]) << 4 | digit(bytes[at + 3]);
        is_paired = !is_paired && high >= 0xd8 && high <= 0xdb;
        at += 6;
    }
    return count;
}

// The few longest tokens: all tokens with more than some number of characters.
static bool list_longest(struct li_string_tokens *inside, const li_vocabulary *vocabulary, const uint32_t counts[256])
{
    uint32_t least = 256, places[256];
    for (; least > 1 && inside->few + counts[least - 1] <= LI_INSIDE_FEW; least--) {
        places[least - 1] = inside->few;
        inside->few += counts[least - 1];
    }
    inside->longest = li_memory_alloc(inside->few * sizeof *inside->longest);
    if (!inside->longest) return false;
    for (uint32_t rank = 0; rank < vocabulary->ranked_count; rank++) {
        uint32_t token = vocabulary->ids[rank], length = inside->characters[token];
        if (length >= least) inside->longest[places[length]++] = token;
    }
    return true;
}

static bool count_characters(struct li_string_tokens *inside, const li_vocabulary *vocabulary)
{
    uint32_t counts[256] = {0};
    for (uint32_t rank = 0; rank < vocabulary->ranked_count; rank++) {
        uint32_t length, token = vocabulary->ids[rank];
        if (!(inside->bits[token >> 5] >> (token & 31) & 1)) continue;
        const uint8_t *bytes = li_token_bytes(vocabulary, token, &length);
        uint32_t count = li_string_tokens_count(bytes, length);
        if (count > inside->most) inside->most = count;
        if (count > 255) count = 255;
        inside->characters[token] = (uint8_t)count;
        counts[count]++;
    }
    return list_longest(inside, vocabulary, counts);
}

static uint32_t *words_for(uint32_t count)
{
    return li_memory_alloc(count * sizeof(uint32_t));
}

// The tokens that continue after a string, by their rest: a vocabulary of rests, since many tokens have equal rests.
static bool collect_rests(struct li_string_tokens *inside, const li_vocabulary *vocabulary)
{
    const li_trie_node *nodes = vocabulary->nodes;
    uint32_t count = 0, size = 0, length, entry = 0, at = 0;
    for (uint32_t i = 0; i < inside->crossing_count; i++) {
        uint32_t node = inside->crossings[i].node, end = node + nodes[node].size;
        for (uint32_t rank = nodes[node + 1].first; rank < nodes[end].first; rank++, count++) {
            li_token_bytes(vocabulary, vocabulary->ids[rank], &length);
            size += length - inside->crossings[i].depth;
        }
    }
    inside->rests = li_vocabulary_create(count, size, 0);
    inside->rest_tokens = words_for(count);
    inside->rest_crossings = words_for(count);
    inside->rests_found = (li_token_set){.bits = words_for((count + 31) / 32), .list = words_for(count), .room = count};
    if (!inside->rests || !inside->rest_tokens || !inside->rest_crossings || !inside->rests_found.bits ||
        !inside->rests_found.list)
        return false;
    for (uint32_t i = 0; i < inside->crossing_count; i++) {
        uint32_t node = inside->crossings[i].node, end = node + nodes[node].size;
        uint32_t depth = inside->crossings[i].depth;
        for (uint32_t rank = nodes[node + 1].first; rank < nodes[end].first; rank++, entry++) {
            const uint8_t *bytes = li_token_bytes(vocabulary, vocabulary->ids[rank], &length);
            memcpy(inside->rests->bytes + at, bytes + depth, length - depth);
            li_vocabulary_ends(inside->rests)[entry] = at += length - depth;
            inside->rest_tokens[entry] = vocabulary->ids[rank];
            inside->rest_crossings[entry] = i;
        }
    }
    return li_vocabulary_arrange(inside->rests) == LI_OK;
}

static bool note_ends(struct li_string_tokens *inside, const li_vocabulary *vocabulary)
{
    const li_trie_node *nodes = vocabulary->nodes;
    inside->ended = words_for(inside->words);
    inside->crossing_characters = words_for(inside->crossing_count);
    if (!inside->ended || !inside->crossing_characters) return false;
    memcpy(inside->ended, inside->bits, inside->words * sizeof *inside->ended);
    for (uint32_t i = 0; i < inside->crossing_count; i++) {
        uint32_t node = inside->crossings[i].node, length;
        const uint8_t *bytes = li_token_bytes(vocabulary, vocabulary->ids[nodes[node].first], &length);
        inside->crossing_characters[i] = li_string_tokens_count(bytes, inside->crossings[i].depth - 1);
        for (uint32_t rank = nodes[node].first; rank < nodes[node + 1].first; rank++)
            inside->ended[vocabulary->ids[rank] >> 5] |= 1u << (vocabulary->ids[rank] & 31);
    }
    return true;
}

static bool find(struct li_string_tokens *inside, li_walker *walker, li_vocabulary *vocabulary)
{
    inside->words = (vocabulary->token_count + 31) / 32;
    inside->bits = words_for(inside->words);
    inside->characters = li_memory_alloc(vocabulary->token_count);
    bool has_memory = inside->bits && inside->characters;
    if (has_memory) {
        li_front_scan scan = {.walker = walker, .changes = {.bits = inside->bits}};
        li_term any = li_quoted(walker->grammar, li_any_text(walker->grammar));
        li_front_scan_run(&scan, li_state_of(walker, any));
        inside->crossings = scan.crossings.at;
        inside->crossing_count = scan.crossings.count;
        if (walker->grammar->status != LI_OK) return false;
        has_memory =
            note_ends(inside, vocabulary) && count_characters(inside, vocabulary) && collect_rests(inside, vocabulary);
    }
    if (!has_memory) li_grammar_fail(walker->grammar, LI_ERROR_OUT_OF_MEMORY);
    return has_memory;
}

struct li_string_tokens *li_string_tokens_of(li_walker *walker, li_vocabulary *vocabulary)
{
    if (vocabulary->inside) return vocabulary->inside;
    struct li_string_tokens *inside = li_memory_alloc(sizeof *inside);
    if (!inside) {
        li_grammar_fail(walker->grammar, LI_ERROR_OUT_OF_MEMORY);
        return NULL;
    }
    if (find(inside, walker, vocabulary)) return vocabulary->inside = inside;
    li_string_tokens_destroy(inside);
    return NULL;
}

void li_string_tokens_prepare(li_vocabulary *vocabulary)
{
    li_walker walker;
    li_grammar *grammar = li_memory_alloc(sizeof *grammar);
    if (!grammar) return;
    li_grammar_begin(grammar, UINT64_MAX);
    if (li_terms_create(grammar)) {
        if (li_walker_init(&walker, grammar, vocabulary)) li_string_tokens_of(&walker, vocabulary);
        li_walker_clear(&walker);
    }
    li_grammar_destroy(grammar);
}

void li_string_tokens_destroy(struct li_string_tokens *inside)
{
    if (!inside) return;
    for (uint32_t i = 0; i < LI_INSIDE_LENGTHS; i++) li_memory_free(inside->within[i]);
    li_vocabulary_free(inside->rests);
    li_memory_free(inside->bits);
    li_memory_free(inside->ended);
    li_memory_free(inside->characters);
    li_memory_free(inside->longest);
    li_memory_free(inside->crossings);
    li_memory_free(inside->crossing_characters);
    li_memory_free(inside->rest_tokens);
    li_memory_free(inside->rest_crossings);
    li_memory_free(inside->rests_found.bits);
    li_memory_free(inside->rests_found.list);
    li_memory_free(inside);
}

bool li_string_tokens_within(struct li_string_tokens *inside, const li_vocabulary *vocabulary, uint32_t most,
                             li_string_tokens_bound *bound)
{
    *bound = (li_string_tokens_bound){.bits = inside->bits};
    if (most >= inside->most) return true;
    if (most > 254) most = 254; // longer tokens were not counted
    while (bound->longer_count < inside->few && inside->characters[inside->longest[bound->longer_count]] > most)
        bound->longer_count++;
    if (bound->longer_count < inside->few) return true;
    bound->longer_count = 0;
    bound->bits = inside->within[most];
    if (bound->bits) return true;
    uint32_t *bits = li_memory_alloc(inside->words * sizeof *bits);
    if (!bits) return false;
    for (uint32_t token = 0; token < vocabulary->token_count; token++)
        bits[token >> 5] |= (uint32_t)(inside->characters[token] <= most) << (token & 31);
    for (uint32_t i = 0; i < inside->words; i++) bits[i] &= inside->bits[i];
    bound->bits = inside->within[most] = bits;
    return true;
}
