// The shipped models say of held-out stories what their card says, and tell stories.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { loadModel } from "lastinch";
import { heldOutStories, lacksStories as skip } from "../vectors/held-out-stories.js";

const folder = new URL("../../demos/model/", import.meta.url);
const card = readFileSync(new URL("README.md", folder), "utf8");
/** Bits of a story's tokens; one longer than the context is read in windows that overlap by half. */
async function bitsOf(model, story) {
  const ids = await model.tokenize(story, { bos: true });
  const context = model.config.contextLength;
  let bits = 0;
  for (let done = 1; done < ids.length;) {
    const start = done === 1 ? 0 : done - context / 2;
    const { logprobs } = await model.score(ids.slice(start, start + context + 1));
    bits -= logprobs.slice(done - start - 1).reduce((a, b) => a + b, 0) / Math.LN2;
    done = start + 1 + logprobs.length;
  }
  return bits;
}

for (const [column, name] of ["storyteller", "draft"].entries())
  test(`the ${name} needs as many bits a byte of held-out stories as its card says`, { skip }, async () => {
    const row = card.split("\n").find((line) => line.includes("held out, the file as shipped"));
    const stated = Number([...row.matchAll(/\d\.\d+/g)][column][0]);
    const model = await loadModel(new URL(`${name}.gguf`, folder));
    let bits = 0;
    let bytes = 0;
    for (const story of heldOutStories()) {
      bits += await bitsOf(model, story);
      bytes += Buffer.byteLength(story);
    }
    model.dispose();
    console.log(`# ${name}: ${(bits / bytes).toFixed(4)} bits per byte of ${bytes} bytes held out`);
    assert.ok(Math.abs(bits / bytes - stated) < 0.002, `${bits / bytes}, the card says ${stated}`);
  });
