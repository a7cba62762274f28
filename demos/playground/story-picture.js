// The story as a picture to share: its words with their tints, the entropy strip, and the settings that wrote it.
import { surpriseClass } from "../../web/widgets/shared/format.js";
import { describeSettings } from "./playground-knobs.js";
import { LEAST_SCALE } from "./strip.js";

/** @typedef {import("./texts.js").Text} Text */

const WIDTH = 1200;
const LEAST_HEIGHT = 630; // with the width, what previews of links show
const MARGIN = 64;
const TYPE = 30;
const LINE = 46;
const STRIP = 56;
/** The light colours by class of surprise: none, then as in surprise.css. */
const tints = ["", "", "#00639c1f", "#00639c3d", "#ad4a002e", "#ad4a0042"];
const colours = { paper: "#fffdf9", ink: "#1f1d1a", soft: "#5c5851", accent: "#00639c" };
const serif = `${TYPE}px Charter, "Iowan Old Style", Cambria, Georgia, serif`;
const sans = '22px system-ui, "Segoe UI", Roboto, sans-serif';

/**
 * @param {readonly Text[]} texts one below the other
 * @returns {Promise<Blob>} PNG
 */
export async function drawPicture(texts) {
  const canvas = document.createElement("canvas");
  const brush = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  brush.font = serif;
  const parts = texts.map((text) => ({ text, lines: layOut(brush, text) }));
  const heightOf = (/** @type {typeof parts[number]} */ { lines }) => lines.length * LINE + STRIP + 96;
  canvas.width = WIDTH;
  canvas.height = Math.max(
    LEAST_HEIGHT,
    parts.reduce((sum, part) => sum + heightOf(part), 2 * MARGIN),
  );
  brush.fillStyle = colours.paper;
  brush.fillRect(0, 0, canvas.width, canvas.height);
  brush.textBaseline = "alphabetic";
  const scale = Math.max(LEAST_SCALE, ...texts.flatMap(({ steps }) => steps.map(({ bits }) => bits)));
  let y = (canvas.height - parts.reduce((sum, part) => sum + heightOf(part), 0)) / 2;
  for (const part of parts) {
    drawStory(brush, part.lines, y);
    const below = y + part.lines.length * LINE + 16;
    drawStrip(brush, part.text, scale, below);
    const { settings, seed, more } = part.text.setup;
    const others = Object.keys(more).join(", ");
    brush.font = sans;
    brush.fillStyle = colours.soft;
    const caption = `${describeSettings(settings)}${others && `, ${others}`}, seed ${seed}`;
    brush.fillText(caption, MARGIN, below + STRIP + 36, WIDTH - 2 * MARGIN - 220);
    brush.fillStyle = colours.accent;
    brush.textAlign = "end";
    brush.fillText("lastinch playground", WIDTH - MARGIN, below + STRIP + 36);
    brush.textAlign = "start";
    y += heightOf(part);
  }
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture could not be made."))), "image/png"),
  );
}

/** @typedef {{ text: string, x: number, width: number, surprise: number }} Piece of a line; surprise -1: of the prompt */

/**
 * Breaks words into lines.
 * @param {CanvasRenderingContext2D} brush
 * @param {Text} text
 */
function layOut(brush, { setup, steps }) {
  const pieces = [
    ...setup.prompt.split(/(?= )/).map((text) => ({ text, surprise: -1 })),
    ...steps.map(({ text, rawLogprob }) => ({ text, surprise: surpriseClass(Math.exp(rawLogprob)) })),
  ];
  /** @type {Piece[][]} */
  const lines = [[]];
  let x = 0;
  for (const { text, surprise } of pieces)
    text.split("\n").forEach((part, i) => {
      if (i) {
        lines.push([]);
        x = 0;
      }
      const width = brush.measureText(part).width;
      const isWord = /^\s/.test(part);
      if (x && isWord && x + width > WIDTH - 2 * MARGIN) {
        lines.push([]);
        x = 0;
      }
      const shown = x ? part : part.trimStart();
      const shownWidth = brush.measureText(shown).width;
      if (shown) lines[lines.length - 1].push({ text: shown, x, width: shownWidth, surprise });
      x += shownWidth;
    });
  return lines;
}

/** @param {CanvasRenderingContext2D} brush @param {Piece[][]} lines @param {number} top */
function drawStory(brush, lines, top) {
  brush.font = serif;
  lines.forEach((line, i) => {
    const base = top + (i + 1) * LINE - 12;
    for (const { text, x, width, surprise } of line) {
      const space = brush.measureText(/^ */.exec(text)?.[0] ?? "").width;
      if (tints[surprise]) {
        brush.fillStyle = tints[surprise];
        brush.fillRect(MARGIN + x + space, base - TYPE + 2, width - space, TYPE + 8);
      }
      brush.fillStyle = surprise < 0 ? colours.soft : colours.ink;
      brush.fillText(text, MARGIN + x, base);
    }
  });
}

/** @param {CanvasRenderingContext2D} brush @param {Text} text @param {number} scale bits that fill it @param {number} top */
function drawStrip(brush, { steps }, scale, top) {
  const width = (WIDTH - 2 * MARGIN) / steps.length;
  brush.fillStyle = colours.accent;
  steps.forEach(({ bits }, i) => {
    const height = (STRIP * bits) / scale;
    brush.fillRect(MARGIN + i * width, top + STRIP - height, Math.max(width - 1, 0.5), height);
  });
}
