// Pictures beside tables, from shapes of one look. A widget also says in words or in a table what its picture shows.
import { css, html, nothing, svg } from "lit";

/** Kinds: kept, cut, hollow, plain and idle, as bars have them. */
export const drawStyles = css`
  .picture {
    display: block;
    max-width: 100%;
    min-width: var(--least);
    height: auto;
  }
  .picture text {
    fill: var(--ink);
    font-size: 13px;
    font-variant-numeric: tabular-nums;
  }
  .picture .soft {
    fill: var(--soft);
    font-size: 12px;
  }
  .picture .on {
    fill: var(--on-accent);
  }
  .shape {
    fill: var(--paper);
    stroke: var(--edge);
    stroke-width: 1;
  }
  .shape.kept {
    fill: var(--accent);
    stroke: var(--accent);
  }
  .shape.tint {
    fill: color-mix(in srgb, var(--accent) 22%, var(--paper));
    stroke: var(--accent);
  }
  .shape.cut {
    stroke: var(--cut);
    stroke-dasharray: 4 3;
  }
  .shape.hollow {
    fill: color-mix(in srgb, var(--ink) 12%, var(--paper));
    stroke: var(--ink);
  }
  .link {
    fill: none;
    stroke: var(--edge);
    stroke-width: 1.5;
  }
  .link.kept {
    stroke: var(--accent);
    stroke-width: 3;
  }
  .link.cut {
    stroke: var(--cut);
    stroke-dasharray: 4 3;
  }
  .strip {
    position: relative;
    display: flex;
    height: 2.75rem;
    margin-block-start: 1.75rem;
    border: 1px solid var(--accent);
    font-size: 0.875rem;
    line-height: 2.75rem;
  }
  .strip span {
    overflow: hidden;
    text-align: center;
    border-inline-end: 1px solid var(--accent);
    background: color-mix(in srgb, var(--accent) 16%, transparent);
  }
  /* A name that does not fit wraps to a second line, which is out of sight. */
  .strip span::before {
    content: "\\200b";
  }
  .strip span:nth-of-type(2n) {
    background: color-mix(in srgb, var(--accent) 30%, transparent);
  }
  .strip [data-marked] {
    box-shadow: inset 0 0 0 3px var(--ink);
    font-weight: 700;
  }
  .strip i {
    position: absolute;
    inset-block: -1.75rem 0;
    inset-inline-start: calc(100% * var(--at));
    border-inline-start: 3px solid var(--cut);
    font-style: normal;
    line-height: 1.25;
  }
  .strip b {
    padding-inline: 0.25rem;
  }
  .strip .late b {
    position: absolute;
    inset-inline-end: 100%;
  }
  @media (prefers-reduced-motion: no-preference) {
    .strip .fall0 {
      animation: fall0 500ms cubic-bezier(0.5, 0, 1, 0.6);
    }
    .strip .fall1 {
      animation: fall1 500ms cubic-bezier(0.5, 0, 1, 0.6);
    }
    .grow {
      animation: grow 400ms ease-out;
    }
  }
  @keyframes fall0 {
    from {
      translate: 0 -4rem;
    }
  }
  @keyframes fall1 {
    from {
      translate: 0 -4rem;
    }
  }
  @keyframes grow {
    from {
      opacity: 0;
    }
  }
  @media (forced-colors: active) {
    .picture :is(text, .soft) {
      fill: CanvasText;
    }
    .picture .on {
      fill: Canvas;
    }
    .shape.shape,
    .link.link {
      stroke: CanvasText;
    }
    .shape.shape {
      fill: Canvas;
    }
    .shape.kept {
      fill: CanvasText;
    }
    .strip,
    .strip span:nth-of-type(n),
    .strip i {
      forced-color-adjust: none;
      border-color: CanvasText;
      background: Canvas;
      color: CanvasText;
    }
  }
`;

/**
 * A picture with its own pixels. In a narrower place it shrinks, but only to three quarters, so its words stay
 * readable; beyond that it scrolls.
 * @param {object} picture
 * @param {string} picture.label what it shows, in words
 * @param {number} picture.width
 * @param {number} picture.height
 * @param {unknown} picture.content shapes
 */
export const picture = ({ label, width, height, content }) =>
  html`<div class="scroll">
    <svg
      class="picture"
      role="img"
      aria-label=${label}
      width=${width}
      height=${height}
      viewBox="0 0 ${width} ${height}"
      .style=${`--least: ${Math.floor(0.75 * width)}px`}
    >
      ${content}
    </svg>
  </div>`;

/** @param {number} x @param {number} y @param {number} width @param {number} height @param {string} kind */
export const box = (x, y, width, height, kind) =>
  svg`<rect class="shape ${kind}" x=${x} y=${y} width=${Math.max(0, width)} height=${height} rx="4" />`;

/**
 * One line of text, with its middle at y.
 * @param {number} x
 * @param {number} y
 * @param {string} text
 * @param {string} [kind]
 * @param {"start" | "middle" | "end"} [anchor]
 */
export const words = (x, y, text, kind = "", anchor = "start") =>
  svg`<text class=${kind} x=${x} y=${y} dy="0.35em" text-anchor=${anchor}>${text}</text>`;

/** About how many pixels a line of text takes: Chinese characters are wider. @param {string} text */
export const widthOfWords = (text) =>
  Array.from(text, (letter) => (letter > "\u2e7f" ? 13 : 7.4)).reduce((a, b) => a + b, 0);

/**
 * A curve from left to right.
 * @param {number} x
 * @param {number} y
 * @param {number} toX
 * @param {number} toY
 * @param {string} kind
 */
export const link = (x, y, toX, toY, kind) =>
  svg`<path class="link ${kind}" d="M${x} ${y}C${(x + toX) / 2} ${y} ${(x + toX) / 2} ${toY} ${toX} ${toY}" />`;

/**
 * Shares of 1 side by side, and a pointer that falls on them.
 * @param {object} strip
 * @param {string} strip.label what it shows, in words
 * @param {{ text: string, share: number, isMarked?: boolean }[]} strip.parts
 * @param {{ at: number, text: string, count: number }} [strip.mark] count: pointers so far, so that each new one falls
 */
export const strip = ({ label, parts, mark }) =>
  html`<div class="strip" role="img" aria-label=${label}>
    ${parts.map(
      ({ text, share, isMarked }) =>
        html`<span ?data-marked=${isMarked} title=${text} .style=${`width: ${100 * share}%`}
          >${text.replaceAll(" ", "\u00a0")}</span
        >`,
    )}
    ${
      mark
        ? html`<i class="fall${mark.count % 2} ${mark.at > 0.6 ? "late" : ""}" .style=${`--at: ${mark.at}`}
            ><b>${mark.text}</b></i
          >`
        : nothing
    }
  </div>`;
