// What drafting gains: `node tests/bench/speculation.js [--runs N] [--in node,chromium] [--only TASK] [--ways eagle,auto,…]`. Every way of writing
// takes its turn in every run, each time in another order; ratios are of the same run. One thread. On a machine that others
// use, the time that is computed (Node) says more than that of the clock.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { launch } from "../browser/browsers.js";
import { startSite } from "../browser/site.js";
import * as local from "./speculation-page.js";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "7" },
    in: { type: "string", default: "node,chromium" },
    only: { type: "string" },
    ways: { type: "string" },
  },
});
const runs = Number(values.runs);
const root = new URL("../../", import.meta.url).href;

const card = JSON.parse(readFileSync(new URL("demos/model/prompts.json", root), "utf8"));
const loops = card.loops.slice(0, 4);
const story = ["Once upon a time", "Lily and Tom wanted to", "One day, the old man", "The little dog was sad because"];
const noEnd = { bannedTokens: [2] };
const tasks = {
  "a story, T = 0.8": { prompts: story, options: { temperature: 0.8, maxTokens: 200, ...noEnd } },
  "a story, greedy": { prompts: story, options: { temperature: 0, maxTokens: 200, ...noEnd } },
  // The card of the model has these prompts: greedily it goes round in circles, sooner or later.
  "text that comes to repeat itself": {
    prompts: loops.map(({ prompt }) => prompt),
    options: { temperature: 0, maxTokens: 400, ...noEnd },
  },
  "text that repeats itself": {
    prompts: loops.map(({ promptTokens, greedyTokens }) => [...promptTokens, ...greedyTokens]),
    options: { temperature: 0, maxTokens: 250, ...noEnd },
  },
};
const ways = [
  ...[2, 3, 4, 7, 8, "auto"].map((draftTokens) => ({ draft: "pair", draftTokens })),
  ...[3, 7, 15, "auto"].map((draftTokens) => ({ draft: "lookup", draftTokens })),
  ...[3, 7, "auto"].map((draftTokens) => ({ draft: "lookahead", draftTokens })),
  ...[1, 3, 4, 7, 8, 15, "auto"].map((draftTokens) => ({ draft: "medusa", draftTokens })),
  ...[1, 3, 4, 7, 8, 15, "auto"].map((draftTokens) => ({ draft: "eagle", draftTokens })),
  ...[3, 7, "auto"].map((draftTokens) => ({ draft: "auto", draftTokens })),
].filter(({ draft }) => !values.ways || values.ways.split(",").includes(draft));

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const round = (value, digits = 2) => Number(value.toFixed(digits));

/** The acceptance of each proposal with which `count` of them give so many tokens a pass. */
function acceptanceFor(tokens, count) {
  let [low, high] = [0, 1];
  for (let i = 0; i < 50; i++) {
    const a = (low + high) / 2;
    let sum = 0;
    for (let k = 0; k <= count; k++) sum += a ** k;
    if (sum < tokens) low = a;
    else high = a;
  }
  return low;
}

