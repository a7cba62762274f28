// The families of models: how the graph of layer.c and forward.c differs from family to family.
#ifndef LI_FAMILIES_H
#define LI_FAMILIES_H

#include <stdbool.h>
#include <stdint.h>

// Groups of tensors that only some families have, as bits.
typedef enum li_tensors {
    LI_TENSORS_COMMON = 0,           // in every family
    LI_TENSORS_QKV = 1,              // matrices of queries, keys and values
    LI_TENSORS_FUSED_QKV = 2,        // the three as one tensor
    LI_TENSORS_GATE = 4,             // the gate of the feed forward block
    LI_TENSORS_FUSED_GATE = 8,       // the gate, in one tensor with the matrix that it gates
    LI_TENSORS_NORM_BEFORE = 16,     // norms of the inputs of attention and of the feed forward block
    LI_TENSORS_NORM_AFTER = 32,      // norms of their outputs
    LI_TENSORS_NORM_BIAS = 64,       // biases of norms
    LI_TENSORS_HEAD_NORM = 128,      // norms of each head of queries and keys
    LI_TENSORS_WIDE_NORM = 256,      // norms of all heads of queries together, and of keys
    LI_TENSORS_BLOCK_BIAS = 512,     // biases of the outputs of attention and of the feed forward block
    LI_TENSORS_ROPE_FACTORS = 1024,  // divisors of the frequencies of the rotary positions
    LI_TENSORS_LONG_FACTORS = 2048,  // the same, one table for short and one for long contexts
    LI_TENSORS_POSITIONS = 4096,     // learned vectors of the positions
    LI_TENSORS_CONVOLUTION = 8192,   // short convolutions, in layers without attention
    LI_TENSORS_DELTA_NET = 16384,    // gated delta nets, in layers without attention
    LI_TENSORS_NORM_BETWEEN = 32768, // as NORM_BEFORE, but the second norm has the name of a norm after attention
    LI_TENSORS_AHEAD = 65536,        // tensors that only a block that predicts a later token has
    LI_TENSORS_FEATURES = 131072,    // those of a layer that reads the states of another model (eagle.c)
} li_tensors;

// What else differs, as bits. Keys of the metadata that belong to a trait are refused in other families.
typedef enum li_traits {
    LI_HALVES = 1,              // rotary positions turn pairs (i, i + n / 2); otherwise (2 i, 2 i + 1)
    LI_NO_ROPE = 2,             // nothing is rotated
    LI_ROPE_BY_KEY = 4,         // rope.scaling.finetuned false: nothing is rotated
    LI_ROPE_BEFORE_NORM = 8,    // queries and keys are rotated before their norms
    LI_ROPE_IN_WINDOWS = 16,    // if there are sliding-window layers, the others rotate nothing
    LI_WINDOW_ROPE = 32,        // sliding-window layers have a base of their own, and no scaling
    LI_GELU = 64,               // GELU, approximated by tanh, in place of SiLU
    LI_CENTRED_NORMS = 128,     // norms subtract the mean (LayerNorm)
    LI_ROOT_EMBEDDING = 256,    // embeddings are multiplied by the square root of their width
    LI_SCALES = 512,            // keys for scales of embeddings, of the outputs of blocks, and of logits
    LI_MINICPM_SCALES = 1024,   // the defaults of these keys are MiniCPM's
    LI_CAPS = 2048,             // keys for limits of scores and of logits
    LI_PARALLEL = 4096,         // with use_parallel_residual both blocks of a layer have the same input
    LI_NEVER_PARALLEL = 8192,   // the key use_parallel_residual is ignored
    LI_GATED_ATTENTION = 16384, // the query matrix also gives the gates of the attention output
    LI_SECTIONED_ROPE = 32768,  // a key for sections of the rotated dimensions, which only positions of images use
    LI_PREDICTS_AHEAD = 65536,  // a key for blocks that predict a later token (draft.c)
} li_traits;

typedef struct li_family {
    const char *name; // general.architecture; its metadata keys begin with it
    uint32_t tensors; // li_tensors: the groups that its files may have
    uint32_t traits;  // li_traits
    // The last layer of each period differs. 0: no layer does.
    uint32_t window_period; // the last layer attends to all positions, the others to a sliding window
    uint32_t rope_period;   // the last layer rotates nothing
    // Defaults, where the file lacks the key:
    uint32_t window;            // positions; 0: no sliding window
    float window_base;          // base of the rotary positions of sliding-window layers; 0: that of the other layers
    float score_cap, logit_cap; // 0: none
} li_family;

// The family of this name (length), or NULL.
const li_family *li_family_find(const char *name, uint32_t length);

#endif
