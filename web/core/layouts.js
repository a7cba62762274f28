// Generated from C's headers and src/tables/errors.json by wasm/generate.js: edit those, then run `make generate`.
// The structs of lastinch.h in the memory of wasm: the place of a field is its offset in elements of its own type, words of
// 4 bytes or doubles of 8. SIZE is in bytes.

// li_sampler_arrays
export const SAMPLER_ARRAYS_INPUT = 0;
export const SAMPLER_ARRAYS_HALVES = 1;
export const SAMPLER_ARRAYS_TOKENS = 2;
export const SAMPLER_ARRAYS_PROBABILITIES = 3;
export const SAMPLER_ARRAYS_INFORMATION = 4;
export const SAMPLER_ARRAYS_TRACE_RECORDS = 5;
export const SAMPLER_ARRAYS_TRACE_STAGES = 6;
export const SAMPLER_ARRAYS_TRACE_REMOVED_BY = 7;
export const SAMPLER_ARRAYS_TRACE_LOGITS = 8;
export const SAMPLER_ARRAYS_TRACE_PROBABILITIES = 9;
export const SAMPLER_ARRAYS_SIZE = 40;

// li_information
export const INFORMATION_ENTROPY = 0;
export const INFORMATION_CHOICES = 1;
export const INFORMATION_LOG_PROBABILITY = 2;
export const INFORMATION_RANK = 6;
export const INFORMATION_SURVIVORS = 7;
export const INFORMATION_SIZE = 32;

// li_stage_record
export const STAGE_RECORD_STAGE = 0;
export const STAGE_RECORD_BEFORE = 1;
export const STAGE_RECORD_AFTER = 2;
export const STAGE_RECORD_HAS_CUT = 3;
export const STAGE_RECORD_THRESHOLD = 2;
export const STAGE_RECORD_MASS = 3;
export const STAGE_RECORD_SIZE = 32;

// li_candidate
export const CANDIDATE_SCORE = 0;
export const CANDIDATE_BEAM = 2;
export const CANDIDATE_TOKEN = 3;
export const CANDIDATE_SIZE = 16;

// li_tokenizer_view
export const TOKENIZER_VIEW_COUNT = 0;
export const TOKENIZER_VIEW_BYTES = 1;
export const TOKENIZER_VIEW_ENDS = 2;
export const TOKENIZER_VIEW_TYPES = 3;
export const TOKENIZER_VIEW_SPECIAL_COUNT = 4;
export const TOKENIZER_VIEW_SPECIALS = 5;
export const TOKENIZER_VIEW_SPECIAL_BYTES = 6;
export const TOKENIZER_VIEW_SPECIAL_ENDS = 7;
export const TOKENIZER_VIEW_END_COUNT = 8;
export const TOKENIZER_VIEW_END_TOKENS = 9;
export const TOKENIZER_VIEW_ADDS_BOS = 10;
export const TOKENIZER_VIEW_SIZE = 44;

// li_model_config
export const MODEL_CONFIG_VOCAB_SIZE = 0;
export const MODEL_CONFIG_DIM = 1;
export const MODEL_CONFIG_HIDDEN_DIM = 2;
export const MODEL_CONFIG_LAYERS = 3;
export const MODEL_CONFIG_HEADS = 4;
export const MODEL_CONFIG_KV_HEADS = 5;
export const MODEL_CONFIG_HEAD_DIM = 6;
export const MODEL_CONFIG_VALUE_DIM = 7;
export const MODEL_CONFIG_ROPE_DIM = 8;
export const MODEL_CONFIG_CONTEXT_LENGTH = 9;
export const MODEL_CONFIG_TRAINED_LENGTH = 10;
export const MODEL_CONFIG_CACHE_TYPE = 11;
export const MODEL_CONFIG_TIED = 12;
export const MODEL_CONFIG_DRAFTS = 13;
export const MODEL_CONFIG_ROPE_BASE = 14;
export const MODEL_CONFIG_NORM_EPSILON = 15;
export const MODEL_CONFIG_SIZE = 64;

// li_model_memory
export const MODEL_MEMORY_WEIGHTS = 0;
export const MODEL_MEMORY_CACHE = 1;
export const MODEL_MEMORY_SCRATCH = 2;
export const MODEL_MEMORY_LIMIT = 3;
export const MODEL_MEMORY_CONTEXT_LENGTH = 8;
export const MODEL_MEMORY_TRAINED_LENGTH = 9;
export const MODEL_MEMORY_CACHE_TYPE = 10;
export const MODEL_MEMORY_VOCAB_SIZE = 11;
export const MODEL_MEMORY_SIZE = 48;

