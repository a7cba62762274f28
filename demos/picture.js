// A story as a picture, in the colours of the page.

/** @typedef {{ text: string, surprise: number }} Word */

const WIDTH = 1200;
const HEIGHT = 630;
const EDGE = 72;
const LINE = 54;
const FIRST = 130;

/** Tints by surprise, from none to the greatest, with the share of the colour. @type {["accent" | "cut", number][]} */
const tints = [
  ["accent", 0],
  ["accent", 0],
  ["accent", 0.12],
  ["accent", 0.24],
  ["cut", 0.18],
  ["cut", 0.26],
];

/**
 * @param {string} prompt
 * @param {Word[]} words tokens, with their spaces
 * @param {string} facts a line below the story
 * @returns {Promise<Blob>} a PNG
 */
export async function paintStory(prompt, words, facts) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: WIDTH, height: HEIGHT });
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const probe = document.createElement("span");
  document.body.append(probe);
  /** A colour of the theme, resolved. @param {string} name */
  const colour = (name) => {
    probe.style.color = `var(--lastinch-${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(["paper", "ink", "soft", "accent", "cut"].map((name) => [name, colour(name)]));
  const serif = getComputedStyle(document.documentElement).getPropertyValue("--lastinch-serif");
  probe.remove();

  pen.fillStyle = colours.paper;
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  pen.font = `34px ${serif}`;
  let x = EDGE;
  let y = FIRST;
  /** @param {string} text @param {string} ink @param {["accent" | "cut", number]} tint */
  const draw = (text, ink, [hue, strength]) => {
    for (const part of text.split(/(?=[ \n])/)) {
      const width = pen.measureText(part).width;
      if (part.startsWith("\n") || x + width > WIDTH - EDGE) {
        x = EDGE;
        y += LINE;
      }
      if (y > HEIGHT - EDGE - LINE) return;
      const shown = x === EDGE ? part.trimStart() : part;
      const space = pen.measureText(/^\s*/.exec(shown)?.[0] ?? "").width;
      const size = pen.measureText(shown).width;
      pen.globalAlpha = strength;
      pen.fillStyle = colours[hue];
      pen.fillRect(x + space, y - 30, size - space, 40);
      pen.globalAlpha = 1;
      pen.fillStyle = ink;
      pen.fillText(shown, x, y);
      x += size;
    }
  };
  draw(prompt, colours.soft, tints[0]);
  for (const { text, surprise } of words) draw(text, colours.ink, tints[surprise]);
  pen.font = "24px system-ui, sans-serif";
  pen.fillStyle = colours.soft;
  pen.fillText(facts, EDGE, HEIGHT - EDGE + 12);
  pen.fillStyle = colours.accent;
  pen.textAlign = "right";
  pen.fillText("written with lastinch", WIDTH - EDGE, HEIGHT - EDGE + 12);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The browser gave no picture.")))),
  );
}
