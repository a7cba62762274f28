// A small chart of lines. A widget with a chart also has its numbers as a table.
import { css, html, nothing, svg } from "lit";

export const plotStyles = css`
  .plot {
    max-width: 34rem;
    container-type: inline-size;
  }
  .plot svg {
    display: block;
  }
  .plot text {
    fill: var(--soft);
    font-size: calc(20px - 2.2cqw);
  }
  .plot path {
    vector-effect: non-scaling-stroke;
  }
  .axis {
    fill: none;
    stroke: var(--edge);
  }
  .line {
    fill: none;
    stroke: var(--accent);
    stroke-width: 2;
  }
  .line.cut {
    stroke: var(--cut);
  }
  .dashed {
    stroke-dasharray: 7 4;
  }
  .line.none.none {
    stroke: none;
  }
  .dotted {
    stroke-dasharray: 2 4;
  }
  circle {
    fill: var(--accent);
  }
  circle.cut {
    fill: var(--cut);
  }
  @media (forced-colors: active) {
    .axis,
    .line.line {
      stroke: CanvasText;
    }
    .plot text,
    circle,
    circle.cut {
      fill: CanvasText;
    }
  }
`;

/**
 * Sized for a phone. With more room the chart grows and its text does not, so labels of axes are placed in units of the
 * text's height.
 */
const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [320, 172, 54, 20, 24, 8];

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {[x: number, y: number][]} points
 * @property {"solid" | "dashed" | "dotted" | "none"} [dash] lines differ in this, and not only in colour; none: dots alone
 * @property {"kept" | "cut"} [kind] hue
 * @property {boolean} [hasDots]
 */

/**
 * @param {object} plot
 * @param {string} plot.label what the picture shows, in words
 * @param {[number, number]} plot.x
 * @param {[number, number]} plot.y
 * @param {string} plot.xLabel
 * @param {string} plot.yLabel
 * @param {Line[]} plot.lines
 * @param {(value: number) => string} [plot.formatX]
 * @param {(value: number) => string} [plot.formatY]
 */
export function plot({ label, x, y, xLabel, yLabel, lines, formatX = String, formatY = String }) {
  const toX = (/** @type {number} */ value) => LEFT + ((value - x[0]) / (x[1] - x[0] || 1)) * (WIDTH - LEFT - RIGHT);
  const toY = (/** @type {number} */ value) =>
    HEIGHT - BOTTOM - ((value - y[0]) / (y[1] - y[0] || 1)) * (HEIGHT - BOTTOM - TOP);
  const path = (/** @type {Line} */ { points }) =>
    points.map(([px, py], i) => `${i ? "L" : "M"}${toX(px).toFixed(1)} ${toY(py).toFixed(1)}`).join("");
  return html`<div class="plot">
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${label}>
        <path class="axis" d="M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}" />
        ${y.map((value) => svg`<text x=${LEFT - 6} y=${toY(value)} dy="0.35em" text-anchor="end">${formatY(value)}</text>`)}
        ${x.map((value, i) => svg`<text x=${toX(value)} y=${HEIGHT - BOTTOM} dy="1.2em" text-anchor=${i ? "end" : "start"}>${formatX(value)}</text>`)}
        <text x=${(WIDTH + LEFT - RIGHT) / 2} y=${HEIGHT - BOTTOM} dy="1.2em" text-anchor="middle">${xLabel}</text>
        <text y=${TOP} dy="-0.95em">${yLabel}</text>
        ${lines.map(
          (line) => svg`<path class="line ${line.kind ?? "kept"} ${line.dash ?? "solid"}" d=${path(line)} />
          ${line.hasDots ? line.points.map(([px, py]) => svg`<circle class=${line.kind ?? "kept"} cx=${toX(px)} cy=${toY(py)} r="3" />`) : nothing}`,
        )}
      </svg>
    </div>
    ${
      lines.length > 1
        ? html`<ul class="legend" aria-hidden="true">
            ${lines.map(
              (line) =>
                html`<li>
                  <svg viewBox="0 0 28 8" width="28" height="8">
                    <path class="line ${line.kind ?? "kept"} ${line.dash ?? "solid"}" d="M0 4H28" />
                    ${line.dash === "none" ? svg`<circle class=${line.kind ?? "kept"} cx="14" cy="4" r="3" />` : nothing}
                  </svg>
                  ${line.name}
                </li>`,
            )}
          </ul>`
        : nothing
    }`;
}
