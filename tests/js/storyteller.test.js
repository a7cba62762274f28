// The shipped models say of held-out stories what their card says, and tell stories.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { loadModel } from "lastinch";
import { heldOutStories, lacksStories as skip } from "../vectors/held-out-stories.js";
import { bitsOf } from "./held-out-bits.js";

const folder = new URL("../../demos/model/", import.meta.url);
const card = readFileSync(new URL("README.md", folder), "utf8");

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
