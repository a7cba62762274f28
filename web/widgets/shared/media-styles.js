// Styles for readers who want no motion, for forced colours and for paper.
import { css } from "lit";

export const mediaStyles = css`
  @media (prefers-reduced-motion: no-preference) {
    .bar span {
      transition: transform 90ms ease-out;
    }
  }
  @media (forced-colors: active) {
    .bar :is(span, b),
    .swatch {
      forced-color-adjust: none;
      border-color: CanvasText;
      background: CanvasText;
    }
    .bar .hollow,
    .swatch.hollow {
      background: Canvas;
    }
    .bar .cut,
    .swatch.cut {
      border-color: CanvasText;
      background: repeating-linear-gradient(135deg, CanvasText 0 1px, Canvas 1px 6px);
    }
    /* Without tints, underlines tell the classes apart. */
    .s2 {
      text-decoration: underline dotted;
    }
    .s3 {
      text-decoration: underline dashed;
    }
    .s4 {
      text-decoration: underline;
    }
    .s5 {
      text-decoration: underline double;
    }
    .choice :checked + span,
    .token[data-marked],
    .token[aria-pressed="true"] {
      outline: 2px solid Highlight;
    }
  }
  @media print {
    :host {
      color-scheme: light !important;
      print-color-adjust: exact;
    }
    figure {
      break-inside: avoid;
    }
    .actions button,
    footer button,
    .knob input {
      display: none;
    }
  }
`;
