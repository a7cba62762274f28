// Many schemas through one engine, in a process of its own with a limit of time for each of them.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openVocabulary } from "./grammar-vocabulary.js";

const program = fileURLToPath(new URL("grammar-child.js", import.meta.url));

/** Entries whose instances are cut into tokens. */
export function tokenise(entries, vocabularyName) {
  const { encode } = openVocabulary(vocabularyName);
  return entries.map((entry) => ({
    ...entry,
    tests: entry.tests.map((test) => ({ ...test, tokens: encode(test.text) })),
  }));
}

/** Starts an engine's process and waits for it: ask gives the next message, or null when it dies or takes too long. */
async function startChild(engine, vocabulary, options, limitMs) {
  const child = fork(program, [engine, vocabulary, JSON.stringify(options)], {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let noise = "";
  child.stderr?.on("data", (chunk) => (noise = (noise + chunk).slice(-2000)));
  const next = (limit) =>
    new Promise((resolve) => {
      const timer = setTimeout(() => settle({ timeout: true }), limit);
      const settle = (answer) => {
        clearTimeout(timer);
        child.off("message", settle);
        child.off("exit", onExit);
        resolve(answer);
      };
      const onExit = () => settle({ crash: noise.trim().split("\n").at(-1) ?? "" });
      child.once("message", settle);
      child.once("exit", onExit);
    });
  const first = await next(120_000);
  if (first.setUpMs === undefined) throw new Error(`${engine} does not start: ${noise}`);
  return {
    first,
    async ask(message) {
      child.send(message);
      return next(limitMs);
    },
    end: () => child.kill("SIGKILL"),
  };
}

/**
 * @param {string} engine
 * @param {string} vocabulary
 * @param {{ id: string, schema: string, tests: any[] }[]} entries tokenised
 * @param {{ limitMs?: number, options?: object, onOutcome?: (entry: any, outcome: any, index: number) => void }} [how]
 */
export async function runEngine(engine, vocabulary, entries, { limitMs = 60_000, options = {}, onOutcome } = {}) {
  /** @type {import("./grammar-walk.js").Outcome[]} */
  const outcomes = [];
  let child = await startChild(engine, vocabulary, options, limitMs);
  const { setUpMs, loadMs, savedBytes } = child.first;
  let rss = child.first.rss;
  for (const [index, entry] of entries.entries()) {
    child ??= await startChild(engine, vocabulary, options, limitMs);
    const answer = await child.ask({ entry });
    if (!answer.outcome || answer.isDead) {
      child.end();
      child = /** @type {any} */ (null);
    }
    rss = Math.max(rss, answer.rss ?? 0);
    const outcome =
      answer.outcome ??
      (answer.timeout ? { status: "timeout" } : { status: "crash", keyword: "crash", message: answer.crash });
    if (answer.isDead) outcome.status = "crash";
    outcomes.push(outcome);
    onOutcome?.(entry, outcome, index);
  }
  child?.end();
  return { outcomes, setUpMs, loadMs, savedBytes, rss };
}
