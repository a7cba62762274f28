// Generated from src/tables/options.json by wasm/generate.js: edit that, then run `make generate`.
// clang-format off
#ifndef LI_OPTIONS_H
#define LI_OPTIONS_H

// Every scalar option is a double, so the struct is the array of numbers that callers write.
typedef struct li_options {
    // Number of real tokens; the padding beyond it can never be chosen.
    double token_count;
    // Divides the logits: below 1 sharpens, above 1 flattens, 0 is greedy.
    double temperature;
    // Lets the temperature move this far up and down with the entropy. 0 switches it off.
    double dynatemp_range;
    // Exponent of the entropy, as a share of its maximum, when it sets the temperature within dynatempRange.
    double dynatemp_exponent;
    // Keeps the k most likely tokens. 0 switches it off.
    double top_k;
    // Keeps the smallest set of tokens whose probabilities sum to p. 1 switches it off.
    double top_p;
    // Keeps tokens at least this fraction as likely as the likeliest. 0 switches it off.
    double min_p;
    // Keeps the tokens whose surprise is nearest the entropy, until their probabilities sum to p. 1 switches it off.
    double typical_p;
    // Keeps tokens of at least this probability. 0 switches it off.
    double epsilon_cutoff;
    // As epsilonCutoff, but with a lower bound where the distribution is flat. 0 switches it off.
    double eta_cutoff;
    // Keeps tokens whose logit is within n standard deviations of the largest. 0 switches it off.
    double top_n_sigma;
    // Keeps the likeliest tokens while they hold no more than this fraction of the entropy. 0 switches it off.
    double top_h;
    // Tail-free sampling: sorts the probabilities, and cuts where the bends of their curve reach the share z of all
    // bends. 1 switches it off.
    double tfs_z;
    // Probability, per step, of excluding the top choices: all tokens that reach xtcThreshold, except the least likely
    // of these. 0 switches it off.
    double xtc_probability;
    // Probability that makes a token a top choice. Above 0.5 no token is excluded.
    double xtc_threshold;
    // Holds the surprise of the text at mirostatTau: version 1 or 2. 0 switches it off.
    double mirostat;
    // The surprise that mirostat aims at, in bits.
    double mirostat_tau;
    // How fast mirostat corrects itself.
    double mirostat_eta;
    // Adaptive-p: favours tokens near this probability, so that this is the average probability of the chosen tokens.
    // Negative switches it off.
    double adaptive_target;
    // How slowly adaptive-p forgets the probabilities of the chosen tokens.
    double adaptive_decay;
    // Every truncation leaves at least this many tokens, except top-n-sigma and (in all orders but hf) top-k.
    double min_keep;
    // Divides the positive and multiplies the negative logits of tokens already in scope. 1 switches it off.
    double repetition_penalty;
    // Subtracted from a token's logit once per occurrence in scope. 0 switches it off.
    double frequency_penalty;
    // Subtracted from a token's logit once when it occurs in scope. 0 switches it off.
    double presence_penalty;
    // How many of the last tokens the penalties count; 0 is all tokens.
    double penalty_window;
    // What repetitionPenalty counts: prompt and output, or output only. 0 = context, 1 = generated.
    double repetition_scope;
    // What frequencyPenalty and presencePenalty count: prompt and output, or output only. 0 = context, 1 = generated.
    double count_scope;
    // DRY: subtracts multiplier * base^(length - allowedLength) from a token that would extend a repetition of that
    // length. 0 switches it off.
    double dry_multiplier;
    // How fast DRY's penalty grows with the length of the repetition.
    double dry_base;
    // DRY penalises repetitions of at least this many tokens.
    double dry_allowed_length;
    // Bans every token that would complete an n-gram for a second time. 0 switches it off.
    double no_repeat_ngram;
    // Bans eos until this many tokens are generated. 0 switches it off.
    double min_tokens;
    // Adds the logit's size times (lengthDecay^n - 1) to eos, n tokens after lengthDecayStart. 1 switches it off.
    double length_decay;
    // Number of generated tokens after which lengthDecay begins.
    double length_decay_start;
    // Length of the output in tokens, for forcedLast.
    double max_tokens;
    // How a token is drawn: with one random number, or with one for each survivor (Gumbel-max). The distribution is the
    // same. 0 = multinomial, 1 = gumbel.
    double draw;
    // Start of the random stream: the same seed and logits give the same tokens everywhere.
    double seed;
    // Which of the seed's independent random streams to draw from.
    double stream;
} li_options;

#define LI_OPTION_COUNT 38

