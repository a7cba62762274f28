// The script of dist/offline.html, into which offline.js packs all files of the page. It unpacks the code and runs it.

// Turns a character of a page in windows-1252 back into its byte.
const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const characters = new TextDecoder("windows-1252").decode(bytes);
const byteOf = new Uint8Array(0x2123);
for (const byte of bytes) byteOf[characters.charCodeAt(byte)] = byte;

// Buffers, because a Worker of WebKit cannot read Blobs of a page from a file.
/** @param {string} name @returns {Promise<ArrayBuffer>} */
globalThis.unpack = (name) => {
  const text = document.getElementById(`packed-${name}`).textContent;
  const packed = new Uint8Array(text.length);
  let size = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    packed[size++] = code === 61 ? text.charCodeAt(++at) - 64 : byteOf[code];
  }
  const stream = new Blob([packed.subarray(0, size)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
};

const files = (globalThis["lastinch/inline"] = {});
const bring = async (name) => void (files[name] = new Uint8Array(await unpack(name)));
await Promise.all(["sampler", "decode", "grammar", "model", "model-relaxed"].map(bring));
const read = async (name) => new TextDecoder().decode(await unpack(name));
files.worker = await read("worker");

const script = document.createElement("script");
script.type = "module";
script.textContent = await read("page");
document.body.append(script);
