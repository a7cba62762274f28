// Long prompts in a session that makes logits of all tokens: they run in pieces whose logits have room on the device.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { InferenceSession, Tensor, env } from "onnxruntime-web";
import { openSession } from "lastinch/onnxruntime";
import { collect } from "./decode-tools.js";
import { fakeDevice, onDevice } from "./fake-device.js";
import { openPeer } from "./onnx-tools.js";

env.wasm.numThreads = 1;
env.logLevel = "error";

let session;
before(async () => {
  const { folder } = await openPeer("draft");
  session = await InferenceSession.create(readFileSync(`${folder.models}${folder.name}/onnx/model.onnx`));
  assert.ok(!session.inputNames.includes("num_logits_to_keep"));
});
after(() => session?.release());

const prompt = Array.from({ length: 70 }, (_, i) => 3 + ((i * i * 37) % 2000));
const rowBytes = 4 * 2048;

/** A device that binds the logits of `most` tokens, the tokens of each pass there, and the session. @param {number} most */
function smallDevice(most) {
  const device = fakeDevice();
  device.limits.maxStorageBufferBindingSize = most * rowBytes;
  const passes = [];
  const far = onDevice(session, Tensor);
  const run = (feeds, fetches) => {
    passes.push(feeds.input_ids.dims[1]);
    return far.run(feeds, fetches);
  };
  return { device, passes, session: { ...far, run } };
}

const isEmpty = ({ buffers }) => buffers.length > 0 && buffers.every(({ isDestroyed }) => isDestroyed);

test("a prompt runs in pieces, after which the text and its probabilities are those of one pass", async () => {
  const options = { maxTokens: 6, logprobs: true, temperature: 0 };
  const { chunks: expected } = await collect(openSession(session, { Tensor }).generate(prompt, options));
  for (const [most, pieces] of [
    [32, [32, 32, 6]],
    [69, [69, 1]],
    [70, [70]],
  ]) {
    const { device, passes, session: small } = smallDevice(most);
    const { chunks } = await collect(openSession(small, { Tensor, device }).generate(prompt, options));
    assert.deepEqual(passes, [...pieces, 1, 1, 1, 1, 1]);
    const tokens = (all) => all.flatMap(({ tokens }) => tokens);
    assert.deepEqual(
      tokens(chunks).map(({ id }) => id),
      tokens(expected).map(({ id }) => id),
    );
    tokens(chunks).forEach(({ rawLogprob }, i) =>
      assert.ok(Math.abs(rawLogprob - tokens(expected)[i].rawLogprob) < 1e-4),
    );
    const largest = Math.max(...device.buffers.map(({ size }) => size));
    assert.ok(largest <= most * rowBytes, `${largest} bytes`);
    assert.ok(isEmpty(device));
  }
});

test("a last piece has as many tokens as rows are wanted, after guesses too", async () => {
  const { device, passes, session: small } = smallDevice(32);
  const twice = [...prompt.slice(0, 32), 5, ...prompt.slice(0, 32)];
  const model = openSession(small, { Tensor, device });
  const { usage } = await collect(
    model.generate(twice, { maxTokens: 10, draft: "lookup", temperature: 0, logprobs: true }),
  );
  assert.ok(usage.draftedTokens > 0);
  assert.equal(passes[0], 32);
  assert.ok(passes.every((count) => count <= 32));
  assert.ok(isEmpty(device));
});

test("an error in a later piece leaves no buffer", async () => {
  const { device, passes, session: small } = smallDevice(32);
  const { run } = small;
  small.run = (...given) => {
    if (passes.length === 2) throw new Error("no third pass");
    return run(...given);
  };
  await assert.rejects(collect(openSession(small, { Tensor, device }).generate(prompt, { maxTokens: 3 })), {
    message: "no third pass",
  });
  assert.deepEqual(passes, [32, 32]);
  assert.ok(isEmpty(device));
});
