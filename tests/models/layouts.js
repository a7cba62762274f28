// The layouts of real checkpoints, family by family: which tensors and keys their files have, and shapes for tests.

const qkNorm = { headNorm: true };
const gpt = {
  gelu: true,
  tokenizer: "gpt-2",
  fusedQkv: true,
  gate: "none",
  layerNorm: true,
  qkvBias: true,
  outputBias: true,
};
const gemma = { gelu: true, tokenizer: "llama", normAfter: true, rootEmbedding: true };
const afterOnly = { normBefore: false, normAfter: true };

// As in Qwen3.5: 11, 11, 10, 0 of 32 pairs.
const sectionsOf = (pairs) => [0, 1, 2].map((i) => Math.floor((pairs + 2 - i) / 3)).concat(0);

/**
 * tokenizer: tokenizer.ggml.pre, or "llama" for SentencePiece. gate: "fused" with what it gates, or "none". gelu:
 * llama.cpp reads the activation from a table of halves, with an error of a thousandth of the logits' deviation.
 * keys(shape): metadata of the family's own, below its name.
 * shapes: two, of rows divisible by 256, and of rows of which only those of ffn_down are (as in SmolLM2-135M).
 */
export const layouts = {
  llama: {
    tokenizer: "llama-bpe",
    even: { dim: 256, hidden: 512, layers: 2, heads: 4, kvHeads: 2, base: 10000, tokenizer: "llama" },
    odd: { dim: 192, hidden: 768, layers: 2, heads: 3, kvHeads: 1, base: 100000, tied: true },
    epsilon: 1e-5,
  },
  qwen2: {
    tokenizer: "qwen2",
    qkvBias: true,
    even: { dim: 256, hidden: 512, layers: 2, heads: 8, kvHeads: 2, base: 1e6 },
    odd: { dim: 224, hidden: 768, layers: 2, heads: 7, kvHeads: 1, base: 1e6, tied: true },
  },
  qwen3: {
    ...qkNorm,
    tokenizer: "qwen2",
    even: { dim: 256, hidden: 512, layers: 2, heads: 4, kvHeads: 2, keyWidth: 128, base: 1e6, tied: true },
    odd: { dim: 160, hidden: 768, layers: 2, heads: 4, kvHeads: 4, keyWidth: 64, base: 1e6 },
  },
  gemma3: {
    ...gemma,
    ...qkNorm,
    scaling: { type: ["text", "linear"], factor: ["f32", 8] },
    keys: ({ window, pattern }) => ({
      "attention.sliding_window": ["u32", window],
      ...(pattern && { "attention.sliding_window_pattern": ["u32", pattern] }),
    }),
    even: { dim: 256, hidden: 512, layers: 7, heads: 4, kvHeads: 1, base: 1e6, tied: true, window: 48 },
    odd: {
      dim: 160,
      hidden: 768,
      layers: 4,
      heads: 2,
      kvHeads: 1,
      keyWidth: 64,
      base: 1e6,
      tied: true,
      window: 100,
      pattern: 3,
    },
  },
  phi3: {
    tokenizer: "gpt-4o",
    fusedQkv: true,
    gate: "fused",
    keys: ({ original = 64 }) => ({
      "rope.scaling.original_context_length": ["u32", original],
      "rope.scaling.attn_factor": ["f32", 1.19],
      "attention.sliding_window": ["u32", 0],
    }),
    divisors: ["rope_factors_long", "rope_factors_short"],
    even: { dim: 256, hidden: 512, layers: 2, heads: 4, kvHeads: 2, base: 10000, ropeWidth: 48 },
    odd: { dim: 192, hidden: 768, layers: 2, heads: 2, kvHeads: 2, base: 10000, tied: true, original: 400 },
  },
  granite: {
    tokenizer: "refact",
    keys: ({ rotates = true }) => ({
      embedding_scale: ["f32", 12],
      residual_scale: ["f32", 0.22],
      "attention.scale": ["f32", 0.0625],
      logit_scale: ["f32", 8],
      ...(!rotates && { "rope.scaling.finetuned": ["bool", false] }),
    }),
    even: { dim: 256, hidden: 512, layers: 2, heads: 4, kvHeads: 2, base: 10000, tied: true },
    odd: { dim: 192, hidden: 768, layers: 2, heads: 3, kvHeads: 1, base: 1e7, outputBias: true, rotates: false },
  },
  smollm3: {
    tokenizer: "smaug-bpe",
    even: { dim: 256, hidden: 256, layers: 4, heads: 4, kvHeads: 1, base: 5e6, tied: true },
    odd: { dim: 96, hidden: 512, layers: 5, heads: 3, kvHeads: 3, base: 10000 },
  },
  olmo2: {
    ...afterOnly,
    tokenizer: "dbrx",
    wideNorm: true,
    keys: ({ window, pattern }) => ({
      ...(window && { "attention.sliding_window": ["u32", window] }),
      ...(pattern && { "attention.sliding_window_pattern": ["bool", pattern] }),
    }),
    even: { dim: 256, hidden: 512, layers: 2, heads: 4, kvHeads: 4, base: 500000 },
    odd: {
      ...{ dim: 160, hidden: 512, layers: 4, heads: 5, kvHeads: 5, base: 500000, window: 60 },
      pattern: [true, true, true, false],
      scaling: { type: ["text", "yarn"], factor: ["f32", 8], original_context_length: ["u32", 64] },
    },
  },
  exaone4: {
    ...afterOnly,
    ...qkNorm,
    tokenizer: "exaone4",
    keys: ({ window }) => (window ? { "attention.sliding_window": ["u32", window] } : {}),
    even: { dim: 256, hidden: 512, layers: 2, heads: 4, kvHeads: 2, base: 1e6, ropeFactors: true, tied: true },
    odd: { dim: 160, hidden: 768, layers: 2, heads: 5, kvHeads: 1, base: 1e6 },
  },
  ernie4_5: {
    tokenizer: "llama",
    even: { dim: 256, hidden: 512, layers: 2, heads: 4, kvHeads: 1, keyWidth: 128, base: 500000, tied: true },
    odd: { dim: 192, hidden: 768, layers: 2, heads: 3, kvHeads: 3, base: 500000, tied: true },
    epsilon: 1e-5,
  },
  gemma2: {
    ...gemma,
    // Low limits, which have an effect: the scores and logits of random weights are small.
    keys: ({ window, caps = [5, 4] }) => ({
      "attention.sliding_window": ["u32", window],
      attn_logit_softcapping: ["f32", caps[0]],
      final_logit_softcapping: ["f32", caps[1]],
    }),
    even: { dim: 256, hidden: 512, layers: 3, heads: 4, kvHeads: 2, base: 10000, tied: true, window: 50 },
    odd: {
      dim: 160,
      hidden: 768,
      layers: 2,
      heads: 2,
      kvHeads: 1,
      keyWidth: 64,
      base: 10000,
      tied: true,
      window: 4096,
    },
  },
  gpt2: {
    ...gpt,
    positions: true,
    even: { dim: 256, hidden: 512, layers: 2, heads: 4, kvHeads: 4, tied: true },
    odd: { dim: 96, hidden: 768, layers: 2, heads: 3, kvHeads: 3 },
  },
  gptneox: {
    ...gpt,
    keys: ({ parallel = true }) => ({ use_parallel_residual: ["bool", parallel] }),
    even: { dim: 256, hidden: 512, layers: 2, heads: 4, kvHeads: 4, base: 10000, ropeWidth: 16 },
    odd: { dim: 96, hidden: 768, layers: 2, heads: 3, kvHeads: 3, base: 10000, ropeWidth: 8, parallel: false },
  },
  stablelm: {
    tokenizer: "stablelm2",
    layerNorm: true,
    keys: () => ({ use_parallel_residual: ["bool", true] }),
    even: { dim: 256, hidden: 512, layers: 2, heads: 4, kvHeads: 4, base: 10000, ropeWidth: 16, qkvBias: true },
    odd: { dim: 160, hidden: 768, layers: 2, heads: 5, kvHeads: 5, base: 10000, ropeWidth: 8 },
  },
  minicpm: {
    tokenizer: "llama",
    embedding: 1 / 12,
    keys: ({ layers, dim, says = true }) =>
      says
        ? {
            embedding_scale: ["f32", 12],
            residual_scale: ["f32", 1.4 / layers ** 0.5],
            logit_scale: ["f32", dim / 128],
          }
        : {},
    even: { dim: 256, hidden: 512, layers: 2, heads: 4, kvHeads: 2, base: 10000, tied: true },
    odd: { dim: 192, hidden: 768, layers: 2, heads: 3, kvHeads: 3, base: 10000, tied: true },
  },
  lfm2: {
    ...qkNorm,
    tokenizer: "lfm2",
    taps: 3,
    even: { dim: 256, hidden: 512, layers: 4, heads: 4, kvHeads: [0, 2, 0, 2], base: 1e6, tied: true },
    odd: { dim: 160, hidden: 768, layers: 3, heads: 5, kvHeads: [0, 0, 1], base: 1e6, tied: true },
    keys: ({ taps }) => ({ "shortconv.l_cache": ["u32", taps] }),
  },
  "hunyuan-dense": {
    ...qkNorm,
    tokenizer: "hunyuan-dense",
    even: { dim: 256, hidden: 512, layers: 2, heads: 4, kvHeads: 2, base: 11158840, tied: true },
    odd: { dim: 160, hidden: 768, layers: 2, heads: 2, kvHeads: 1, keyWidth: 128, base: 10000 },
  },
  qwen35: {
    ...qkNorm,
    tokenizer: "qwen35",
    gatedQueries: true,
    even: {
      ...{
        dim: 256,
        hidden: 512,
        layers: 4,
        heads: 4,
        kvHeads: 2,
        base: 1e7,
        tied: true,
        ropeWidth: 32,
        keyWidth: 128,
      },
      delta: { heads: 4, keyHeads: 4, width: 64, taps: 4 },
    },
    odd: {
      ...{ dim: 160, hidden: 768, layers: 3, heads: 2, kvHeads: 1, base: 1e7, ropeWidth: 24, keyWidth: 64 },
      delta: { heads: 6, keyHeads: 2, width: 32, taps: 3, layers: [true, true, false] },
    },
    keys: ({ ropeWidth, delta, ahead }) => ({
      ...(ahead && { nextn_predict_layers: ["u32", ahead] }),
      "rope.dimension_sections": ["i32", sectionsOf(ropeWidth / 2)],
      "ssm.conv_kernel": ["u32", delta.taps],
      "ssm.state_size": ["u32", delta.width],
      "ssm.time_step_rank": ["u32", delta.heads],
      "ssm.group_count": ["u32", delta.keyHeads],
      "ssm.inner_size": ["u32", delta.heads * delta.width],
      ...(delta.layers
        ? { "attention.recurrent_layers": ["bool", [...delta.layers, ...Array(ahead ?? 0).fill(false)]] }
        : { full_attention_interval: ["u32", delta.interval ?? 4] }),
    }),
  },
};
