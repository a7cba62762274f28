// Writes what the benches have measured, tests/bench/results/: the README's table and picture of bars, and the table of
// measurements.md, which says when, where and by what each row was made.
// `--check` only lists stale files.
import { entryOf, readResults } from "../../tests/bench/record.js";
import { read } from "../../wasm/source.js";
import { writeOutputs } from "../../wasm/outputs.js";

/** @typedef {import("../../tests/bench/record.js").Entry & { name: string }} Named */
/** @param {string} name of the results @param {string} what @returns {Named} */
const named = (name, what) => ({ ...entryOf(name, what), name });

const topP = named("sampler", "topP");
const [mask, right, underConstrained, schemas] = ["mask", "right", "underConstrained", "schemas"].map((what) =>
  named("structured-output", what),
);
/** The mixture of types that most files have comes first. */
const speeds = ["Qwen3-0.6B Q4_K_M", "Qwen3-0.6B Q4_0"].map((what) => named("models", what));
const storyteller = named("transformers", "storyteller, no truncation");

/** Two digits, as much as repeats on a shared machine. @param {number} value */
const round = (value) => (value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(2))));

/** What was measured, ours, the others, and whose entry says when. @returns {[string, string, string, Named][]} */
function rows() {
  const beside = (/** @type {Record<string, number>} */ { wllama, llamacpp }) =>
    `${round(wllama)} (wllama), ${round(llamacpp)} (native llama.cpp)`;
  const [most, other] = speeds.map(({ values }) => values);
  return [
    [
      "top-p .95 of 128,256 logits, including the copy into WebAssembly",
      `${round(topP.values.lastinch)} ms`,
      `${round(topP.values.javascript)} ms (softmax, sort and walk in JavaScript)`,
      topP,
    ],
    [
      `mean mask of ${schemas.values.all} JSON Schemas, 128,256 tokens`,
      `${round(mask.values.lastinch)} ms`,
      `${round(mask.values.webXgrammar)} ms (web-xgrammar)`,
      mask,
    ],
    [
      "the same schemas: right / under-constrained",
      `${round(right.values.lastinch)} % / ${round(underConstrained.values.lastinch)}`,
      `${round(right.values.webXgrammar)} % / ${round(underConstrained.values.webXgrammar)} % (web-xgrammar)`,
      right,
    ],
    [
      "shape of Qwen3-0.6B, Q4_K_M, one thread in Chromium: tokens a second",
      round(most.lastinch),
      beside(most),
      speeds[0],
    ],
    ["the same in Q4_0", round(other.lastinch), beside(other), speeds[1]],
    [
      "the storyteller in transformers.js, no truncation: processor time per token",
      `${round(storyteller.values.lastinch)} ms`,
      `${round(storyteller.values.transformers)} ms (its own sampler)`,
      storyteller,
    ],
  ];
}

/** Where and when; how busy the machine was; or where the numbers stand, if no bench has written them. */
const originOf = (/** @type {Named} */ { date, machine, load, source, name }) =>
  source
    ? `${date}, ${machine}; ${source.replace(/ from demos.*/, " from the tables below")}`
    : `${date}, ${machine}, load ${load}: \`${readResults(name).command}\``;

