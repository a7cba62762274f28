// Speculation as lanes: what the draft proposes, what the target judges, and what comes of it.
import { svg } from "lit";
import { box, picture, words } from "./draw.js";

const [LANE, NAME, LETTER] = [40, 92, 8];

/**
 * The lanes of one round, step by step: a column for each proposal.
 * @param {object} lanes
 * @param {string} lanes.label what the picture shows, in words
 * @param {[string, string, string]} lanes.names of the lanes
 * @param {{ proposed: string, isJudged: boolean, outcome: string, isKept: boolean }[]} lanes.columns proposed "": not yet
 */
export function roundLanes({ label, names, columns }) {
  const width =
    Math.max(...columns.flatMap(({ proposed, outcome }) => [proposed.length, outcome.length]), 5) * LETTER + 16;
  const x = (/** @type {number} */ i) => NAME + i * (width + 6);
  const judged = columns.filter(({ isJudged }) => isJudged).length;
  return picture({
    label,
    width: x(columns.length) + 2,
    height: 3 * LANE + 4,
    content: [
      ...names.map((name, i) => words(0, i * LANE + 18, name, "soft")),
      ...columns.map(({ proposed }, i) =>
        proposed
          ? svg`<g class="grow">${box(x(i), 4, width, 28, "tint")}${words(x(i) + width / 2, 18, proposed, "", "middle")}</g>`
          : box(x(i), 4, width, 28, "idle"),
      ),
      judged ? svg`<g class="grow">${box(x(0), LANE + 4, x(columns.length) - x(0) - 6, 28, "hollow")}</g>` : "",
      ...columns.map(({ outcome, isKept }, i) =>
        outcome
          ? svg`<g class="grow">${box(x(i), 2 * LANE + 4, width, 28, isKept ? "kept" : "cut")}${words(x(i) + width / 2, 2 * LANE + 18, outcome, isKept ? "on" : "", "middle")}</g>`
          : "",
      ),
    ],
  });
}

const WIDTH = 600;

/**
 * A race on an axis of time: rounds of a draft and a target against the target alone, each pass as long as it was measured.
 * @param {object} race
 * @param {string} race.label what the picture shows, in words
 * @param {[string, string, string]} race.names of the lanes: draft, target, target alone
 * @param {import("./draft-round.js").Times} race.times
 * @param {{ proposed: number, added: number }[]} race.rounds
 */
export function raceLanes({ label, names, times, rounds }) {
  const { draft, judge, single } = times;
  const tokens = rounds.reduce((sum, { added }) => sum + added, 0);
  const together = rounds.reduce((sum, { proposed }) => sum + proposed * draft + judge, 0);
  const alone = tokens * single;
  const scale = (WIDTH - NAME) / Math.max(together, alone);
  const x = (/** @type {number} */ ms) => NAME + ms * scale;
  let now = 0;
  const passes = rounds.flatMap(({ proposed }) => {
    const drafts = Array.from({ length: proposed }, () => box(x(now), 4, ((now += draft), draft * scale), 24, "tint"));
    return [...drafts, box(x(now), LANE + 4, ((now += judge), judge * scale), 24, "kept")];
  });
  const singles = Array.from({ length: tokens }, (_, i) =>
    box(x(i * single), 2 * LANE + 4, single * scale, 24, "hollow"),
  );
  const end = (/** @type {number} */ ms, /** @type {number} */ lane) =>
    words(Math.min(x(ms), WIDTH) - 4, lane * LANE + 36, `${ms.toFixed(1)} ms`, "soft", "end");
  return picture({
    label,
    width: WIDTH + 4,
    height: 3 * LANE + 12,
    content: [
      ...names.map((name, i) => words(0, i * LANE + 16, name, "soft")),
      ...passes,
      ...singles,
      end(together, 1),
      end(alone, 2),
    ],
  });
}
