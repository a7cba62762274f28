// lastinch: from a language model's logits to the token that a person reads. The one public C header.
//
// Conventions. Every pointer that a function returns stays owned by the object it came from, unless the
// comment says otherwise. Functions that can fail return an li_status; those that return a token return
// a negative li_status instead of one. A NULL object is a caller's bug, except for the destroy functions.
// Nothing here prints, blocks or calls libm. A step takes no memory, but for the history, which doubles its
// room when it is full; the first distribution and the first trace take theirs.
#ifndef LASTINCH_H
#define LASTINCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"    // li_status, generated from tables/errors.json
#include "sample/options.h" // li_options, generated from tables/options.json

// ---- sampler ----------------------------------------------------------------------------------------

typedef struct li_sampler li_sampler;

// What one stage did to one row of logits. Probabilities are those of the distribution that the stage
// saw, renormalised over the `before` tokens that reached it.
typedef struct li_stage_record {
    uint32_t stage;   // li_stage
    uint32_t before;  // tokens that reached the stage
    uint32_t after;   // tokens that left it
    uint32_t has_cut; // 1 when threshold and mass mean something: the stage cut tokens off
    double threshold; // probability below which tokens were removed (typical: and above; XTC: from which on)
    double mass;      // share of the probability that survived
} li_stage_record;

// Natural logarithms; see li_sampler_inform.
typedef struct li_information {
    double entropy;         // of the distribution, in nats
    double choices;         // e^entropy: how many equally likely tokens would be as uncertain
    double log_probability; // of the token; -infinity when it is masked or was removed
    uint32_t rank;          // of the token: 1 is the likeliest, ties by lower id; 0 when it was removed
    uint32_t survivors;     // tokens of the distribution
} li_information;

// Where a sampler's arrays lie. They belong to the sampler; results last until the next call of it or of one
// that was created beside it.
typedef struct li_sampler_arrays {
    float *input; // (vocab_size) a place to copy a row to that lies elsewhere
    uint16_t
        *halves; // (vocab_size) a place for a row of float16 bits, which li_sampler_widen turns into the row at input
    const uint32_t *tokens;               // result of distribution, trace and inform
    const double *probabilities;          // result of distribution and trace; of inform, their logarithms
    const li_information *information;    // result of inform
    const li_stage_record *trace_records; // (trace_stages) result of trace, as are the following
    uint32_t trace_stages;
    const uint8_t *trace_removed_by;   // (vocab_size) record index, 255 = kept
    const float *trace_logits;         // (vocab_size) after the edits
    const double *trace_probabilities; // (vocab_size) softmax of those at the temperature in force, untruncated
} li_sampler_arrays;

// A sampler for rows of `vocab_size` logits (1 to LI_VOCAB_LIMIT), every mechanism off. NULL: no memory.
li_sampler *li_sampler_create(uint32_t vocab_size);
// One more for rows of the same size that works in the same scratch memory, so that it takes little of its own.
// The two may be destroyed in any order, but must stay on one thread.
li_sampler *li_sampler_create_beside(li_sampler *sampler);
void li_sampler_destroy(li_sampler *sampler);

// (LI_OPTION_COUNT) numbers in the order of the options table: write, then call li_sampler_configure.
double *li_sampler_options(li_sampler *sampler);
// Checks and takes the options that were written. On an error the sampler keeps its former options.
// LI_ERROR_CONFLICT: two of them contradict each other. Another seed or stream starts at the beginning.
li_status li_sampler_configure(li_sampler *sampler);

// Copies a list of `count` words, which takes effect with the next li_sampler_configure. Length 0 switches it off.
//   LI_LIST_BIAS       id and the bits of a float, at most 1e9 (-infinity bans), over and over
//   LI_LIST_BANNED     ids
//   LI_LIST_ALLOWED    ids, ascending
//   LI_LIST_SEQUENCES  number of ids (1 or more), the bits of a float as above, the ids; over and over
//   LI_LIST_BREAKERS   number of ids (1 or more), the ids; over and over
//   LI_LIST_EOS        ids, ascending
//   LI_LIST_FIRST, LI_LIST_LAST   ids
li_status li_sampler_set_list(li_sampler *sampler, li_list_name name, const uint32_t *words, uint32_t count);
// The stages after the mask (li_stage, each at most once) in the order in which they run. Edits come before
// temperature and every truncation, mirostat and adaptive_p after them. `rules`: what systems do otherwise, a sum of
// li_rule. Takes effect with the next li_sampler_configure.
li_status li_sampler_set_order(li_sampler *sampler, const uint32_t *stages, uint32_t count, uint32_t rules);