const tableOf = (/** @type {string[]} */ head, /** @type {string[][]} */ lines) =>
  [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const table = tableOf(
  ["What", "lastinch", "others"],
  rows().map(([what, ours, others]) => [what, ours, others]),
);
const tableWithOrigins = tableOf(
  ["What", "lastinch", "others", "When, where, by what"],
  rows().map(([what, ours, others, entry]) => [what, ours, others, originOf(entry)]),
);

// ---- The picture ----

const WIDTH = 680;
const COLUMNS = 2;
const ROW = 164;
const BAR = { height: 20, step: 30, from: 128, longest: 90 };

/** @typedef {{ label: string, value: number, text: string, isOurs?: boolean }} Bar */
/** @typedef {{ title: string, about: string, source: Named, bars: Bar[] }} Panel */

/** @type {Panel[]} */
const panels = [
  {
    title: "JSON Schemas right",
    about: `of ${schemas.values.all} from MaskBench; higher is better`,
    source: right,
    bars: [
      ["lastinch", "lastinch"],
      ["web-xgrammar", "webXgrammar"],
      ["Hugging Face’s", "huggingface"],
    ].map(([label, key]) => {
      const value = right.values[key];
      const lenient = underConstrained.values[key];
      const text = `${round(value)} %${lenient ? `, ${round(lenient)} % lenient` : ""}`;
      return { label, value, text, isOurs: key === "lastinch" };
    }),
  },
  {
    title: "Milliseconds of a mask",
    about: "mean of the same schemas; lower is better",
    source: mask,
    bars: [
      ["lastinch", "lastinch"],
      ["web-xgrammar", "webXgrammar"],
      ["Hugging Face’s", "huggingface"],
    ].map(([label, key]) => {
      const value = mask.values[key];
      return { label, value, text: round(value), isOurs: key === "lastinch" };
    }),
  },
  {
    title: "Tokens a second",
    about: "Qwen3-0.6B’s shape, Q4_K_M, one thread",
    source: speeds[0],
    bars: [
      ["lastinch", "lastinch"],
      ["wllama", "wllama"],
      ["llama.cpp, native", "llamacpp"],
    ].map(([label, key]) => {
      const value = speeds[0].values[key];
      return { label, value, text: round(value), isOurs: key === "lastinch" };
    }),
  },
  {
    title: "Milliseconds of top-p",
    about: "of 128,256 logits; lower is better",
    source: topP,
    bars: [
      ["lastinch", "lastinch"],
      ["usual JavaScript", "javascript"],
    ].map(([label, key]) => {
      const value = topP.values[key];
      return { label, value, text: round(value), isOurs: key === "lastinch" };
    }),
  },
];

/** @param {string} text */
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** @param {Panel} panel @param {number} index */
function drawPanel({ title, about, bars }, index) {
  const most = Math.max(...bars.map(({ value }) => value));
  const drawn = bars.map(({ label, value, text, isOurs }, i) => {
    const y = 64 + i * BAR.step;
    const width = Math.max(1.5, (BAR.longest * value) / most).toFixed(1);
    const words = y + BAR.height - 6;
    return `<text x="${BAR.from - 8}" y="${words}" text-anchor="end">${escape(label)}</text>
<rect x="${BAR.from}" y="${y}" width="${width}" height="${BAR.height}" class="${isOurs ? "ours" : "theirs"}"/>
<text x="${(BAR.from + Number(width) + 5).toFixed(1)}" y="${words}" class="value">${escape(text)}</text>`;
  });
  return `<g transform="translate(${((index % COLUMNS) * WIDTH) / COLUMNS} ${Math.floor(index / COLUMNS) * ROW})">
<text x="8" y="22" class="title">${escape(title)}</text>
<text x="8" y="44" class="about">${escape(about)}</text>
${drawn.join("\n")}
</g>`;
}

/** Date and machine of the benches, under the bars: those of one day and machine in one line. */
const dayOf = (/** @type {Panel} */ { source }) => `${source.date}, ${source.machine}`;
const days = [...new Set(panels.map(dayOf))].reverse();
const below = ROW * Math.ceil(panels.length / COLUMNS);
const origins = days.map((day, i) => {
  const those = panels.filter((panel) => dayOf(panel) === day);
  const line = `${those.length > 1 ? "The others" : those[0].title}: ${day}`;
  return `<text x="8" y="${below + 18 * (i + 1)}" class="about">${escape(line)}</text>`;
});
const height = below + 18 * (origins.length + 1);
const said = panels.map(
  ({ title, bars }) => `${title}: ${bars.map(({ label, text }) => `${label} ${text}`).join(", ")}.`,
);
const size = `viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}"`;
const picture = `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escape(said.join(" "))}">
<style>
.paper { fill: #fff; }
text { font: 13px system-ui, sans-serif; fill: #222; }
.title { font-weight: 600; font-size: 15px; }
.about { fill: #555; font-size: 12px; }
.value { font-weight: 600; }
.ours { fill: #0072b2; }
.theirs { fill: #999; }
@media (prefers-color-scheme: dark) {
.paper { fill: #0d1117; }
text { fill: #eee; }
.about { fill: #bbb; }
.ours { fill: #56b4e9; }
.theirs { fill: #777; }
}
</style>
<rect width="100%" height="100%" class="paper"/>
${panels.map(drawPanel).join("\n")}
${origins.join("\n")}
</svg>
`;

/** @param {string} path @param {string} content */
function withBlock(path, content) {
  const block = /(<!-- measured: generated by `make generate` -->\n)[^]*?(<!-- end of measured -->)/;
  const text = read(path);
  if (!block.test(text)) throw new Error(`${path} has lost the marks of what was measured`);
  return text.replace(block, (_, begin, end) => `${begin}\n${content}\n\n${end}`);
}

writeOutputs({
  "README.md": withBlock("README.md", table),
  "demos/docs/measurements.md": withBlock("demos/docs/measurements.md", tableWithOrigins),
  "demos/docs/measured.svg": picture,
});
