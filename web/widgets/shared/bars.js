// A chart that is a table: each bar is a cell, so readers see exactly what listeners hear.
import { html, nothing } from "lit";

/**
 * A bar's length, as a share of its track. `kind` is kept, cut, hollow or plain; default: the row's. A cut bar is
 * hatched, and its row also says so in words.
 * @typedef {{ bar: number, kind?: string }} Bar
 */

/**
 * Bars to compare share one cell, one above the other, because separate columns would have separate scales. A signed
 * bar grows from the middle; `line` is where a dashed line crosses the track.
 * @typedef {Bar | { bars: Bar[] } | { signed: number }} BarCell
 */

/** A cell: text, or bars. @typedef {string | import("lit").TemplateResult | (BarCell & { line?: number })} Cell */

/**
 * @param {object} chart
 * @param {string} chart.caption for screen readers
 * @param {(string | import("lit").TemplateResult)[]} chart.heads one for each cell; the first cell of a row names the
 *   row
 * @param {{ cells: Cell[], kind?: string, isMarked?: boolean, hasLine?: boolean | string }[]} chart.rows isMarked: the
 *   chosen token; hasLine: a dashed line with this name is drawn below the row
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

/** A heading that looks like the bars of its numbers. @param {string} text @param {string} kind */
export const headOf = (text, kind) => html`<i class="swatch ${kind}"></i> ${text}`;

/** @param {any} cell @returns {cell is BarCell & { line?: number }} */
const isBar = (cell) => typeof cell === "object" && ("bar" in cell || "bars" in cell || "signed" in cell);

/**
 * A bar only shows the number beside it. Its size is a property, because policies forbid style attributes.
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
