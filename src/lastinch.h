// lastinch: from a language model's logits to the token that a person reads. The one public C header.
//
// Conventions:
// - Memory. A pointer that a function returns belongs to the object it came from, unless the comment says otherwise.
//   Objects come from a create function and end with the destroy function of the same type. Destroy functions allow
//   NULL; all other functions need a valid object. Arguments are read during the call and not kept, unless the comment
//   says otherwise.
// - Errors. A function that can fail returns an li_status: LI_OK (0) or a negative error. A function that returns a
//   token or a count returns the negative error in its place. A failed call changes nothing, unless the comment says
//   otherwise.
// - Shapes. "(n)" after a pointer means n elements; "(rows, columns)" means row after row.
// - A token is an id below vocab_size. A logit of -1e30 or below counts as masked: that token cannot be chosen.
// - No function prints, blocks or calls libm. Memory is taken when objects are created and configured, by the first
//   distribution and the first trace, and by the history, which doubles when full. No other step takes memory.
// - One object must not be used by two threads at a time.
#ifndef LASTINCH_H
#define LASTINCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"    // li_status, generated from tables/errors.json
#include "sample/options.h" // li_options, generated from tables/options.json

// ---- sampler ----------------------------------------------------------------------------------------

typedef struct li_sampler li_sampler;

// The effect of one stage on one row of logits. Probabilities are those of the distribution that reached the stage:
// they sum to 1 over its `before` tokens.
typedef struct li_stage_record {
    uint32_t stage;   // li_stage
    uint32_t before;  // tokens that reached the stage
    uint32_t after;   // tokens that left it
    uint32_t has_cut; // 1: the stage removed tokens, and threshold and mass are valid
    double threshold; // tokens below this probability were removed (typical: also above it; XTC: from this one on)
    double mass;      // probability of the tokens that stayed
} li_stage_record;

// A distribution and one token of it; see li_sampler_inform. Logarithms are natural.
typedef struct li_information {
    double entropy;         // of the distribution, in nats
    double choices;         // e^entropy: the number of equally likely tokens with the same entropy
    double log_probability; // of the token; -infinity when the token is masked or removed
    uint32_t rank;          // of the token: 1 is the likeliest, ties by lower id; 0 when masked or removed
    uint32_t survivors;     // tokens of the distribution
} li_information;

// What a sampler remembers of its choices. A caller that moves a sampler's state to another module copies this too.
typedef struct li_chosen {
    double probability;             // of `token`
    double undistorted_probability; // of `token`, before adaptive-p
    double last_probability;        // of the last token that was chosen and accepted
    uint32_t token;                 // the token chosen last, until one is accepted; or UINT32_MAX
} li_chosen;

// The arrays of a sampler, which owns them. Results stay valid until the next call on the sampler or on a sampler that
// was created beside it.
typedef struct li_sampler_arrays {
    float *input;                // (vocab_size) for a row that is copied in
    uint16_t *halves;            // (vocab_size) for a row of float16 bits, which li_sampler_widen converts into `input`
    const uint32_t *tokens;      // result of distribution, trace and inform
    const double *probabilities; // result of distribution and trace; after inform, log-probabilities
    const li_information *information; // result of inform
    li_chosen *chosen;
    const li_stage_record *trace_records; // (trace_stages) result of trace, as are the following
    uint32_t trace_stages;
    const uint8_t *trace_removed_by;   // (vocab_size) index of the record that removed the token; 255 = kept
    const float *trace_logits;         // (vocab_size) logits after the edits
    const double *trace_probabilities; // (vocab_size) their softmax at the temperature in force, without truncation
} li_sampler_arrays;

// A sampler for rows of `vocab_size` logits (1 to LI_VOCAB_LIMIT), with every mechanism off. NULL: vocab_size is out of
// range or there is no memory. Logits may be any finite numbers, however large.
li_sampler *li_sampler_create(uint32_t vocab_size);
// A second sampler for rows of the same size. The two share scratch memory, so the second takes little memory of its
// own. They may be destroyed in any order and must stay on one thread. NULL: no memory.
li_sampler *li_sampler_create_beside(li_sampler *sampler);
void li_sampler_destroy(li_sampler *sampler);

// (LI_OPTION_COUNT) The option values, in the order of the options table. Write them, then call li_sampler_configure.
double *li_sampler_options(li_sampler *sampler);
// Checks the written options and puts them in force. A changed seed or stream restarts the random numbers.
// LI_ERROR_BAD_ARGUMENT: a value is out of its range. LI_ERROR_CONFLICT: two options contradict each other.
// LI_ERROR_BAD_ORDER: an option needs a stage that the order lacks. On an error the former options stay in force.
li_status li_sampler_configure(li_sampler *sampler);

// Copies a list of `count` words; the next li_sampler_configure puts the list in force. Count 0 empties the list.
// Formats, where * means any number of times and "bias" is the bits of a float of at most 1e9 (-infinity bans the
// token):
//   LI_LIST_BIAS       (id, bias)*
//   LI_LIST_BANNED     id*
//   LI_LIST_ALLOWED    id*, ascending
//   LI_LIST_SEQUENCES  (count of ids, 1 or more; bias; the ids)*
//   LI_LIST_BREAKERS   (count of ids, 1 or more; the ids)*
//   LI_LIST_EOS        id*, ascending
//   LI_LIST_FIRST, LI_LIST_LAST   id*
//   LI_LIST_WATERMARK  li_watermark_scheme; window, 1 to LI_WATERMARK_WINDOW; depth, 1 to LI_WATERMARK_DEPTH; gamma,
//                      between 0 and 1, and delta, above 0 and to LI_WATERMARK_DELTA, as the bits of floats; bytes of
//                      the key, 1 to LI_WATERMARK_KEY; the key in little-endian words, the last filled with zeros
// LI_ERROR_BAD_ARGUMENT: the words have another format, or an id is no token. LI_ERROR_CONFLICT: a mark, and the module
// cannot mark (sampler.wasm).
li_status li_sampler_set_list(li_sampler *sampler, li_list_name name, const uint32_t *words, uint32_t count);
// Sets the stages that run after the mask (`count` of li_stage, each at most once), in their order. Edits come before
// all other stages; mirostat and adaptive_p come last. `rules`: a sum of li_rule. The next li_sampler_configure puts
// the order in force. LI_ERROR_BAD_ORDER: the order breaks one of these rules.
li_status li_sampler_set_order(li_sampler *sampler, const uint32_t *stages, uint32_t count, uint32_t rules);

// (vocab_size / 32, rounded up) A bit for each token, lowest bit first; 1 = the token may be chosen. While is_used, the
// mask applies to every call. NULL: no memory.
uint32_t *li_sampler_bitmask(li_sampler *sampler, bool is_used);

// (vocab_size) A row in the sampler's own memory, for callers that can write their logits into it. NULL: no memory.
float *li_sampler_logits(li_sampler *sampler);
// The addresses of the arrays. The struct is filled again at every call.
const li_sampler_arrays *li_sampler_get_arrays(li_sampler *sampler);
// Converts the float16 bits at `halves` into the floats at `input`.
void li_sampler_widen(li_sampler *sampler);

// All functions that take `logits` (vocab_size) edit the row during the call and restore every bit before they return.
// They return LI_ERROR_LOGITS_NAN, LI_ERROR_LOGITS_INFINITE (+infinity) or LI_ERROR_NOTHING_LEFT (every token is
// masked).

