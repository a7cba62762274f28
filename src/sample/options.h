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
    double min_keep; // The truncations, top-k and top-n-sigma apart, leave at least this many tokens.
    double repetition_penalty; // Divides the positive and multiplies the negative logits of tokens already in scope. 1 switches it off.
    double frequency_penalty; // Subtracted from a token's logit once per occurrence in scope. 0 switches it off.
    double presence_penalty; // Subtracted from a token's logit once when it occurs in scope. 0 switches it off.
    double penalty_window; // How many of the last tokens the penalties look at; 0 is all of them.
    double repetition_scope; // What repetitionPenalty counts: prompt and output, or output only. 0 = context, 1 = generated.
    double count_scope; // What frequencyPenalty and presencePenalty count: prompt and output, or output only. 0 = context, 1 = generated.
    double seed; // Start of the random stream: the same seed and logits give the same tokens everywhere.
} li_options;

#define LI_OPTION_COUNT 23

// X(name, default, minimum, maximum, 1 when whole numbers only)
#define LI_OPTIONS(X) \
    X(token_count, 0., 1., 1048576., 1) \
    X(temperature, 1., 0., 1000000., 0) \
    X(dynatemp_range, 0., 0., 1000000., 0) \
    X(dynatemp_exponent, 1., 0., 100., 0) \
    X(top_k, 0., 0., 4294967295., 1) \
    X(top_p, 1., 0., 1., 0) \
    X(min_p, 0., 0., 1., 0) \
    X(typical_p, 1., 0., 1., 0) \
    X(epsilon_cutoff, 0., 0., 1., 0) \
    X(eta_cutoff, 0., 0., 1., 0) \
    X(top_n_sigma, 0., 0., 1000., 0) \
    X(top_h, 0., 0., 1., 0) \
    X(tfs_z, 1., 0., 1., 0) \
    X(xtc_probability, 0., 0., 1., 0) \
    X(xtc_threshold, 0.1, 0., 1., 0) \
    X(min_keep, 1., 1., 1048576., 1) \
    X(repetition_penalty, 1., 0.001, 1000., 0) \
    X(frequency_penalty, 0., -1000., 1000., 0) \
    X(presence_penalty, 0., -1000., 1000., 0) \
    X(penalty_window, 0., 0., 4294967295., 1) \
    X(repetition_scope, 0., 0., 1., 1) \
    X(count_scope, 1., 0., 1., 1) \
    X(seed, 0., 0., 9007199254740991., 1)

typedef enum li_stage {
    LI_STAGE_MASK = 0,
    LI_STAGE_BIAS = 1,
    LI_STAGE_REPETITION = 2,
    LI_STAGE_FREQUENCY = 3,
    LI_STAGE_TEMPERATURE = 4,
    LI_STAGE_TOP_K = 5,
    LI_STAGE_TOP_P = 6,
    LI_STAGE_MIN_P = 7,
    LI_STAGE_TYPICAL = 8,
    LI_STAGE_EPSILON = 9,
    LI_STAGE_ETA = 10,
    LI_STAGE_TOP_N_SIGMA = 11,
    LI_STAGE_TOP_H = 12,
    LI_STAGE_TFS = 13,
    LI_STAGE_XTC = 14,
    LI_STAGE_COUNT = 15
} li_stage;

// Stages that edit logits: they come before all others.
#define LI_EDIT_STAGES (1u << LI_STAGE_BIAS | 1u << LI_STAGE_REPETITION | 1u << LI_STAGE_FREQUENCY)
#define LI_DEFAULT_ORDER {LI_STAGE_BIAS, LI_STAGE_REPETITION, LI_STAGE_FREQUENCY, LI_STAGE_TEMPERATURE, LI_STAGE_TOP_K, LI_STAGE_TOP_P, LI_STAGE_MIN_P, LI_STAGE_TYPICAL, LI_STAGE_EPSILON, LI_STAGE_ETA, LI_STAGE_TOP_N_SIGMA, LI_STAGE_TOP_H, LI_STAGE_TFS, LI_STAGE_XTC}

#define LI_VOCAB_LIMIT 1048576u

#endif
