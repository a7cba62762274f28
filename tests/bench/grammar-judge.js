// Says of a JSON text whether it satisfies a schema: ajv, of the schema's dialect, with what it does in doubles done exactly.
import { loadAjv } from "./grammar-packages.js";
import { hasTwins, isInDoubles } from "./grammar-text.js";

const formats = "date time date-time duration uri uri-reference uri-template email hostname ipv4 ipv6 regex uuid "
  .concat("json-pointer relative-json-pointer")
  .split(" ");

/** @param {number} value as its shortest decimal @returns {[bigint, number]} digits and exponent */
function decimal(value) {
  const [, sign, whole, fraction = "", exponent = "0"] = /** @type {RegExpExecArray} */ (
    /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(String(value))
  );
  return [BigInt(sign + whole + fraction), Number(exponent) - fraction.length];
}

/** Whether one is a multiple of the other, as the decimals that they are written as. */
export function isMultiple(/** @type {number} */ value, /** @type {number} */ of) {
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

/**
 * @param {string} text of the schema
 * @param {Record<string, any>} [remotes]
 * @returns {(text: string) => string} "" for a valid text, "doubtful" where doubles cannot tell, else why it is not
 * @throws {Error} ajv cannot read the schema
 */
export function openJudge(text, remotes = {}) {
  const schema = JSON.parse(text);
  if (typeof schema === "object") delete schema[/** @type {any} */ ("$async")];
  let validate;
  try {
    validate = withRemotes(makeAjv(schema, true), remotes).compile(schema);
  } catch (error) {
    if (!/regular expression/i.test(String(error))) throw error;
    validate = withRemotes(makeAjv(schema, false), remotes).compile(schema);
  }
  return (instance) => {
    let value;
    try {
      value = JSON.parse(instance);
    } catch {
      return "not JSON";
    }
    if (hasTwins(instance)) return "a key comes twice";
    if (validate(value)) return "";
    if (!isInDoubles(instance)) return "doubtful";
    const [error] = validate.errors ?? [];
    return `${error?.instancePath} ${error?.message} (${error?.schemaPath})`;
  };
}

function withRemotes(ajv, remotes) {
  for (const [uri, remote] of Object.entries(remotes))
    try {
      ajv.addSchema(remote, uri);
    } catch {
      // of another dialect: who refers to it will hear of it
    }
  return ajv;
}