// Chooses a token and accepts it. Returns the token.
int32_t li_sampler_sample(li_sampler *sampler, float *logits);
// Chooses a token and accepts nothing. Returns the token.
int32_t li_sampler_choose(li_sampler *sampler, float *logits);
// Accepts `id` as generated. Mirostat and adaptive_p learn from `id` if choose, pick or verify returned it last.
li_status li_sampler_emit(li_sampler *sampler, uint32_t id);
// The probability, among the survivors, with which the last chosen and accepted token was drawn; 1 when greedy.
double li_sampler_last_probability(const li_sampler *sampler);
// Chooses as li_sampler_choose does, from a uniform number u in [0, 1) of the caller's: the same u reproduces a step.
// LI_ERROR_BAD_ARGUMENT: u is out of range.
int32_t li_sampler_pick(li_sampler *sampler, float *logits, double u);

// Writes the survivors and their probabilities to the arrays, most probable first, ties by lower id. Returns their
// number.
int32_t li_sampler_distribution(li_sampler *sampler, float *logits);
// Runs the chain and records what every stage did. Returns the number of survivors, which are written as by
// li_sampler_distribution.
int32_t li_sampler_trace(li_sampler *sampler, float *logits);
// Describes the distribution that li_sampler_sample would draw from, or with is_raw the softmax of the given logits:
// writes the information about `token`, and the `top` likeliest tokens with their log-probabilities. Returns the number
// of tokens written: `top`, or fewer where fewer survive. LI_ERROR_BAD_ARGUMENT: `token` is no token.
int32_t li_sampler_inform(li_sampler *sampler, float *logits, bool is_raw, uint32_t token, uint32_t top);

// Appends ids (count) to the history, as read from the prompt (is_prompt) or as generated: then as li_sampler_emit
// does, one by one. LI_ERROR_BAD_ARGUMENT: an id is no token; none is appended.
li_status li_sampler_accept(li_sampler *sampler, const uint32_t *ids, uint32_t count, bool is_prompt);
// Forgets history, feedback and number of draws. Options, lists and order stay.
void li_sampler_reset(li_sampler *sampler);

// The state that accepted tokens change (history, feedback, number of draws), as bytes (li_sampler_state_size). The
// caller owns the bytes.
uint32_t li_sampler_state_size(const li_sampler *sampler);
void li_sampler_save_state(const li_sampler *sampler, uint8_t *bytes);
// LI_ERROR_BAD_STATE: the bytes (size) are no state of a sampler with this vocab_size.
li_status li_sampler_load_state(li_sampler *sampler, const uint8_t *bytes, uint32_t size);

// Natural logarithm of the probability of `token` (below count) under the softmax of logits (count, 1 or more) at
// temperature 1, without any option. NaN when a logit is NaN or +infinity.
double li_log_probability(const float *logits, uint32_t count, uint32_t token);

// Remembers the present history, feedback and number of draws. A sampler has one mark; it lasts until the next mark,
// and until li_sampler_configure, li_sampler_reset or li_sampler_load_state.
void li_sampler_mark(li_sampler *sampler);
// Returns to the mark, in time proportional to the tokens accepted since. Speculation accepts drafts tentatively.
// LI_ERROR_BAD_ARGUMENT: there is no mark.
li_status li_sampler_rewind(li_sampler *sampler);

// Removes the last `count` generated tokens from the history. The next token is drawn with new random numbers: with
// those of the removed token it would not have the distribution of the step. The feedback stays. Drops the mark.
// LI_ERROR_BAD_ARGUMENT: fewer tokens were generated.
li_status li_sampler_take_back(li_sampler *sampler, uint32_t count);
// The state (3 numbers) of mirostat and adaptive-p, which the caller may copy, and write again after
// li_sampler_take_back. The sampler's memory.
double *li_sampler_feedback(li_sampler *sampler);

// ---- rows that lie elsewhere -------------------------------------------------------------------------
// A row on a GPU need not be read whole. Kernels count its logits, and bring the largest of them and a few others. From
// that part the sampler chooses the token that it would choose from the row, bit for bit, or says that it cannot tell.
// The kernels only compare and count, so they bring the same part on every device.

#define LI_PART_TOKENS 1024u
#define LI_PART_LISTED 8192u
#define LI_PART_IDS    (LI_PART_LISTED + LI_PART_TOKENS)
#define LI_PART_BINS   512u

// A part of a row. A key is a logit's bits, turned so that keys compare as the logits do: the bits of a float xor
// 0x80000000 if it is positive or zero, else ~bits. Logits of -1e30 or below, tokens that the bitmask refuses and ids
// of tokenCount or above are not counted. A bin is a range of distances below the largest logit. In units of 2^-16, as
// differences of fixed-point numbers (rounded towards zero, at most 2^30): the first 256 bins are 2^11 wide, the next
// 128 2^13, the next 64 2^15 and the last 64 2^18; the last has all beyond. `rests` sums, of each bin's tokens, the
// distance from the start of the bin in 2048ths of its width, rounded down; 0 in the last bin.
typedef struct li_part {
    uint32_t peak;     // key of the largest logit; 0: none
    uint32_t left_out; // key of the largest logit of a token that is counted but not among `tokens`; 0: none
    uint32_t strange;  // how many of the allowed logits are NaN or +infinity
    uint32_t bins;     // all tokens of the first `bins` bins are in `tokens`, and no others
    uint32_t count;    // tokens in `tokens`, at most LI_PART_TOKENS
    uint32_t counts[LI_PART_BINS];
    uint32_t rests[LI_PART_BINS];
    uint32_t tokens[LI_PART_TOKENS][2]; // (count) id and the logit's bits, in any order
} li_part;

// In place of a token or a count: read the whole row.
#define LI_NEEDS_ROW (-1000)

// Writes the ids, ascending, of the tokens whose logits the sampler must know even if they are small, because an option
// may edit them. Returns their number; where that is more than LI_PART_LISTED, only so many are written, and the row
// must be read. `ids` (LI_PART_IDS).
uint32_t li_sampler_part_ids(li_sampler *sampler, uint32_t *ids);
// As li_sampler_choose, from a part, and the logits (count) of the ids (LI_PART_IDS) that li_sampler_part_ids gave.
// Overwrites part, ids and the array `input`. LI_NEEDS_ROW: they do not tell the token, or there is an error.
int32_t li_sampler_choose_part(li_sampler *sampler, li_part *part, uint32_t *ids, const float *logits, uint32_t count);
// As li_sampler_distribution, in the same way.
int32_t li_sampler_distribution_part(li_sampler *sampler, li_part *part, uint32_t *ids, const float *logits,
                                     uint32_t count);
// After a step on a part: the stage whose cut was proved, or, if the row is needed, the stage whose cut could not be.
// LI_STAGE_MASK: no stage cut what was left out, because nothing was that matters, or because no option cuts.
uint32_t li_sampler_part_stage(const li_sampler *sampler);

// ---- speculation ------------------------------------------------------------------------------------
// Speculative sampling (Leviathan, Kalman, Matias, "Fast inference from transformers via speculative decoding", 2023;
// Chen et al., "Accelerating large language model decoding with speculative sampling", 2023): a draft model proposes
// tokens, the target model verifies them, and the output has the distribution of the target alone. Both distributions
// are those that the chain leaves: of the draft's logits under the draft's sampler, of the target's logits under the
// target's sampler. The two samplers may differ in every option. With a watermark: LI_ERROR_CONFLICT.

