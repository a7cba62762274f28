// Processor time of a step of the model that learns in a page, in Chromium: that of the Worker's thread, by Linux's
// /proc, so that a busy machine does not change it. `node tests/bench/train-page.js` after `make build`.
import { readFileSync, readdirSync } from "node:fs";
import { closeBrowsers } from "../browser/browsers.js";
import { openSite } from "../browser/site.js";

const STEPS = 200;
/** ms of the ticks in which Linux counts. */
const TICK = 10;

/** Processes that this one has started, and those that they have. */
function ownProcesses() {
  const parents = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      parents.set(pid, /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
    } catch {
      // It has ended.
    }
  const isOurs = (/** @type {string | undefined} */ pid) =>
    pid !== undefined && (pid === String(process.pid) || isOurs(parents.get(pid)));
  return [...parents.keys()].filter((pid) => isOurs(parents.get(pid)));
}

/** The processor time of the browser's Workers, in ms. */
function workerTime() {
  let ticks = 0;
  for (const pid of ownProcesses())
    try {
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8");
        const [user, system] = stat
          .slice(stat.lastIndexOf(")") + 2)
          .split(" ")
          .slice(11, 13);
        if (stat.includes("(DedicatedWorke")) ticks += Number(user) + Number(system);
      }
    } catch {
      // It has ended.
    }
  return TICK * ticks;
}

const { site, driver, close } = await openSite("chromium");
try {
  await driver.open(`${site.origin}/tests/browser/widget.html`);
  const weights = await driver.evaluate(async () => {
    const [{ createTrainer }, { default: text }] = await Promise.all([
      import("/dist/train.js"),
      import("/dist/text-alice.js"),
    ]);
    globalThis.trainer = await createTrainer(text, { seed: 1 });
    return globalThis.trainer.weightCount;
  });
  const learn = (/** @type {number} */ steps) =>
    driver.evaluate(async (steps) => {
      for await (const _ of globalThis.trainer.learn({ steps, every: steps }));
    }, steps);
  await learn(50); // the first steps compile
  console.log(`Chromium, ${weights} weights, 16 x 64 characters, ${STEPS} steps in each run`);
  for (let run = 0; run < 5; run++) {
    const before = workerTime();
    await learn(STEPS);
    const each = (workerTime() - before) / STEPS;
    console.log(`${each.toFixed(1)} ms a step: ${Math.round(60_000 / each)} steps a minute of one core`);
  }
} finally {
  await close();
  await closeBrowsers();
}
