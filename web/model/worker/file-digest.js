// The SHA-256 of a whole file: who names it, and whether a stream has it.
import { allocate, allocated } from "../../core/memory.js";
import { ModelError } from "../../core/model-errors.js";
import { instantiateModel } from "../../core/variants.js";
import { isOfHuggingFace } from "./address.js";
import { hexOf } from "./file-cache.js";
import { ask } from "./request.js";

/** Bytes that C hashes at once. */
const ROOM = 1 << 16;

/** ms that the Hub may take to name a digest, before the file is loaded unverified. */
const NAMING_TIMEOUT = 3000;

/**
 * The digest that the server names, in hexadecimal digits. Hugging Face names it in the redirection, whose headers pages
 * cannot read, and in the pointer that stands in the repository for a large file.
 * @param {string} url
 * @param {Headers} headers of the file
 * @param {import("./request.js").HowToAsk} how
 * @returns {Promise<string | undefined>}
 */
export async function namedDigest(url, headers, how) {
  const linked = /^(?:W\/)?"?([0-9a-f]{64})"?$/i.exec(headers.get("x-linked-etag") ?? "")?.[1];
  if (linked) return linked.toLowerCase();
  const { pathname } = new URL(url);
  if (!isOfHuggingFace(url) || !pathname.includes("/resolve/")) return undefined;
  try {
    const pointer = await ask(url.replace("/resolve/", "/raw/"), "GET", how, NAMING_TIMEOUT);
    const length = Number(pointer.headers.get("content-length"));
    // A small file stands in the repository itself.
    if (!pointer.ok || !(length < 1000)) return void pointer.body?.cancel().catch(() => {});
    return /^oid sha256:([0-9a-f]{64})$/m.exec(await pointer.text())?.[1];
  } catch {
    how.signal.throwIfAborted();
    return undefined;
  }
}

/**
 * The same stream, which fails at its end if its bytes have another digest.
 * @param {ReadableStream<Uint8Array>} stream
 * @param {string} expected
 * @returns {Promise<ReadableStream<Uint8Array>>}
 * @throws {ModelError} "model-digest", by the stream
 */
export async function verified(stream, expected) {
  const instance = await instantiateModel(false);
  const { exports, views } = instance;
  const hash = allocated(exports.li_sha256_create());
  const room = allocate(instance, ROOM);
  const reader = stream.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = await reader.read();
        if (!done) {
          for (let at = 0; at < value.length; at += ROOM) {
            const piece = value.subarray(at, at + ROOM);
            views().bytes.set(piece, room);
            exports.li_sha256_update(hash, room, piece.length);
          }
          return controller.enqueue(value);
        }
        const at = exports.li_sha256_finish(hash) >>> 0;
        const digest = hexOf(views().bytes.subarray(at, at + 32));
        if (digest !== expected) throw new ModelError("model-digest", `(It has ${digest}, expected was ${expected}.)`);
        controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