// The distribution from which a draft proposed a token. Its memory grows to 4 or 8 bytes for each survivor and stays.
typedef struct li_proposal li_proposal;

// NULL: no memory.
li_proposal *li_proposal_create(void);
void li_proposal_destroy(li_proposal *proposal);
// Runs the draft's chain on draft_logits (vocab_size), keeps the distribution and draws a token, with a random number
// of its own whatever the option `draw` says. Returns the token; after an error the proposal is empty. The caller must
// verify every drawn token: dropping some tokens because of what they are would distort the output.
int32_t li_proposal_draw(li_proposal *proposal, li_sampler *sampler, float *draft_logits);
// Keeps the distribution without drawing, for callers that draw themselves. After an error the proposal is empty.
li_status li_proposal_keep(li_proposal *proposal, li_sampler *sampler, float *draft_logits);

// Runs the target's chain on target_logits (vocab_size) and accepts `token`, which was drawn from the proposal, with
// probability min(1, target / draft); otherwise draws from max(0, target - draft), normalised. Returns `token` when
// accepted, and never otherwise; else the drawn token. The returned token counts as chosen with the target's
// probability, so li_sampler_emit accepts it as a sampled token. u decides on acceptance and v draws: uniform numbers
// in [0, 1), or negative for the sampler's own numbers. LI_ERROR_BAD_ARGUMENT: u or v is 1 or more, or the proposal
// gives `token` no probability. A draft that is certain (a lookup, a forced token) needs no verification: the draft was
// right when li_sampler_choose returns its token.
int32_t li_sampler_verify(li_sampler *sampler, float *target_logits, const li_proposal *proposal, uint32_t token,
                          double u, double v);
// The probability, among the survivors, of the token that choose, pick, verify or li_proposal_draw returned last.
double li_sampler_chosen_probability(const li_sampler *sampler);

// ---- beams ------------------------------------------------------------------------------------------
// One step of beam search keeps the best candidates among all continuations of all beams.

// A continuation: `token` after the beam of number `beam`, with the sum of log-probabilities.
typedef struct li_candidate {
    double score;
    uint32_t beam, token;
} li_candidate;

typedef struct li_beam_step li_beam_step;

// For steps that keep up to `capacity` candidates (1 to 2^20). NULL: out of range, or no memory.
li_beam_step *li_beam_step_create(uint32_t capacity);
void li_beam_step_destroy(li_beam_step *step);
// Starts a step that keeps the `keep` best candidates and penalises no token. LI_ERROR_BAD_ARGUMENT: `keep` is not in 1
// to the capacity.
li_status li_beam_step_begin(li_beam_step *step, uint32_t keep);
// Lowers the score of `token` by `amount` (0 or more) in the following adds of this step; amounts add up. For tokens
// that beams of other groups chose at this step (Hamming diversity; Vijayakumar et al., "Diverse beam search", 2018).
// LI_ERROR_BAD_ARGUMENT: the amount is negative or not finite.
li_status li_beam_step_penalise(li_beam_step *step, uint32_t token, double amount);
// Adds the continuations of a beam with the score `score`: each scores `score` plus the log-probability of its token
// under the softmax of the logits (vocab_size) after the sampler's edits (bias, penalties). A masked token is no
// continuation, but the probabilities of the others are not renormalised (as in Hugging Face): scores stay the model's
// own, and grammars do not favour narrow paths. A forced token costs nothing. Temperature, truncations and watermarks
// do not apply.
// After an error (LI_ERROR_NOTHING_LEFT: the beam has no continuation) the step goes on without the beam.
// LI_ERROR_BAD_ARGUMENT: the score is not finite, or li_beam_step_best was called.
li_status li_beam_step_add(li_beam_step *step, li_sampler *sampler, float *logits, uint32_t beam, double score);
// (li_beam_step_count) The kept candidates by descending score, then ascending beam, then ascending token; fewer than
// `keep` if fewer were added. Ends the step: no adds until the next begin.
const li_candidate *li_beam_step_best(li_beam_step *step);
uint32_t li_beam_step_count(const li_beam_step *step);

// ---- rows of logits, combined -----------------------------------------------------------------------
// Rows are (count), 1 or more, and stay unchanged. `into` (count) takes the result and may be one of the rows. A token
// that is masked in either row is masked in the result. LI_ERROR_LOGITS_NAN, LI_ERROR_LOGITS_INFINITE,
// LI_ERROR_NOTHING_LEFT: as for a sampler, of either row or the result; then the content of `into` is undefined.
// LI_ERROR_BAD_ARGUMENT: a number is not finite or out of range.

// Classifier-free guidance: log_softmax(unconditional) + scale * (log_softmax(conditional) -
// log_softmax(unconditional)) (Sanchez et al., "Stay on topic with classifier-free guidance", 2023, as in Hugging
// Face). Scale 1 gives the conditional row's log-probabilities.
li_status li_guide(const float *conditional, const float *unconditional, uint32_t count, double scale, float *into);
// Contrastive decoding: log_softmax(strong) - weight * log_softmax(weak) for the tokens that are at least
// `plausibility` (0 to 1) times as probable as the likeliest token of `strong`, -infinity for the others (Li et al.,
// "Contrastive decoding: open-ended text generation as optimization", 2023, with weight 1 and plausibility 0.1).
li_status li_contrast(const float *strong, const float *weak, uint32_t count, double weight, double plausibility,
                      float *into);
// Jensen-Shannon divergence of the softmaxes of two rows, in nats, from 0 to ln 2. DoLa contrasts the last layer with
// the early layer of the largest divergence (Chuang et al., "DoLa: decoding by contrasting layers", 2024). NaN where a
// sampler would return an error for a row.
double li_divergence(const float *a, const float *b, uint32_t count);
// Largest cosine similarity, from -1 to 1, of a hidden state (dim) to earlier states (count, dim); 0 for an all-zero
// state, and where count is 0. Contrastive search (Su et al., "A contrastive framework for neural text generation",
// 2022) subtracts alpha times this number.
double li_degeneration(const float *state, const float *states, uint32_t count, uint32_t dim);

// ---- watermarks ---------------------------------------------------------------------------------------

// A mark decides draws by keyed numbers, which depend on the key and on the last `window` tokens. choose, sample and
// pick mark what the options leave, where more than one token is left: not at temperature 0, not where the history is
// shorter than the window, and not where an earlier token of the output followed the same window; there the seed draws.
// Distributions, traces and probabilities are those without the mark. Verification, beams and contrastive search cannot
// mark.
typedef enum li_watermark_scheme {
    LI_WATERMARK_GUMBEL = 0,  // Aaronson's: the largest u^(1 / probability)
    LI_WATERMARK_GREEN = 1,   // Kirchenbauer et al.: delta is added to the logits of a share gamma of the tokens
    LI_WATERMARK_SYNTHID = 2, // Dathathri et al.: a tournament of `depth` layers
} li_watermark_scheme;
#define LI_WATERMARK_WINDOW 32u
#define LI_WATERMARK_DEPTH  32u
#define LI_WATERMARK_DELTA  50.0f
#define LI_WATERMARK_KEY    256u

