// The rows of a list of the models that the browser keeps: a model in several files is one.

/** @typedef {import("../../dist/index.js").KeptModel} KeptModel */

/**
 * @typedef {object} KeptRow
 * @property {string} name of the file; with its host and path where another row has that name
 * @property {string[]} addresses of its files
 * @property {number} bytes that are kept
 * @property {number | null} total bytes; null: not known
 * @property {boolean} isWhole false: some of it is missing
 * @property {Date | null} date of its newest part
 */

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a % that begins no escape
  }
}

/** The address without the number of a part, and how many parts there are. @param {string} address */
function modelOf(address) {
  const [, before, count, after] = /^([^?#]*)-\d{5}-of-(\d{5})(\.gguf(?:[?#].*)?)$/.exec(address) ?? [];
  return count ? { model: before + after, parts: Number(count) } : { model: address, parts: 1 };
}

/** @param {KeptModel[]} kept @returns {KeptRow[]} in the order of their first files */
export function keptRows(kept) {
  /** @type {Map<string, KeptModel[]>} */
  const models = new Map();
  for (const one of kept) {
    const { model, parts } = modelOf(one.address);
    const key = `${parts} ${model}`;
    models.set(key, [...(models.get(key) ?? []), one]);
  }
  const rows = [...models.values()].map((files) => {
    const { model, parts } = modelOf(files[0].address);
    const { host, pathname } = new URL(model);
    const sum = (/** @type {(file: KeptModel) => number} */ of) => files.reduce((all, file) => all + of(file), 0);
    const isTotalKnown = files.length === parts && files.every(({ total }) => total !== null);
    const newest = Math.max(...files.map(({ date }) => Number(date)));
    return {
      name: decoded(pathname.slice(pathname.lastIndexOf("/") + 1)) || host,
      path: host + decoded(pathname),
      addresses: files.map(({ address }) => address),
      bytes: sum(({ bytes }) => bytes),
      total: isTotalKnown ? sum(({ total }) => total ?? 0) : null,
      isWhole: files.length === parts && files.every(({ isWhole }) => isWhole),
      date: newest ? new Date(newest) : null,
    };
  });
  return rows.map(({ path, ...row }) => {
    const isAlone = rows.filter(({ name }) => name === row.name).length === 1;
    return { ...row, name: isAlone ? row.name : path };
  });
}
