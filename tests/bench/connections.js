// Whether a download gains from several connections: a file in 1, 2 or 4 ranges side by side, from a server on the same
// machine (HTTP/1.1), with and without a limit of each connection; and a larger file as loadModel downloads it.
import { createServer } from "node:http";
import { Transfer } from "../../web/model/worker/transfer.js";
import { listen } from "../../demos/serve.js";
import { browserNames, launch } from "../browser/browsers.js";

const SIZE = 1 << 26;
const LARGE = 160 << 20;
const bytes = Buffer.alloc(LARGE, 7);
/** Bytes a second that a connection gets where there is a limit, and how much is sent at once. */
const LIMIT = 1 << 23;
const PIECE = LIMIT / 16;

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? "", "http://localhost");
  response.setHeader("Content-Type", "text/html");
  if (!searchParams.has("limit")) return void response.end("<!doctype html><title>bench</title>");
  const [, start = "0", last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
  const from = Number(start);
  const to = last ? Number(last) : LARGE - 1;
  const headers = {
    "content-length": to - from + 1,
    "content-range": `bytes ${from}-${to}/${LARGE}`,
    "cache-control": "no-store",
    etag: '"1"',
  };
  response.writeHead(206, headers);
  if (searchParams.get("limit") === "0") return void response.end(bytes.subarray(from, to + 1));
  let at = from;
  const timer = setInterval(
    () => {
      const end = Math.min(to + 1, at + PIECE);
      response.write(bytes.subarray(at, end));
      at = end;
      if (at > to) response.end();
      if (at > to) clearInterval(timer);
    },
    1000 * (PIECE / LIMIT),
  );
  response.on("close", () => clearInterval(timer));
});
const origin = `http://localhost:${await listen(server, 0)}`;

/**
 * Runs here or in a page: the bytes a second, of the best of three.
 * @param {string} url
 * @param {number} count ranges
 * @param {number} size
 */
async function measure(url, count, size) {
  let best = 0;
  for (let round = 0; round < 3; round++) {
    const began = performance.now();
    const read = async (/** @type {number} */ i) => {
      const range = `bytes=${(size / count) * i}-${(size / count) * (i + 1) - 1}`;
      const { body } = await fetch(url, { headers: { Range: range }, cache: "no-store" });
      const reader = /** @type {ReadableStream<Uint8Array>} */ (body).getReader();
      for (;;) if ((await reader.read()).done) return;
    };
    await Promise.all(Array.from({ length: count }, (_, i) => read(i)));
    best = Math.max(best, (1000 * size) / (performance.now() - began));
  }
  return best;
}

/** @param {string} where @param {(url: string, count: number, size: number) => Promise<number>} run */
async function report(where, run) {
  for (const limit of [0, 1]) {
    const rates = [];
    for (const count of [1, 2, 4]) rates.push(Math.round((await run(`${origin}/?limit=${limit}`, count, SIZE)) / 1e6));
    console.log(
      `${where}, ${limit ? `at most ${LIMIT / 1e6} MB/s a connection` : "no limit"}: ${rates.join(", ")} MB/s`,
    );
  }
}

/** The bytes a second of a whole download. @param {string} url */
async function download(url) {
  const transfer = new Transfer(url, { signal: new AbortController().signal, stallTimeout: 0 });
  const began = performance.now();
  await transfer.connect();
  const reader = transfer.stream.getReader();
  while (!(await reader.read()).done);
  return (1000 * LARGE) / (performance.now() - began);
}

await report("Node", measure);
for (const limit of [0, 1]) {
  const rate = await download(`${origin}/?limit=${limit}`);
  console.log(`Node, as loadModel downloads ${LARGE / 1e6} MB, ${limit ? "limited" : "no limit"}: ${rate / 1e6} MB/s`);
}
for (const name of browserNames) {
  const driver = await launch(name);
  await driver.open(origin);
  await report(name, (...given) => driver.evaluate(measure, ...given));
  await driver.close();
}
server.close();
