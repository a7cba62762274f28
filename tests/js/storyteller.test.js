// The shipped models predict held-out stories as well as their card says.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { loadModel } from "lastinch";
import { heldOutStories, lacksStories as skip } from "../vectors/held-out-stories.js";
import { rounds } from "../rounds.js";
import { bitsOf } from "./held-out-bits.js";

const folder = new URL("../../demos/model/", import.meta.url);
const card = readFileSync(new URL("README.md", folder), "utf8");

// `make test-long` reads all held-out stories, as the card does; otherwise every fourth.
const EVERY = rounds(1, 4);
const ofEveryFourth = { storyteller: 0.7754, draft: 0.9312 };

for (const [column, name] of ["storyteller", "draft"].entries())
  test(`the ${name} needs as many bits for each byte of held-out stories as its card says`, { skip }, async () => {
    const row = card.split("\n").find((line) => line.includes("held out, the file as shipped"));
    const stated = EVERY === 1 ? Number([...row.matchAll(/\d\.\d+/g)][column][0]) : ofEveryFourth[name];
    const model = await loadModel(new URL(`${name}.gguf`, folder));
    let bits = 0;
    let bytes = 0;
    for (const story of heldOutStories().filter((_, i) => i % EVERY === 0)) {
      bits += await bitsOf(model, story);
      bytes += Buffer.byteLength(story);
    }
    model.dispose();
    console.log(`# ${name}: ${(bits / bytes).toFixed(4)} bits per byte of ${bytes} bytes held out`);
    assert.ok(Math.abs(bits / bytes - stated) < 0.002, `${bits / bytes}, not ${stated}`);
  });
