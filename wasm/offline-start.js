// Script of dist/offline.html, which holds all files of the page, packed by offline.js. It unpacks the code and runs it.

// What each character of a page in windows-1252 was as a byte.
const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const characters = new TextDecoder("windows-1252").decode(bytes);
const byteOf = new Uint8Array(0x2123);
for (const byte of bytes) byteOf[characters.charCodeAt(byte)] = byte;

/** @param {string} name @returns {Promise<Blob>} */
globalThis.unpack = (name) => {
  const text = document.getElementById(`packed-${name}`).textContent;
  const packed = new Uint8Array(text.length);
  let size = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    packed[size++] = code === 61 ? text.charCodeAt(++at) - 64 : byteOf[code];
  }
  const stream = new Blob([packed.subarray(0, size)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).blob();
};

const files = (globalThis["lastinch/inline"] = {});
const bring = async (name) => void (files[name] = new Uint8Array(await (await unpack(name)).arrayBuffer()));
await Promise.all(["sampler", "decode", "grammar", "model", "model-relaxed"].map(bring));
files.worker = await (await unpack("worker")).text();

const script = document.createElement("script");
script.type = "module";
script.textContent = await (await unpack("widgets")).text();
document.body.append(script);