// The rules of an option: indices into LI_OPTION_NUMBERS, 1 if only whole numbers are allowed, and the stage that every
// value but the default switches on.
typedef struct li_option_rule {
    uint8_t default_value, minimum, maximum, is_integer, stage;
} li_option_rule;
#define LI_OPTION_NUMBERS { \
    0., 1., 1048576., 1000000., 100., 4294967295., 1000., 0.1, 2., 5., -1., 0.9, 0.99, 0.001, -1000., 1.75, \
    9007199254740991. \
}
#define LI_OPTION_RULES { \
    {0, 1, 2, 1, LI_STAGE_COUNT}, /* token_count */ \
    {1, 0, 3, 0, LI_STAGE_TEMPERATURE}, /* temperature */ \
    {0, 0, 3, 0, LI_STAGE_TEMPERATURE}, /* dynatemp_range */ \
    {1, 0, 4, 0, LI_STAGE_COUNT}, /* dynatemp_exponent */ \
    {0, 0, 5, 1, LI_STAGE_TOP_K}, /* top_k */ \
    {1, 0, 1, 0, LI_STAGE_TOP_P}, /* top_p */ \
    {0, 0, 1, 0, LI_STAGE_MIN_P}, /* min_p */ \
    {1, 0, 1, 0, LI_STAGE_TYPICAL}, /* typical_p */ \
    {0, 0, 1, 0, LI_STAGE_EPSILON}, /* epsilon_cutoff */ \
    {0, 0, 1, 0, LI_STAGE_ETA}, /* eta_cutoff */ \
    {0, 0, 6, 0, LI_STAGE_TOP_N_SIGMA}, /* top_n_sigma */ \
    {0, 0, 1, 0, LI_STAGE_TOP_H}, /* top_h */ \
    {1, 0, 1, 0, LI_STAGE_TFS}, /* tfs_z */ \
    {0, 0, 1, 0, LI_STAGE_XTC}, /* xtc_probability */ \
    {7, 0, 1, 0, LI_STAGE_COUNT}, /* xtc_threshold */ \
    {0, 0, 8, 1, LI_STAGE_MIROSTAT}, /* mirostat */ \
    {9, 0, 4, 0, LI_STAGE_COUNT}, /* mirostat_tau */ \
    {7, 0, 1, 0, LI_STAGE_COUNT}, /* mirostat_eta */ \
    {10, 10, 1, 0, LI_STAGE_ADAPTIVE_P}, /* adaptive_target */ \
    {11, 0, 12, 0, LI_STAGE_COUNT}, /* adaptive_decay */ \
    {1, 1, 2, 1, LI_STAGE_COUNT}, /* min_keep */ \
    {1, 13, 6, 0, LI_STAGE_REPETITION}, /* repetition_penalty */ \
    {0, 14, 6, 0, LI_STAGE_FREQUENCY}, /* frequency_penalty */ \
    {0, 14, 6, 0, LI_STAGE_FREQUENCY}, /* presence_penalty */ \
    {0, 0, 5, 1, LI_STAGE_COUNT}, /* penalty_window */ \
    {0, 0, 1, 1, LI_STAGE_COUNT}, /* repetition_scope */ \
    {1, 0, 1, 1, LI_STAGE_COUNT}, /* count_scope */ \
    {0, 0, 6, 0, LI_STAGE_DRY}, /* dry_multiplier */ \
    {15, 1, 6, 0, LI_STAGE_COUNT}, /* dry_base */ \
    {8, 1, 5, 1, LI_STAGE_COUNT}, /* dry_allowed_length */ \
    {0, 0, 5, 1, LI_STAGE_NO_REPEAT_NGRAM}, /* no_repeat_ngram */ \
    {0, 0, 5, 1, LI_STAGE_MIN_TOKENS}, /* min_tokens */ \
    {1, 13, 6, 0, LI_STAGE_LENGTH_DECAY}, /* length_decay */ \
    {0, 0, 5, 1, LI_STAGE_COUNT}, /* length_decay_start */ \
    {0, 0, 5, 1, LI_STAGE_COUNT}, /* max_tokens */ \
    {0, 0, 1, 1, LI_STAGE_COUNT}, /* draw */ \
    {0, 0, 16, 1, LI_STAGE_COUNT}, /* seed */ \
    {0, 0, 5, 1, LI_STAGE_COUNT}, /* stream */ \
}

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
#define LI_EDIT_STAGES ( \
    1u << LI_STAGE_BIAS | \
    1u << LI_STAGE_SEQUENCE_BIAS | \
    1u << LI_STAGE_REPETITION | \
    1u << LI_STAGE_FREQUENCY | \
    1u << LI_STAGE_DRY | \
    1u << LI_STAGE_NO_REPEAT_NGRAM | \
    1u << LI_STAGE_LENGTH_DECAY | \
    1u << LI_STAGE_MIN_TOKENS)
// Stages that learn from the draw: they come after all others.
#define LI_FEEDBACK_STAGES (1u << LI_STAGE_MIROSTAT | 1u << LI_STAGE_ADAPTIVE_P)

// Differences between systems. The rules of an order are a sum of these.
typedef enum li_rule {
    LI_RULE_KEEP_TIES = 1, // top-k, typical, epsilon and eta keep all tokens that tie with the last kept token
    LI_RULE_TYPICAL_EXCEEDS = 2, // typical continues until the mass exceeds p
    LI_RULE_OUTPUT_SEQUENCES = 4, // sequence_bias reads the output only
    LI_RULE_TOP_KEEPS_LEAST = 8, // top-k leaves at least minKeep tokens too
} li_rule;

// Options that are lists; li_sampler_set_list says their formats.
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

// The stages that nonempty lists switch on.
#define LI_LIST_STAGES { \
    LI_STAGE_COUNT, /* breakers */ \
    LI_STAGE_BIAS, /* bias */ \
    LI_STAGE_BIAS, /* banned */ \
    LI_STAGE_SEQUENCE_BIAS, /* sequences */ \
    LI_STAGE_COUNT, /* allowed */ \
    LI_STAGE_COUNT, /* eos */ \
    LI_STAGE_COUNT, /* first */ \
    LI_STAGE_COUNT, /* last */ \
}

#define LI_VOCAB_LIMIT 1048576u

#endif
