// How the bench of structured output counts and prints.

const decoder = (count) => (value) => (value === undefined || Number.isNaN(value) ? "-" : value.toFixed(count));
const digits = (value) => decoder(value < 10 ? 2 : value < 100 ? 1 : 0)(value);

/** @param {string} text @param {(string | number)[]} cells */
export const line = (text, ...cells) =>
  console.log(text.padEnd(44) + cells.map((cell) => String(cell).padStart(14)).join(""));

/** The value below which that share of them lies. */
export function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** Mean and quantiles as they stand in the tables, of microseconds. */
export function spread(values, scale = 1) {
  const sorted = Float64Array.from(values).sort();
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  const of = (share) => quantile(sorted, share) / scale;
  return { mean: mean / scale, p50: of(0.5), p90: of(0.9), p99: of(0.99), p999: of(0.999), max: of(1) };
}

/** All the numbers of some outcomes in one array. */
export function gather(outcomes, key) {
  const parts = outcomes.map((outcome) => outcome[key] ?? []);
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** How often each key comes, most often first: "pattern 12, not 3". */
export function counts(keys) {
  const table = new Map();
  for (const key of keys) table.set(key, (table.get(key) ?? 0) + 1);
  return [...table]
    .sort((a, b) => b[1] - a[1])
    .map(([key, count]) => `${key} ${count}`)
    .join(", ");
}

/** The rows of the table of one run over MaskBench. */
export function summary({ outcomes, setUpMs, rss }) {
  const of = (status) => outcomes.filter((outcome) => outcome.status === status);
  const share = (count) => `${((100 * count) / outcomes.length).toFixed(1)} %`;
  const masks = spread(gather(outcomes, "masks"));
  const commits = spread(gather(outcomes, "commits"));
  const compiled = outcomes.filter((outcome) => ["right", "over", "under"].includes(outcome.status));
  const compile = spread(
    compiled.map((outcome) => outcome.compile),
    1000,
  );
  const verdicts = [0, 1, 2, 3].map((i) =>
    compiled.reduce((sum, outcome) => sum + (outcome.verdicts ? outcome.verdicts[i] : 0), 0),
  );
  return {
    schemas: outcomes.length,
    right: `${of("right").length} ${share(of("right").length)}`,
    "over-constrained": of("over").length,
    "under-constrained": of("under").length,
    refused: of("refused").length,
    errors: of("error").length,
    "crashed / timed out": `${of("crash").length} / ${of("timeout").length}`,
    "valid instances accepted": `${verdicts[0]}/${verdicts[1]}`,
    "invalid instances rejected": `${verdicts[2]}/${verdicts[3]}`,
    masks: gather(outcomes, "masks").length,
    "mask mean µs": digits(masks.mean),
    "mask p50": digits(masks.p50),
    "mask p90": digits(masks.p90),
    "mask p99": digits(masks.p99),
    "mask p99.9": digits(masks.p999),
    "mask max": digits(masks.max),
    "commit p50 µs": digits(commits.p50),
    "commit p99": digits(commits.p99),
    "compile mean ms": digits(compile.mean),
    "compile p50": digits(compile.p50),
    "compile p90": digits(compile.p90),
    "compile p99": digits(compile.p99),
    "compile max": digits(compile.max),
    "vocabulary set-up ms": digits(setUpMs),
    "memory of the process, MB": Math.round(rss / 2 ** 20),
  };
}

/** Prints summaries side by side. @param {Record<string, ReturnType<typeof summary>>} columns */
export function printSummaries(title, columns) {
  line(`\n${title}`, ...Object.keys(columns));
  const rows = Object.keys(Object.values(columns)[0]);
  for (const row of rows) line(row, ...Object.values(columns).map((column) => column[row]));
}
