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

// A sampler for rows of `vocab_size` logits (1 to LI_VOCAB_LIMIT), every mechanism off. NULL: no memory. Logits of
// -1e30 and below are masked; all others that are finite are taken, however large.
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

// Remembers the place (history, feedback, number of draws), of which a sampler has one, and goes back to it, in time
// proportional to the tokens between: what is drafted is accepted on trial. The mark stays until the next one, until
// li_sampler_configure, li_sampler_reset and li_sampler_load_state. LI_ERROR_BAD_ARGUMENT: there is no mark, or less
// than it remembers.
void li_sampler_mark(li_sampler *sampler);
li_status li_sampler_rewind(li_sampler *sampler);

// ---- speculation ------------------------------------------------------------------------------------
// Speculative sampling (Leviathan, Kalman, Matias, "Fast inference from transformers via speculative decoding", 2023;
// Chen et al., "Accelerating large language model decoding with speculative sampling", 2023): a draft proposes tokens,
// the target's rows judge them, and what comes out is distributed as if the target had drawn every token. Both
// distributions meant are those that remain after the chain of options: of the draft's logits under the draft's
// sampler, of the target's under the target's. They may differ in every option; the output is always the target's.

// What a draft believed when it proposed a token.
typedef struct li_proposal li_proposal;

// NULL: no memory. A proposal's memory grows to what a row's survivors need (4 bytes each, or 8) and stays.
li_proposal *li_proposal_create(void);
void li_proposal_destroy(li_proposal *proposal);
// Runs the chain on the draft's logits, keeps what it leaves and chooses a token of that, as li_sampler_choose does,
// but with a random number of its own (whatever `draw` says). Returns the token or a negative li_status, after which
// the proposal is empty. What was drawn must be verified: to drop it because of what it is would distort the output.
int32_t li_proposal_draw(li_proposal *proposal, li_sampler *sampler, float *draft_logits);
// The same without a draw, for callers that have drawn.
li_status li_proposal_keep(li_proposal *proposal, li_sampler *sampler, float *draft_logits);

// Runs the chain on the target's logits and accepts `token`, drawn from the proposal, with probability min(1, target /
// draft); else draws from max(0, target - draft), normalised. Returns the token, which equals `token` when that was
// accepted and never else, or a negative li_status. It counts as chosen, with the target's probability: li_sampler_emit
// accepts it and moves the feedback as if it had been sampled. u decides on accepting, v draws: uniform numbers in [0,
// 1) of the caller's, or negative for the sampler's own. LI_ERROR_BAD_ARGUMENT: they are not, or the draft cannot have
// proposed the token. A draft that is certain (looked up, forced, a guess) needs none of this: li_sampler_choose says
// what plain sampling would, and if that is the guess, it was right.
int32_t li_sampler_verify(li_sampler *sampler, float *target_logits, const li_proposal *proposal, uint32_t token,
                          double u, double v);
// Probability, among the survivors, of the token that choose, pick, verify or li_proposal_draw returned last.
double li_sampler_chosen_probability(const li_sampler *sampler);

// ---- beams ------------------------------------------------------------------------------------------
// One step of beam search: of all continuations of all beams the best few.

typedef struct li_candidate {
    double score;
    uint32_t beam, token;
} li_candidate;

typedef struct li_beam_step li_beam_step;

