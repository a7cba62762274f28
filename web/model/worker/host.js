// The model's side of the messages between a page and its models; model/link.js is the page's side.
import { takeFiles } from "../../core/inlined.js";
import { ModelError } from "../../core/model-errors.js";
import { inTime } from "../../core/time-limit.js";
import { Engine } from "./engine.js";
import { estimate } from "./estimate-header.js";
import { Heads } from "./heads.js";
import { LoneTokenizer } from "./lone-tokenizer.js";
import { loadProgress } from "./load-progress.js";
import { readSource } from "./model-file.js";
import { Sequence } from "./sequence.js";
import { startHelper } from "./start-helper.js";
import { CANCELLED, Job } from "./turns.js";

/**
 * Messages to the host. `call` is the number of the call; its answers have it too.
 * @typedef {{ kind: "load", call: number, model: number, source: import("./model-file.js").FileSource, contextLength: number,
 *       cacheType: "auto" | "f32" | "f16" | "q8_0", threads: number | "auto", preTokenizer?: string, stallTimeout: number,
 *       cache: boolean | "shared" }
 *   | { kind: "estimate", call: number, model: number, source: import("./model-file.js").FileSource, contextLength: number,
 *       cacheType: "auto" | "f32" | "f16" | "q8_0", preTokenizer?: string, stallTimeout: number }
 *   | { kind: "tokenizer", call: number, model: number, source: import("./model-file.js").FileSource, preTokenizer?: string,
 *       stallTimeout: number }
 *   | { kind: "trace", call: number, model: number, text: string }
 *   | { kind: "piece", call: number, bytes?: Uint8Array, error?: string }
 *   | { kind: "tokenize", call: number, model: number, text: string | (string | number)[], bos: boolean, special: boolean }
 *   | { kind: "detokenize", call: number, model: number, ids: Uint32Array }
 *   | { kind: "score", call: number, model: number, input: string | Uint32Array }
 *   | { kind: "activations", call: number, model: number, input: string | Uint32Array }
 *   | { kind: "forward", call: number, model: number, ids: Uint32Array, keep: number, rows: "last" | "all", parents?: Int32Array }
 *   | { kind: "compile", call: number, model: number, grammar: import("../../grammar/posted.js").PostedGrammar, isKept: boolean }
 *   | { kind: "save" | "keepPrefix", call: number, model: number, prompt: string | Uint32Array, bytes: number }
 *   | { kind: "restore", call: number, model: number, blob: Blob }
 *   | { kind: "count", call: number, model: number, prompt: string | Uint32Array, heal: boolean }
 *   | { kind: "generate", call: number, model: number, prompt: string | Uint32Array, room: number,
 *       settings: import("../../decode/decode-types.js").GenerateSettings }
 *   | { kind: "room", call: number, count: number }
 *   | { kind: "cancel", call: number }
 *   | { kind: "dispose", model: number }
 *   | { kind: "ping" | "leave" }
 *   | { kind: "files", files: import("../../core/inlined.js").Files }} Request
 */

/** The messages that are answered. @typedef {Extract<Request, { call: number, model: number }>} Call */

/** @typedef {{ name: string, message: string, code?: string }} PlainError */

/**
 * Messages from the host.
 * @typedef {{ kind: "ready" | "pong" | "idle" }
 *   | { kind: "done", call: number, value?: any }
 *   | { kind: "failed", call: number, error: PlainError }
 *   | { kind: "progress", call: number, progress: import("./load-progress.js").LoadProgress | { tokens: number, total: number } }
 *   | { kind: "pull", call: number }
 *   | { kind: "chunk", call: number, chunk: import("../../decode/decode-types.js").Chunk }} Reply
 */

/** @typedef {import("./load-progress.js").LoadProgress} LoadProgress */

/**
 * Where the engines of a host come from.
 * @typedef {object} Engines
 * @property {(key: string, load: (signal: AbortSignal, tell: (progress: LoadProgress) => void) => Promise<Engine | Heads>,
 *   signal: AbortSignal, tell: (progress: LoadProgress) => void) => Promise<Lease>} open key: equal for equal files
 *   and options
 */

/** @typedef {{ engine: Engine | Heads, leave: () => void }} Lease leave: must be called when the engine is no longer needed */

/** Each load has an engine of its own. @type {Engines} */
const ownEngines = {
  async open(_key, load, signal, tell) {
    const engine = await load(signal, tell);
    return { engine, leave: () => engine.dispose() };
  },
};

