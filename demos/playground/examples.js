// Examples to start from: settings with which the storyteller does something worth seeing.

/**
 * @typedef {object} Example
 * @property {string} name
 * @property {string} say what to look at
 * @property {string} [prompt]
 * @property {Record<string, number>} [settings] besides the page's own
 * @property {Record<string, string>} [more]
 * @property {number} [seed]
 */

/** @type {Example[]} */
export const examples = [
  {
    name: "A cold loop",
    say: "At temperature 0 the likeliest token always wins, and the story comes round to itself. Drag the temperature up.",
    prompt: "The dog had a box",
    settings: { temperature: 0, topP: 1 },
  },
  {
    name: "Fever",
    say: "Nothing is cut, and the temperature is high: words that hardly fit are drawn. Drag min-p up to 0.1.",
    settings: { temperature: 1.8, topP: 1 },
  },
  {
    name: "A story without the letter e",
    say: "A regular expression masks every token that has the letter e.",
    prompt: "A boy and his dog",
    settings: { temperature: 0.9 },
    more: { regex: "[^eE]{80,400}" },
  },
  {
    name: "JSON, whatever happens",
    say: "A schema masks all tokens that would break it; what stands in the strings is the model's.",
    prompt: "The hero of the story: ",
    settings: { temperature: 1 },
    more: {
      jsonSchema:
        '{ "type": "object", "properties": { "name": { "type": "string", "maxLength": 20 }, "age": { "type": "integer", "minimum": 3, "maximum": 99 }, "friend": { "enum": ["dog", "cat", "bird"] } }, "required": ["name", "age", "friend"], "additionalProperties": false }',
    },
  },
  {
    name: "Beam search",
    say: "Four texts are kept at each step, and the likeliest whole text wins: safe, and a little dull.",
    settings: { temperature: 1, topP: 1 },
    more: { beams: "4" },
  },
  {
    name: "A draft model",
    say: "A model of a tenth of the size guesses ahead, and this model checks the guesses together.",
    more: { draft: "tiny model", draftTokens: "4" },
  },
];