// For steps that keep up to `capacity` candidates (1 to 2^20). NULL: no memory, or beyond that.
li_beam_step *li_beam_step_create(uint32_t capacity);
void li_beam_step_destroy(li_beam_step *step);
// Starts a step that keeps the `keep` best (1 to the capacity) and penalises no token.
li_status li_beam_step_begin(li_beam_step *step, uint32_t keep);
// Lowers the score of a token by `amount` (0 or more), on top of what it was lowered by before, for the adds that
// follow: what beams of other groups chose at this step (Hamming diversity; Vijayakumar et al., "Diverse beam search",
// 2018).
li_status li_beam_step_penalise(li_beam_step *step, uint32_t token, double amount);
// Offers all continuations of a beam: the beam's score plus the token's log-probability, which is that of the softmax
// of the logits (vocab_size; restored before it returns) after the sampler's edits, bias and penalties. What is masked,
// by grammar, list, ban or engine, is no continuation, but the others are not renormalised for it (as in Hugging Face):
// scores stay the model's own and grammars do not favour narrow paths. A forced token costs nothing. Temperature and
// truncations have no say. On an error (LI_ERROR_NOTHING_LEFT: the beam has no continuation) nothing was offered and
// the step goes on.
li_status li_beam_step_add(li_beam_step *step, li_sampler *sampler, float *logits, uint32_t beam, double score);
// (count) What was kept, until the next begin, by which nothing more can be added: score descending, then beam, then
// token ascending. Fewer than `keep` where there were no more.
const li_candidate *li_beam_step_best(li_beam_step *step);
uint32_t li_beam_step_count(const li_beam_step *step);

// ---- rows of logits, combined -----------------------------------------------------------------------
// All take rows of `count` logits (1 or more), which stay as they are, and write `into` (count), which may be one of
// them. What is masked in either row is masked in the result. LI_ERROR_LOGITS_NAN, LI_ERROR_LOGITS_INFINITE and
// LI_ERROR_NOTHING_LEFT as for a sampler, of any row or the result; then `into` holds nothing of use.

// Classifier-free guidance: log_softmax(unconditional) + scale * (log_softmax(conditional) -
// log_softmax(unconditional)) (Sanchez et al., "Stay on topic with classifier-free guidance", 2023, as in Hugging
// Face). 1 leaves the conditional row.
li_status li_guide(const float *conditional, const float *unconditional, uint32_t count, double scale, float *into);
// Contrastive decoding: ln strong - weight * ln weak of the tokens that are at least `plausibility` (0 to 1) times as
// probable as the strong model's likeliest, -infinity for the others (Li et al., "Contrastive decoding: open-ended text
// generation as optimization", 2023: weight 1, plausibility .1).
li_status li_contrast(const float *strong, const float *weak, uint32_t count, double weight, double plausibility,
                      float *into);
// Jensen-Shannon divergence of the softmaxes of two rows, in nats, from 0 to ln 2: DoLa contrasts the last layer with
// the early one that is farthest from it (Chuang et al., "DoLa: decoding by contrasting layers", 2024). NaN where a
// sampler would refuse a row.
double li_divergence(const float *a, const float *b, uint32_t count);
// Largest cosine similarity of a hidden state (dim) to any of the earlier states (count, dim), from -1 to 1; 0 where
// there are none, and of a state that is all 0. Contrastive search (Su et al., "A contrastive framework for neural text
// generation", 2022) subtracts alpha times it.
double li_degeneration(const float *state, const float *states, uint32_t count, uint32_t dim);

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
// Hidden states after layers (count; 0 .. layers - 1; `layers` = after the final norm) of every row of the next
// forwards. count 0 switches the taps off. LI_ERROR_BAD_ARGUMENT: there is no such layer, or more than LI_TAPS_LIMIT of
// them. On an error the former taps stay.
#define LI_TAPS_LIMIT 256u
li_status li_model_set_taps(li_model *model, const uint32_t *layers, uint32_t count);
// (taps, rows of the last forward, dim); NULL while there are none.
const float *li_model_taps(const li_model *model);
// Logits that hidden states (count, dim) from any layer but the final norm would have were it the last, into (count,
// vocab_size): early exit, as DoLa uses it. Of the last layer's state they are the row's own, bit for bit. `count`: 1
// to LI_ROWS_LIMIT.
li_status li_model_early_logits(li_model *model, const float *hidden, uint32_t count, float *into);