// (vocab_size / 32, rounded up) a bit for each token, lowest first: 1 = it may come next. In force at every call
// while is_used. NULL: no memory.
uint32_t *li_sampler_bitmask(li_sampler *sampler, bool is_used);

// (vocab_size) the sampler's own row, for callers that can write logits where they are read. NULL: no memory.
float *li_sampler_logits(li_sampler *sampler);
const li_sampler_arrays *li_sampler_get_arrays(li_sampler *sampler);
void li_sampler_widen(li_sampler *sampler);

// Chooses a token from `logits` (vocab_size; edited while the call runs, restored bit for bit before it
// returns) and accepts it. Returns the token id or a negative li_status.
int32_t li_sampler_sample(li_sampler *sampler, float *logits);
// The two halves of that: choose alone changes nothing, emit accepts a token as generated. The feedback of mirostat
// and adaptive_p moves when the token is the one that was chosen or picked last.
int32_t li_sampler_choose(li_sampler *sampler, float *logits);
li_status li_sampler_emit(li_sampler *sampler, uint32_t id);
// Probability, among the survivors, with which the token last sampled was drawn (1 when greedy).
double li_sampler_last_probability(const li_sampler *sampler);
// As choose, from a uniform number u in [0, 1) of the caller's: any step can be reproduced from its u.
int32_t li_sampler_pick(li_sampler *sampler, float *logits, double u);

// The survivors and their probabilities, most probable first, ties by lower id. Returns how many there
// are, or a negative li_status.
int32_t li_sampler_distribution(li_sampler *sampler, float *logits);
// Runs the chain and keeps what every stage did. Returns the number of survivors (ordered as by
// li_sampler_distribution) or a negative li_status.
int32_t li_sampler_trace(li_sampler *sampler, float *logits);
// About `token` and the distribution that sample would draw from (is_raw: the softmax of the logits as they came), and
// the `top` likeliest tokens of it. Returns how many those are, or a negative li_status.
int32_t li_sampler_inform(li_sampler *sampler, float *logits, bool is_raw, uint32_t token, uint32_t top);

// Tells the history what was emitted (is_prompt = false: as li_sampler_emit, one by one) or read (true).
li_status li_sampler_accept(li_sampler *sampler, const uint32_t *ids, uint32_t count, bool is_prompt);
// Forgets history, feedback and draws: the sampler is as after create and configure.
void li_sampler_reset(li_sampler *sampler);

// The state that changes as tokens are accepted (history, feedback, number of draws), as bytes of the caller's.
uint32_t li_sampler_state_size(const li_sampler *sampler);
void li_sampler_save_state(const li_sampler *sampler, uint8_t *bytes);
li_status li_sampler_load_state(li_sampler *sampler, const uint8_t *bytes, uint32_t size);

// Natural logarithm of the probability of `token` under the softmax of `count` logits at temperature 1:
// what a model believes, before any option. NaN when the logits hold NaN or +Infinity.
double li_log_probability(const float *logits, uint32_t count, uint32_t token);

// ---- GGUF header ------------------------------------------------------------------------------------
// Bytes from a stranger: everything is checked against the buffer and the file's length before it is used.

typedef struct li_gguf li_gguf;

// Value types as numbered by the GGUF specification (version 2 and 3).
typedef enum li_gguf_type {
    LI_GGUF_UINT8,
    LI_GGUF_INT8,
    LI_GGUF_UINT16,
    LI_GGUF_INT16,
    LI_GGUF_UINT32,
    LI_GGUF_INT32,
    LI_GGUF_FLOAT32,
    LI_GGUF_BOOL,
    LI_GGUF_STRING,
    LI_GGUF_ARRAY,
    LI_GGUF_UINT64,
    LI_GGUF_INT64,
    LI_GGUF_FLOAT64
} li_gguf_type;

