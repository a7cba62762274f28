// The ONNX files in the tests of adapters are our models: they give the same logits and the same tokens.
import assert from "node:assert/strict";
import test from "node:test";
import { F32, convertGguf } from "../vectors/gguf-files.js";
import { load, shipped } from "./decode-tools.js";
import { openPeer } from "./onnx-tools.js";

const text = "Once upon a time, there was a little girl named Lily.\nShe said: \"Zoë, it's 12 o'clock!\"  😀";

for (const name of ["draft", "storyteller"])
  test(`${name}: the logits equal ours`, async () => {
    const { model, tokenizer } = await openPeer(name);
    const inputs = tokenizer(text);
    const { logits } = await model(inputs);
    const [, count, size] = logits.dims;
    const worst = async (bytes) => {
      const own = await load(bytes);
      const ids = await own.tokenize(text, { bos: true });
      assert.deepEqual([...inputs.input_ids.data].map(Number), ids);
      const rows = await own.forward(ids, { rows: "all" });
      own.dispose();
      assert.deepEqual([rows.length, rows[0].length], [count, size]);
      let most = 0;
      rows.forEach((row, i) =>
        row.forEach((z, id) => (most = Math.max(most, Math.abs(z - logits.data[i * size + id])))),
      );
      return most;
    };
    // The same weights with other arithmetic; and the shipped file, with which activations are quantised too.
    const bytes = shipped(name);
    const exact = await worst(convertGguf(bytes, F32));
    assert.ok(exact < 2e-4, `${exact}`);
    const quantised = await worst(bytes);
    assert.ok(quantised < 0.5, `${quantised}`);
  });

test("the exported tokenizer gives our ids, and decodes to the text", async () => {
  const { tokenizer } = await openPeer("storyteller");
  const own = await load(shipped("storyteller"));
  for (const sample of [text, "", " ", "The  dog\tran.", "xylophone-zebra qu'est-ce que", "\n\n", "日本語 ok"]) {
    const ids = await own.tokenize(sample, { bos: true });
    assert.deepEqual([...tokenizer(sample).input_ids.data].map(Number), ids, sample);
    assert.equal(tokenizer.decode(ids, { skip_special_tokens: true }), await own.detokenize(ids));
  }
  own.dispose();
});