// The score of the last of tokens (window + 1), under the mark that words (count, of LI_LIST_WATERMARK) describe.
// Gumbel: -ln(1 - u). Green: 1 if it is green. SynthID: the weighted mean of its bits, with weights from 10 for the
// first to 1 for the last layer. An unmarked token has on average 1, gamma and 1/2.
double li_watermark_score(const uint32_t *words, uint32_t count, const uint32_t *tokens);
// The probability that `used` unmarked tokens, each after a window that no other has, have at least the score `total`
// together: over all keys exactly this, within rounding. 1 if none is used.
double li_watermark_tail(const uint32_t *words, uint32_t count, double total, uint32_t used);

// ---- SHA-256 of a file ------------------------------------------------------------------------------

typedef struct li_sha256 li_sha256;

// NULL: no memory. The caller frees it with li_memory_free.
li_sha256 *li_sha256_create(void);
// Reads the next `length` bytes of the file.
void li_sha256_update(li_sha256 *hash, const uint8_t *bytes, uint32_t length);
// Ends the file. The 32 bytes of the digest, in the memory of the hash, which reads no more.
const uint8_t *li_sha256_finish(li_sha256 *hash);

// ---- GGUF header ------------------------------------------------------------------------------------
// The bytes are not trusted: every length and offset is checked against the buffer and the file's length before use.

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

// NULL: no memory. From then on the memory grows by no more than it must (li_memory_keep_tight), for what follows is a
// model or its estimate.
li_gguf *li_gguf_create(void);
void li_gguf_destroy(li_gguf *gguf);
// Reserves `size` bytes for the start of the file and returns their address. Bytes written before stay; the address may
// change. NULL: no memory.
uint8_t *li_gguf_reserve(li_gguf *gguf, uint32_t size);
// Parses the first `size` reserved bytes of a file of `file_size` bytes (0 = unknown). LI_NEED_MORE: the header is
// longer; reserve and write more bytes and call again. On LI_OK the getters below work. LI_ERROR_BAD_ARGUMENT: size
// exceeds the reserved bytes or the file. Other errors: LI_ERROR_GGUF_*, LI_ERROR_MODEL_TENSOR_TYPE,
// LI_ERROR_MODEL_TENSOR_SHAPE.
li_status li_gguf_parse(li_gguf *gguf, uint32_t size, double file_size);
// Where the header's list of tensors begins, after the metadata.
uint32_t li_gguf_tensors_start(const li_gguf *gguf);
// Bytes of the header with its padding: tensor data begins there in the file.
uint32_t li_gguf_data_start(const li_gguf *gguf);
// Bytes of all tensor data.
double li_gguf_data_size(const li_gguf *gguf);
uint32_t li_gguf_key_count(const li_gguf *gguf);
// Index of a metadata key (zero-terminated), from 0 to li_gguf_key_count - 1; -1 where there is no such key.
int32_t li_gguf_find(const li_gguf *gguf, const char *key);
li_gguf_type li_gguf_value_type(const li_gguf *gguf, uint32_t index);   // LI_GGUF_ARRAY for arrays
li_gguf_type li_gguf_element_type(const li_gguf *gguf, uint32_t index); // of an array's elements; else the value's type
uint32_t li_gguf_value_count(const li_gguf *gguf, uint32_t index);      // elements of an array; 1 for other values
// Offset in the reserved buffer of the value, or of the first element of an array. A string is a
// little-endian u64 length and its bytes. All bytes of the value lie within the header.
uint32_t li_gguf_value_offset(const li_gguf *gguf, uint32_t index);
// The tensors of the header, `index` from 0 to li_gguf_tensor_count - 1: the type as GGML numbers it, the number of
// elements, and the bytes in the file.
uint32_t li_gguf_tensor_count(const li_gguf *gguf);
uint32_t li_gguf_tensor_type(const li_gguf *gguf, uint32_t index);
double li_gguf_tensor_elements(const li_gguf *gguf, uint32_t index);
double li_gguf_tensor_size(const li_gguf *gguf, uint32_t index);

// ---- tokenizer --------------------------------------------------------------------------------------
// Byte-level BPE (tokenizer.ggml.model = gpt2) and SentencePiece's BPE (llama), from the header of a GGUF file.

typedef struct li_tokenizer li_tokenizer;

// Why no tokenizer can be created from a header.
typedef enum li_tokenizer_fault {
    LI_TOKENIZER_FINE,
    LI_TOKENIZER_MEMORY,
    LI_TOKENIZER_MODEL,  // no tokenizer.ggml.model, or of another kind
    LI_TOKENIZER_PRE,    // the pre-tokenizer is unknown
    LI_TOKENIZER_TOKENS, // tokenizer.ggml.tokens is missing, has more than 1,048,576 tokens, or crafted hash collisions
    LI_TOKENIZER_SCORES, // tokenizer.ggml.scores is missing or of another length, or a score is NaN
    LI_TOKENIZER_TYPES,  // tokenizer.ggml.token_type is missing or of another length
    LI_TOKENIZER_MERGES, // tokenizer.ggml.merges is missing, or has more than 2,097,152 merges
    LI_TOKENIZER_MERGE,  // a merge's parts or its result are not tokens; fault[1] is its index
    LI_TOKENIZER_BYTES,  // neither byte tokens nor an unknown token, for characters without a piece
    LI_TOKENIZER_SPECIAL // the text of a special token is longer than 1,024 bytes; fault[1] is its id
} li_tokenizer_fault;

// The tokens of a tokenizer, which owns the arrays.
typedef struct li_tokenizer_view {
    uint32_t count;           // tokens
    const uint8_t *bytes;     // of all tokens, one after the other; control tokens have none
    const uint32_t *ends;     // (count) where each token's bytes end
    const uint8_t *types;     // (count) 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte; as in GGUF
    uint32_t special_count;   // tokens of the types 2, 3 and 4
    const uint32_t *specials; // (special_count) their ids, ascending
    const uint8_t *special_bytes; // their texts, one after the other
    const uint32_t *special_ends; // (special_count) where each text ends
    uint32_t end_count;
    const uint32_t *end_tokens; // (end_count) the tokens that end a text or a turn, like <|im_end|>
    uint32_t adds_bos;          // 1: BOS comes before a text, unless the file says otherwise
} li_tokenizer_view;

// A tokenizer from a parsed header, which is not needed afterwards. `pre` (zero-terminated): the pre-tokenizer; empty:
// that of the file. has_prefix: SentencePiece adds a space before text and after control tokens. NULL: fault[0] is an
// li_tokenizer_fault.
li_tokenizer *li_tokenizer_create(const li_gguf *gguf, const char *pre, uint32_t has_prefix, uint32_t fault[2]);
void li_tokenizer_destroy(li_tokenizer *tokenizer);
const li_tokenizer_view *li_tokenizer_get_view(const li_tokenizer *tokenizer);

#define LI_ENCODE_SPECIAL   1u // recognise the texts of control tokens, not only those of user-defined tokens
#define LI_ENCODE_CONTINUES 2u // the text continues another text: no space is added before it
#define LI_ENCODE_TRACE     4u // how the text is cut

// Writes the tokens of a text (length, UTF-8) to `ids` (2 * length + 2) and returns their number.
// With LI_ENCODE_TRACE `ids` has room for 2 * length + 2 steps of three numbers behind the tokens, and the count of
// these numbers is returned. For each piece that is cut by itself: where it begins and ends in bytes, and
// LI_STEP_PIECE; then for each of its merges where the new token begins and ends, and its id. A token that is found
// whole is one merge. Bytes are counted in the text that is cut: SentencePiece's has the space that is added, and a
// space for each U+2581.
// LI_ERROR_BAD_ARGUMENT: the bytes are not UTF-8, or more than 2^28.
int32_t li_tokenizer_encode(li_tokenizer *tokenizer, const uint8_t *text, uint32_t length, uint32_t flags,
                            uint32_t *ids);