// Sequences, all empty at first. keep drops every position from `length` on. share makes `to` the first
// `length` positions of `from` without copying (slots are reference counted; a slot is written only once).
// A length beyond the sequence's own is LI_ERROR_BAD_ARGUMENT. An empty sequence takes 12 bytes; others 4 and up to 8
// for each position, besides the slots.
uint32_t li_sequence_length(const li_model *model, uint32_t sequence);
li_status li_sequence_keep(li_model *model, uint32_t sequence, uint32_t length);
li_status li_sequence_share(li_model *model, uint32_t from, uint32_t to, uint32_t length);
// Slots that no sequence holds. reserve makes the slots, held or not, at least `slots` in number, keeping what they
// hold; while it copies there are two caches. LI_ERROR_OUT_OF_MEMORY leaves all as it was.
uint32_t li_model_free_slots(const li_model *model);
li_status li_model_reserve_slots(li_model *model, uint32_t slots);

// ---- grammars ---------------------------------------------------------------------------------------

typedef struct li_vocabulary li_vocabulary;
typedef struct li_grammar li_grammar;
typedef struct li_masker li_masker;
typedef struct li_matcher li_matcher;

// Room for a vocabulary of `token_count` ids: the caller writes ends, bytes and eos, then prepares it. Token i is the
// bytes from the end of i - 1 to the end of i; one without bytes is in no text. NULL: no memory, or beyond the limits
// of grammar/mask/vocabulary.h. Destroying drops one user: grammars go on using it.
li_vocabulary *li_vocabulary_create(uint32_t token_count, uint32_t byte_count, uint32_t eos_count);
uint32_t *li_vocabulary_ends(li_vocabulary *vocabulary); // (token_count)
uint8_t *li_vocabulary_bytes(li_vocabulary *vocabulary); // (byte_count)
uint32_t *li_vocabulary_eos(li_vocabulary *vocabulary);  // (eos_count) distinct
uint32_t li_vocabulary_size(const li_vocabulary *vocabulary);
uint32_t li_vocabulary_eos_count(const li_vocabulary *vocabulary);
void li_vocabulary_destroy(li_vocabulary *vocabulary);
// Bytes of a token of a prepared vocabulary.
uint32_t li_vocabulary_token_length(const li_vocabulary *vocabulary, uint32_t token);
// Sorts the tokens and builds their trie. LI_ERROR_BAD_ARGUMENT: the ends do not fit the bytes, a token is too long, or
// an eos is no token or has bytes; to try again, write the ends anew.
li_status li_vocabulary_prepare(li_vocabulary *vocabulary);
// A prepared vocabulary as bytes. Loading takes a fraction of preparing and trusts nothing; NULL: see *status.
uint32_t li_vocabulary_saved_size(const li_vocabulary *vocabulary);
void li_vocabulary_save(const li_vocabulary *vocabulary, uint8_t *to);
li_vocabulary *li_vocabulary_load(const uint8_t *bytes, uint32_t size, li_status *status);

// Why a schema cannot be enforced. `schema` is its index in the form, `keyword` its li_keyword (grammar/schema/keywords.h).
typedef struct li_refusal {
    uint32_t schema;
    uint32_t keyword;
    uint32_t reason; // li_refusal_reason (grammar/schema/keywords.h)
} li_refusal;

// Compiles the form of grammar/core/form_reader.h; the bytes may come from anywhere and are not kept. NULL: no memory; else look at
// the status, LI_ERROR_GRAMMAR_FORM, _UNSUPPORTED (see refusals) or _FUEL. `fuel` bounds the work; 0: the default.
li_grammar *li_grammar_compile(const uint8_t *form, uint32_t length, uint32_t fuel);
void li_grammar_destroy(li_grammar *grammar);
li_status li_grammar_status(const li_grammar *grammar);
// Of LI_ERROR_GRAMMAR_FUEL which limit was met: 0 work (the fuel given), else a fixed one: li_limit in
// grammar/core/grammar.h.
uint32_t li_grammar_limit(const li_grammar *grammar);
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
uint32_t li_matcher_limit(const li_matcher *matcher);   // likewise: as li_grammar_limit
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
