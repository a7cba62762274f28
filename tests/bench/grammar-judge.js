// Says of a JSON text whether it satisfies a schema: ajv, of the schema's dialect, with what it does in doubles done exactly.
import { loadAjv } from "./grammar-packages.js";
import { hasTwins, isInDoubles } from "./grammar-text.js";

const formats = "date time date-time duration uri uri-reference uri-template email hostname ipv4 ipv6 regex uuid "
  .concat("json-pointer relative-json-pointer")
  .split(" ");

const atom = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const email = new RegExp(
  `^(?:${atom}(?:\\.${atom})*|"(?:[^"\\\\]|\\\\.)*")@(?:${label}(?:\\.${label})*|\\[.*\\])$`,
  "i",
);
const emptyUri = /^[a-z][a-z0-9+.-]*:(?:[?#](?:[\w\-.~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*)*$/i;

/** @param {number} value as its shortest decimal @returns {[bigint, number]} digits and exponent */
function decimal(value) {
  const [, sign, whole, fraction = "", exponent = "0"] = /** @type {RegExpExecArray} */ (
    /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(String(value))
  );
  return [BigInt(sign + whole + fraction), Number(exponent) - fraction.length];
}

/** Whether one is a multiple of the other, as the decimals that they are written as. */
export function isMultiple(/** @type {number} */ value, /** @type {number} */ of) {
  if (!Number.isFinite(value)) return false; // such a text is doubtful anyway
  const [a, b] = [decimal(value), decimal(of)];
  const least = Math.min(a[1], b[1]);
  const [x, y] = [a, b].map(([digits, exponent]) => digits * 10n ** BigInt(exponent - least));
  return y !== 0n && x % y === 0n;
}

/** @type {ReturnType<typeof loadAjv> | undefined} */
let loaded;

/** @param {any} schema */
function makeAjv(schema, /** @type {boolean} */ isUnicode) {
  loaded ??= loadAjv();
  const said = /json-schema\.org\/(?:draft\/)?(?:draft-)?([\d-]+)\/schema/.exec(schema?.$schema ?? "")?.[1];
  const Ajv =
    loaded[said === "2019-09" ? "2019-09" : said === "04" ? 4 : said === "07" || said === "06" ? 7 : "2020-12"];
  const ajv = new Ajv({
    strict: false,
    validateSchema: false,
    addUsedSchema: false,
    allErrors: false,
    logger: false,
    unicodeRegExp: isUnicode,
  });
  if (said === "06") ajv.addMetaSchema(loaded.draft6);
  loaded.addFormats(ajv, { mode: "full", formats });
  // ajv's own are too strict: a domain may be one label, and what follows the scheme may be empty.
  ajv.addFormat("email", email);
  const uri = /** @type {any} */ (ajv.formats.uri);
  ajv.addFormat("uri", (text) => uri(text) || emptyUri.test(text));
  ajv.removeKeyword("multipleOf");
  ajv.addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    validate: (of, value) => isMultiple(value, of),
    errors: false,
  });
  ajv.removeKeyword("nullable");
  if (said !== "04") ajv.removeKeyword("id");
  return ajv;
}

/** Up to draft 7 nothing beside a $ref counts; ajv counts it. */
function dropSiblings(node) {
  if (typeof node !== "object" || node === null) return;
  if (typeof node.$ref === "string")
    for (const key of Object.keys(node)) if (!/^(\$ref|\$schema|definitions)$/.test(key)) delete node[key];
  for (const inner of Object.values(node)) dropSiblings(inner);
}

/**
 * @param {string} text of the schema
 * @param {Record<string, any>} [remotes]
 * @returns {(text: string) => string} "" for a valid text, "doubtful" where ajv cannot tell, "twin keys" where it is valid but
 *   an object has a key twice, else why it is not
 * @param {{ valid: boolean, text: string }[]} [tests] whose verdicts are known
 * @throws {Error} ajv cannot read the schema, or is wrong about a test
 */
export function openJudge(text, remotes = {}, tests = []) {
  const schema = JSON.parse(text);
  if (typeof schema === "object") delete schema[/** @type {any} */ ("$async")];
  if (/draft-0[467]/.test(schema.$schema)) dropSiblings(schema);
  let validate;
  try {
    validate = withRemotes(makeAjv(schema, true), remotes).compile(schema);
  } catch (error) {
    if (!/regular expression/i.test(String(error))) throw error;
    validate = withRemotes(makeAjv(schema, false), remotes).compile(schema);
  }
  const judge = (/** @type {string} */ instance) => {
    let value;
    try {
      value = JSON.parse(instance);
    } catch {
      return "not JSON";
    }
    let isValid;
    try {
      isValid = validate(value);
    } catch {
      return "doubtful"; // ajv lost itself in a recursion
    }
    if (isValid) return hasTwins(instance) ? "twin keys" : "";
    if (!isInDoubles(instance)) return "doubtful";
    const [error] = validate.errors ?? [];
    return `${error?.instancePath} ${error?.message} (${error?.schemaPath})`;
  };
  const isWrong = tests.some((test) => (judge(test.text) === "") !== test.valid);
  if (isWrong) throw new Error("ajv is wrong about this schema");
  return judge;
}

function withRemotes(ajv, remotes) {
  for (const [uri, remote] of Object.entries(remotes))
    try {
      ajv.addSchema(remote, uri);
    } catch {
      // of another dialect: a schema that refers to it fails
    }
  return ajv;
}
