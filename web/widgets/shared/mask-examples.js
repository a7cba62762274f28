// What the mask widget asks a model to write.

const word = { type: "string", pattern: "^[A-Z][a-z]{1,9}$" };
const card = { name: word, age: { enum: ["two", "three", "four", "five"] }, ball: { enum: ["red", "blue", "green"] } };
/** @param {object} properties */
const object = (properties) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
/** What each form of the mask widget starts with. @type {Record<string, string>} */
export const examples = {
  schema: JSON.stringify(object(card), null, 1),
  call: JSON.stringify(
    [
      { name: "throwBall", parameters: object({ to: word }) },
      { name: "bakeCake", parameters: object({ layers: { enum: [1, 2, 3] } }) },
    ],
    null,
    1,
  ),
  regex: String.raw`(Lily|Tom|Mia) is (very )?(happy|sad|tired) at [1-9]:[0-5]\d\.`,
};
