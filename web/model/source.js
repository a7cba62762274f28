// The source of a model's file, as it is posted to the thread of the models.
import { typeError } from "../core/errors.js";
import { unlessAborted } from "../core/signal.js";
import { howToRead } from "./read-options.js";
import { partAddresses } from "./worker/address.js";
import { download, fileIn } from "./worker/request.js";

/** @typedef {import("./worker/model-file.js").FileSource} FileSource */

/**
 * An address (in Node also the path of a file), the bytes, or the response of a server, which is not kept. Of a model in
 * several files: the address of the first, which ends with -00001-of-0000N.gguf, or a list of addresses or Blobs.
 * @typedef {string | URL | Blob | ArrayBuffer | ArrayBufferView | ReadableStream<Uint8Array> | Response |
 *   readonly (string | URL | Blob)[]} ModelSource
 */

/**
 * Bytes that the page reads when the model's thread requests them.
 * @typedef {object} Pump
 * @property {() => Promise<Uint8Array<ArrayBuffer> | null>} next a copy that may be transferred
 * @property {() => void} cancel
 */

/** @typedef {{ source: FileSource, pump?: Pump }} Opened */

/** How many bytes of a buffer to copy at once. */
const PIECE = 1 << 20;

/**
 * @param {unknown} source
 * @param {import("./read-options.js").ReadOptions & { sha256?: string }} options
 * @returns {Promise<Opened>}
 */
export async function openSource(source, options) {
  const { headers, fetch, signal, sha256 } = options;
  if (sha256 !== undefined && (fetch || !isAddress(source) || partAddresses(absoluteUrl(source))))
    throw typeError("conflict", "sha256 only works with the address of one file, without fetch.");
  if (Array.isArray(source)) return { source: { parts: await readParts(source, options) } };
  if (!isAddress(source) && (headers !== undefined || fetch !== undefined))
    throw typeError("conflict", "headers and fetch only work with a model's address.");
  if (!isAddress(source)) return describe(source);
  const url = absoluteUrl(source);
  const pairs = headerPairs(headers);
  if (!fetch) return { source: { url, headers: pairs, ...(sha256 && { sha256: sha256.toLowerCase() }) } };
  return request(url, { fetch, headers: pairs, signal }, howToRead(options).stallTimeout);
}

/** @param {unknown} source @returns {source is string | URL} */
const isAddress = (source) => typeof source === "string" || source instanceof URL;

/**
 * @param {unknown[]} sources
 * @param {import("./read-options.js").ReadOptions} options
 */
async function readParts(sources, options) {
  if (options.fetch) throw typeError("conflict", "fetch only works with one address.");
  if (!sources.length) throw typeError("bad-type", "The list of a model's parts is empty.");
  const isBlob = (/** @type {unknown} */ part) => part instanceof Blob;
  if (!sources.every((part) => isBlob(part) || isAddress(part)))
    throw typeError("bad-type", "Each part of a model must be an address or a Blob.");
  const opened = sources.map((part) => openSource(part, isBlob(part) ? {} : options));
  return Promise.all(
    opened.map(async (one) => /** @type {import("./worker/model-file.js").SingleSource} */ ((await one).source)),
  );
}

/**
 * @param {string} url
 * @param {{ fetch: typeof globalThis.fetch, headers: [string, string][], signal?: AbortSignal }} how
 * @param {number} stallTimeout
 * @returns {Promise<Opened>}
 */
async function request(url, { fetch, headers, signal = new AbortController().signal }, stallTimeout) {
  signal.throwIfAborted();
  const response = await unlessAborted(signal, download(url, { fetch, headers, signal }, stallTimeout));
  const expected = Number(response.headers.get("content-length")) || 0;
  return { source: { size: 0, expected, address: url }, pump: streamPump(response.stream.getReader()) };
}

/**
 * @param {HeadersInit | undefined} headers
 * @returns {[string, string][]}
 */
function headerPairs(headers) {
  try {
    return [...new Headers(headers)];
  } catch (cause) {
    throw typeError("bad-type", `headers must be valid request headers: ${/** @type {Error} */ (cause).message}`);
  }
}

/**
 * @param {unknown} source
 * @returns {Opened}
 */
function describe(source) {
  if (source instanceof Blob) return { source: { blob: source } };
  if (source instanceof ReadableStream) {
    if (source.locked) throw typeError("bad-type", "The stream is locked by another reader.");
    return { source: { size: 0, expected: 0 }, pump: streamPump(source.getReader()) };
  }
  if (source instanceof ArrayBuffer) return describe(new Uint8Array(source));
  if (ArrayBuffer.isView(source)) {
    const bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    return { source: { size: bytes.length, expected: bytes.length }, pump: bytesPump(bytes) };
  }
  // Last: Node loads its fetch when it is first named, and that takes WebAssembly.
  if (globalThis.Response && source instanceof Response) {
    const { stream, headers } = fileIn(source, source.url || "data:,");
    const expected = Number(headers.get("content-length")) || 0;
    return { ...describe(stream), source: { size: 0, expected, ...(source.url && { address: source.url }) } };
  }
  throw typeError("bad-type", "A model must be a URL, a Blob, an ArrayBuffer, a ReadableStream or a Response.");
}

/**
 * @param {ReadableStreamDefaultReader<any>} reader
 * @returns {Pump}
 */
function streamPump(reader) {
  return {
    async next() {
      const { value, done } = await reader.read();
      if (done) return null;
      if (!(value instanceof Uint8Array)) throw new Error("a chunk of the stream is not a Uint8Array");
      return new Uint8Array(value); // a copy: the slice of a Buffer is not one
    },
    cancel: () => void reader.cancel().catch(() => {}),
  };
}

/**
 * @param {Uint8Array} bytes
 * @returns {Pump}
 */
function bytesPump(bytes) {
  let at = 0;
  return {
    async next() {
      const piece = bytes.slice(at, at + PIECE);
      at += piece.length;
      return piece.length ? piece : null;
    },
    cancel() {},
  };
}

/** @param {string | URL} source */
export function absoluteUrl(source) {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  const isPath = typeof source === "string" && !base && !/^[a-z][a-z\d+.-]+:/i.test(source);
  const node = isPath && globalThis.process?.getBuiltinModule?.("node:url");
  if (node) return node.pathToFileURL(source).href;
  try {
    return new URL(source, base).href;
  } catch {
    throw typeError("bad-type", `"${source}" is not an address.`);
  }
}

/**
 * Sends the models' thread the piece that it has asked for.
 * @param {import("./link.js").Link} link
 * @param {number} call
 * @param {Pump} pump
 */
export async function givePiece(link, call, pump) {
  /** @type {{ bytes?: Uint8Array, error?: string }} */
  const piece = await pump.next().then(
    (bytes) => (bytes ? { bytes } : {}),
    (error) => ({ error: String(error?.message ?? error) }),
  );
  link.post({ kind: "piece", call, ...piece }, piece.bytes ? [piece.bytes.buffer] : []);
}
