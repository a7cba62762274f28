// The recordings that widgets show until a reader runs them are what the models write.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { folder, record, sourceOf } from "../../demos/model/record.js";

test("every recording equals a new run", async () => {
  const recorded = await record();
  assert.deepEqual(
    readdirSync(folder).sort(),
    Object.keys(recorded)
      .map((name) => `${name}.js`)
      .sort(),
  );
  for (const [name, values] of Object.entries(recorded))
    assert.equal(
      readFileSync(new URL(`${name}.js`, folder), "utf8"),
      await sourceOf(values),
      `node demos/model/record.js makes ${name} anew`,
    );
});
