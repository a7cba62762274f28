// Generated from src/tables/errors.json by wasm/generate.js: edit that, then run `make generate`.
// clang-format off
#ifndef LI_STATUS_H
#define LI_STATUS_H

typedef enum li_status {
    LI_OK = 0,
    LI_NEED_MORE = 1, // not an error: call again with more bytes
    LI_ERROR_OUT_OF_MEMORY = -1,
    LI_ERROR_BAD_ARGUMENT = -2,
    LI_ERROR_LOGITS_NAN = -3,
    LI_ERROR_LOGITS_INFINITE = -4,
    LI_ERROR_NOTHING_LEFT = -5,
    LI_ERROR_BAD_ORDER = -6,
    LI_ERROR_BAD_STATE = -7,
    LI_ERROR_CONFLICT = -8,
    LI_ERROR_GGUF_MAGIC = -20,
    LI_ERROR_GGUF_VERSION = -21,
    LI_ERROR_GGUF_TRUNCATED = -22,
    LI_ERROR_GGUF_CORRUPT = -23,
    LI_ERROR_GGUF_TOO_LARGE = -24,
    LI_ERROR_MODEL_ARCHITECTURE = -30,
    LI_ERROR_MODEL_TENSOR_MISSING = -31,
    LI_ERROR_MODEL_TENSOR_SHAPE = -32,
    LI_ERROR_MODEL_TENSOR_TYPE = -33,
    LI_ERROR_MODEL_CONFIG = -34,
    LI_ERROR_MODEL_INCOMPLETE = -35,
    LI_ERROR_MODEL_CONTEXT_FULL = -36,
    LI_ERROR_MODEL_ROWS = -37,
    LI_ERROR_MODEL_WEIGHTS = -38,
    LI_ERROR_GRAMMAR_FORM = -40,
    LI_ERROR_GRAMMAR_UNSUPPORTED = -41,
    LI_ERROR_GRAMMAR_FUEL = -42,
    LI_ERROR_VOCABULARY_CORRUPT = -43,
    LI_ERROR_WORKER_FAILED = -39,
} li_status;

#endif
