// The look that all widgets share. Colours follow the page's colour scheme; two hues, Okabe and Ito's blue and vermilion.
import { css } from "lit";

export const styles = css`
  :host {
    --ink: var(--lastinch-ink, light-dark(#1f1d1a, #ebe7df));
    --soft: var(--lastinch-soft, light-dark(#5c5851, #aaa59b));
    --line: var(--lastinch-line, light-dark(#d9d4c9, #3a3b40));
    --edge: var(--lastinch-edge, light-dark(#857f74, #7d7b78));
    --paper: var(--lastinch-paper, light-dark(#fffdf9, #1b1c1f));
    --accent: var(--lastinch-accent, light-dark(#00639c, #62b9ee));
    --on-accent: var(--lastinch-on-accent, light-dark(#fff, #0b1a24));
    --cut: var(--lastinch-cut, light-dark(#ad4a00, #f2a25c));
    display: block;
    color: var(--ink);
    font: var(--lastinch-font, 1rem/1.5 system-ui, sans-serif);
    text-align: start;
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  :host([theme="light"]) {
    color-scheme: light;
  }
  :host([theme="dark"]) {
    color-scheme: dark;
  }
  *,
  ::before {
    box-sizing: border-box;
  }
  figure {
    margin: 0;
    padding: clamp(0.75rem, 3vw, 1.25rem);
    border: 1px solid var(--line);
    border-radius: 0.75rem;
    background: var(--paper);
  }
  figcaption,
  .view {
    display: grid;
    gap: 0.75rem;
    min-width: 0;
  }
  .view > * {
    min-width: 0;
  }
  figcaption {
    gap: 0.25rem;
    margin-bottom: 0.75rem;
  }
  p,
  ul,
  ol {
    margin: 0;
  }
  #title {
    font-size: 1.125rem;
    font-weight: 650;
  }
  .lead,
  .range,
  footer,
  .hint,
  [part="status"] {
    color: var(--soft);
    font-size: 0.875rem;
  }
  .formula {
    font: italic 1rem/1.5 var(--lastinch-serif, Cambria, Georgia, serif);
    overflow-wrap: anywhere;
  }
  [part="status"] {
    min-height: 1.5em;
    margin-top: 0.5rem;
    color: var(--ink);
  }
  .recorded {
    padding: 0.25rem 0.75rem;
    border-inline-start: 4px solid var(--edge);
    color: var(--soft);
    font-size: 0.875rem;
  }
  .problem {
    padding: 0.5rem 0.75rem;
    border-inline-start: 4px solid var(--cut);
  }
  footer {
    display: flex;
    flex-wrap: wrap;
    gap: 0 0.75rem;
    align-items: center;
    margin-top: 0.5rem;
    padding-top: 0.25rem;
    border-top: 1px solid var(--line);
  }
  footer span {
    flex: 1 1 24rem;
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }

  button,
  input,
  select,
  textarea {
    font: inherit;
    color: inherit;
  }
  button,
  select,
  input[type="number"],
  input[type="text"],
  textarea {
    min-height: 2.75rem;
    padding: 0.375rem 0.875rem;
    border: 1px solid var(--edge);
    border-radius: 0.5rem;
    background: var(--paper);
  }
  textarea {
    width: 100%;
  }
  button {
    cursor: pointer;
  }
  button.primary {
    border-color: var(--accent);
    background: var(--accent);
    color: var(--on-accent);
    font-weight: 600;
  }
  button.quiet {
    padding-inline: 0.25rem;
    border-color: transparent;
    background: none;
    color: var(--accent);
    text-decoration: underline;
  }
  button:disabled {
    border-color: var(--line);
    background: none;
    color: var(--soft);
    cursor: default;
  }
  :focus-visible {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
  }
  .actions,
  .knobs {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem 1rem;
    align-items: center;
  }
  .knob {
    display: grid;
    grid-template-columns: 1fr auto;
    column-gap: 0.5rem;
    flex: 1 1 13rem;
    min-width: 0;
  }
  .knob .range {
    margin-inline-start: 0.5em;
  }
  .knob output {
    font-variant-numeric: tabular-nums;
    font-weight: 600;
  }
  .knob input {
    grid-column: 1 / -1;
    width: 100%;
    height: 2.75rem;
    margin: 0;
    accent-color: var(--accent);
  }
  .choice {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem;
    margin: 0;
    padding: 0;
    border: 0;
  }
  .choice legend {
    padding: 0;
  }
  .choice label {
    position: relative;
  }
  .choice input {
    position: absolute;
    inset: 0;
    margin: 0;
    opacity: 0;
    cursor: pointer;
  }
  .choice span {
    display: grid;
    place-items: center;
    min-width: 2.75rem;
    min-height: 2.75rem;
    padding: 0 0.75rem;
    border: 1px solid var(--edge);
    border-radius: 0.5rem;
  }
  .choice :checked + span {
    border-color: var(--accent);
    box-shadow: inset 0 0 0 2px var(--accent);
    font-weight: 600;
  }
  .choice :focus-visible + span {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
  }
  summary {
    min-height: 2.75rem;
    align-content: center;
    cursor: pointer;
  }
  a {
    color: var(--accent);
  }
  .panels {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr));
    gap: 1rem;
  }
  .name {
    margin: 0 0 0.25rem;
    font-weight: 600;
  }

  .scroll {
    overflow-x: auto;
    container-type: inline-size;
  }
  table {
    width: 100%;
    border-collapse: collapse;
    font-variant-numeric: tabular-nums;
  }
  th,
  td {
    padding-block: 0.2rem;
    padding-inline: 0 0.5rem;
    text-align: end;
    font-weight: 400;
    white-space: nowrap;
  }
  thead th {
    color: var(--soft);
    font-size: 0.8125rem;
    white-space: normal;
    word-break: keep-all;
  }
  th:first-child {
    text-align: start;
  }
  .bars tbody th {
    max-width: 10rem;
    overflow: hidden;
    white-space: normal;
    overflow-wrap: break-word;
    unicode-bidi: isolate;
  }
  .bars .bar {
    width: 60%;
    min-width: 3rem;
    padding-block: 0.125rem;
  }
  .bar > div {
    position: relative;
    overflow: hidden;
  }
  /* As wide as its track and pushed out of it, because a move needs no new layout. */
  .bar span {
    --out: -1;
    display: block;
    transform: translateX(calc(var(--out) * (100% - max(2px, 100% * var(--size)))));
    height: 1.25rem;
    border: 1px solid var(--accent);
    border-start-end-radius: 3px;
    border-end-end-radius: 3px;
    background: var(--accent);
  }
  .bar span:dir(rtl) {
    --out: 1;
  }
  .bar .thin span {
    height: 0.625rem;
    margin-block: 1px;
  }
  .bar b {
    display: block;
    height: 1.25rem;
    border: 1px solid var(--accent);
    background: var(--accent);
  }
  .bar .line {
    position: absolute;
    inset-block: 0;
    inset-inline-start: calc(100% * var(--at));
    border-inline-start: 2px dashed var(--cut);
  }
  .bar small {
    position: absolute;
    inset-block-end: 0;
    inset-inline-end: 0;
    color: var(--cut);
    font-size: 0.75rem;
    line-height: 1;
  }
  .swatch {
    display: inline-block;
    width: 0.75rem;
    height: 0.625rem;
    border: 1px solid var(--accent);
    background: var(--accent);
  }
  .bar .hollow,
  .swatch.hollow {
    border-color: var(--ink);
    background: color-mix(in srgb, var(--ink) 12%, transparent);
  }
  .bar .cut,
  .swatch.cut {
    border-color: var(--cut);
    background: repeating-linear-gradient(135deg, var(--cut) 0 2px, transparent 2px 7px);
  }
  tr.cut {
    color: var(--soft);
  }
  tr[data-marked] th {
    font-weight: 700;
    text-decoration: underline;
  }
  tr[data-line] > * {
    border-bottom: 2px dashed var(--cut);
  }

  @container (max-width: 33rem) {
    .scroll :is(th, td) {
      padding-inline-end: 0.4rem;
      font-size: 0.875rem;
      white-space: normal;
      hyphens: auto;
    }
    .scroll thead th {
      font-size: 0.75rem;
    }
    .bars td {
      white-space: nowrap;
    }
    .bars tbody th {
      max-width: 6rem;
    }
    .bars .bar.bar {
      width: 40%;
      min-width: 2.5rem;
    }
  }

  @container (max-width: 19rem) {
    .bar small {
      display: none;
    }
  }

  .text {
    padding: 0.5rem 0.75rem;
    border: 1px solid var(--line);
    border-radius: 0.5rem;
    font: 1.0625rem/1.6 var(--lastinch-serif, Charter, Cambria, Georgia, serif);
    overflow-wrap: anywhere;
    white-space: pre-wrap;
  }
  .token {
    display: inline;
    min-height: 0;
    padding: 0.1em 0;
    border: 0;
    border-radius: 0.2em;
    background: none;
    white-space: pre-wrap;
  }
  .s2 {
    background: color-mix(in srgb, var(--accent) 12%, transparent);
  }
  .s3 {
    background: color-mix(in srgb, var(--accent) 24%, transparent);
  }
  .s4 {
    background: color-mix(in srgb, var(--cut) 18%, transparent);
    text-decoration: underline dotted var(--cut);
  }
  .s5 {
    background: color-mix(in srgb, var(--cut) 26%, transparent);
    text-decoration: underline var(--cut);
  }
  .tint {
    padding: 0 0.25em;
    border-radius: 0.2em;
  }
  .token[data-marked],
  .token[aria-pressed="true"] {
    box-shadow: 0 0 0 2px var(--ink);
  }

  .legend {
    display: flex;
    flex-wrap: wrap;
    gap: 0 1rem;
    padding: 0;
    list-style: none;
    font-size: 0.875rem;
  }
`;
