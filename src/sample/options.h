// Generated from src/tables/options.json by wasm/generate.js: edit that, then run `make generate`.
// clang-format off
#ifndef LI_OPTIONS_H
#define LI_OPTIONS_H

// Every scalar option is a double, so that the struct is the array of numbers that callers write.
typedef struct li_options {
    double token_count; // Number of real tokens; the padding beyond it can never be chosen.
    double temperature; // Divides the logits: below 1 sharpens, above 1 flattens, 0 is greedy.
    double dynatemp_range; // Lets the temperature move this far up and down with the entropy. 0 switches it off.
    double dynatemp_exponent; // How the entropy, as a share of the largest possible, sets the temperature within dynatempRange.
    double top_k; // Keeps the k most likely tokens. 0 switches it off.
    double top_p; // Keeps the smallest set of tokens whose probabilities sum to p. 1 switches it off.
    double min_p; // Keeps tokens at least this fraction as likely as the likeliest. 0 switches it off.
    double typical_p; // Keeps the tokens whose surprise is nearest the expected one, until their probabilities sum to p. 1 switches it off.
    double epsilon_cutoff; // Keeps tokens of at least this probability. 0 switches it off.
    double eta_cutoff; // As epsilonCutoff, but with a lower bound where the distribution is flat. 0 switches it off.
    double top_n_sigma; // Keeps tokens whose logit is within n standard deviations of the largest. 0 switches it off.
    double top_h; // Keeps the likeliest tokens while they hold no more than this fraction of the entropy. 0 switches it off.
    double tfs_z; // Tail-free: cuts where the curve of the sorted probabilities has spent z of its bending. 1 switches it off.
    double xtc_probability; // How often to exclude top choices: all but the last token that reaches xtcThreshold. 0 switches it off.
    double xtc_threshold; // Probability that makes a token a top choice. Above 0.5 there is nothing to exclude.
    double mirostat; // Holds the surprise of the text at mirostatTau: version 1 or 2. 0 switches it off.
    double mirostat_tau; // The surprise that mirostat aims at, in bits.
    double mirostat_eta; // How fast mirostat corrects itself.
    double adaptive_target; // Adaptive-p: favours tokens near this probability, so that the tokens chosen average it. Negative switches it off.
    double adaptive_decay; // How long adaptive-p remembers the probabilities of the tokens chosen.
    double min_keep; // The truncations, top-k and top-n-sigma apart, leave at least this many tokens.
    double repetition_penalty; // Divides the positive and multiplies the negative logits of tokens already in scope. 1 switches it off.
    double frequency_penalty; // Subtracted from a token's logit once per occurrence in scope. 0 switches it off.
    double presence_penalty; // Subtracted from a token's logit once when it occurs in scope. 0 switches it off.
    double penalty_window; // How many of the last tokens the penalties look at; 0 is all of them.
    double repetition_scope; // What repetitionPenalty counts: prompt and output, or output only. 0 = context, 1 = generated.
    double count_scope; // What frequencyPenalty and presencePenalty count: prompt and output, or output only. 0 = context, 1 = generated.
    double dry_multiplier; // DRY: subtracts multiplier * base^(length - allowedLength) from a token that would go on with a repetition of that length. 0 switches it off.
    double dry_base; // How fast DRY's penalty grows with the length of the repetition.
    double dry_allowed_length; // DRY penalises repetitions of at least this many tokens.
    double no_repeat_ngram; // Bans every token that would repeat n tokens in a row. 0 switches it off.
    double min_tokens; // Bans eos until this many tokens are generated. 0 switches it off.
    double length_decay; // Adds |logit| * (lengthDecay^n - 1) to eos, n tokens after lengthDecayStart. 1 switches it off.
    double length_decay_start; // Number of generated tokens after which lengthDecay begins.
    double max_tokens; // Length of the output, for forcedLast.
    double draw; // How a token is drawn: by one random number, or by one for each survivor (Gumbel-max). Equal in distribution. 0 = multinomial, 1 = gumbel.
    double seed; // Start of the random stream: the same seed and logits give the same tokens everywhere.
    double stream; // Which of the seed's independent random streams to draw from.
} li_options;

#define LI_OPTION_COUNT 38