// Marks a piece among the steps of LI_ENCODE_TRACE.
#define LI_STEP_PIECE 4294967295u

// The last refusal of li_gguf_parse, li_model_plan or li_model_create.
typedef enum li_fault_kind {
    LI_FAULT_NONE,         // no name
    LI_FAULT_ARCHITECTURE, // name: an unknown family
    LI_FAULT_KEY_FOREIGN,  // name: a key that asks for unsupported arithmetic
    LI_FAULT_KEY_MISSING,
    LI_FAULT_KEY_VALUE,      // name: a key whose value is of a wrong type, out of range or does not fit the others
    LI_FAULT_KEY_LENGTH,     // name: an array; found: its length; expected
    LI_FAULT_TENSOR_FOREIGN, // name: a tensor that the family does not have
    LI_FAULT_TENSOR_MISSING,
    LI_FAULT_TENSOR_TYPE,  // found: the type as numbered by GGML
    LI_FAULT_TENSOR_SHAPE, // found and expected: columns and rows
} li_fault_kind;

typedef struct li_fault {
    uint32_t kind;        // li_fault_kind
    const char *name;     // (name_length) as bytes of the file
    uint32_t name_length; // at most 128
    double found, found_rows, expected, expected_rows;
} li_fault;

// Valid until the next of these calls.
const li_fault *li_gguf_fault(const li_gguf *gguf);

// ---- model ------------------------------------------------------------------------------------------
// The forward pass of a transformer: RMSNorm, rotary positions, grouped-query attention, SwiGLU, tied or separate
// output matrix; with biases, norms of heads and scaled rotary positions where a family (families.c) has them.

typedef struct li_model li_model;

// The number format of keys and values in the cache.
typedef enum li_cache_type {
    LI_CACHE_AUTO, // F32 where the planned slots take at most 64 MiB in F32, else F16
    LI_CACHE_F32,
    LI_CACHE_F16,  // a number beyond 65,504 becomes NaN, and so do all logits that depend on it
    LI_CACHE_Q8_0, // blocks of 32 with a half scale: the widths of key and value heads are multiples of 32
} li_cache_type;

typedef struct li_model_config {
    uint32_t vocab_size, dim, hidden_dim, layers, heads, kv_heads;
    uint32_t head_dim, value_dim; // width of a head of queries and keys, and of values
    uint32_t rope_dim;            // numbers of a head that are rotated
    uint32_t context_length;      // positions that a sequence can have
    uint32_t trained_length;      // positions that the model was trained with; at most a window that all layers have
    uint32_t cache_type;          // li_cache_type
    uint32_t tied;                // 1: the embedding matrix is the output matrix too
    uint32_t drafts;              // 1: the file has a block that predicts later tokens, for li_model_draft
    float rope_base, norm_epsilon;
} li_model_config;

// One row of a forward pass: a token of a sequence. Rows of one sequence come in ascending position order within a
// call.
typedef struct li_row {
    uint32_t token;
    uint32_t position;
    uint32_t sequence;
    uint32_t wants_logits; // 1: compute this row's logits
    uint32_t branch;       // 1 + the sequence from which this row's sequence branches; 0: none
} li_row;

#define LI_ROWS_LIMIT 64u // rows in one li_model_forward call

// Bytes that a model takes.
typedef struct li_model_memory {
    double weights, cache, scratch;
    double limit;            // of one model
    uint32_t context_length; // positions of a sequence
    uint32_t trained_length;
    uint32_t cache_type; // li_cache_type
    uint32_t vocab_size;
} li_model_memory;

// The memory that li_model_create would take for the same arguments. Reads only the header and keeps no memory.
// LI_ERROR_GGUF_TOO_LARGE: more than the limit; the result is written nevertheless. Other errors: as li_model_create.
li_status li_model_plan(li_gguf *gguf, uint32_t slots, uint32_t cache_type, uint32_t sequences,
                        li_model_memory *result);

// A model with the file's configuration, still without weights. `slots`: positions of the KV cache, which all sequences
// share, at most 2^26; 0: the trained context length, at most 4,096, halved until the model fits the memory. Slots take
// memory when a sequence first needs them. Sliding-window layers have slots of their own: see li_model_window_slots.
// `cache_type`: li_cache_type. `sequences`: 1 to 4096. Everything is checked
// before memory is taken for weights. NULL: see *status and li_gguf_fault. LI_ERROR_MODEL_CACHE_TYPE: the widths of the
// heads do not suit LI_CACHE_Q8_0. The gguf may be destroyed afterwards.
li_model *li_model_create(li_gguf *gguf, uint32_t slots, uint32_t cache_type, uint32_t sequences, li_status *status);
void li_model_destroy(li_model *model);
const li_model_config *li_model_get_config(const li_model *model);

// Takes the next `size` bytes of tensor data, in file order from li_gguf_data_start on, in pieces of any size. Weights
// are repacked as they arrive; the bytes are not kept; bytes beyond the last tensor are ignored.
// LI_ERROR_MODEL_WEIGHTS: a weight is not a finite number. After an error every later write and finish return that
// error.
li_status li_model_write(li_model *model, const uint8_t *bytes, uint32_t size);
// Ends loading: forward passes are possible afterwards. LI_ERROR_MODEL_INCOMPLETE: tensor data is missing.
li_status li_model_finish(li_model *model);

