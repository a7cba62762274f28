// Fetches the readers of patterns and formats, which are large, and the meta-schemas, when a schema needs them.

/** @typedef {typeof import("../regex.js") & typeof import("./formats.js")} PatternTools */

/** @type {PatternTools | undefined} */
let tools;
/** @type {Map<string, any> | undefined} */
let metaSchemas;

/** Thrown to start again with the fetched module. */
class Missing {
  /** @param {() => Promise<void>} fetch */
  constructor(fetch) {
    this.fetch = fetch;
  }
}

const missingTools = new Missing(async () => {
  const [regex, formats] = await Promise.all([import("../regex.js"), import("./formats.js")]);
  tools = { ...regex, ...formats };
});

const missingMetaSchemas = new Missing(async () => {
  ({ metaSchemas } = await import("./meta-schemas.js"));
});

/** @returns {PatternTools} */
export function patternTools() {
  if (!tools) throw missingTools;
  return tools;
}

const metaSchemaUri =
  /^https?:(\/\/json-schema\.org\/draft(?:-0[467]\/schema|\/20(?:19-09|20-12)\/(?:schema|meta\/.*)))$/;

/** The meta-schema of a draft, or a part of one. @param {string} uri without a fragment @returns {any} undefined: not a meta-schema */
export function metaSchema(uri) {
  const path = metaSchemaUri.exec(uri)?.[1];
  if (path && !metaSchemas) throw missingMetaSchemas;
  return path && (metaSchemas?.get("https:" + path) ?? metaSchemas?.get("http:" + path));
}

/**
 * Runs a reader that may need these modules. After each fetch the reader starts again.
 * @template Result
 * @param {() => Result} read
 * @returns {Promise<Result>}
 */
export async function withPatternTools(read) {
  for (;;)
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      await error.fetch();
    }
}
