// The process that an engine runs in: it may hang or die, and then its parent starts another.
import { engines } from "./grammar-engines.js";
import { openVocabulary } from "./grammar-vocabulary.js";
import { walkEntry } from "./grammar-walk.js";

const [engineName, vocabularyName, options] = process.argv.slice(2);
const vocabulary = openVocabulary(vocabularyName);
const before = process.memoryUsage().rss;
const engine = await engines[engineName](vocabulary, JSON.parse(options ?? "{}"));
const send = (message) => new Promise((resolve) => process.send?.(message, resolve));
const { setUpMs, loadMs, savedBytes } = engine;
await send({ setUpMs, loadMs, savedBytes, rss: process.memoryUsage().rss - before });

process.on("message", async ({ entry, options }) => {
  const outcome = await walkEntry(engine, vocabulary.eos, entry, options);
  const isDead = engine.isFragile && outcome.status === "error";
  await send({ outcome, rss: process.memoryUsage().rss - before, isDead });
  if (isDead) process.exit();
});