// (LI_ROWS_LIMIT) The rows of the next forward, for the caller to write.
li_row *li_model_rows(li_model *model);
// Computes the first `count` rows (1 to LI_ROWS_LIMIT) and appends their keys and values to their sequences. A row's
// position must equal the length of its sequence. The logits of a row do not depend on the other rows of the call.
// A row with a `branch` is the first of an empty sequence, which first shares all positions before the row with another
// sequence. These may be positions of earlier rows of the call, so the rows of a tree are computed together. A branch
// leaves at most the last LI_ROWS_LIMIT positions out; sequences with recurrent states have none (LI_ERROR_MODEL_ROWS).
// LI_ERROR_MODEL_ROWS: a row has no such token, sequence or position. LI_ERROR_MODEL_CONTEXT_FULL: no slots are left,
// or a position reaches the context length. LI_ERROR_OUT_OF_MEMORY: for slots that are used for the first time. An
// error changes nothing.
li_status li_model_forward(li_model *model, uint32_t count);
// (rows that wanted logits, vocab_size) Logits in row order, valid until the next forward. The address changes when a
// forward computes more rows of logits than any before.
float *li_model_logits(li_model *model);
// Keeps the hidden states after the given layers (count; 0 to layers - 1; `layers`: after the final norm; `layers` + 1:
// the embeddings, before the first layer) of every row of the following forwards. Count 0 ends this.
// LI_ERROR_BAD_ARGUMENT: there is no such layer, or count exceeds LI_TAPS_LIMIT. On an error the former taps stay.
#define LI_TAPS_LIMIT 256u
li_status li_model_set_taps(li_model *model, const uint32_t *layers, uint32_t count);
// (taps, rows of the last forward, dim); NULL without taps.
const float *li_model_taps(const li_model *model);
// Writes to `into` (count, vocab_size) the logits of hidden states (count, dim) as if their layer were the last (early
// exit, for DoLa). Not for states after the final norm. For states of the last layer the result is the row's logits,
// bit for bit. `count`: 1 to LI_ROWS_LIMIT.
li_status li_model_early_logits(li_model *model, const float *hidden, uint32_t count, float *into);
// Multi-token prediction: the block of the file that predicts later tokens reads the first `count` rows (1 to
// LI_ROWS_LIMIT, of one sequence; wants_logits does not count). The first has the position li_sequence_read, the others
// follow. The block reads what the sequence holds, and last, where `wanted` is not 0, the token that comes next: then
// `into` takes the tokens that the block expects after that one, `wanted` in number (at most LI_ROWS_TENTATIVE). They
// are the likeliest among the first LI_DRAFT_VOCABULARY, and li_model_logits has the row of the last. The sequence
// stays as it is. LI_ERROR_BAD_ARGUMENT: the model has no such block, or a number is out of range. Other errors: as
// li_model_forward; an error changes nothing.
#define LI_DRAFT_VOCABULARY 65536u
li_status li_model_draft(li_model *model, uint32_t count, uint32_t wanted, uint32_t *into);
// Positions of a sequence that the block has read; where it shares them or is cut, as many as are left.
uint32_t li_sequence_read(const li_model *model, uint32_t sequence);
// Medusa heads: a file of their own guesses the tokens after the next one from the state that gave the next one. Heads
// use the output matrix of their model.
typedef struct li_heads li_heads;
#define LI_HEADS_LIMIT   8u
#define LI_GUESSES_LIMIT 16u // of a head
// Whether the header describes heads for a model of this width. Errors: as below, but no bytes of tensors are read.
li_status li_heads_check(li_gguf *gguf, uint32_t dim);
// The heads of a whole file, of which li_gguf_reserve has all bytes. The gguf may be destroyed afterwards, the model
// only after the heads. NULL: see *status and li_gguf_fault. LI_ERROR_MODEL_CONFIG: it has no number of heads.
// LI_ERROR_MODEL_TENSOR_*: a tensor is missing, or does not fit the width of the model. LI_ERROR_GGUF_TRUNCATED: the
// file is longer. LI_ERROR_MODEL_WEIGHTS: a weight is not a finite number. LI_ERROR_BAD_ARGUMENT: the gguf is not
// parsed. LI_ERROR_OUT_OF_MEMORY.
li_heads *li_heads_create(li_model *model, li_gguf *gguf, li_status *status);
void li_heads_destroy(li_heads *heads);
uint32_t li_heads_count(const li_heads *heads);
// Writes to `into` (count, width) the likeliest tokens by each of the first `count` heads (1 to li_heads_count), as
// many as `width` (1 to LI_GUESSES_LIMIT), the likeliest first; of equally likely ones the lower id. Head 0 guesses
// the token after the one that the row of `state` (dim) gave, head 1 the token after that. They are among the first
// LI_DRAFT_VOCABULARY. LI_ERROR_BAD_ARGUMENT: a number is out of range. LI_ERROR_MODEL_INCOMPLETE: the model has no
// weights yet. LI_ERROR_WORKER_LOST: a helper thread is gone, and the guesses are not valid.
li_status li_heads_guess(li_heads *heads, const float *state, uint32_t count, uint32_t width, uint32_t *into);
// EAGLE-3: a model of one layer that drafts for another model, its target. Its file is loaded as a model, in the
// instance of the target, and it has sequences, rows and logits like a model. A row reads a feature and the token after
// it.
#define LI_EAGLE_TAPS 3u // hidden states of the target that make a feature
// Lets it read the target, which must outlive it: forwards are possible afterwards. LI_ERROR_BAD_ARGUMENT: it is for
// another width or vocabulary, or one of them has no weights yet. LI_ERROR_OUT_OF_MEMORY.
li_status li_eagle_attach(li_model *model, const li_model *target);
// (LI_ROWS_LIMIT, dim) The features of the rows of the next forward, for the caller to write: of a position that the
// target has read, by li_eagle_fuse; of one that it has not, the layer's output for the row before (li_model_set_taps).
float *li_eagle_features(li_model *model);
#define LI_EAGLE_FUSED 4u // positions at a time: they share each load of the matrix
// Writes the features of `count` rows (1 to LI_EAGLE_FUSED) of the next forward from `row` on, of hidden states (count,
// LI_EAGLE_TAPS, dim of the target) of their positions.
void li_eagle_fuse(li_model *model, const float *states, uint32_t row, uint32_t count);
// Writes to `into` (width, 1 to LI_GUESSES_LIMIT) the likeliest rows of the output matrix by a row of logits of the
// last forward, the likeliest first. Such a row has no more than the first LI_DRAFT_VOCABULARY. They are tokens, unless
// the file says which tokens they stand for (d2t).
void li_eagle_choices(const li_model *model, const float *logits, uint32_t width, uint32_t *into);
// Writes to `into` (heads, position + 1) the weights with which the heads of a layer read the values of a sequence, up
// to `position`, for a row of hidden state `hidden` (dim) before the layer at this position. The weights of a head sum
// to 1; beyond a window they are 0. They are computed once more from the cached keys: a forward keeps none.
// LI_ERROR_BAD_ARGUMENT: the layer has no attention, or the sequence no such position, or no longer the window before
// it.
li_status li_model_attention(li_model *model, const float *hidden, uint32_t layer, uint32_t sequence, uint32_t position,
                             float *into);

