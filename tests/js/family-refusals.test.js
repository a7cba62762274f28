// Keys and tensors that a family does not have, or cannot do without, on small files of random weights.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadModel } from "lastinch";
import { layouts } from "../models/layouts.js";
import { randomModel } from "../models/random-model.js";
import { families, floatFile, forced } from "../vectors/family-files.js";
import { openModel } from "./model-wasm.js";

test("a key that belongs to other families is refused", async () => {
  const foreign = {
    logit_scale: ["f32", 2],
    residual_scale: ["f32", 2],
    embedding_scale: ["f32", 2],
    attn_logit_softcapping: ["f32", 50],
    final_logit_softcapping: ["f32", 30],
    use_parallel_residual: ["bool", true],
    "attention.key_length_swa": ["u32", 32],
    expert_count: ["u32", 8],
    nextn_predict_layers: ["u32", 1],
  };
  const its = {
    granite: ["logit_scale", "residual_scale", "embedding_scale"],
    minicpm: ["logit_scale", "residual_scale", "embedding_scale"],
    gemma2: ["attn_logit_softcapping", "final_logit_softcapping"],
    gemma3: ["attn_logit_softcapping", "final_logit_softcapping"],
    gptneox: ["use_parallel_residual"],
    stablelm: ["use_parallel_residual"],
    qwen35: ["nextn_predict_layers"],
  };
  for (const family of families) {
    for (const [key, value] of Object.entries(foreign)) {
      const keys = (shape) => ({ ...layouts[family].keys?.(shape), [key]: value });
      const ahead = family === "qwen35" && key === "nextn_predict_layers" ? 1 : 0;
      const opened = openModel(floatFile(family, { keys, ahead }), { slots: 8 });
      if (its[family]?.includes(key)) (await opened).dispose();
      else await assert.rejects(opened, /status -30$/, `${family}.${key}`);
    }
  }
});

test("a scale of 0 and a negative limit are refused", async () => {
  for (const [family, key, value] of [
    ["granite", "logit_scale", 0],
    ["minicpm", "embedding_scale", -1],
    ["gemma2", "attn_logit_softcapping", -50],
    ["gemma3", "final_logit_softcapping", NaN],
  ])
    await assert.rejects(
      openModel(floatFile(family, { keys: () => ({ [key]: ["f32", value] }) }), { slots: 8 }),
      /status -34$/,
      `${family}.${key}`,
    );
});

test("a missing tensor is named, and a tensor of another family is refused", async () => {
  const opened = (family, flags) => openModel(floatFile(family, flags), { slots: 8 });
  for (const [family, flags] of [
    ["gpt2", { positions: false }],
    ["gptneox", { layerNorm: false, keys: () => ({ "attention.layer_norm_epsilon": ["f32", 1e-5] }) }],
    ["olmo2", { wideNorm: false }],
    ["gemma3", { normAfter: false }],
    ["exaone4", { headNorm: false }],
    ["smollm3", { gate: "none" }],
    ["phi3", { divisors: ["rope_factors_long"] }],
  ])
    await assert.rejects(opened(family, flags), /status -3[01]$/, family);
  for (const [family, flags] of [
    ["llama", { headNorm: true }],
    ["qwen2", { normAfter: true }],
    ["ernie4_5", { outputBias: true }],
    ["granite", { fusedQkv: true }],
    ["gptneox", { positions: true }],
    ["smollm3", { ropeFactors: true }],
  ])
    await assert.rejects(opened(family, flags), /status -30$/, family);
  // A layer has attention or a short convolution, and the file says which.
  const lfm2 = (kvHeads, keys = {}) =>
    opened("lfm2", { kvHeads, keys: () => ({ "shortconv.l_cache": ["u32", 3], ...keys }) });
  const says = (type, list) => ({ "attention.head_count_kv": [type, list] });
  (await lfm2([0, 1, 0])).dispose();
  await assert.rejects(lfm2([0, 1, 0], says("u32", [1, 1, 0])), /status -30$/);
  await assert.rejects(lfm2([0, 1, 0], says("u32", [0, 0, 0])), /status -34$/);
  await assert.rejects(lfm2([0, 1, 0], says("u32", [0, 1])), /status -34$/);
  await assert.rejects(lfm2([0, 1, 0], says("f32", [0, 1, 0])), /status -34$/);
  await assert.rejects(lfm2([0, 1, 0], { "shortconv.l_cache": ["u32", 0] }), /status -34$/);
  await assert.rejects(lfm2([0, 1, 0], { "shortconv.l_cache": ["u32", 4] }), /status -32$/);
  await assert.rejects(opened("qwen3", { taps: 3, kvHeads: [0, 1] }), /status -34$/);
  // With the gate in one tensor, or without it.
  await assert.rejects(opened("phi3", { gate: undefined }), /status -30$/);
  await assert.rejects(opened("phi3", { gate: "none" }), /status -3[02]$/);
  await assert.rejects(opened("llama", { gate: "fused" }), /status -32$/);
  await assert.rejects(opened("olmo2", { headNorm: true, wideNorm: false }), /status -32$/);
});

