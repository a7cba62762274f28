// What analyzeSchema says before a schema is compiled for a model.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyzeSchema } from "lastinch";

const of = (findings, pointer, keyword) =>
  findings.find((finding) => finding.pointer === pointer && finding.keyword === keyword);

test("analyzeSchema separates enforced keywords, with their cost, from annotations", async () => {
  const findings = await analyzeSchema({
    title: "x",
    type: "object",
    properties: { tags: { type: "array", uniqueItems: true }, at: { format: "date-time" }, to: { format: "planet" } },
  });
  assert.equal(of(findings, "", "type").status, "enforced");
  assert.equal(of(findings, "/properties/tags", "uniqueItems").cost, "high");
  assert.equal(of(findings, "/properties/at", "format").status, "enforced");
  assert.equal(of(findings, "/properties/to", "format").status, "warning");
});

test("analyzeSchema names keywords that will be refused, and unreadable schemas", async () => {
  const missing = await analyzeSchema({ properties: { a: { $ref: "#/nowhere" } } });
  assert.equal(of(missing, "/properties/a", "$ref").status, "refused");
  const pattern = await analyzeSchema({ pattern: "(a)\\1" });
  assert.equal(of(pattern, "", "pattern").status, "refused");
  await assert.rejects(analyzeSchema("{"), { code: "grammar-syntax" });
});

test("analyzeSchema reports refusals that only the engine can find", async () => {
  const findings = await analyzeSchema({ not: { type: "array", uniqueItems: true, items: { type: "object" } } });
  const refused = findings.filter(({ status }) => status === "refused");
  assert.ok(
    refused.every(({ reason }) => reason),
    JSON.stringify(refused),
  );
  assert.equal(refused.length, 1);
});

test("a schema whose values cannot be counted is refused, not called empty", async () => {
  const findings = await analyzeSchema({ type: "object", minProperties: 100_000 });
  const refused = findings.find(({ status }) => status === "refused");
  assert.equal(refused.keyword, "minProperties");
  assert.match(refused.reason, /could not be decided/);
});