// Sequences, all empty at first. An empty sequence takes 20 bytes; any other takes 4 to 8 bytes for each position
// besides the slots; with sliding-window layers both twice. LI_ERROR_BAD_ARGUMENT: there is no such sequence, or
// `length` exceeds the length of the sequence.
uint32_t li_sequence_length(const li_model *model, uint32_t sequence);
// Drops the positions from `length` on.
li_status li_sequence_keep(li_model *model, uint32_t sequence, uint32_t length);
// Makes `to` the first `length` positions of `from` without copying: the slots are shared by reference count.
li_status li_sequence_share(li_model *model, uint32_t from, uint32_t to, uint32_t length);
// Recurrent layers (Qwen3.5) have a state for each sequence, which cannot be rolled back. A state takes the memory of
// several hundred slots. Sequences share a state until a row is appended to one of them. A forward with several rows of
// a sequence updates the state up to the first row that wants logits, and at least up to LI_ROWS_TENTATIVE rows before
// the end; if none wants logits, or only the last of several, up to LI_ROWS_BACK rows before the end. Other rows stay
// beside the state, so the sequence can be cut among them. A sequence that is cut or shared at fewer positions
// becomes empty. The same holds for sequences that have dropped slots of sliding-window layers, which can be cut by at
// least LI_ROWS_LIMIT positions.
#define LI_ROWS_TENTATIVE 32u // the most tokens that a draft proposes
#define LI_ROWS_BACK      8u  // a prompt ends with a few tokens that the next turn's prompt lacks, such as "<think>"
// The least length above 0 that a sequence can be cut to or shared at; 0: any length.
uint32_t li_sequence_least(const li_model *model, uint32_t sequence);
// Makes the state of a sequence exclusive (copy on write), as a forward does. LI_ERROR_OUT_OF_MEMORY changes nothing.
li_status li_sequence_own(li_model *model, uint32_t sequence);
// Whether the model has recurrent layers: then rows cannot branch.
bool li_model_is_recurrent(const li_model *model);
// States in memory. li_model_plan counts LI_STATES_PLANNED: that of a text, four of others, and the copy that a text
// gets of its own before one of the others is given up.
#define LI_STATES_PLANNED 6u
uint32_t li_model_states(const li_model *model);
// Slots that no sequence holds.
uint32_t li_model_free_slots(const li_model *model);
// Sliding-window layers have slots of their own. Where the slots of LI_WINDOWS_PLANNED sequences are fewer than all
// slots, a sequence drops those that no later row sees, li_model_plan counts the slots of LI_WINDOWS_PLANNED sequences,
// and other sequences should give up theirs before a forward needs more; a forward takes them nevertheless. Otherwise a
// sequence keeps a slot for every position in all layers.
#define LI_WINDOWS_PLANNED 2u // of a text, and of the same text at the end of its prompt, or of an earlier text
// The most slots of these layers that a sequence holds; the context length where none are dropped.
uint32_t li_model_window_slots(const li_model *model);
// Slots of these layers that the next `count` positions of a sequence take at most, besides those that the sequence
// drops meanwhile; without such layers, `count`.
uint32_t li_sequence_window_need(const li_model *model, uint32_t sequence, uint32_t count);
// Planned slots of these layers that no sequence holds; without such layers, free slots.
uint32_t li_model_free_window_slots(const li_model *model);
// Grows the cache to at least `slots` slots and keeps their contents. Slots take memory when they are first needed.
// LI_ERROR_OUT_OF_MEMORY changes nothing.
li_status li_model_reserve_slots(li_model *model, uint32_t slots);
// Takes the memory of the next `count` slots and of the next `window_count` slots of sliding-window layers, which
// forwards would take otherwise. LI_ERROR_OUT_OF_MEMORY: a part of the slots has memory; all of them are still free.
li_status li_model_take_slots(li_model *model, uint32_t count, uint32_t window_count);

// ---- saved texts ------------------------------------------------------------------------------------
// A sequence as bytes, for another instance of the same file: this header, then pieces. Piece 0 has the token ids
// (length) as words; each of the next has the keys, values and inputs of convolutions of LI_SAVED_POSITIONS positions;
// the others have the state of one recurrent layer each. Every piece ends with a hash of 8 bytes. The continuation of a
// loaded sequence has the bits of the saved one's.

#define LI_SAVED_VERSION   1u // rises with every change of the layout
#define LI_SAVED_POSITIONS 16u

#define LI_SAVED_NAN     1u // a row may hold NaN; halves and scales that are NaN without it are read as large numbers
#define LI_SAVED_LONG    2u // the rotary positions are those of a long context
#define LI_SAVED_RELAXED 4u // a module with relaxed SIMD computed it; the others compute the same bits

typedef struct li_saved_text {
    uint32_t magic, version;        // "LIST" and LI_SAVED_VERSION
    uint32_t file_low, file_high;   // the hash of the model's header and tensor data
    uint32_t cache_type;            // li_cache_type
    uint32_t flags;                 // LI_SAVED_NAN, LI_SAVED_LONG, LI_SAVED_RELAXED
    uint32_t length;                // tokens
    uint32_t first;                 // position from which sliding-window layers have rows
    uint32_t settled;               // positions whose updates the recurrent states contain
    uint32_t read;                  // li_sequence_read
    uint32_t check_low, check_high; // the hash of the fields before
} li_saved_text;

// The header of a sequence. Of an empty one it names the file and the cache alone.
li_status li_sequence_describe(const li_model *model, uint32_t sequence, li_saved_text *into);
// Whether the model can load a text with this header, which is not trusted. LI_ERROR_SAVED_MAGIC, _VERSION, _FILE,
// _SETTINGS: it is none, has another version, is of another file, or of another cache type or scale of positions.
// LI_ERROR_SAVED_CORRUPT: it is damaged. LI_ERROR_MODEL_CONTEXT_FULL: it is longer than the context.
li_status li_saved_check(const li_model *model, const li_saved_text *saved);
// Bytes of a piece; 0: there is no such piece. `saved` has been checked, or describes a sequence, here and below.
uint32_t li_saved_piece_size(const li_model *model, const li_saved_text *saved, uint32_t piece);
// Writes a piece (li_saved_piece_size) of the sequence that `saved` describes. Of piece 0 the caller has written the
// ids, and the hash is added. LI_ERROR_BAD_ARGUMENT: there is no such piece, or the sequence has another length.
li_status li_sequence_save(const li_model *model, uint32_t sequence, const li_saved_text *saved, uint32_t piece,
                           uint8_t *into);
// Whether a piece (li_saved_piece_size), which is not trusted, belongs to the text. LI_ERROR_SAVED_CORRUPT: its hash is
// wrong, or the model does not have one of its tokens. LI_ERROR_BAD_ARGUMENT: there is no such piece.
li_status li_saved_piece_check(const li_model *model, const li_saved_text *saved, uint32_t piece, const uint8_t *bytes);
// Checks and reads a piece (li_saved_piece_size), which is not trusted. Piece 0 comes first and gives an empty sequence
// its length; the sequence may run when all others have been read, too. After an error it must be cut to 0. Errors are
// those of li_saved_piece_check. LI_ERROR_MODEL_CONTEXT_FULL, LI_ERROR_OUT_OF_MEMORY: there is no room.
li_status li_sequence_load(li_model *model, uint32_t sequence, const li_saved_text *saved, uint32_t piece,
                           uint8_t *from);

// ---- grammars ---------------------------------------------------------------------------------------
// A grammar says which texts are allowed, a vocabulary what bytes each token stands for. A masker joins the two; a
// matcher reads one text and says which tokens may come next.

typedef struct li_vocabulary li_vocabulary;
typedef struct li_grammar li_grammar;
typedef struct li_masker li_masker;
typedef struct li_matcher li_matcher;

// A vocabulary of `token_count` tokens, for the caller to fill: ends, bytes and eos (the tokens that end a text), then
// li_vocabulary_prepare. The bytes of token i lie from the end of token i - 1 to the end of token i; a token without
// bytes is in no text. NULL: no memory, or beyond the limits of grammar/mask/vocabulary.h. A vocabulary is freed when
// destroyed and no masker uses it.
li_vocabulary *li_vocabulary_create(uint32_t token_count, uint32_t byte_count, uint32_t eos_count);
uint32_t *li_vocabulary_ends(li_vocabulary *vocabulary); // (token_count)
uint8_t *li_vocabulary_bytes(li_vocabulary *vocabulary); // (byte_count)
uint32_t *li_vocabulary_eos(li_vocabulary *vocabulary);  // (eos_count) distinct
uint32_t li_vocabulary_size(const li_vocabulary *vocabulary);
uint32_t li_vocabulary_eos_count(const li_vocabulary *vocabulary);
void li_vocabulary_destroy(li_vocabulary *vocabulary);
// Number of bytes of a token of a prepared vocabulary.
uint32_t li_vocabulary_token_length(const li_vocabulary *vocabulary, uint32_t token);
// Sorts the tokens and builds their trie. LI_ERROR_BAD_ARGUMENT: the ends do not fit the bytes, a token is too long, or
// an eos is no token or has bytes. After an error, write the ends again before the next try.
li_status li_vocabulary_prepare(li_vocabulary *vocabulary);
// A prepared vocabulary as bytes (li_vocabulary_saved_size). Loading is much faster than preparing and checks every
// byte; NULL: see *status.
uint32_t li_vocabulary_saved_size(const li_vocabulary *vocabulary);
void li_vocabulary_save(const li_vocabulary *vocabulary, uint8_t *to);
li_vocabulary *li_vocabulary_load(const uint8_t *bytes, uint32_t size, li_status *status);

