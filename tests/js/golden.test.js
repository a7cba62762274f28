// The seeded stream of 2,750 tokens is the same in C and through the JavaScript API.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { createSampler } from "lastinch";
import { goldenStream } from "../vectors/golden-stream.js";

const { digest } = JSON.parse(readFileSync(new URL("../vectors/golden.json", import.meta.url), "utf8"));

test("the golden stream has the digest of the C tests", async () => {
  const header = readFileSync(new URL("../c/golden_digest.h", import.meta.url), "utf8");
  assert.match(header, new RegExp(`GOLDEN_DIGEST ${digest}u`));
  assert.equal(await goldenStream(createSampler), digest);
});