/**
 * @param {any} error
 * @returns {PlainError}
 */
function plainError(error) {
  return { name: error?.name ?? "Error", message: error?.message ?? String(error), code: error?.code };
}

/**
 * The address by which the page names a model: of several files the first's.
 * @param {import("./model-file.js").FileSource} source
 * @returns {string | undefined} undefined: the page gave bytes
 */
function addressOf(source) {
  if ("parts" in source) return addressOf(source.parts[0]);
  return "url" in source ? source.url : "address" in source ? source.address : undefined;
}

/**
 * @param {(reply: Reply, transfer?: Transferable[]) => void} post
 * @param {typeof startHelper} [start] starts the models' helpers
 * @param {Engines} [source]
 * @returns {(request: Request) => void}
 */
export function createHost(post, start = startHelper, source = ownEngines) {
  /** text: of the calls of forward. @type {Map<number, Lease & { text: Sequence }>} */
  const engines = new Map();
  /** Those without a model. @type {Map<number, LoneTokenizer>} */
  const tokenizers = new Map();
  /** Unanswered calls. @type {Map<number, { model: number, job: Job, cancel: () => void }>} */
  const calls = new Map();
  /** @type {Map<number, (piece: { bytes?: Uint8Array, error?: string }) => void>} */
  const pulls = new Map();

  /**
   * The page's stream: each pull requests a piece from the page.
   * @param {number} call
   * @param {import("./model-file.js").PulledSource} source
   * @param {number} stallTimeout ms
   * @returns {import("./model-file.js").Opened}
   */
  function openPulled(call, source, stallTimeout) {
    const stream = new ReadableStream(
      {
        async pull(controller) {
          const answered = new Promise((resolve) => {
            pulls.set(call, resolve);
            post({ kind: "pull", call });
          });
          /** @type {{ bytes?: Uint8Array, error?: string }} */
          const { bytes, error } = await inTime(answered, stallTimeout);
          if (error !== undefined) controller.error(new Error(error));
          else if (bytes) controller.enqueue(bytes);
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return { stream, ...source };
  }

  /**
   * @template T
   * @param {number} call
   * @param {import("./model-file.js").FileSource} source
   * @param {import("./model-file.js").HowToRead} how
   * @param {(opened: import("./model-file.js").Opened) => Promise<T>} use
   * @returns {Promise<T>}
   */
  function read(call, source, how, use) {
    return "size" in source ? use(openPulled(call, source, how.stallTimeout)) : readSource(source, how, use);
  }

  /**
   * @param {Extract<Request, { kind: "load" }>} request
   * @param {AbortSignal} signal
   */
  async function load(request, signal) {
    const { call, model, kind: _kind, ...asked } = request;
    const { contextLength, cacheType, threads, preTokenizer, stallTimeout, cache } = asked;
    /** @type {Parameters<Engines["open"]>[1]} */
    const open = (signal, tell) =>
      read(call, asked.source, { signal, stallTimeout, cache }, async (opened) => {
        const engine = await Engine.load(opened, {
          contextLength,
          cacheType,
          threads,
          preTokenizer,
          startHelper: start,
          signal,
          source: addressOf(asked.source),
          onProgress: loadProgress(opened, tell),
        });
        engine.keptBytes = opened.kept ?? 0;
        return engine;
      });
    const tell = (/** @type {LoadProgress} */ progress) => post({ kind: "progress", call, progress });
    const lease = await source.open(JSON.stringify(asked), open, signal, tell);
    engines.set(model, { ...lease, text: new Sequence() });
    return { value: lease.engine.info };
  }

  /** @param {number} model */
  function seat(model) {
    const found = engines.get(model);
    if (!found) throw new ModelError("disposed");
    return found;
  }

  /** @param {number} model */
  const find = (model) => seat(model).engine;

  /**
   * @param {Call} request
   * @param {Job} job
   * @param {AbortSignal} signal
   * @returns {Promise<{ value?: unknown, transfer?: Transferable[] }>}
   */
  async function answer(request, job, signal) {
    if (request.kind === "load") return load(request, signal);
    if (request.kind === "estimate") {
      const { call, source, contextLength, cacheType, preTokenizer, stallTimeout } = request;
      const how = { signal, stallTimeout, cache: false, isPeek: true };
      return {
        value: await read(call, source, how, (opened) =>
          estimate(opened, { ...how, contextLength, cacheType, preTokenizer }),
        ),
      };
    }
    if (request.kind === "tokenizer") {
      const { call, model, source, preTokenizer, stallTimeout } = request;
      const how = { signal, stallTimeout, cache: false, isPeek: true };
      const tokenizer = await read(call, source, how, (opened) => LoneTokenizer.read(opened, { preTokenizer, signal }));
      tokenizers.set(model, tokenizer);
      return { value: tokenizer.info };
    }
    const alone = tokenizers.get(request.model);
    if (request.kind === "trace") {
      if (!alone) throw new ModelError("disposed");
      return { value: alone.trace(request.text) };
    }
    if (alone && request.kind === "tokenize")
      return { value: alone.tokenize(request.text, request.bos, request.special) };
    if (alone && request.kind === "detokenize") return { value: alone.detokenize(request.ids) };
    const { engine, text } = seat(request.model);
    if (engine instanceof Heads) throw new ModelError("model-heads");
    switch (request.kind) {
      case "tokenize":
        return { value: engine.tokenize(request.text, request.bos, request.special) };
      case "detokenize":
        return { value: engine.detokenize(request.ids) };
      case "score": {
        const value = await engine.score(request.input, job);
        return { value, transfer: [value.tokens.buffer, value.logprobs.buffer] };
      }
      case "forward": {
        const value = await engine.forward(text, request, job);
        return { value, transfer: value.map((row) => row.buffer) };
      }
      case "activations": {
        const value = await engine.activations(request.input, job);
        const arrays = value.layers.flatMap(({ attention, logits }) => [logits, ...(attention ?? [])]);
        return { value, transfer: [value.tokens, ...arrays].map(({ buffer }) => buffer) };
      }
      case "compile":
        return { value: await engine.compile(request.grammar, request.isKept) };
      case "save":
        return { value: (await engine.save(request.prompt, job)).blob };
      case "restore":
        return { value: await engine.restore(request.blob, job) };
      case "keepPrefix":
        return { value: await engine.keepPrefix(request.prompt, request.bytes, job) };
      case "count":
        return { value: engine.count(request.prompt, request.heal) };
      case "generate": {
        const { call } = request;
        /** @param {import("../../decode/decode-types.js").Chunk} chunk */
        const emit = (chunk) => {
          const transfer = chunk.tokens.flatMap((token) => (token.logits ? [token.logits.buffer] : []));
          post({ kind: "chunk", call, chunk }, transfer);
        };
        /** @type {import("../../decode/loop.js").Caller["report"]} */
        const report = (tokens, total) => post({ kind: "progress", call, progress: { tokens, total } });
        await engine.generate(request.prompt, request.settings, { job, emit, report, find });
        return {};
      }
    }
  }

  /** @param {number} model */
  function drop(model) {
    engines.get(model)?.leave();
    engines.delete(model);
    tokenizers.get(model)?.dispose();
    tokenizers.delete(model);
  }

  /** @param {number} model */
  function dispose(model) {
    drop(model);
    for (const { model: other, cancel } of calls.values()) if (other === model) cancel();
  }

  /** @param {Call} request */
  async function begin(request) {
    const { call } = request;
    const job = new Job(request.kind === "generate" ? request.room : 0);
    const controller = new AbortController();
    const cancel = () => {
      job.cancel();
      controller.abort();
    };
    calls.set(call, { model: request.model, job, cancel });
    try {
      const { value, transfer } = await answer(request, job, controller.signal);
      if (job.isCancelled && (request.kind === "load" || request.kind === "tokenizer")) drop(request.model);
      post({ kind: "done", call, value }, transfer);
    } catch (error) {
      if (error !== CANCELLED) post({ kind: "failed", call, error: plainError(error) });
    } finally {
      calls.delete(call);
      // A stream that is not read to its end waits for a piece: nobody sends it any more.
      pulls.get(call)?.({});
      pulls.delete(call);
    }
  }

  return (request) => {
    switch (request.kind) {
      case "piece":
        pulls.get(request.call)?.(request);
        break;
      case "room":
        calls.get(request.call)?.job.addRoom(request.count);
        break;
      case "cancel":
        calls.get(request.call)?.cancel();
        break;
      case "dispose":
        dispose(request.model);
        break;
      case "leave":
        for (const { cancel } of calls.values()) cancel();
        for (const model of [...engines.keys(), ...tokenizers.keys()]) drop(model);
        break;
      case "ping":
        post({ kind: "pong" });
        break;
      case "files":
        takeFiles(request.files);
        break;
      default:
        void begin(request); // its errors are posted
    }
  };
}
