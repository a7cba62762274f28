// A model in several files, as llama-gguf-split cuts it: the first has the metadata, and each lists its own tensors. They
// are read as one file: one header with all tensors, then the data of each part.
import { ModelError } from "../../core/model-errors.js";
import { explain } from "./foreign-file.js";
import { Pieces, withHeader } from "./gguf.js";

/** @typedef {import("./model-file.js").Opened} Opened */
/** @typedef {import("./model-file.js").HowToRead} HowToRead */
/** @typedef {import("./model-file.js").SingleSource} SingleSource */
/** @typedef {<T>(source: SingleSource, how: HowToRead, use: (opened: Opened) => Promise<T>) => Promise<T>} ReadOne */

/**
 * One file of the model. kept and version: as in Opened.
 * @typedef {object} Shard
 * @property {SingleSource} source
 * @property {number} [kept]
 * @property {string} [version]
 * @property {Uint8Array} header with its padding
 * @property {number} listStart where the header's list of tensors begins
 * @property {number} listEnd where it ends
 * @property {number[]} offsets places in the header of the offsets of the tensors
 * @property {number} dataSize bytes
 * @property {number} alignment
 */

const COUNT_PLACE = 8; // of the number of tensors in a header

/**
 * Opens the parts as one file. First reads all headers; then the data of one part after the other.
 * @template T
 * @param {SingleSource[]} sources in order
 * @param {HowToRead} how
 * @param {(opened: Opened) => Promise<T>} use
 * @param {ReadOne} readOne
 * @returns {Promise<T>}
 */
export async function readShards(sources, how, use, readOne) {
  /** @type {Shard[]} */
  const shards = [];
  for (const [index, source] of sources.entries())
    shards.push(
      await readOne(source, { ...how, isPeek: true }, (opened) =>
        readShard(source, opened, index, sources.length, how.signal),
      ),
    );
  const { header, size } = merge(shards);
  /** @type {TransformStream<Uint8Array, Uint8Array>} */
  const { readable, writable } = new TransformStream(undefined, { highWaterMark: 0 }, { highWaterMark: 0 });
  const writer = writable.getWriter();
  const address = "url" in sources[0] ? sources[0].url : undefined;
  const [{ kept }] = shards;
  const opened = { stream: readable, size, expected: size, address, kept: kept && header.length };
  const writing = writeAll(how.isPeek ? [] : shards, header, writer, how, readOne, opened);
  writing.catch((error) => writer.abort(error).catch(() => {}));
  const result = await use(opened);
  // The model has all its bytes; only the rest of longer files is missing.
  if (!how.isPeek) await writing.catch(() => {});
  return result;
}

/**
 * @param {SingleSource} source
 * @param {Opened} opened whose stream is cancelled after the header
 * @param {number} index
 * @param {number} count of parts
 * @param {AbortSignal} signal
 * @returns {Promise<Shard>}
 */
async function readShard(source, { stream, size, address, kept, version }, index, count, signal) {
  return withPieces(stream, signal, (pieces) => {
    const ignore = () => {};
    return withHeader(pieces, { size, address, isShared: false }, ignore, ({ instance, gguf, metadata }) => {
      const { exports, views } = instance;
      const said = [metadata.number("split.no", -1), metadata.number("split.count", 1)];
      if (said[0] !== index || said[1] !== count)
        throw wrongPart(`(Part ${index + 1} of ${count} says that it is ${part(said)}.)`);
      const start = exports.li_gguf_data_start(gguf) >>> 0;
      const header = views().bytes.slice(metadata.base, metadata.base + start);
      const listStart = exports.li_gguf_tensors_start(gguf) >>> 0;
      return {
        source,
        kept,
        version,
        header,
        listStart,
        ...readList(header, listStart, exports.li_gguf_tensor_count(gguf)),
        dataSize: exports.li_gguf_data_size(gguf),
        alignment: metadata.number("general.alignment", 32),
      };
    });
  });
}

/**
 * Reads a stream, which is cancelled after that, or by the signal.
 * @template T
 * @param {ReadableStream<Uint8Array>} stream
 * @param {AbortSignal} signal
 * @param {(pieces: Pieces) => Promise<T>} read
 * @returns {Promise<T>}
 */