// X(name, default, minimum, maximum, 1 when whole numbers only, the stage that it switches on unless it is, this)
#define LI_OPTIONS(X) \
    X(token_count, 0., 1., 1048576., 1, LI_STAGE_COUNT, 0.) \
    X(temperature, 1., 0., 1000000., 0, LI_STAGE_TEMPERATURE, 1.) \
    X(dynatemp_range, 0., 0., 1000000., 0, LI_STAGE_TEMPERATURE, 0.) \
    X(dynatemp_exponent, 1., 0., 100., 0, LI_STAGE_COUNT, 0.) \
    X(top_k, 0., 0., 4294967295., 1, LI_STAGE_TOP_K, 0.) \
    X(top_p, 1., 0., 1., 0, LI_STAGE_TOP_P, 1.) \
    X(min_p, 0., 0., 1., 0, LI_STAGE_MIN_P, 0.) \
    X(typical_p, 1., 0., 1., 0, LI_STAGE_TYPICAL, 1.) \
    X(epsilon_cutoff, 0., 0., 1., 0, LI_STAGE_EPSILON, 0.) \
    X(eta_cutoff, 0., 0., 1., 0, LI_STAGE_ETA, 0.) \
    X(top_n_sigma, 0., 0., 1000., 0, LI_STAGE_TOP_N_SIGMA, 0.) \
    X(top_h, 0., 0., 1., 0, LI_STAGE_TOP_H, 0.) \
    X(tfs_z, 1., 0., 1., 0, LI_STAGE_TFS, 1.) \
    X(xtc_probability, 0., 0., 1., 0, LI_STAGE_XTC, 0.) \
    X(xtc_threshold, 0.1, 0., 1., 0, LI_STAGE_COUNT, 0.) \
    X(mirostat, 0., 0., 2., 1, LI_STAGE_MIROSTAT, 0.) \
    X(mirostat_tau, 5., 0., 100., 0, LI_STAGE_COUNT, 0.) \
    X(mirostat_eta, 0.1, 0., 1., 0, LI_STAGE_COUNT, 0.) \
    X(adaptive_target, -1., -1., 1., 0, LI_STAGE_ADAPTIVE_P, -1.) \
    X(adaptive_decay, 0.9, 0., 0.99, 0, LI_STAGE_COUNT, 0.) \
    X(min_keep, 1., 1., 1048576., 1, LI_STAGE_COUNT, 0.) \
    X(repetition_penalty, 1., 0.001, 1000., 0, LI_STAGE_REPETITION, 1.) \
    X(frequency_penalty, 0., -1000., 1000., 0, LI_STAGE_FREQUENCY, 0.) \
    X(presence_penalty, 0., -1000., 1000., 0, LI_STAGE_FREQUENCY, 0.) \
    X(penalty_window, 0., 0., 4294967295., 1, LI_STAGE_COUNT, 0.) \
    X(repetition_scope, 0., 0., 1., 1, LI_STAGE_COUNT, 0.) \
    X(count_scope, 1., 0., 1., 1, LI_STAGE_COUNT, 0.) \
    X(dry_multiplier, 0., 0., 1000., 0, LI_STAGE_DRY, 0.) \
    X(dry_base, 1.75, 1., 1000., 0, LI_STAGE_COUNT, 0.) \
    X(dry_allowed_length, 2., 1., 4294967295., 1, LI_STAGE_COUNT, 0.) \
    X(no_repeat_ngram, 0., 0., 4294967295., 1, LI_STAGE_NO_REPEAT_NGRAM, 0.) \
    X(min_tokens, 0., 0., 4294967295., 1, LI_STAGE_MIN_TOKENS, 0.) \
    X(length_decay, 1., 0.001, 1000., 0, LI_STAGE_LENGTH_DECAY, 1.) \
    X(length_decay_start, 0., 0., 4294967295., 1, LI_STAGE_COUNT, 0.) \
    X(max_tokens, 0., 0., 4294967295., 1, LI_STAGE_COUNT, 0.) \
    X(draw, 0., 0., 1., 1, LI_STAGE_COUNT, 0.) \
    X(seed, 0., 0., 9007199254740991., 1, LI_STAGE_COUNT, 0.) \
    X(stream, 0., 0., 4294967295., 1, LI_STAGE_COUNT, 0.)

