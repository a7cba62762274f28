// Generated from src/tables/generate.json by wasm/generate.js: edit that, then run `make generate`.

/**
 * @typedef {object} GenerateRow
 * @property {string} name
 * @property {"integer" | "number" | "boolean"} [type] none: it has a reader of its own
 * @property {number} [min]
 * @property {number} [max] none: another option says it
 * @property {string} [needs] an option without which this one means nothing
 * @property {string[]} [aliases] other systems' spellings
 */

/** @type {(keyof GenerateRow)[]} */
const columns = ["name","type","min","max","needs","aliases"];

/** @type {GenerateRow[]} The options of model.generate that are not the sampler's. */
export const generateTable = [
  ["maxTokens","integer",0,4294967295,,["max_tokens","max_new_tokens","max_completion_tokens"]],
  ["stop",,,,,["stop_strings"]],
  ["signal"],
  ["captureLogits","boolean",,,,["capture_logits"]],
  ["echo","boolean"],
  ["jsonSchema",,,,,["json_schema","guided_json"]],
  ["regex",,,,,["guided_regex"]],
  ["choice",,,,,["guided_choice"]],
  ["ebnf",,,,,["guided_grammar"]],
  ["lark"],
  ["toolCalls",,,,,["tool_calls"]],
  ["n","integer",1,64,,["num_return_sequences"]],
  ["draft",,,,,["assistant_model"]],
  ["draftTokens","integer",1,32,"draft",["num_assistant_tokens","num_speculative_tokens"]],
  ["beams","integer",1,32,,["num_beams"]],
  ["lengthPenalty","number",-100,100,"beams",["length_penalty"]],
  ["earlyStopping",,,,"beams",["early_stopping"]],
  ["beamGroups","integer",1,,"beams",["num_beam_groups"]],
  ["diversityPenalty","number",0,1000000000,"beamGroups",["diversity_penalty"]],
  ["captureBeams","boolean",,,"beams",["capture_beams"]],
  ["guidance","number",0,1000,,["guidance_scale"]],
  ["negativePrompt",,,,"guidance",["negative_prompt"]],
  ["contrast"],
  ["dola",,,,,["dola_layers"]],
  ["penaltyAlpha","number",0,1,,["penalty_alpha"]],
  ["heal","boolean",,,,["token_healing"]],
].map((/** @type {any[]} */ cells) => /** @type {any} */ (Object.fromEntries(columns.map((column, i) => [column, cells[i]]))));

/** Options that exclude each other. */
export const exclusiveOptions = [["draft","beams","penaltyAlpha"],["guidance","contrast","dola","penaltyAlpha"]];