test("a file that is refused may run elsewhere, and the sentence says where", async () => {
  const says = (what) => ({
    code: "model-architecture",
    message: new RegExp(`Its ${what} .*It may run in transformers\\.js, with "lastinch/transformers"`),
  });
  const sections = { "rope.dimension_sections": ["i32", [3, 3, 1, 1]] };
  const keys = (shape) => ({ ...layouts.qwen35.keys(shape), ...sections });
  const load = (file) => loadModel(file, { worker: false });
  await assert.rejects(load(floatFile("qwen35", { keys })), says('key "qwen35.rope.dimension_sections"'));
  await assert.rejects(
    load(floatFile("qwen2", { normAfter: true })),
    says('tensor "blk.0.post_attention_norm.weight"'),
  );
  for (const family of ["gemma4", "mamba", "mamba2", "granitehybrid", "qwen3moe"])
    await assert.rejects(load(randomModel(family, layouts.llama.odd, {})), says(`family "${family}"`));
});

test("the sizes of a delta net must fit each other, and the file must name its layers", async () => {
  const qwen = async (others, flags) => {
    const keys = (shape) => ({ ...layouts.qwen35.keys(shape), ...others });
    (await openModel(floatFile("qwen35", { keys, ...flags }), { slots: 8 })).dispose();
  };
  const sections = (...list) => ({ "rope.dimension_sections": ["i32", list] });
  await qwen({});
  await qwen(sections(3, 3, 2, 0));
  await qwen(sections(3, 3, 2));
  for (const list of [
    [8, 0, 0, 0], // two of each three pairs belong to no section
    [3, 3, 1, 1],
    [0, 0, 0, 0],
    [-3, 3, 2, 0],
  ])
    await assert.rejects(qwen(sections(...list)), /status -30$/, `${list}`);
  for (const [key, value] of [
    ["ssm.conv_kernel", 0],
    ["ssm.state_size", 30],
    ["ssm.state_size", 512],
    ["ssm.time_step_rank", 3],
    ["ssm.group_count", 3],
    ["ssm.inner_size", 96],
    ["full_attention_interval", 0],
    ["nextn_predict_layers", 4],
    ["attention.value_length", 32],
  ])
    await assert.rejects(qwen({ [key]: ["u32", value] }), /status -34$/, `${key} ${value}`);
  const layers = (type, ...list) => ({ "attention.recurrent_layers": [type, list] });
  await qwen(layers("bool", true, true, true, false));
  await assert.rejects(qwen(layers("bool", true, true, false, true)), /status -3[01]$/);
  await assert.rejects(qwen(layers("bool", true, true, true)), /status -34$/);
  await assert.rejects(qwen(layers("f32", 1, 1, 1, 0)), /status -34$/);
  await assert.rejects(qwen({}, { gatedQueries: false }), /status -32$/);
  await assert.rejects(qwen({ "ssm.conv_kernel": ["u32", 3] }), /status -32$/);
});

test("a block that predicts later tokens must be complete and have the model's shape", async () => {
  const open = (change) => openModel(floatFile("qwen35", { ahead: 1, change }), { slots: 8 });
  const block = (part) => `blk.4.${part}.weight`;
  (await open()).dispose();
  // A block without its own norm shares the model's last one.
  (await open((tensors) => tensors.filter(({ name }) => name !== block("nextn.shared_head_norm")))).dispose();
  for (const part of ["nextn.eh_proj", "nextn.enorm", "nextn.hnorm", "attn_q", "attn_k_norm", "ffn_down"]) {
    const without = (tensors) => tensors.filter(({ name }) => name !== block(part));
    await assert.rejects(open(without), /status -31$/, part);
  }
  for (const [part, shape] of [
    ["nextn.eh_proj", [96, 192]],
    ["nextn.eh_proj", [192, 95]],
    ["nextn.enorm", [192]],
    ["nextn.hnorm", [95]],
    ["nextn.shared_head_norm", [1]],
    ["attn_q", [96, 192]],
  ]) {
    const data = new Float32Array(shape.reduce((product, side) => product * side, 1));
    const other = (tensors) => tensors.map((one) => (one.name === block(part) ? { ...one, shape, data } : one));
    await assert.rejects(open(other), /status -32$/, `${part} ${shape}`);
  }
  // Tensors of the block are refused in other layers, and tensors of a delta net in the block.
  const renamed = (from, to) => (tensors) => tensors.map((one) => (one.name === from ? { ...one, name: to } : one));
  await assert.rejects(open(renamed(block("nextn.enorm"), "blk.3.nextn.enorm.weight")), /status -30$/);
  await assert.rejects(open(renamed("blk.0.ssm_beta.weight", block("ssm_beta"))), /status -30$/);
  await assert.rejects(open(renamed(block("nextn.enorm"), "blk.5.nextn.enorm.weight")), /status -30$/);
});

test("there cannot be more blocks that predict later tokens than the file has layers", async () => {
  const open = (ahead, blocks) => {
    const keys = (shape) => ({
      ...layouts.qwen35.keys(shape),
      nextn_predict_layers: ["u32", ahead],
      ...(blocks && { block_count: ["u32", blocks] }),
    });
    return openModel(floatFile("qwen35", { keys, ahead: 1 }), { slots: 8 });
  };
  await assert.rejects(open(5), /status -34$/);
  await assert.rejects(open(2 ** 32 - 1), /status -34$/);
  await assert.rejects(open(1, 100_000), /status -3[14]$/);
  await assert.rejects(open(1, 2 ** 32 - 1), /status -34$/);
  await assert.rejects(open(60, 65), /status -3[01]$/);
});

test("layers that predict a later token change nothing", async () => {
  const logits = async (flags) => {
    const model = await openModel(floatFile("qwen35", flags), { slots: 40 });
    return [...model.forward(forced.slice(0, 40))];
  };
  for (const ahead of [1, 2]) assert.deepEqual(await logits({ ahead }), await logits({}));
});
