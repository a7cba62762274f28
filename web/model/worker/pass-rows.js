// The rows of a pass of the model, as C reads them.
import { ROW_BRANCH, ROW_POSITION, ROW_SEQUENCE, ROW_SIZE, ROW_TOKEN, ROW_WANTS_LOGITS } from "../../core/layouts.js";

/**
 * Writes the next rows of the runs from `first` on.
 * @param {import("../../core/wasm.js").ModelInstance} instance
 * @param {number} model
 * @param {number} most rows of a pass
 * @param {import("./sequence.js").Run[]} runs
 * @param {number[]} places first position of each run that has not been run
 * @param {number} first
 * @param {import("../../decode/decode-types.js").Taps["give"]} [give]
 * @returns {number} how many rows
 */
export function writeRows({ exports, views }, model, most, runs, places, first, give) {
  const at = (exports.li_model_rows(model) >>> 0) / 4;
  const { words } = views();
  let count = 0;
  for (let run = first; run < runs.length && count < most; run++) {
    const { sequence, wanted } = runs[run];
    const { tokens, seat, branch } = sequence;
    // A pass of only the last row would update the recurrent state past the position where another answer begins.
    const isOneOver = tokens.length - places[run] === most - count + 1;
    const end = isOneOver ? tokens.length - 2 : tokens.length;
    for (let position = places[run]; position < end && count < most; position++, count++) {
      give?.(run, position, count);
      const row = at + (ROW_SIZE / 4) * count;
      words[row + ROW_TOKEN] = tokens[position];
      words[row + ROW_POSITION] = position;
      words[row + ROW_SEQUENCE] = seat;
      words[row + ROW_WANTS_LOGITS] = Number(position >= tokens.length - wanted);
      words[row + ROW_BRANCH] = position === branch?.length ? 1 + branch.from.seat : 0;
    }
    if (isOneOver) break;
  }
  return count;
}
