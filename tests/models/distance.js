// Distances between rows of logits. A row is an array of one number for each token of the vocabulary.

export const argmax = (row) => row.reduce((best, logit, id) => (logit > row[best] ? id : best), 0);

/** The difference of the largest and the second logit of a row. */
export function margin(row) {
  const best = argmax(row);
  return row[best] - row.reduce((most, logit, id) => (id === best ? most : Math.max(most, logit)), -Infinity);
}

const zip = (rows, others, visit) => rows.forEach((row, i) => row.forEach((x, id) => visit(x, others[i][id])));

/** The root of the mean square of the differences. */
export function distance(rows, others) {
  let squares = 0;
  zip(rows, others, (x, y) => (squares += (x - y) ** 2));
  return Math.sqrt(squares / (rows.length * rows[0].length));
}

/** The largest difference, in standard deviations of the other logits. */
export function largestDifference(rows, others) {
  let worst = 0;
  let sum = 0;
  let squares = 0;
  zip(rows, others, (x, y) => {
    worst = Math.max(worst, Math.abs(x - y));
    sum += y;
    squares += y * y;
  });
  const count = rows.length * rows[0].length;
  return worst / Math.sqrt(squares / count - (sum / count) ** 2);
}

/** The number of rows that choose another token than the other rows, if these choose by more than `least`. */
export const wrongChoices = (rows, others, least) =>
  rows.filter((row, i) => argmax(row) !== argmax(others[i]) && margin(others[i]) > least).length;