typedef enum li_stage {
    LI_STAGE_MASK = 0,
    LI_STAGE_BIAS = 1,
    LI_STAGE_SEQUENCE_BIAS = 2,
    LI_STAGE_REPETITION = 3,
    LI_STAGE_FREQUENCY = 4,
    LI_STAGE_DRY = 5,
    LI_STAGE_NO_REPEAT_NGRAM = 6,
    LI_STAGE_LENGTH_DECAY = 7,
    LI_STAGE_MIN_TOKENS = 8,
    LI_STAGE_TEMPERATURE = 9,
    LI_STAGE_TOP_K = 10,
    LI_STAGE_TOP_P = 11,
    LI_STAGE_MIN_P = 12,
    LI_STAGE_TYPICAL = 13,
    LI_STAGE_EPSILON = 14,
    LI_STAGE_ETA = 15,
    LI_STAGE_TOP_N_SIGMA = 16,
    LI_STAGE_TOP_H = 17,
    LI_STAGE_TFS = 18,
    LI_STAGE_XTC = 19,
    LI_STAGE_MIROSTAT = 20,
    LI_STAGE_ADAPTIVE_P = 21,
    LI_STAGE_COUNT = 22
} li_stage;

// Stages that edit logits: they come before all others.
#define LI_EDIT_STAGES (1u << LI_STAGE_BIAS | 1u << LI_STAGE_SEQUENCE_BIAS | 1u << LI_STAGE_REPETITION | 1u << LI_STAGE_FREQUENCY | 1u << LI_STAGE_DRY | 1u << LI_STAGE_NO_REPEAT_NGRAM | 1u << LI_STAGE_LENGTH_DECAY | 1u << LI_STAGE_MIN_TOKENS)
// Stages that learn from the draw: they come after all others.
#define LI_FEEDBACK_STAGES (1u << LI_STAGE_MIROSTAT | 1u << LI_STAGE_ADAPTIVE_P)
#define LI_DEFAULT_ORDER {LI_STAGE_BIAS, LI_STAGE_SEQUENCE_BIAS, LI_STAGE_REPETITION, LI_STAGE_FREQUENCY, LI_STAGE_DRY, LI_STAGE_NO_REPEAT_NGRAM, LI_STAGE_LENGTH_DECAY, LI_STAGE_MIN_TOKENS, LI_STAGE_TEMPERATURE, LI_STAGE_TOP_K, LI_STAGE_TOP_P, LI_STAGE_MIN_P, LI_STAGE_TYPICAL, LI_STAGE_EPSILON, LI_STAGE_ETA, LI_STAGE_TOP_N_SIGMA, LI_STAGE_TOP_H, LI_STAGE_TFS, LI_STAGE_XTC, LI_STAGE_MIROSTAT, LI_STAGE_ADAPTIVE_P}

// What systems do otherwise; an order's rules are a sum of these.
typedef enum li_rule {
    LI_RULE_KEEP_TIES = 1, // top-k, typical, epsilon and eta keep all the tokens that tie with the last
    LI_RULE_TYPICAL_EXCEEDS = 2, // typical goes on until the mass exceeds p
    LI_RULE_OUTPUT_SEQUENCES = 4, // sequence_bias does not look at the prompt
} li_rule;

// Options that are lists; lastinch.h says of what words.
typedef enum li_list_name {
    LI_LIST_BREAKERS = 0,
    LI_LIST_BIAS = 1,
    LI_LIST_BANNED = 2,
    LI_LIST_SEQUENCES = 3,
    LI_LIST_ALLOWED = 4,
    LI_LIST_EOS = 5,
    LI_LIST_FIRST = 6,
    LI_LIST_LAST = 7,
    LI_LIST_COUNT = 8
} li_list_name;

// X(list, the stage that it switches on unless it is empty)
#define LI_LISTS(X) \
    X(LI_LIST_BREAKERS, LI_STAGE_COUNT) \
    X(LI_LIST_BIAS, LI_STAGE_BIAS) \
    X(LI_LIST_BANNED, LI_STAGE_BIAS) \
    X(LI_LIST_SEQUENCES, LI_STAGE_SEQUENCE_BIAS) \
    X(LI_LIST_ALLOWED, LI_STAGE_COUNT) \
    X(LI_LIST_EOS, LI_STAGE_COUNT) \
    X(LI_LIST_FIRST, LI_STAGE_COUNT) \
    X(LI_LIST_LAST, LI_STAGE_COUNT)

#define LI_VOCAB_LIMIT 1048576u

#endif