li_gguf *li_gguf_create(void);
void li_gguf_destroy(li_gguf *gguf);
// Makes room for `size` bytes from the start of the file and returns where they go (earlier bytes are
// kept, the place may move), or NULL when there is no memory.
uint8_t *li_gguf_reserve(li_gguf *gguf, uint32_t size);
// Parses the first `size` bytes of a file of `file_size` bytes (0 = not known). LI_NEED_MORE: the header
// is longer than that; call again with more. On LI_OK the getters below work.
li_status li_gguf_parse(li_gguf *gguf, uint32_t size, double file_size);
// Length of the header, padding included: where tensor data begins in the file. Length of all of it.
uint32_t li_gguf_data_start(const li_gguf *gguf);
double li_gguf_data_size(const li_gguf *gguf);
// Metadata by index; find returns -1 when there is no such key. Offsets point into the reserved buffer:
// `value` is where the value's bytes lie (for an array: its first element; strings are a little-endian
// u64 length and its bytes, all checked to lie within the header).
uint32_t li_gguf_key_count(const li_gguf *gguf);
int32_t li_gguf_find(const li_gguf *gguf, const char *key);
li_gguf_type li_gguf_value_type(const li_gguf *gguf, uint32_t index);   // LI_GGUF_ARRAY for arrays
li_gguf_type li_gguf_element_type(const li_gguf *gguf, uint32_t index); // of arrays; else the value's own
uint32_t li_gguf_value_count(const li_gguf *gguf, uint32_t index);      // elements; 1 unless an array
uint32_t li_gguf_value_offset(const li_gguf *gguf, uint32_t index);

// ---- model ------------------------------------------------------------------------------------------
// The forward pass of a llama-layout transformer (RMSNorm, rotary positions on adjacent pairs,
// grouped-query attention, SwiGLU, tied or separate output).

typedef struct li_model li_model;

typedef struct li_model_config {
    uint32_t vocab_size, dim, hidden_dim, layers, heads, kv_heads, head_dim, rope_dim;
    uint32_t context_length; // as trained
    uint32_t tied;           // 1: the output matrix is the embedding
    float rope_base, norm_epsilon;
} li_model_config;

// One row of a forward pass. Rows of one sequence come in ascending position order within a call.
typedef struct li_row {
    uint32_t token;
    uint32_t position;
    uint32_t sequence;
    uint32_t wants_logits; // 1: compute this row's logits
} li_row;

#define LI_ROWS_LIMIT 64u // rows in one li_model_forward call

// Reads the configuration and the tensor table and checks every shape before any weight memory is taken.
// `slots` KV positions (shared by all sequences; 0 = the trained context length) and room for `sequences`
// sequences. NULL: see *status. The gguf may be destroyed afterwards.
li_model *li_model_create(const li_gguf *gguf, uint32_t slots, uint32_t sequences, li_status *status);
void li_model_destroy(li_model *model);
const li_model_config *li_model_get_config(const li_model *model);

// Tensor data in file order from li_gguf_data_start on, in pieces of any size; weights are repacked as they
// arrive and the bytes are not kept. What follows the last tensor is ignored. After an error every later
// write, and finish, return it again. finish: LI_OK, or which error when data is missing.
li_status li_model_write(li_model *model, const uint8_t *bytes, uint32_t size);
li_status li_model_finish(li_model *model);

// Runs `count` rows (1 to LI_ROWS_LIMIT), appending their keys and values to their sequences. Position of
// a sequence's next row must equal its length. A row's logits never depend on the rows beside it. On an
// error nothing has changed. LI_ERROR_MODEL_CONTEXT_FULL: no slots are left, or a position reaches the
// trained context length or the number of slots.
li_row *li_model_rows(li_model *model); // (LI_ROWS_LIMIT) write the rows here
li_status li_model_forward(li_model *model, uint32_t count);
// (rows that wanted logits, vocab_size), in row order; valid until the next forward, which may move them: the
// first forward in which more rows want logits than ever before takes memory for them.
float *li_model_logits(li_model *model);
// Hidden state after layer `layer` (0 .. layers - 1; `layers` = after the final norm) of every row of the
// next forwards; -1 switches the tap off. (count, dim)
li_status li_model_set_tap(li_model *model, int32_t layer);
const float *li_model_tap(const li_model *model);

// Sequences, all empty at first. keep drops every position from `length` on. share makes `to` the first
// `length` positions of `from` without copying (slots are reference counted; a slot is written only once).
// A length beyond the sequence's own is LI_ERROR_BAD_ARGUMENT.
uint32_t li_sequence_length(const li_model *model, uint32_t sequence);
li_status li_sequence_keep(li_model *model, uint32_t sequence, uint32_t length);
li_status li_sequence_share(li_model *model, uint32_t from, uint32_t to, uint32_t length);

// ---- grammars ---------------------------------------------------------------------------------------

typedef struct li_vocabulary li_vocabulary;
typedef struct li_grammar li_grammar;
typedef struct li_masker li_masker;
typedef struct li_matcher li_matcher;

