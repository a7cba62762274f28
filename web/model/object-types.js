// The types of model.streamObject: of the value that a schema describes, and of that value while it arrives.

/**
 * The options of generate, or with messages those of chat, but none that gives several texts or another form.
 * @template Schema
 * @typedef {Omit<import("./model.js").ChatOptions & import("./model.js").ChatAliases, "jsonSchema" | "json_schema" |
 *   "guided_json" | "n" | "beams" | "lengthPenalty" | "earlyStopping" | "beamGroups" | "diversityPenalty" |
 *   "captureBeams" | "regex" | "choice" | "ebnf" | "lark" | "structuralTags" | "structural_tags" | "structural_tag" |
 *   "grammar"> &
 *   { jsonSchema: Schema & (object | boolean | string) }} StreamObjectOptions
 */

/**
 * A chunk of generate or chat, with what it adds to the value.
 * @template Value
 * @typedef {Omit<import("../chat/chat.js").ChatChunk, "finishReason" | "toolCalls" | "index" | "usage"> & {
 *   changed: string[],
 *   done: string[],
 *   usage?: import("../decode/decode-types.js").Usage & { reasoningTokens?: number },
 * } & (
 *   | { finishReason: "eos", value: Value }
 *   | {
 *     finishReason?: Exclude<import("../chat/chat.js").ChatChunk["finishReason"], "eos" | "toolCalls">,
 *     value: Arriving<Value> | undefined,
 *   }
 * )} ObjectChunk changed: JSON Pointers (RFC 6901) of what began or grew since the last chunk. done: JSON Pointers of
 *   what cannot change any more. With "eos" the value is whole
 */

/**
 * A value of which only a part has come: properties may be missing, and texts may be shorter.
 * @template Value
 * @typedef {unknown extends Value ? Value
 *   : Value extends string ? string
 *   : Value extends readonly (infer Item)[] ? Arriving<Item>[]
 *   : Value extends object ? { [Key in keyof Value]?: Arriving<Value[Key]> }
 *   : Value} Arriving
 */

/**
 * A JSON Schema with the type of its values, as libraries note it. For a schema of Zod:
 * `z.toJSONSchema(schema) as TypedSchema<z.infer<typeof schema>>`.
 * @template Value
 * @typedef {{ readonly "~standard"?: { readonly types?: { readonly output: Value } | undefined } | undefined }} TypedSchema
 */

/**
 * The type of the values of a schema: the one that the schema notes, or what its constants say of `type`, `properties`,
 * `required`, `additionalProperties`, `items`, `enum`, `const`, `anyOf` and `oneOf`. Other keywords are not read, so the
 * type may be wider than the schema.
 * @template Schema
 * @typedef {(Schema extends TypedSchema<infer Value> ? Value : unknown) &
 *   (Schema extends { readonly const: infer Value } ? Value
 *     : Schema extends { readonly enum: readonly (infer Value)[] } ? Value
 *     : unknown) &
 *   (Schema extends { readonly anyOf: readonly (infer Part)[] } | { readonly oneOf: readonly (infer Part)[] }
 *     ? (Part extends unknown ? ValueOf<Part> : never)
 *     : unknown) &
 *   (Schema extends { readonly type: readonly (infer Name)[] } ? ValueOfType<Schema, Name>
 *     : Schema extends { readonly type: infer Name extends string } ? ValueOfType<Schema, Name>
 *     : unknown)} ValueOf
 */

/**
 * The type of those values of a schema that have a type of JSON.
 * @template Schema
 * @template Name
 * @typedef {Name extends "string" ? string
 *   : Name extends "number" | "integer" ? number
 *   : Name extends "boolean" ? boolean
 *   : Name extends "null" ? null
 *   : Name extends "array" ? (Schema extends { readonly prefixItems: unknown } ? unknown
 *     : Schema extends { readonly items: infer Item } ? ValueOf<Item>
 *     : unknown)[]
 *   : Name extends "object" ? (Schema extends { readonly properties: infer Named }
 *     ? { -readonly [Key in keyof Named as Schema extends { readonly required: readonly (infer Needed)[] }
 *           ? Key & Needed : never]: ValueOf<Named[Key]> } &
 *       { -readonly [Key in keyof Named]?: ValueOf<Named[Key]> }
 *     : object) & (Schema extends { readonly additionalProperties: false } ? object
 *     : Schema extends { readonly properties: unknown } ? { [key: string]: unknown }
 *     : Schema extends { readonly additionalProperties: infer Other } ? { [key: string]: ValueOf<Other> }
 *     : { [key: string]: unknown })
 *   : unknown} ValueOfType
 */

export {};
