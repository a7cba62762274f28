// What one sentence costs in eight languages. Fetched when a reader first asks for it.
import { html } from "lit";
import { barTable } from "./bars.js";

/** Article 1 of the Universal Declaration of Human Rights, its first sentence, by language. @type {[name: string, text: string][]} */
export const languages = [
  ["English", "All human beings are born free and equal in dignity and rights."],
  ["Español", "Todos los seres humanos nacen libres e iguales en dignidad y derechos."],
  ["Deutsch", "Alle Menschen sind frei und gleich an Würde und Rechten geboren."],
  ["Русский", "Все люди рождаются свободными и равными в своем достоинстве и правах."],
  ["العربية", "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق."],
  ["हिन्दी", "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।"],
  ["中文", "人人生而自由，在尊严和权利上一律平等。"],
  ["日本語", "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。"],
];

/** @type {import("./words.js").Words} */
export const words = {
  language: "Language",
  timesEnglish: "Times English",
  article:
    "The first sentence of the Universal Declaration of Human Rights. A model pays for every token in time and in room. The storyteller’s vocabulary was learnt from English only, so other scripts fall apart into bytes.",
};

/**
 * @param {import("./element.js").LastInchElement} host
 * @param {{ name: string, costs: number[] }[]} ways tokens of each sentence, by tokenizer
 */
export function tokenPrice(host, ways) {
  const most = Math.max(...ways.flatMap(({ costs }) => costs));
  const kinds = ["kept", "hollow"];
  const rows = languages.map(([language, text], i) => ({
    kind: "kept",
    cells: [
      language,
      { bars: ways.map(({ costs }, way) => ({ bar: costs[i] / most, kind: kinds[way] })) },
      ...ways.flatMap(({ costs }) => [String(costs[i]), `${(costs[i] / costs[0]).toFixed(1)} ×`]),
      String(Array.from(text).length),
      String(new TextEncoder().encode(text).length),
    ],
  }));
  const heads = ways.flatMap(({ name }) => {
    const of = ways.length > 1 ? `, ${name}` : "";
    return [host.say("count") + of, host.say("timesEnglish") + of];
  });
  return html`${barTable({
      caption: host.say("price"),
      heads: [host.say("language"), "", ...heads, host.say("characters"), host.say("bytes")],
      rows,
    })}
    <p class="hint">${host.say("article")}</p>`;
}
