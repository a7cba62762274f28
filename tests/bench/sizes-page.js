// The part of the bench of real shapes that runs in a page: our model and wllama's, one thread each. Times are in
// milliseconds.
import { loadModel } from "/dist/index.js";
import { openWllama, timeOfPrompt, timeOfToken } from "./model-page.js";

const open = {};
const PROMPT = 256;
const PEER_PROMPT = 64; // wllama takes up to half a minute for 256 tokens

async function time(run) {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** { load }: from bytes in memory to a model. */
export async function openBoth(path) {
  const blob = await (await fetch(path)).blob();
  const load = await time(async () => {
    open.model = await loadModel(blob, { threads: 1, contextLength: 512, cache: false });
  });
  open.peer = await openWllama(blob).catch(() => null);
  return { load };
}
/** { decode, prompt }: of a token. */
export async function measureOurs() {
  const ids = Array.from({ length: PROMPT }, (_, i) => 3 + 7 * i);
  await open.model.forward([1]);
  const prompt = (await time(() => open.model.forward(ids))) / PROMPT;
  const times = [];
  for await (const _ of open.model.generate(ids, { temperature: 0, maxTokens: 32, bannedTokens: open.model.eosTokens }))
    times.push(performance.now());
  return { prompt, decode: (times.at(-1) - times[0]) / (times.length - 1) };
}

/** { peer, peerPrompt }: of a token, where wllama is there. */
export async function measurePeer() {
  if (!open.peer) return {};
  return { peer: await timeOfToken(open.peer, 17), peerPrompt: await timeOfPrompt(open.peer, PEER_PROMPT) };
}
