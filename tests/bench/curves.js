// Losses of 10,000 steps on one of the page's three texts: `node --import ./tests/js/source/register.js
// tests/bench/curves.js aesop` (or alice, richard). The default shape and rate, seed 1; every machine prints the same.
import { textOf } from "../../web/widgets/shared/text-sources.js";
import { readCharacters } from "../../web/train/text-characters.js";
import { Training } from "../../web/train/training.js";

const text = await textOf(process.argv[2], "");
const { characters, tokens } = readCharacters(text);
const shape = { vocabSize: characters.vocabSize, layers: 2, dim: 48, hidden: 96, heads: 4, context: 64, batch: 16 };
const training = await Training.open(shape, 1, tokens);
console.log(`${tokens.length} characters, ${characters.list.length} told apart`);
console.log("| Steps | Loss: mean of 100 | Held out |\n| --- | --- | --- |");
const rows = [100, 300, 1000, 2000, 5000, 7500, 10_000];
let sum = 0;
for (let step = 1; step <= rows.at(-1); step++) {
  sum += training.step(0.003);
  if (rows.includes(step)) console.log(`| ${step} | ${(sum / 100).toFixed(2)} | ${training.heldOut().toFixed(2)} |`);
  if (step % 100 === 0) sum = 0;
}