async function withPieces(stream, signal, read) {
  const reader = stream.getReader();
  const stop = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", stop);
  try {
    return await read(new Pieces(reader));
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

/** @param {string} said */
function wrongPart(said) {
  const { code, detail } = explain("file-shard", said);
  return new ModelError(code, detail);
}

/** @param {number[]} said */
const part = ([no, count]) => (no < 0 ? "no part" : `part ${no + 1} of ${count}`);

/**
 * Where the list of tensors ends, and where in it the offsets stand. C has checked the bytes.
 * @param {Uint8Array} header
 * @param {number} at where the list begins
 * @param {number} count of tensors
 */
function readList(header, at, count) {
  const view = new DataView(header.buffer);
  const offsets = [];
  for (let i = 0; i < count; i++) {
    at += 8 + view.getUint32(at, true); // the name
    at += 4 + 8 * view.getUint32(at, true) + 4; // the rank, the shape and the type
    offsets.push(at);
    at += 8;
  }
  return { listEnd: at, offsets };
}

/**
 * One header for all parts, and the bytes of the whole file.
 * @param {Shard[]} shards
 */
function merge(shards) {
  const [first, ...others] = shards;
  const { alignment } = first;
  const listSize = others.reduce((sum, { listStart, listEnd }) => sum + listEnd - listStart, 0);
  const header = new Uint8Array(padded(first.listEnd + listSize, alignment));
  const view = new DataView(header.buffer);
  header.set(first.header.subarray(0, first.listEnd));
  let at = first.listEnd;
  let dataSize = padded(first.dataSize, alignment);
  let count = first.offsets.length;
  for (const shard of others) {
    if (shard.alignment !== alignment) throw wrongPart("(Its parts differ in general.alignment.)");
    const shift = at - shard.listStart;
    header.set(shard.header.subarray(shard.listStart, shard.listEnd), at);
    for (const place of shard.offsets)
      view.setBigUint64(place + shift, view.getBigUint64(place + shift, true) + BigInt(dataSize), true);
    at += shard.listEnd - shard.listStart;
    dataSize += padded(shard.dataSize, alignment);
    count += shard.offsets.length;
  }
  view.setBigUint64(COUNT_PLACE, BigInt(count), true);
  // Nothing follows the last tensor.
  const last = shards[shards.length - 1].dataSize;
  return { header, size: header.length + dataSize - (padded(last, alignment) - last) };
}

/** @param {number} size @param {number} alignment */
const padded = (size, alignment) => Math.ceil(size / alignment) * alignment;

/**
 * @param {Shard[]} shards
 * @param {Uint8Array} header
 * @param {WritableStreamDefaultWriter<Uint8Array>} writer
 * @param {HowToRead} how
 * @param {ReadOne} readOne
 * @param {Opened} whole `kept` and `resumed` follow the part that is being read
 */
async function writeAll(shards, header, writer, how, readOne, whole) {
  await writer.write(header);
  let before = header.length;
  for (const [index, shard] of shards.entries()) {
    let written = 0;
    await readOne(shard.source, how, async (opened) => {
      // A part whose copy was damaged is read again. What has been written of it stays as it is.
      const isOther = opened.version !== shard.version || (written && opened.version === undefined);
      if (isOther) throw changed(opened.address);
      const { kept } = opened;
      whole.resumed ||= opened.resumed || (index > 0 && kept === 0 && Boolean(shards[0].kept));
      whole.kept = kept === undefined ? undefined : before + Math.max(0, kept - shard.header.length);
      await writeData(shard, opened, written, how.signal, async (bytes) => {
        await writer.write(bytes);
        written += bytes.length;
      });
    });
    const padding = padded(shard.dataSize, shard.alignment) - shard.dataSize;
    if (padding && index < shards.length - 1) await writer.write(new Uint8Array(padding));
    before += shard.dataSize + padding;
  }
  await writer.close();
}

/**
 * Writes the data of a part, without the first bytes that were written before.
 * @param {Shard} shard
 * @param {Opened} opened
 * @param {number} written
 * @param {AbortSignal} signal
 * @param {(bytes: Uint8Array) => Promise<void>} write
 */
async function writeData({ header, dataSize }, { stream, address }, written, signal, write) {
  const from = header.length + written;
  const end = header.length + dataSize;
  await withPieces(stream, signal, async (pieces) => {
    for (let at = 0; at < end;) {
      const piece = await pieces.next(Infinity);
      if (!piece) throw new ModelError("gguf-truncated");
      const inHeader = piece.subarray(0, Math.max(0, header.length - at));
      if (inHeader.some((byte, i) => byte !== header[at + i])) throw changed(address);
      const fresh = piece.subarray(Math.max(0, from - at), end - at);
      at += piece.length;
      if (fresh.length) await write(fresh);
    }
    // The rest of a longer file is of no use, but a copy is whole only with its last byte.
    await pieces.next(Infinity);
  });
}

/** @param {string} [address] */
function changed(address = "") {
  return new ModelError("model-download", `(${address} changed while the model was read.)`);
}
