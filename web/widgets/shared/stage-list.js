// The stages of a chain as a list to reorder, with buttons, because not everyone can drag.
import { css, html } from "lit";

export const stageStyles = css`
  .stages {
    padding-inline-start: 1.375rem;
  }
  .stages li {
    padding-block: 0.125rem;
    border-bottom: 1px solid var(--line);
  }
  .stages li::marker {
    color: var(--soft);
  }
  .stages span {
    display: inline-block;
    width: calc(100% - 5.9rem);
    padding-block: 0.25rem;
    vertical-align: middle;
  }
  button.move {
    width: 2.75rem;
    padding: 0;
  }
  button.move + button.move {
    margin-inline-start: 0.25rem;
  }
  .stages .check {
    display: inline-flex;
    width: 100%;
  }
  .stages .check span {
    width: auto;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  @media print {
    .move {
      display: none;
    }
  }
`;

/**
 * @param {object} list
 * @param {string[]} list.order
 * @param {(stage: string) => string | import("lit").TemplateResult} list.label
 * @param {(direction: "up" | "down", stage: string) => string} list.moveLabel
 * @param {(order: string[]) => void} list.onChange
 * @param {string[]} [list.edits] stages that edit logits: they must come before all others
 */
export function stageList({ order, label, moveLabel, onChange, edits = [] }) {
  const move = (/** @type {number} */ from, /** @type {number} */ to) => {
    const moved = [...order];
    moved.splice(to, 0, ...moved.splice(from, 1));
    onChange(moved);
  };
  const button = (/** @type {"up" | "down"} */ direction, /** @type {number} */ i) => {
    const to = direction === "up" ? i - 1 : i + 1;
    return html`<button
      class="move"
      aria-label=${moveLabel(direction, order[i])}
      ?disabled=${to < 0 || to >= order.length || edits.includes(order[i]) !== edits.includes(order[to])}
      @click=${() => move(i, to)}
    >
      ${direction === "up" ? "↑" : "↓"}
    </button>`;
  };
  return html`<ol class="stages">
    ${order.map((stage, i) => html`<li><span>${label(stage)}</span>${button("up", i)}${button("down", i)}</li>`)}
  </ol>`;
}
