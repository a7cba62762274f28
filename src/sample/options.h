// Generated from src/tables/options.json by wasm/generate.js: edit that, then run `make generate`.
// clang-format off
#ifndef LI_OPTIONS_H
#define LI_OPTIONS_H

// Every scalar option is a double, so that the struct is the array of numbers that callers write.
typedef struct li_options {
    double token_count; // Number of real tokens; the padding beyond it can never be chosen.
    double temperature; // Divides the logits: below 1 sharpens, above 1 flattens, 0 is greedy.
    double top_k; // Keeps the k most likely tokens. 0 switches it off.
    double top_p; // Keeps the smallest set of tokens whose probabilities sum to p. 1 switches it off.
    double min_p; // Keeps tokens at least this fraction as likely as the likeliest. 0 switches it off.
    double repetition_penalty; // Divides the positive and multiplies the negative logits of tokens already in scope. 1 switches it off.
    double frequency_penalty; // Subtracted from a token's logit once per occurrence in scope. 0 switches it off.
    double presence_penalty; // Subtracted from a token's logit once when it occurs in scope. 0 switches it off.
    double penalty_window; // How many of the last tokens the penalties look at; 0 is all of them.
    double repetition_scope; // What repetitionPenalty counts: prompt and output, or output only. 0 = context, 1 = generated.
    double count_scope; // What frequencyPenalty and presencePenalty count: prompt and output, or output only. 0 = context, 1 = generated.
    double seed; // Start of the random stream: the same seed and logits give the same tokens everywhere.
} li_options;

#define LI_OPTION_COUNT 12

// X(name, default, minimum, maximum, 1 when whole numbers only)
#define LI_OPTIONS(X) \
    X(token_count, 0., 1., 1048576., 1) \
    X(temperature, 1., 0., 1000000., 0) \
    X(top_k, 0., 0., 4294967295., 1) \
    X(top_p, 1., 0., 1., 0) \
    X(min_p, 0., 0., 1., 0) \
    X(repetition_penalty, 1., 1e-3, 1000., 0) \
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
    LI_STAGE_COUNT = 8
} li_stage;

// Stages that edit logits: they come before all others.
#define LI_EDIT_STAGES (1u << LI_STAGE_BIAS | 1u << LI_STAGE_REPETITION | 1u << LI_STAGE_FREQUENCY)
#define LI_DEFAULT_ORDER {LI_STAGE_BIAS, LI_STAGE_REPETITION, LI_STAGE_FREQUENCY, LI_STAGE_TEMPERATURE, LI_STAGE_TOP_K, LI_STAGE_TOP_P, LI_STAGE_MIN_P}

#define LI_VOCAB_LIMIT 1048576u

#endif