// li_fault
export const FAULT_KIND = 0;
export const FAULT_NAME = 1;
export const FAULT_NAME_LENGTH = 2;
export const FAULT_FOUND = 2;
export const FAULT_FOUND_ROWS = 3;
export const FAULT_EXPECTED = 4;
export const FAULT_EXPECTED_ROWS = 5;
export const FAULT_SIZE = 48;

// li_row
export const ROW_TOKEN = 0;
export const ROW_POSITION = 1;
export const ROW_SEQUENCE = 2;
export const ROW_WANTS_LOGITS = 3;
export const ROW_SIZE = 16;

// li_refusal
export const REFUSAL_SCHEMA = 0;
export const REFUSAL_KEYWORD = 1;
export const REFUSAL_REASON = 2;
export const REFUSAL_SIZE = 12;

/** Rows in one call of li_model_forward. */
export const ROWS_LIMIT = 64;

// li_cache_type
export const CACHE_AUTO = 0;
export const CACHE_F32 = 1;
export const CACHE_F16 = 2;
export const CACHE_Q8_0 = 3;

// li_fault_kind
export const FAULT_NONE = 0;
export const FAULT_ARCHITECTURE = 1;
export const FAULT_KEY_FOREIGN = 2;
export const FAULT_KEY_MISSING = 3;
export const FAULT_KEY_VALUE = 4;
export const FAULT_KEY_LENGTH = 5;
export const FAULT_TENSOR_FOREIGN = 6;
export const FAULT_TENSOR_MISSING = 7;
export const FAULT_TENSOR_TYPE = 8;
export const FAULT_TENSOR_SHAPE = 9;

// li_tokenizer_fault
export const TOKENIZER_FAULT_FINE = 0;
export const TOKENIZER_FAULT_MEMORY = 1;
export const TOKENIZER_FAULT_MODEL = 2;
export const TOKENIZER_FAULT_PRE = 3;
export const TOKENIZER_FAULT_TOKENS = 4;
export const TOKENIZER_FAULT_SCORES = 5;
export const TOKENIZER_FAULT_TYPES = 6;
export const TOKENIZER_FAULT_MERGES = 7;
export const TOKENIZER_FAULT_MERGE = 8;
export const TOKENIZER_FAULT_BYTES = 9;
export const TOKENIZER_FAULT_SPECIAL = 10;

// Flags of li_tokenizer_encode.
export const ENCODE_SPECIAL = 1;
export const ENCODE_CONTINUES = 2;

// li_status
export const ERROR_OUT_OF_MEMORY = -1;
export const ERROR_BAD_ARGUMENT = -2;
export const ERROR_LOGITS_NAN = -3;
export const ERROR_LOGITS_INFINITE = -4;
export const ERROR_NOTHING_LEFT = -5;
export const ERROR_BAD_ORDER = -6;
export const ERROR_BAD_STATE = -7;
export const ERROR_CONFLICT = -8;
export const ERROR_GGUF_MAGIC = -20;
export const ERROR_GGUF_VERSION = -21;
export const ERROR_GGUF_TRUNCATED = -22;
export const ERROR_GGUF_CORRUPT = -23;
export const ERROR_GGUF_TOO_LARGE = -24;
export const ERROR_MODEL_ARCHITECTURE = -30;
export const ERROR_MODEL_TENSOR_MISSING = -31;
export const ERROR_MODEL_TENSOR_SHAPE = -32;
export const ERROR_MODEL_TENSOR_TYPE = -33;
export const ERROR_MODEL_CONFIG = -34;
export const ERROR_MODEL_INCOMPLETE = -35;
export const ERROR_MODEL_CONTEXT_FULL = -36;
export const ERROR_MODEL_ROWS = -37;
export const ERROR_MODEL_CACHE_TYPE = -45;
export const ERROR_MODEL_WEIGHTS = -38;
export const ERROR_GRAMMAR_FORM = -40;
export const ERROR_GRAMMAR_UNSUPPORTED = -41;
export const ERROR_GRAMMAR_FUEL = -42;
export const ERROR_VOCABULARY_CORRUPT = -43;
export const ERROR_WORKER_FAILED = -39;
