// A chart that is a table: a bar is a cell, so that what is seen and what is read out are one thing.
import { html, nothing } from "lit";

/**
 * A cell: text, or a bar. `kind` is kept, cut or plain (the row's, unless it says so itself); a cut bar is hatched, and its row says so in words too.
 * @typedef {string | import("lit").TemplateResult | { bar: number, kind?: string }} Cell
 */

/**
 * @param {object} chart
 * @param {string} chart.caption for listeners
 * @param {string[]} chart.heads one for each cell; the first cell of a row is its name
 * @param {{ cells: Cell[], kind?: string, isMarked?: boolean, hasLine?: boolean }[]} chart.rows
 *   isMarked: the token that was chosen; hasLine: a dashed cut is drawn below it
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
              ${cells.map((cell) => (isBar(cell) ? bar(cell, kind) : html`<td>${cell}</td>`))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** @param {Cell} cell @returns {cell is { bar: number, kind?: string }} */
const isBar = (cell) => typeof cell === "object" && "bar" in cell;

/**
 * A bar says nothing that the number beside it does not say. Its size is set as a property: policies forbid style attributes.
 * @param {{ bar: number, kind?: string }} cell
 * @param {string} kind
 */
const bar = (cell, kind) =>
  html`<td class="bar" aria-hidden="true">
    ${
      cell.bar > 0
        ? html`<span class=${cell.kind ?? kind} .style=${`--size: ${Math.min(1, cell.bar)}`}></span>`
        : nothing
    }
  </td>`;
