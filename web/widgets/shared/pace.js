// The pace at which a text appears, slow enough to follow. Readers may choose another one.
import { html } from "lit";

/** @typedef {import("./element.js").LastInchElement & { pace?: number }} Host pace: tokens a second; 0: all at once */

/** Tokens a second, by their words. @type {[name: string, pace: number][]} */
const paces = [
  ["slow", 4],
  ["medium", 16],
  ["fast", 64],
  ["atOnce", 0],
];

/** Readers who want no motion get the whole text at once, unless they choose a pace. @param {Host} host */
const paceOf = (host) => host.pace ?? (matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 16);

/**
 * Settles when the next token is due, or when the signal aborts.
 * @param {Host} host
 * @param {AbortSignal} [signal]
 * @param {number} [tokens] so many of them
 */
export async function due(host, signal, tokens = 1) {
  const pace = paceOf(host);
  if (!pace || signal?.aborted) return;
  await new Promise((go) => {
    setTimeout(go, (1000 * tokens) / pace);
    signal?.addEventListener("abort", go, { once: true });
  });
}

/**
 * Plays a recording as if it were written now.
 * @template T
 * @param {Host} host
 * @param {Iterable<T>} pieces
 * @param {AbortSignal} signal
 */
export async function* replay(host, pieces, signal) {
  for (const piece of pieces) {
    if (signal.aborted) return;
    yield piece;
    host.requestUpdate();
    await host.onscreen();
    await due(host, signal);
  }
}

/** @param {Host} host */
export function paceField(host) {
  const change = (/** @type {Event} */ { target }) =>
    host.turn("pace", Number(/** @type {HTMLSelectElement} */ (target).value), true);
  const chosen = paceOf(host);
  return html`<label
    >${host.say("pace")}
    <select id="pace" @change=${change}>
      ${paces.map(([name, pace]) => html`<option value=${pace} ?selected=${pace === chosen}>${host.say(name)}</option>`)}
    </select></label
  >`;
}
