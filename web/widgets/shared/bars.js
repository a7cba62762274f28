// A chart that is a table: a bar is a cell, so that what is seen and what is read out are one thing.
import { html, nothing } from "lit";

/**
 * A bar's length, as a share of its track. `kind` is kept, cut, hollow or plain (the row's, unless it says so itself); a cut bar
 * is hatched, and its row says so in words too.
 * @typedef {{ bar: number, kind?: string }} Bar
 */

/**
 * What is compared lies in one cell, above one another: a column of its own would have a width, and a scale, of its own.
 * A signed bar grows from the middle; `line` is a place on the track where a dashed line stands.
 * @typedef {Bar | { bars: Bar[] } | { signed: number }} BarCell
 */

/** A cell: text, or bars. @typedef {string | import("lit").TemplateResult | (BarCell & { line?: number })} Cell */

/**
 * @param {object} chart
 * @param {string} chart.caption for listeners
 * @param {(string | import("lit").TemplateResult)[]} chart.heads one for each cell; the first cell of a row is its name
 * @param {{ cells: Cell[], kind?: string, isMarked?: boolean, hasLine?: boolean | string }[]} chart.rows
 *   isMarked: the token that was chosen; hasLine: a dashed cut is drawn below it, with this name
 */
export function barTable({ caption, heads, rows }) {
  return html`<div class="scroll">
    <table class="bars">
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${heads.map((head) => (head ? html`<th scope="col">${head}</th>` : html`<td class="bar"></td>`))}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ cells: [name, ...cells], kind = "plain", isMarked, hasLine }) =>
            html`<tr class=${kind} ?data-marked=${isMarked} ?data-line=${hasLine}>
              <th scope="row">${name}</th>
              ${cells.map((cell) => (isBar(cell) ? barCell(cell, kind, hasLine) : html`<td>${cell}</td>`))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A heading with the look of the bars that its numbers belong to. @param {string} text @param {string} kind */
export const headOf = (text, kind) => html`<i class="swatch ${kind}"></i> ${text}`;

/** @param {any} cell @returns {cell is BarCell & { line?: number }} */
const isBar = (cell) => typeof cell === "object" && ("bar" in cell || "bars" in cell || "signed" in cell);

/**
 * A bar shows only what the number beside it says. Its size is set as a property: policies forbid style attributes.
 * @param {BarCell & { line?: number }} cell
 * @param {string} kind
 * @param {boolean | string} [line] the name of the cut below
 */
function barCell(cell, kind, line) {
  const bars = "bars" in cell ? cell.bars : "bar" in cell ? [cell] : [];
  return html`<td class="bar" aria-hidden="true">
    <div class=${bars.length > 1 ? "thin" : "track"}>
      ${bars.map((one) => (one.bar > 0 ? html`<span class=${one.kind ?? kind} .style=${`--size: ${Math.min(1, one.bar)}`}></span>` : nothing))}
      ${"signed" in cell ? html`<b class=${cell.signed < 0 ? "cut" : "kept"} .style=${place(cell.signed)}></b>` : nothing}
      ${cell.line === undefined ? nothing : html`<i class="line" .style=${`--at: ${cell.line}`}></i>`}
      ${typeof line === "string" ? html`<small>${line}</small>` : nothing}
    </div>
  </td>`;
}

/** @param {number} size from -1 to 1 */
const place = (size) =>
  `width: ${50 * Math.min(1, Math.abs(size))}%; margin-inline-start: ${50 + 50 * Math.max(-1, Math.min(0, size))}%`;