// Room for a vocabulary of `token_count` ids: the caller writes ends, bytes and eos, then prepares it. Token i is the
// bytes from the end of i - 1 to the end of i; one without bytes is in no text. NULL: no memory, or beyond the limits of
// grammar/vocabulary.h. Destroying drops one user: grammars go on using it.
li_vocabulary *li_vocabulary_create(uint32_t token_count, uint32_t byte_count, uint32_t eos_count);
uint32_t *li_vocabulary_ends(li_vocabulary *vocabulary); // (token_count)
uint8_t *li_vocabulary_bytes(li_vocabulary *vocabulary); // (byte_count)
uint32_t *li_vocabulary_eos(li_vocabulary *vocabulary);  // (eos_count) distinct
uint32_t li_vocabulary_size(const li_vocabulary *vocabulary);
uint32_t li_vocabulary_eos_count(const li_vocabulary *vocabulary);
void li_vocabulary_destroy(li_vocabulary *vocabulary);
// Sorts the tokens and builds their trie. LI_ERROR_BAD_ARGUMENT: the ends do not fit the bytes, a token is too long, or
// an eos is no token or has bytes; to try again, write the ends anew.
li_status li_vocabulary_prepare(li_vocabulary *vocabulary);
// A prepared vocabulary as bytes. Loading takes a fraction of preparing and trusts nothing; NULL: see *status.
uint32_t li_vocabulary_saved_size(const li_vocabulary *vocabulary);
void li_vocabulary_save(const li_vocabulary *vocabulary, uint8_t *to);
li_vocabulary *li_vocabulary_load(const uint8_t *bytes, uint32_t size, li_status *status);

// Why a schema cannot be enforced. `schema` is its index in the form, `keyword` its li_keyword (grammar/schema.h).
typedef struct li_refusal {
    uint32_t schema;
    uint32_t keyword;
    uint32_t reason; // li_refusal_reason (grammar/schema.h)
} li_refusal;

// Compiles the form of grammar/form.h; the bytes may come from anywhere and are not kept. NULL: no memory; else look at
// the status, LI_ERROR_GRAMMAR_FORM, _UNSUPPORTED (see refusals) or _FUEL. `fuel` bounds the work; 0: the default.
li_grammar *li_grammar_compile(const uint8_t *form, uint32_t length, uint32_t fuel);
void li_grammar_destroy(li_grammar *grammar);
li_status li_grammar_status(const li_grammar *grammar);
bool li_grammar_is_empty(const li_grammar *grammar); // no text satisfies it
uint32_t li_grammar_refusal_count(const li_grammar *grammar);
const li_refusal *li_grammar_refusals(const li_grammar *grammar);

// A grammar beside a vocabulary, with what masks of its states have in common. It takes the grammar over, which must be
// sound, and uses the vocabulary. `fuel` bounds the work of one call of a matcher; 0: the default. NULL: no memory, and
// the grammar is still the caller's. Destroying drops one user: matchers go on using it.
li_masker *li_masker_create(li_grammar *grammar, li_vocabulary *vocabulary, uint32_t fuel);
void li_masker_destroy(li_masker *masker);

// A matcher at the start of the grammar; with `heal` (length bytes) the text must begin with these, before what the
// grammar says. NULL: no memory, or beyond the limits.
li_matcher *li_matcher_create(li_masker *masker, const uint8_t *heal, uint32_t length);
li_matcher *li_matcher_clone(const li_matcher *matcher);
void li_matcher_destroy(li_matcher *matcher);
// The mask of the next token: a bit each (tokens / 32 words, rounded up), until the next call of any matcher of this
// grammar. Tokens of eos are in it where the text may end, and they alone when it has. NULL: see li_matcher_status.
const uint32_t *li_matcher_mask(li_matcher *matcher);
li_status li_matcher_status(const li_matcher *matcher); // of its last call
// 1: accepted, a step; 0: not allowed here; else an error. Only 1 changes anything.
int32_t li_matcher_accept(li_matcher *matcher, uint32_t token);
// All of the bytes, as one step, or none.
int32_t li_matcher_accept_bytes(li_matcher *matcher, const uint8_t *bytes, uint32_t length);
// Bits: 1 the text may end here; 2 it has ended, by a token of eos; 4 no text at all satisfies the grammar.
uint32_t li_matcher_flags(const li_matcher *matcher);
// Writes the bytes that must follow, at most `room` of them, and returns how many; negative: an error.
int32_t li_matcher_forced(li_matcher *matcher, uint8_t *to, uint32_t room);
// Takes steps back. LI_ERROR_BAD_ARGUMENT: there are not so many.
li_status li_matcher_rollback(li_matcher *matcher, uint32_t count);

#endif
