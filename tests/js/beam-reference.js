// Beam search in float64, slow and obvious, after Hugging Face's _beam_search: arrays of fixed size, in which empty
// places have a score of -1e9. Groups (diverse beam search) are searches side by side.

const NOTHING = -1e9;

/** Log-softmax of a row; masked tokens stay masked. */
export function logSoftmax(row) {
  const peak = row.reduce((a, b) => Math.max(a, b), -Infinity);
  const total = row.reduce((sum, z) => sum + Math.exp(z - peak), 0);
  return Array.from(row, (z) => z - peak - Math.log(total));
}

/** Stable: equals keep their order. */
const best = (list, count) => [...list].sort((a, b) => b.score - a.score).slice(0, count);

/**
 * `logprobsAfter(tokens)` gives, or promises, what each token adds to the score. Returns the finished texts of all groups,
 * best first, and the number of steps taken.
 */
export async function referenceBeams(logprobsAfter, options) {
  const { beams, eos, maxTokens, lengthPenalty = 1, earlyStopping = false } = options;
  const { beamGroups = 1, diversityPenalty = 0 } = options;
  const width = beams / beamGroups;
  const keep = Math.max(2, 1 + eos.length) * width;
  const empty = (score) => ({ tokens: [], score, isFinished: false });
  const groups = Array.from({ length: beamGroups }, () => ({
    running: Array.from({ length: width }, (_, i) => empty(i ? NOTHING : 0)),
    finished: Array.from({ length: width }, () => empty(NOTHING)),
    canImprove: true,
    isOver: false,
  }));
  let steps = 0;
  for (let length = 1; groups.some((group) => !group.isOver); length++) {
    steps++;
    const chosen = new Map();
    for (const group of groups.filter((one) => !one.isOver)) {
      const candidates = [];
      for (const { tokens, score } of group.running) {
        const logprobs = await logprobsAfter(tokens);
        logprobs.forEach((logprob, token) => {
          const penalty = diversityPenalty * (chosen.get(token) ?? 0);
          candidates.push({ tokens: [...tokens, token], score: score + logprob - penalty });
        });
      }
      const top = best(candidates, keep);
      const hits = top.map(({ tokens }) => eos.includes(tokens.at(-1)) || tokens.length === maxTokens);
      const lowered = (candidate, ...reasons) => candidate.score + NOTHING * reasons.filter(Boolean).length;
      group.running = best(
        top.map((candidate, i) => ({ ...candidate, score: lowered(candidate, hits[i]) })),
        width,
      );
      const isFull = group.finished.every(({ isFinished }) => isFinished);
      const ended = top.map(({ tokens, score }, i) => {
        const isFinished = hits[i] && i < width;
        const mean = { score: score / length ** lengthPenalty };
        const isLate = isFull && earlyStopping === true;
        return { tokens, isFinished, score: lowered(mean, !isFinished, isLate, !group.canImprove) };
      });
      group.finished = best([...group.finished, ...ended], width);
      const isLong = earlyStopping === "never" && lengthPenalty > 0;
      const bestPossible = group.running[0].score / (isLong ? maxTokens : length) ** lengthPenalty;
      const worst = Math.min(...group.finished.map(({ score }) => score));
      group.canImprove &&= group.finished.some(({ isFinished }) => bestPossible > (isFinished ? worst : NOTHING));
      const isDone = earlyStopping === true && group.finished.every(({ isFinished }) => isFinished);
      group.isOver = !group.canImprove || isDone || hits.every(Boolean);
      for (const { tokens, score } of group.running)
        if (score > NOTHING / 2) chosen.set(tokens.at(-1), (chosen.get(tokens.at(-1)) ?? 0) + 1);
    }
  }
  const all = groups.flatMap(({ finished }) => finished.filter(({ isFinished }) => isFinished));
  const found = best(all, beams).map(({ tokens, score }) => ({ tokens, score }));
  return Object.assign(found, { steps });
}