// Why a schema cannot be enforced. Numbers of keywords and reasons: grammar/schema/keywords.h.
typedef struct li_refusal {
    uint32_t schema;  // index in the form
    uint32_t keyword; // li_keyword
    uint32_t reason;  // li_refusal_reason
} li_refusal;

// Compiles a grammar from its form (length bytes, described in grammar/core/form_reader.h), which is not trusted and
// not kept. `fuel` bounds the work; 0 means the default. NULL: no memory. Otherwise li_grammar_status tells the
// outcome: LI_OK, LI_ERROR_GRAMMAR_FORM, LI_ERROR_GRAMMAR_UNSUPPORTED (see the refusals) or LI_ERROR_GRAMMAR_FUEL.
li_grammar *li_grammar_compile(const uint8_t *form, uint32_t length, uint32_t fuel);
void li_grammar_destroy(li_grammar *grammar);
li_status li_grammar_status(const li_grammar *grammar);
// The limit that LI_ERROR_GRAMMAR_FUEL stands for: 0 is the given fuel, others are the fixed limits of li_limit in
// grammar/core/grammar.h.
uint32_t li_grammar_limit(const li_grammar *grammar);
// The fuel that compilation took.
uint32_t li_grammar_spent(const li_grammar *grammar);
bool li_grammar_is_empty(const li_grammar *grammar); // no text satisfies it
uint32_t li_grammar_refusal_count(const li_grammar *grammar);
const li_refusal *li_grammar_refusals(const li_grammar *grammar); // (li_grammar_refusal_count)

// Joins a grammar, whose status is LI_OK, and a prepared vocabulary; all matchers share its cache of masks. The masker
// takes the grammar over and becomes a user of the vocabulary. `fuel` bounds the work of one call of a matcher. 0 means
// the default: 120,000 for a mask or a token, and 4 more for each byte of the form; 4,000,000 for a text. NULL: no
// memory, and the grammar stays the caller's. A masker is freed when destroyed and no matcher uses it.
li_masker *li_masker_create(li_grammar *grammar, li_vocabulary *vocabulary, uint32_t fuel);
void li_masker_destroy(li_masker *masker);

// A matcher at the start of a text. With `heal` (length bytes), the text must begin with these bytes and the grammar's
// text follows them. NULL: no memory, or a limit was met.
li_matcher *li_matcher_create(li_masker *masker, const uint8_t *heal, uint32_t length);
li_matcher *li_matcher_clone(const li_matcher *matcher);
void li_matcher_destroy(li_matcher *matcher);
// The mask of the next token: a bit for each token (tokens / 32 words, rounded up), valid until the next call of any
// matcher of the same masker. Tokens of eos are allowed where the text may end, and alone once the text has ended.
// NULL: see li_matcher_status.
const uint32_t *li_matcher_mask(li_matcher *matcher);
li_status li_matcher_status(const li_matcher *matcher); // of the last call
uint32_t li_matcher_limit(const li_matcher *matcher);   // of the last call, as li_grammar_limit
uint32_t li_matcher_spent(const li_matcher *matcher);   // the fuel that the last call took
// Accepts a token as one step. Returns 1: accepted; 0: not allowed here; negative: an error. Only 1 changes the
// matcher.
int32_t li_matcher_accept(li_matcher *matcher, uint32_t token);
// Accepts all bytes (length) as one step, or none. Returns as li_matcher_accept does.
int32_t li_matcher_accept_bytes(li_matcher *matcher, const uint8_t *bytes, uint32_t length);
#define LI_MATCHER_ACCEPTING  1u // the text may end here
#define LI_MATCHER_TERMINATED 2u // the text has ended with a token of eos
#define LI_MATCHER_EMPTY      4u // no text satisfies the grammar
// A sum of these bits.
uint32_t li_matcher_flags(const li_matcher *matcher);
// Writes to `to` the bytes that every allowed text continues with, at most `room`. Returns their number, or an error.
int32_t li_matcher_forced(li_matcher *matcher, uint8_t *to, uint32_t room);
// Undoes the last `count` steps. LI_ERROR_BAD_ARGUMENT: there are not so many steps.
li_status li_matcher_rollback(li_matcher *matcher, uint32_t count);

// ---- training ---------------------------------------------------------------------------------------

// A small transformer of the llama family (RMS norm, rotary positions of base 10,000 on neighbouring pairs, SwiGLU,
// tied embeddings) that learns a text of tokens by AdamW. The same arguments give the same bits everywhere.
typedef struct li_trainer li_trainer;

#define LI_TRAIN_VOCABULARY 512          // tokens, at most
#define LI_TRAIN_MEMORY     (256u << 20) // bytes that a trainer takes, at most

typedef struct li_trainer_shape {
    uint32_t vocab_size; // 1 .. LI_TRAIN_VOCABULARY
    uint32_t layers;     // 1 .. 8
    uint32_t dim;        // a multiple of 4 * heads, at most 512
    uint32_t hidden;     // a multiple of 4, at most 2,048
    uint32_t heads;      // 1 .. 64
    uint32_t context;    // a multiple of 16, at most 512
    uint32_t batch;      // sequences of a step: 1 .. 256
} li_trainer_shape;

// A trainer whose weights are random numbers of the seed (below 2^53). NULL: see status. LI_ERROR_BAD_ARGUMENT: the
// shape is none of the above. LI_ERROR_OUT_OF_MEMORY: also where it would take more than LI_TRAIN_MEMORY.
li_trainer *li_trainer_create(const li_trainer_shape *shape, uint64_t seed, li_status *status);
void li_trainer_destroy(li_trainer *trainer);
// Copies the text (length) that it learns. The last tenth is held out, or the last context + 1 tokens if they are more.
// LI_ERROR_BAD_ARGUMENT: a token beyond the vocabulary, or fewer than 2 * (context + 1) tokens.
li_status li_trainer_read(li_trainer *trainer, const uint16_t *tokens, size_t length);
// One step: batch sequences of context tokens, begun at random places. loss: their mean -ln probability before the
// step, in nats a token; NaN or infinite where the rate was too large. Rates are 0 .. 10. LI_ERROR_BAD_STATE: no text.
li_status li_trainer_step(li_trainer *trainer, double learning_rate, double *loss);
// The mean loss over so many sequences of the part that is held out, at equal distances. LI_ERROR_BAD_STATE: no text.
li_status li_trainer_evaluate(li_trainer *trainer, uint32_t windows, double *loss);
// The logits (vocab_size) after tokens (count, 1 .. context). NULL: a token or a count out of range.
const float *li_trainer_logits(li_trainer *trainer, const uint16_t *tokens, uint32_t count);
// The weights: the embedding (vocab_size rounded up to a multiple of 4, dim); of each layer queries, keys and values
// (3 * dim, dim), output (dim, dim), gates and values (2 * hidden, dim), down (dim, hidden); of each layer the norms
// before attention and before the gates (dim) each; the last norm (dim).
const float *li_trainer_weights(const li_trainer *trainer);

#endif
