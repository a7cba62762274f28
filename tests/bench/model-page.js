// The part of the model bench that runs in a page: our variants and wllama side by side.
import { openModel } from "../js/model-wasm.js";

const bytesOf = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());
const tokens = Array.from({ length: 64 }, (_, i) => 3 + 7 * i);
const open = {};
const TURNS = 100000;

function time(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

/** wllama without a model. */
export async function newWllama() {
  const { Wllama } = await import("/build/bench/node_modules/@wllama/wllama/esm/index.js");
  const wasm = "/build/bench/node_modules/@wllama/wllama/esm/wasm/wllama.wasm";
  const quiet = { debug() {}, log() {}, warn() {}, error() {} };
  const names = ["default", "single-thread/wllama.wasm", "multi-thread/wllama.wasm"];
  return new Wllama(Object.fromEntries(names.map((name) => [name, wasm])), { logger: quiet });
}

/** A file of a Blob in wllama, on one thread. */
export async function openWllama(blob) {
  const peer = await newWllama();
  await peer.loadModel([blob], { n_ctx: 512, n_threads: 1, n_gpu_layers: 0 });
  return peer;
}

/** `shape` as in model-peers.js, with the number of the type. */
export async function openAll(path, shape, type) {
  const file = await bytesOf(path);
  for (const variant of ["model", "model-relaxed"])
    open[variant] = await openModel(file, { wasm: await bytesOf(`/build/wasm/${variant}.wasm`), sequences: 1 });
  open.isFast = open["model-relaxed"].c.li_goes_by_bytes() === 1;
  const { instance } = await WebAssembly.instantiate(await bytesOf("/build/bench/limits.wasm"), {});
  open.limits = instance.exports;
  open.limits._initialize?.();
  open.limits.make_matrices(type, shape.dim, shape.hidden, shape.layers, shape.vocab);
  open.size = file.length & ~63;
  open.bytes = open.limits.li_memory_alloc(open.size);
  try {
    open.peer = await openWllama(new Blob([file]));
  } catch (error) {
    return { isFast: open.isFast, peer: String(error) };
  }
  return { isFast: open.isFast, peer: "" };
}

/** Milliseconds: a token (eight at a time), a token of a prompt of 64, a step of one row, a step of four. */
export function measureOurs(variant, byBytes) {
  const model = open[variant];
  if (byBytes !== undefined) model.c.li_go_by_bytes(byBytes);
  model.keep(0);
  const eights = Array.from({ length: tokens.length / 8 }, (_, i) => tokens.slice(8 * i, 8 * i + 8));
  const decode = eights.map((eight) => time(() => eight.forEach((token) => model.forward([token]))) / 8);
  const prefill = Array.from({ length: 4 }, () => {
    model.keep(0);
    return time(() => model.forward(tokens)) / tokens.length;
  });
  let one = Infinity;
  let four = Infinity;
  for (let i = 0; i < 5; i++) {
    model.keep(8);
    one = Math.min(
      one,
      time(() => model.forward([3])),
    );
    model.keep(8);
    four = Math.min(
      four,
      time(() => model.forward([3, 4, 5, 6], { all: true })),
    );
  }
  return { decode, prefill, one, four };
}

/**
 * Milliseconds: reading as many bytes as the file has, a step's products for one row, a step at 256 positions, a million
 * multiply-adds of 16 bits and of floats.
 */
export function measureLimits() {
  const { limits, bytes, size } = open;
  const model = open.model;
  model.keep(0);
  for (let i = 0; i < 4; i++) model.forward(tokens);
  const result = {};
  const keepBest = (name, run, share = 1) => (result[name] = Math.min(result[name] ?? Infinity, time(run) / share));
  for (let i = 0; i < 5; i++) {
    keepBest("words", () => limits.multiply_words_only(TURNS, 3), (TURNS * 96) / 1e6);
    keepBest("floats", () => limits.multiply_floats_only(TURNS, 1e-9), (TURNS * 48) / 1e6);
    keepBest("read", () => limits.read_only(bytes, size));
    for (let again = 0; again < 3; again++) keepBest("products", () => limits.multiply_all(1));
    keepBest("four", () => limits.multiply_all(4));
    for (let again = 0; again < 3; again++) {
      model.keep(255);
      keepBest("step", () => model.forward([3]));
    }
  }
  return result;
}

/** Milliseconds a token, or null. */
export const measurePeer = async (count) => (open.peer ? timeOfToken(open.peer, count) : null);

/** Milliseconds a token of wllama. They arrive in bursts, so only the whole run counts. */
export async function timeOfToken(peer, count) {
  const options = { prompt: "a", max_tokens: count, temperature: 0, stream: true, ignore_eos: true };
  const times = [];
  for await (const _ of await peer.createCompletion(options)) times.push(performance.now());
  return (times.at(-1) - times[0]) / (times.length - 1);
}

/** Milliseconds a token of a prompt of about `count` tokens in wllama, by its own clock. */
export async function timeOfPrompt(peer, count) {
  const prompt = Array.from({ length: count }, (_, i) => String.fromCharCode(65 + ((7 * i) % 26))).join("");
  const { timings } = await peer.createCompletion({ prompt, max_tokens: 1, cache_prompt: false });
  return timings.prompt_ms / timings.prompt_n;
}

export async function closeAll() {
  await open.peer?.exit();
}
