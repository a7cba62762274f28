// A text with visible tokens, tinted by how surprising each was.
import { html, nothing } from "lit";
import { surpriseClass, surpriseLimits } from "./format.js";

/**
 * @typedef {object} Piece
 * @property {string} text
 * @property {number} [probability] of the token; tints it, with the number as its title
 * @property {boolean} [isMarked]
 */

/**
 * @param {Piece[]} pieces
 * @param {{ selected?: number, onPick?: (index: number) => void }} [how] onPick: tokens are buttons
 */
export function tokenText(pieces, { selected = -1, onPick } = {}) {
  // No white space from the template, because it would be drawn.
  const spans = pieces.map(({ text, probability, isMarked }, i) => {
    const tint = probability === undefined ? "" : `s${surpriseClass(probability)}`;
    const title = probability === undefined ? nothing : probability.toPrecision(3);
    if (!onPick) return html`<span class="token ${tint}" title=${title} ?data-marked=${isMarked}>${text}</span>`;
    return html`<button
      class="token ${tint}"
      title=${title}
      ?data-marked=${isMarked}
      aria-pressed=${i === selected}
      .textContent=${text}
      @click=${() => onPick(i)}
    ></button>`;
  });
  return html`<p class="text">${spans}</p>`;
}

/** The legend of the tints. @param {import("./element.js").LastInchElement} host */
export const tintLegend = (host) =>
  html`<ul class="legend tints">
    <li>${host.say("tints")}</li>
    ${[...surpriseLimits.slice(1), 0].map((limit) => {
      const [most] = surpriseLimits.slice(-1);
      const text = limit ? `≥ ${100 * limit}%` : `< ${100 * most}%`;
      return html`<li><span class="tint s${surpriseClass(limit)}">${text}</span></li>`;
    })}
  </ul>`;
