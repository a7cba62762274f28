// Identifies a file that cannot be loaded, by its first bytes if they are not GGUF, otherwise by its metadata.
import { fileErrorTable } from "../../core/file-error-table.js";
import { addressHint, shownAddress } from "./address.js";

/** @typedef {import("../../core/errors.js").ErrorCode} ErrorCode */

/**
 * The parts of a ModelError.
 * @typedef {object} Explanation
 * @property {ErrorCode} code
 * @property {string} detail including the sentence, if the code begins with "file-"
 */

/** How many bytes at a file's start tell its kind. */
export const START_SIZE = 1024;

const SAFETENSORS_HEADER_LIMIT = 100_000_000; // as its specification says

/**
 * @param {ErrorCode} code
 * @param {...(string | false | null | undefined)} details
 * @returns {Explanation}
 */
export function explain(code, ...details) {
  const sentence = fileErrorTable.find((row) => row[0] === code)?.[2];
  return { code, detail: [sentence, ...details].filter(Boolean).join(" ") };
}

/** @param {Uint8Array} bytes @param {number[]} start */
const begins = (bytes, start) => start.every((byte, i) => bytes[i] === byte);

/** A length of 8 bytes, then JSON. @param {Uint8Array} bytes */
function isSafetensors(bytes) {
  if (bytes.length < 9) return false;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
  return length > 1 && length <= SAFETENSORS_HEADER_LIMIT && bytes[8] === 0x7b;
}

/** ModelProto: the version of the format (field 1, a small number), then one of the fields 2 to 8. @param {Uint8Array} bytes */
const isOnnx = ([tag, version, next]) =>
  tag === 0x08 && version >= 1 && version < 32 && [0x12, 0x1a, 0x22, 0x28, 0x32, 0x3a, 0x42].includes(next);

/**
 * How files begin, the surest sign first. `text` has one character for each byte, without leading white space.
 * @type {[ErrorCode, (bytes: Uint8Array, text: string) => boolean][]}
 */
const kinds = [
  ["file-lfs-pointer", (_, text) => text.startsWith("version https://git-lfs")],
  ["file-safetensors", isSafetensors],
  ["file-onnx", isOnnx],
  // ggml, ggmf, ggjt and ggla as little-endian numbers of 4 bytes.
  ["file-ggml", (_, text) => /^(?:lmgg|fmgg|tjgg|algg)/.test(text)],
  // A pickle of protocol 2 to 5, or one in a zip archive.
  ["file-pytorch", (bytes) => bytes[0] === 0x80 && bytes[1] >= 2 && bytes[1] <= 5],
  ["file-pytorch", (bytes, text) => begins(bytes, [0x50, 0x4b, 3, 4]) && text.includes("data.pkl")],
  // gzip, zip, zstd, xz, 7-Zip, bzip2, tar.
  ["file-compressed", (bytes) => begins(bytes, [0x1f, 0x8b]) || begins(bytes, [0x28, 0xb5, 0x2f, 0xfd])],
  ["file-compressed", (_, text) => /^(?:PK\x03\x04|\xfd7zXZ|7z\xbc\xaf|BZh\d)/.test(text)],
  ["file-compressed", (_, text) => text.startsWith("ustar", 257)],
  ["file-page", (_, text) => text.startsWith("<")],
  ["file-json", (_, text) => /^[{[]\s*(?:["{\d}\]-]|true|false|null)/.test(text)],
];

/**
 * A file that is not a GGUF file of a version that can be read.
 * @param {Uint8Array} bytes its start
 * @param {string} [address] where it came from
 */
export function foreignFile(bytes, address) {
  // Skips a byte order mark and white space.
  const text = String.fromCharCode(...bytes.subarray(0, START_SIZE)).replace(/^(?:\xef\xbb\xbf)?\s{0,100}/, "");
  const code = kinds.find(([, matches]) => matches(bytes, text))?.[0];
  if (code) {
    const place = address && `(${shownAddress(address)})`;
    return explain(code, place, code === "file-json" && jsonDetail(text), addressHint(address));
  }
  if (begins(bytes, [0x47, 0x47, 0x55, 0x46])) return explain("gguf-version", versionDetail(bytes));
  return explain("gguf-magic", startDetail(bytes, text));
}

/** What the JSON says about an error or a model. @param {string} text */
function jsonDetail(text) {
  const [, said] = /"(?:error|message|detail)"\s{0,9}:\s{0,9}"([^"\\]{1,200})"/.exec(text) ?? [];
  if (said) return `(It says "${said}".)`;
  return /"(?:model_type|added_tokens|weight_map)"/.test(text) ? "(It is a file beside the weights.)" : "";
}

/** @param {Uint8Array} bytes */
function versionDetail(bytes) {
  const version = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
  if (version && version % 65536 === 0)
    return "(This file is big-endian: download the little-endian file of the model.)";
  return `(This file is of version ${version}.)`;
}

/**
 * @param {Uint8Array} bytes
 * @param {string} text
 */
function startDetail(bytes, text) {
  const [, words] = /^([\x20-\x7e]{4,40})/.exec(text) ?? [];
  if (words) return `(It begins with "${words}".)`;
  const digits = Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0"));
  return digits.length ? `(It begins with the bytes ${digits.join(" ")}.)` : "";
}

/** Architectures that make embeddings, or that only turn one text into another. */
const encoders =
  /^(?:(?:nomic-|modern-|neo-|jina-|euro)?bert(?:-moe|-v[23])?|gemma-embedding|llama-embed|t5(?:encoder)?|wavtokenizer-dec)$/;

/**
 * Explains a GGUF file that is not a model by itself; undefined if it is one.
 * @param {import("./gguf.js").Metadata} metadata
 */
export function foreignModel(metadata) {
  const kind = metadata.string("general.type");
  const family = metadata.string("general.architecture") ?? "";
  if (kind === "adapter") return explain("file-adapter");
  if (kind === "mmproj" || family === "clip") return explain("file-projector");
  if (family === "medusa" || family === "eagle3") return explain("model-heads");
  if (encoders.test(family)) return explain("file-encoder", `(general.architecture is "${family}".)`);
  const parts = metadata.number("split.count", 1);
  if (!(parts > 1)) return undefined;
  return explain("file-shard", `(This is part ${metadata.number("split.no", 0) + 1} of ${parts}.)`);
}
