// How far a model has been loaded, as onProgress says it.

/**
 * @typedef {object} LoadProgress
 * @property {number} loaded bytes
 * @property {number} total bytes
 * @property {"download" | "verify" | "prepare"} stage "download": from the network; "verify": from the browser's copy,
 *   whose parts are hashed; "prepare": from the page or from a file, and at the end
 * @property {number} rate bytes a second over the last seconds; 0: not known
 * @property {boolean} resumed whether the download goes on with what an earlier one has left
 */

const INTERVAL = 16; // ms between reports: once a frame
const SPAN = 3000; // ms over which the rate is measured
const STEP = 250; // ms between the places from which it is measured

/**
 * @param {import("./model-file.js").Opened} opened
 * @param {(progress: LoadProgress) => void} report
 * @returns {(loaded: number, total: number) => void}
 */
export function loadProgress(opened, report) {
  let reported = -Infinity;
  /** @type {{ time: number, loaded: number }[]} */
  let places = [];
  return (loaded, total) => {
    const { kept } = opened;
    const now = performance.now();
    if (loaded < total && now - reported < INTERVAL) return;
    reported = now;
    // What comes from the copy says nothing about the network.
    if (kept && loaded > kept && places[0]?.loaded < kept) places = [];
    places = places.filter(({ time }, i) => now - time <= SPAN || i === places.length - 1);
    const [first] = places;
    const rate = first && now > first.time ? ((loaded - first.loaded) / (now - first.time)) * 1000 : 0;
    if (!places.length || now - places[places.length - 1].time >= STEP) places.push({ time: now, loaded });
    const isLocal = kept === undefined || loaded === total;
    const stage = isLocal ? "prepare" : loaded <= kept ? "verify" : "download";
    report({ loaded, total, stage, rate: Math.round(rate), resumed: opened.resumed ?? false });
  };
}