async function measure(place) {
  /** @type {(name: string, ...args: any[]) => Promise<any>} */
  let call = (name, ...args) => local[name](...args);
  let close = async () => {};
  if (place === "node") {
    await local.open(root, false);
  } else {
    const site = await startSite();
    const driver = await launch(place);
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    call = (name, ...args) =>
      driver.evaluate(
        async (name, args) => (await import("/tests/bench/speculation-page.js"))[name](...args),
        name,
        /** @type {any} */ (args),
      );
    await call("open", `${site.origin}/`, place === "chromium");
    close = () => driver.close().then(() => site.close());
  }
  const cost = await call("costs", [1, 2, 3, 4, 5, 8, 9, 16], 40);
  const rows = (count) => cost.storyteller[count] / cost.storyteller[1];
  const draftCost = cost.draft[1] / cost.storyteller[1];
  console.log(
    `\n== ${place}: a pass of one row takes ${round(1e3 * cost.storyteller[1], 0)} us; of so many rows, in passes`,
  );
  console.log(
    Object.keys(cost.storyteller)
      .map((count) => `${count}: ${round(rows(count))}`)
      .join("   "),
  );
  console.log(`a token of the draft: ${round(draftCost)} passes`);
  const headCost = (await call("headCosts", 40)).map((ms) => ms / cost.storyteller[1]);
  if (headCost.length) console.log(`so many heads: ${headCost.map((one, i) => `${i + 1}: ${round(one)}`).join("   ")}`);
  for (const [task, { prompts, options }] of Object.entries(tasks)) {
    if (values.only && task !== values.only) continue;
    const found = new Map(
      ways.map((way) => [way, { ms: [], computed: 0, passes: 0, tokens: 0, drafted: 0, accepted: 0 }]),
    );
    const plain = [];
    let plainComputed = 0;
    for (let run = 0; run < runs; run++) {
      const each = new Map();
      for (const prompt of prompts) {
        // All find the prompt in the models' caches.
        await call("write", prompt, { ...options, maxTokens: 2, draft: "pair", draftTokens: 1 });
        const all = [undefined, ...ways];
        const first = (5 * run) % all.length;
        for (const way of [...all.slice(first), ...all.slice(0, first)]) {
          const { ms, computed, usage } = await call("write", prompt, { ...options, seed: run, ...way });
          each.set(way, (each.get(way) ?? 0) + ms);
          if (!way) {
            plainComputed += computed;
            continue;
          }
          const sums = found.get(way);
          sums.computed += computed;
          sums.passes += usage.passes;
          sums.tokens += usage.completionTokens;
          sums.drafted += usage.draftedTokens;
          sums.accepted += usage.acceptedTokens;
        }
      }
      plain.push(each.get(undefined));
      for (const way of ways) found.get(way).ms.push(each.get(way));
    }
    const count = prompts.length * options.maxTokens;
    console.log(
      `\n-- ${task}: plain ${round((1e3 * count) / median(plain), 0)} tokens/s, at best ${round((1e3 * count) / Math.min(...plain), 0)}`,
    );
    const table = ways.map((way) => {
      const { ms, computed, passes, tokens, drafted, accepted } = found.get(way);
      const perPass = tokens / passes;
      const proposed = drafted / passes;
      const isPair = way.draft === "pair";
      const isFixed = way.draftTokens !== "auto" && isPair;
      const areHeads = way.draft === "medusa";
      const isTree = areHeads || way.draft === "eagle";
      const exact = (isFixed || isTree) && cost.storyteller[way.draftTokens + 1] && rows(way.draftTokens + 1);
      // Lookup has not always something to propose; where the number varies, a row more costs about what one of four does.
      const usual = isFinite(way.draftTokens) ? way.draftTokens : 3;
      const time = exact || 1 + (proposed / usual) * (rows(usual + 1) - 1);
      // All heads: small trees need fewer.
      // What EAGLE's steps cost is not told apart here.
      const drafting = isPair ? proposed * draftCost : areHeads ? headCost[headCost.length - 1] : 0;
      return {
        way: `${way.draft} ${way.draftTokens}`,
        "accepted, %": drafted ? round((100 * accepted) / drafted, 1) : "none drafted",
        "proposed a pass": round(proposed),
        "tokens a pass": round(perPass),
        "times plain, median": round(median(ms.map((value, i) => plain[i] / value))),
        "at best": round(Math.min(...plain) / Math.min(...ms)),
        computed: computed ? round(plainComputed / computed) : "",
        a: isFixed ? round(acceptanceFor(perPass, way.draftTokens)) : "",
        "theory, these costs": round(perPass / (time + drafting)),
        "if further rows cost nothing": round(perPass / (1 + drafting)),
      };
    });
    console.table(table);
  }
  await call("close");
  await close();
}

for (const place of values.in.split(",")) await measure(place);
process.exit(0);
