// How smoothly widgets follow a slider over a vocabulary of 128,256 tokens: what each move costs, and which frames come late.
// `node tests/bench/widgets.js [--in chromium,firefox] [--only nucleus,rulers] [--seconds 2]`
import { parseArgs } from "node:util";
import { loadModel } from "../../dist/index.js";
import { launch } from "../browser/browsers.js";
import { startSite } from "../browser/site.js";
import { WidgetPage } from "../browser/widgets.js";

const SIZE = 128256;
const FRAME = 1000 / 60;

/** Every slider of a widget that takes a row and that changes what is made of it. */
const drags = [
  ["nucleus", "topP"],
  ["nucleus", "temperature"],
  ["rulers", "topK"],
  ["rulers", "topP"],
  ["rulers", "temperature"],
  ["funnel", "topK"],
  ["funnel", "temperature"],
  ["funnel", "typicalP"],
  ["order-bench", "topP"],
  ["order-bench", "temperature"],
  ["order-bench", "repetitionPenalty"],
  ["die", "topP"],
  ["die", "temperature"],
  ["penalties", "repetitionPenalty"],
  ["penalties", "shift"],
  ["temperature-panels", "middle"],
  ["peaked-flat", "topP"],
  ["min-p-heat", "temperature"],
  ["min-p-heat", "topP"],
];

const { values: flags } = parseArgs({
  options: {
    in: { type: "string", default: "chromium" },
    only: { type: "string", default: "" },
    seconds: { type: "string", default: "2" },
  },
});

/** A model's row, and below it a tail in which a token of twice the rank has half the probability; shuffled. */
async function realisticRow() {
  const model = await loadModel(new URL("../../demos/model/storyteller.gguf", import.meta.url).href);
  const real = await model.forward(await model.tokenize("Once upon a time, there was a", { bos: model.config.addBos }));
  model.dispose();
  let state = 7;
  const uniform = () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) + 0.5) / 2 ** 32;
  const least = real.reduce((a, b) => Math.min(a, b));
  const row = Array.from({ length: SIZE }, (_, i) =>
    i < real.length ? real[i] : least - Math.log(i / real.length) + uniform() - 0.5,
  );
  for (let i = SIZE - 1; i > 0; i--) {
    const j = Math.floor(uniform() * (i + 1));
    [row[i], row[j]] = [row[j], row[i]];
  }
  return row.map((logit) => Number(logit.toFixed(4)));
}

/** Runs in the page: gives the first widget the row. @param {any} widget @param {any} _ @param {number[]} row */
async function giveRow(widget, _, row) {
  widget.data = { tokens: row.map((_, id) => ` t${id}`), logits: Float32Array.from(row) };
  await widget.updateComplete;
}

/** Runs in the page: notes what every move of a slider costs, and when frames begin. @param {any} widget */
function watchMoves(widget) {
  const noted = { script: [], layout: [], frames: [] };
  globalThis.noted = noted;
  let began = 0;
  addEventListener("input", () => (began = performance.now()), { capture: true });
  addEventListener("input", async () => {
    await widget.updateComplete;
    const done = performance.now();
    noted.script.push(done - began);
    // The frame would do it a moment later.
    widget.getBoundingClientRect();
    noted.layout.push(performance.now() - done);
  });
  const frame = (now) => {
    noted.frames.push(now);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

/** Moves the pointer along a slider, there and back, at 60 Hz. @param {WidgetPage} page @param {string} id */
async function drag(page, id) {
  const { mouse } = /** @type {import("puppeteer-core").Page} */ (page.driver.page);
  const { x, y, width } = await page.inside((_, root, at) => {
    root.getElementById(at).scrollIntoView({ block: "center" });
    const { x, y, width, height } = root.getElementById(at).getBoundingClientRect();
    return { x, y: y + height / 2, width };
  }, id);
  const moves = Number(flags.seconds) * 60;
  await mouse.move(x + 8, y);
  await mouse.down();
  const began = performance.now();
  for (let i = 0; i < moves; i++) {
    // What takes ten times as long as it may is seen early enough.
    if (performance.now() - began > 10 * moves * FRAME) break;
    await new Promise((go) => setTimeout(go, began + i * FRAME - performance.now()));
    await mouse.move(x + 8 + (width - 16) * (1 - Math.abs(1 - (2 * i) / moves)), y);
  }
  const { script, layout, frames } = await page.inside(() => globalThis.noted);
  await mouse.up();
  return { script, layout, gaps: frames.slice(1).map((now, i) => now - frames[i]) };
}

/**
 * Milliseconds of a processor that the page has taken, whoever else was at work on the machine; Chromium alone tells.
 * @param {import("puppeteer-core").CDPSession | undefined} session
 */
async function usedTime(session) {
  if (!session) return NaN;
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN);
}

/** @param {number[]} numbers @param {number} part */
const quantile = (numbers, part) => [...numbers].sort((a, b) => a - b)[Math.ceil(part * numbers.length) - 1];

/** @param {number[]} numbers */
const spread = (numbers) => [0.5, 0.95, 1].map((part) => quantile(numbers, part).toFixed(1)).join(" / ");

const row = await realisticRow();
const only = flags.only ? flags.only.split(",") : [];
/** @param {string[]} cells */
const line = ([first, ...cells]) => console.log(first.padEnd(30) + cells.map((cell) => cell.padStart(22)).join(""));

for (const browser of flags.in.split(",")) {
  console.log(`\n${browser}, ${SIZE} tokens; times in ms: median / 95 of 100 / most`);
  line(["slider", "moves", "script", "layout", "processor a move", "moves over 16.7 ms", "late frames"]);
  for (const [name, id] of drags) {
    if (only.length && !only.includes(name)) continue;
    const site = await startSite();
    const driver = await launch(browser);
    try {
      const page = new WidgetPage(driver, site);
      await page.show(`<lastinch-${name}></lastinch-${name}>`, { script: `widget-${name}.js` });
      await page.inside(giveRow, row);
      await page.until((_, root) => Boolean(root.querySelector("table")));
      await page.inside(watchMoves);
      const session = browser === "chromium" ? await driver.page?.createCDPSession() : undefined;
      await session?.send("Performance.enable", { timeDomain: "threadTicks" });
      const before = await usedTime(session);
      const { script, layout, gaps } = await drag(page, id);
      const used = ((await usedTime(session)) - before) / script.length;
      const slow = script.filter((time, i) => time + layout[i] > FRAME).length;
      const late = gaps.filter((gap) => gap > 1.5 * FRAME).length;
      const counts = [used.toFixed(1), `${slow} of ${script.length}`, `${late} of ${gaps.length}`];
      line([`${name} ${id}`, String(script.length), spread(script), spread(layout), ...counts]);
    } catch (error) {
      line([`${name} ${id}`, String(error).split("\n")[0].slice(0, 80)]);
    } finally {
      await driver.close();
      await site.close();
    }
  }
}
