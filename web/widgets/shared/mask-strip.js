// A vocabulary as a strip. The more tokens a mask allows in a part, the darker it is.
import { css, html, svg } from "lit";

export const maskStyles = css`
  .mask {
    display: block;
    width: 100%;
    height: 2.5rem;
    border: 1px solid var(--edge);
    background: var(--ink);
  }
  .mask rect {
    fill: var(--accent);
    stroke: var(--paper);
    stroke-width: 0.15;
  }
  @media (prefers-reduced-motion: no-preference) {
    .mask rect {
      transition: opacity 200ms;
    }
  }
  @media (forced-colors: active) {
    .mask {
      forced-color-adjust: none;
      background: CanvasText;
    }
    .mask rect {
      fill: Canvas;
      stroke: none;
    }
  }
`;

/** @param {string} shades a digit for each part: 0 is all masked, 9 all allowed @param {string} label what the strip shows, in words */
export const maskStrip = (shades, label) =>
  html`<svg class="mask" role="img" aria-label=${label} viewBox="0 0 ${shades.length} 8" preserveAspectRatio="none">
    ${Array.from(shades, (shade, i) => svg`<rect x=${i} y="0" width="1" height="8" opacity=${shade === "0" ? 0 : 0.4 + 0.6 * (Number(shade) / 9)} />`)}
  </svg>`;
