// Draws the detectors' tables of demos/docs/watermarks.md as curves, demos/docs/watermarks.svg. `--check` only says if it
// is stale.
import { read } from "../../wasm/source.js";
import { writeOutputs } from "../../wasm/outputs.js";

const PAGE = "demos/docs/watermarks.md";
/** By scheme: light and dark colour, and the sign of its points, so that colour is not the only difference. */
const looks = {
  gumbel: ["#00639c", "#62b9ee", (x, y) => `<circle cx="${x}" cy="${y}" r="4"/>`],
  green: ["#1f7a46", "#6fcf97", (x, y) => `<path d="M${x - 4} ${y - 4}h8v8h-8z"/>`],
  synthid: ["#ad4a00", "#f2a25c", (x, y) => `<path d="M${x} ${y - 5}l5 9h-10z"/>`],
};
/** Of each panel: its title, and the words with which the captions of its tables begin. */
const panels = [
  [
    "Storyteller, 200 texts",
    "Found of 200 marked texts, by their tokens",
    "Found of the same 200, by their text without",
  ],
  [
    "MiniMind2-Small, 40 texts",
    "MiniMind2-Small: found of 40 marked texts, by their tokens",
    "MiniMind2-Small: found of the same 40, by their text without",
  ],
];
const [LEFT, TOP, WIDTH, HEIGHT, STEP, LONGEST] = [40, 90, 310, 190, 290, 200];

/** The share that is found at 1 %, by scheme, with its number of tokens. @param {string} caption */
function curvesOf(caption) {
  const text = read(PAGE);
  const [, after] = text.split(`*${caption}`);
  if (!after) throw new Error(`${PAGE} has lost the table "${caption}"`);
  const of = Number(/\d+/.exec(caption.replace("MiniMind2", ""))?.[0]);
  const cells = (/** @type {string} */ line) => line.split("|").slice(1, -1);
  const [head, , ...rows] = after
    .slice(after.indexOf("\n|") + 1)
    .split("\n\n")[0]
    .trim()
    .split("\n");
  const lengths = cells(head)
    .slice(1)
    .map((cell) => parseInt(cell));
  return rows.map((row) => {
    const [scheme, ...counts] = cells(row);
    if (!counts.every((cell) => parseInt(cell) >= 0)) throw new Error(`${PAGE}: "${row}" has a cell without a count`);
    return { scheme: scheme.trim(), points: counts.map((cell, i) => [lengths[i], parseInt(cell) / of]) };
  });
}

/** @param {string[]} panel @param {number} at */
function drawPanel([title, ...captions], at) {
  const x = (/** @type {number} */ tokens) => LEFT + Math.round((tokens / LONGEST) * WIDTH);
  const y = (/** @type {number} */ share) => TOP + at * STEP + Math.round((1 - share) * HEIGHT);
  const lines = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<path class="grid" d="M${x(0)} ${y(share)}h${WIDTH}"/><text x="${x(0) - 6}" y="${y(share) + 4}" text-anchor="end">${100 * share}</text>`,
  );
  const marks = [25, 50, 100, 200].map(
    (tokens) => `<text x="${x(tokens)}" y="${y(0) + 18}" text-anchor="middle">${tokens}</text>`,
  );
  const curves = captions.flatMap((caption, i) =>
    curvesOf(caption).map(({ scheme, points }) => {
      const places = points.map(([tokens, share]) => [x(tokens), y(share)]);
      const signs = places.map(([a, b]) => looks[scheme][2](a, b)).join("");
      const path = `<path class="line" d="M${places.map((place) => place.join(" ")).join("L")}"/>`;
      return `<g class="${scheme}${i ? " cut" : ""}">${path}${signs}</g>`;
    }),
  );
  const heading = `<text class="title" x="${x(0)}" y="${y(1) - 14}">${title}: % found</text>`;
  const unit = `<text x="${x(LONGEST / 2)}" y="${y(0) + 36}" text-anchor="middle">tokens of the text</text>`;
  return [heading, ...lines, ...marks, unit, ...curves].join("\n");
}

function picture() {
  const rules = Object.entries(looks).map(([name, [light]]) => `.${name}{color:${light}}`);
  const dark = Object.entries(looks).map(([name, [, color]]) => `.${name}{color:${color}}`);
  const legend = Object.entries(looks).map(([name, [, , sign]], i) => {
    const at = LEFT + 96 * i;
    return `<g class="${name}">${sign(at + 4, 20)}</g><text x="${at + 16}" y="24">${name}</text>`;
  });
  const kinds = ["whole", "without a fifth of its words"].map((label, i) => {
    const at = LEFT + 110 * i;
    return `<path class="line${i ? " dashed" : ""}" d="M${at} 42h28"/><text x="${at + 36}" y="46">${label}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 372 630" width="372" height="630" font-family="system-ui, sans-serif" font-size="12">
<style>
svg{color:#1f1d1a}text{fill:currentColor}g path,g circle{fill:currentColor}.line{fill:none!important;stroke:currentColor;stroke-width:2}
.cut .line,.dashed{stroke-dasharray:5 4}.grid{stroke:#857f74;stroke-opacity:.35}.title{font-weight:600}
${rules.join("")}
@media(prefers-color-scheme:dark){svg{color:#ebe7df}${dark.join("")}}
</style>
${[...legend, ...kinds, ...panels.map(drawPanel)].join("\n")}
</svg>
`;
}

writeOutputs({ "demos/docs/watermarks.svg": picture() });
