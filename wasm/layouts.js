// The structs, enums and macros of lastinch.h that JavaScript shares, as numbers.
import { enumerators, macro, struct } from "./c-headers.js";
import { coded } from "./errors.js";
import { enumConstants, notice, upper } from "./source.js";

// The structs that JavaScript reads or writes in place.
const sharedStructs = [
  "sampler_arrays",
  "information",
  "stage_record",
  "chosen",
  "part",
  "candidate",
  "tokenizer_view",
  "model_config",
  "model_memory",
  "fault",
  "row",
  "saved_text",
  "refusal",
];

/** Names of enumerators, in quotes. */
const namesOf = (first, prefix) => [...enumerators(first, prefix).keys()].map((name) => `"${name.toLowerCase()}"`);

// Numbers, not objects, because esbuild inlines them.
function layoutsModule() {
  const blocks = sharedStructs.map((name) => {
    const { size, fields } = struct(`li_${name}`);
    const constant = (field, value) => `export const ${upper(name)}_${upper(field)} = ${value};`;
    const rows = [...fields.map((field) => constant(field.name, field.place)), constant("size", size)];
    return `// li_${name}\n${rows.join("\n")}\n`;
  });
  return `${notice("C's headers and src/tables/errors.json")}// The structs of lastinch.h in the memory of wasm: the place of a field is its offset in elements of its own type, words of
// 4 bytes or doubles of 8. SIZE is in bytes.

${blocks.join("\n")}
/** The longest row that a sampler takes. */
export const VOCAB_LIMIT = ${macro("LI_VOCAB_LIMIT")};

/** Tokens and bins of an li_part, ids that are listed beside it, and what functions return that need the row. */
export const PART_TOKENS_LIMIT = ${macro("LI_PART_TOKENS")};
export const PART_BINS_LIMIT = ${macro("LI_PART_BINS")};
export const LISTED_LIMIT = ${macro("LI_PART_LISTED")};
export const NEEDS_ROW = ${macro("LI_NEEDS_ROW")};

/** Rows in one call of li_model_forward. */
export const ROWS_LIMIT = ${macro("LI_ROWS_LIMIT")};

/** Guesses of a head. */
export const GUESSES_LIMIT = ${macro("LI_GUESSES_LIMIT")};

/** Drafters guess lower ids. */
export const DRAFT_VOCABULARY = ${macro("LI_DRAFT_VOCABULARY")};

/** Positions of one call of li_eagle_fuse. */
export const EAGLE_FUSED = ${macro("LI_EAGLE_FUSED")};

/** Recurrent states that li_model_plan counts. */
export const STATES_PLANNED = ${macro("LI_STATES_PLANNED")};

/** The version of saved texts, and a flag of theirs. */
export const SAVED_VERSION = ${macro("LI_SAVED_VERSION")};
export const SAVED_LONG = ${macro("LI_SAVED_LONG")};

/** Slots of the cache that take memory together. */
export const CACHE_PAGE = ${macro("LI_CACHE_PAGE")};

/** The limits of a mark's options. */
export const WATERMARK_WINDOW = ${macro("LI_WATERMARK_WINDOW")};
export const WATERMARK_DEPTH = ${macro("LI_WATERMARK_DEPTH")};
export const WATERMARK_DELTA = ${macro("LI_WATERMARK_DELTA")};
export const WATERMARK_KEY = ${macro("LI_WATERMARK_KEY")};

// li_gguf_type
${enumConstants("LI_GGUF_UINT8", "LI_GGUF_", "GGUF_")}

// Types of tokens, as GGUF numbers them.
${enumConstants("LI_TOKEN_NORMAL", "LI_TOKEN_", "TOKEN_")}

// li_fault_kind
${enumConstants("LI_FAULT_NONE", "LI_FAULT_", "FAULT_")}

// li_tokenizer_fault
${enumConstants("LI_TOKENIZER_FINE", "LI_TOKENIZER_", "TOKENIZER_FAULT_")}

// Flags of li_matcher_flags.
export const MATCHER_ACCEPTING = ${macro("LI_MATCHER_ACCEPTING")};
export const MATCHER_TERMINATED = ${macro("LI_MATCHER_TERMINATED")};
export const MATCHER_EMPTY = ${macro("LI_MATCHER_EMPTY")};

// Flags of li_tokenizer_encode.
export const ENCODE_SPECIAL = ${macro("LI_ENCODE_SPECIAL")};
export const ENCODE_CONTINUES = ${macro("LI_ENCODE_CONTINUES")};
export const ENCODE_TRACE = ${macro("LI_ENCODE_TRACE")};
export const STEP_PIECE = ${macro("LI_STEP_PIECE")};

// li_status
${coded.map((error) => `export const ERROR_${upper(error.code)} = ${error.number};`).join("\n")}
`;
}

// Apart from the numbers, because a page that samples loads their file.
function namesModule() {
  return `${notice("src/lastinch.h")}
/** The names of li_cache_type by their numbers. */
export const cacheTypes = [${namesOf("LI_CACHE_AUTO", "LI_CACHE_").join(", ")}];

/** The names of li_watermark_scheme by their numbers. */
export const watermarkSchemes = [${namesOf("LI_WATERMARK_GUMBEL", "LI_WATERMARK_").join(", ")}];
`;
}

/**
 * Lets the compiler check the places in layoutsModule, in wasm32, so a struct that changes without them breaks the
 * build.
 */
function layoutsSource() {
  const blocks = sharedStructs.map((name) => {
    const type = `li_${name}`;
    const { size, fields } = struct(type);
    const rows = fields.map(
      (field) =>
        `_Static_assert(offsetof(${type}, ${field.name}) == ${field.place * field.size} && ` +
        `sizeof(((${type} *)0)->${field.name}) == ${field.size * field.count}, "${type}.${field.name}");`,
    );
    return `${rows.join("\n")}\n_Static_assert(sizeof(${type}) == ${size}, "${type}");\n`;
  });
  return `${notice("src/lastinch.h")}// What web/core/layouts.js says of the structs of lastinch.h, checked by the compiler of the modules. Makes no code.
#include "lastinch.h"

${blocks.join("\n")}`;
}

export const layoutFiles = {
  "web/core/layouts.js": layoutsModule(),
  "web/core/enum-names.js": namesModule(),
  "wasm/layouts.c": layoutsSource(),
};
