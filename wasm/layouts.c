// Generated from C's headers by wasm/generate.js: edit those, then run `make generate`.
// What web/core/layouts.js says of the structs of lastinch.h, checked by the compiler of the modules. Makes no code.
#include "lastinch.h"

_Static_assert(offsetof(li_sampler_arrays, input) == 0 && sizeof(((li_sampler_arrays *)0)->input) == 4, "li_sampler_arrays.input");
_Static_assert(offsetof(li_sampler_arrays, halves) == 4 && sizeof(((li_sampler_arrays *)0)->halves) == 4, "li_sampler_arrays.halves");
_Static_assert(offsetof(li_sampler_arrays, tokens) == 8 && sizeof(((li_sampler_arrays *)0)->tokens) == 4, "li_sampler_arrays.tokens");
_Static_assert(offsetof(li_sampler_arrays, probabilities) == 12 && sizeof(((li_sampler_arrays *)0)->probabilities) == 4, "li_sampler_arrays.probabilities");
_Static_assert(offsetof(li_sampler_arrays, information) == 16 && sizeof(((li_sampler_arrays *)0)->information) == 4, "li_sampler_arrays.information");
_Static_assert(offsetof(li_sampler_arrays, trace_records) == 20 && sizeof(((li_sampler_arrays *)0)->trace_records) == 4, "li_sampler_arrays.trace_records");
_Static_assert(offsetof(li_sampler_arrays, trace_stages) == 24 && sizeof(((li_sampler_arrays *)0)->trace_stages) == 4, "li_sampler_arrays.trace_stages");
_Static_assert(offsetof(li_sampler_arrays, trace_removed_by) == 28 && sizeof(((li_sampler_arrays *)0)->trace_removed_by) == 4, "li_sampler_arrays.trace_removed_by");
_Static_assert(offsetof(li_sampler_arrays, trace_logits) == 32 && sizeof(((li_sampler_arrays *)0)->trace_logits) == 4, "li_sampler_arrays.trace_logits");
_Static_assert(offsetof(li_sampler_arrays, trace_probabilities) == 36 && sizeof(((li_sampler_arrays *)0)->trace_probabilities) == 4, "li_sampler_arrays.trace_probabilities");
_Static_assert(sizeof(li_sampler_arrays) == 40, "li_sampler_arrays");

_Static_assert(offsetof(li_information, entropy) == 0 && sizeof(((li_information *)0)->entropy) == 8, "li_information.entropy");
_Static_assert(offsetof(li_information, choices) == 8 && sizeof(((li_information *)0)->choices) == 8, "li_information.choices");
_Static_assert(offsetof(li_information, log_probability) == 16 && sizeof(((li_information *)0)->log_probability) == 8, "li_information.log_probability");
_Static_assert(offsetof(li_information, rank) == 24 && sizeof(((li_information *)0)->rank) == 4, "li_information.rank");
_Static_assert(offsetof(li_information, survivors) == 28 && sizeof(((li_information *)0)->survivors) == 4, "li_information.survivors");
_Static_assert(sizeof(li_information) == 32, "li_information");

_Static_assert(offsetof(li_stage_record, stage) == 0 && sizeof(((li_stage_record *)0)->stage) == 4, "li_stage_record.stage");
_Static_assert(offsetof(li_stage_record, before) == 4 && sizeof(((li_stage_record *)0)->before) == 4, "li_stage_record.before");
_Static_assert(offsetof(li_stage_record, after) == 8 && sizeof(((li_stage_record *)0)->after) == 4, "li_stage_record.after");
_Static_assert(offsetof(li_stage_record, has_cut) == 12 && sizeof(((li_stage_record *)0)->has_cut) == 4, "li_stage_record.has_cut");
_Static_assert(offsetof(li_stage_record, threshold) == 16 && sizeof(((li_stage_record *)0)->threshold) == 8, "li_stage_record.threshold");
_Static_assert(offsetof(li_stage_record, mass) == 24 && sizeof(((li_stage_record *)0)->mass) == 8, "li_stage_record.mass");
_Static_assert(sizeof(li_stage_record) == 32, "li_stage_record");

_Static_assert(offsetof(li_candidate, score) == 0 && sizeof(((li_candidate *)0)->score) == 8, "li_candidate.score");
_Static_assert(offsetof(li_candidate, beam) == 8 && sizeof(((li_candidate *)0)->beam) == 4, "li_candidate.beam");
_Static_assert(offsetof(li_candidate, token) == 12 && sizeof(((li_candidate *)0)->token) == 4, "li_candidate.token");
_Static_assert(sizeof(li_candidate) == 16, "li_candidate");

_Static_assert(offsetof(li_tokenizer_view, count) == 0 && sizeof(((li_tokenizer_view *)0)->count) == 4, "li_tokenizer_view.count");
_Static_assert(offsetof(li_tokenizer_view, bytes) == 4 && sizeof(((li_tokenizer_view *)0)->bytes) == 4, "li_tokenizer_view.bytes");
_Static_assert(offsetof(li_tokenizer_view, ends) == 8 && sizeof(((li_tokenizer_view *)0)->ends) == 4, "li_tokenizer_view.ends");
_Static_assert(offsetof(li_tokenizer_view, types) == 12 && sizeof(((li_tokenizer_view *)0)->types) == 4, "li_tokenizer_view.types");
_Static_assert(offsetof(li_tokenizer_view, special_count) == 16 && sizeof(((li_tokenizer_view *)0)->special_count) == 4, "li_tokenizer_view.special_count");
_Static_assert(offsetof(li_tokenizer_view, specials) == 20 && sizeof(((li_tokenizer_view *)0)->specials) == 4, "li_tokenizer_view.specials");
_Static_assert(offsetof(li_tokenizer_view, special_bytes) == 24 && sizeof(((li_tokenizer_view *)0)->special_bytes) == 4, "li_tokenizer_view.special_bytes");
_Static_assert(offsetof(li_tokenizer_view, special_ends) == 28 && sizeof(((li_tokenizer_view *)0)->special_ends) == 4, "li_tokenizer_view.special_ends");
_Static_assert(offsetof(li_tokenizer_view, end_count) == 32 && sizeof(((li_tokenizer_view *)0)->end_count) == 4, "li_tokenizer_view.end_count");
_Static_assert(offsetof(li_tokenizer_view, end_tokens) == 36 && sizeof(((li_tokenizer_view *)0)->end_tokens) == 4, "li_tokenizer_view.end_tokens");
_Static_assert(offsetof(li_tokenizer_view, adds_bos) == 40 && sizeof(((li_tokenizer_view *)0)->adds_bos) == 4, "li_tokenizer_view.adds_bos");
_Static_assert(sizeof(li_tokenizer_view) == 44, "li_tokenizer_view");

_Static_assert(offsetof(li_model_config, vocab_size) == 0 && sizeof(((li_model_config *)0)->vocab_size) == 4, "li_model_config.vocab_size");
_Static_assert(offsetof(li_model_config, dim) == 4 && sizeof(((li_model_config *)0)->dim) == 4, "li_model_config.dim");
_Static_assert(offsetof(li_model_config, hidden_dim) == 8 && sizeof(((li_model_config *)0)->hidden_dim) == 4, "li_model_config.hidden_dim");
_Static_assert(offsetof(li_model_config, layers) == 12 && sizeof(((li_model_config *)0)->layers) == 4, "li_model_config.layers");
_Static_assert(offsetof(li_model_config, heads) == 16 && sizeof(((li_model_config *)0)->heads) == 4, "li_model_config.heads");
_Static_assert(offsetof(li_model_config, kv_heads) == 20 && sizeof(((li_model_config *)0)->kv_heads) == 4, "li_model_config.kv_heads");
_Static_assert(offsetof(li_model_config, head_dim) == 24 && sizeof(((li_model_config *)0)->head_dim) == 4, "li_model_config.head_dim");
_Static_assert(offsetof(li_model_config, value_dim) == 28 && sizeof(((li_model_config *)0)->value_dim) == 4, "li_model_config.value_dim");
_Static_assert(offsetof(li_model_config, rope_dim) == 32 && sizeof(((li_model_config *)0)->rope_dim) == 4, "li_model_config.rope_dim");
_Static_assert(offsetof(li_model_config, context_length) == 36 && sizeof(((li_model_config *)0)->context_length) == 4, "li_model_config.context_length");
_Static_assert(offsetof(li_model_config, trained_length) == 40 && sizeof(((li_model_config *)0)->trained_length) == 4, "li_model_config.trained_length");
_Static_assert(offsetof(li_model_config, cache_type) == 44 && sizeof(((li_model_config *)0)->cache_type) == 4, "li_model_config.cache_type");
_Static_assert(offsetof(li_model_config, tied) == 48 && sizeof(((li_model_config *)0)->tied) == 4, "li_model_config.tied");
_Static_assert(offsetof(li_model_config, drafts) == 52 && sizeof(((li_model_config *)0)->drafts) == 4, "li_model_config.drafts");
_Static_assert(offsetof(li_model_config, rope_base) == 56 && sizeof(((li_model_config *)0)->rope_base) == 4, "li_model_config.rope_base");
_Static_assert(offsetof(li_model_config, norm_epsilon) == 60 && sizeof(((li_model_config *)0)->norm_epsilon) == 4, "li_model_config.norm_epsilon");
_Static_assert(sizeof(li_model_config) == 64, "li_model_config");

_Static_assert(offsetof(li_model_memory, weights) == 0 && sizeof(((li_model_memory *)0)->weights) == 8, "li_model_memory.weights");
_Static_assert(offsetof(li_model_memory, cache) == 8 && sizeof(((li_model_memory *)0)->cache) == 8, "li_model_memory.cache");
_Static_assert(offsetof(li_model_memory, scratch) == 16 && sizeof(((li_model_memory *)0)->scratch) == 8, "li_model_memory.scratch");
_Static_assert(offsetof(li_model_memory, limit) == 24 && sizeof(((li_model_memory *)0)->limit) == 8, "li_model_memory.limit");
_Static_assert(offsetof(li_model_memory, context_length) == 32 && sizeof(((li_model_memory *)0)->context_length) == 4, "li_model_memory.context_length");
_Static_assert(offsetof(li_model_memory, trained_length) == 36 && sizeof(((li_model_memory *)0)->trained_length) == 4, "li_model_memory.trained_length");
_Static_assert(offsetof(li_model_memory, cache_type) == 40 && sizeof(((li_model_memory *)0)->cache_type) == 4, "li_model_memory.cache_type");
_Static_assert(offsetof(li_model_memory, vocab_size) == 44 && sizeof(((li_model_memory *)0)->vocab_size) == 4, "li_model_memory.vocab_size");
_Static_assert(sizeof(li_model_memory) == 48, "li_model_memory");

_Static_assert(offsetof(li_fault, kind) == 0 && sizeof(((li_fault *)0)->kind) == 4, "li_fault.kind");
_Static_assert(offsetof(li_fault, name) == 4 && sizeof(((li_fault *)0)->name) == 4, "li_fault.name");
_Static_assert(offsetof(li_fault, name_length) == 8 && sizeof(((li_fault *)0)->name_length) == 4, "li_fault.name_length");
_Static_assert(offsetof(li_fault, found) == 16 && sizeof(((li_fault *)0)->found) == 8, "li_fault.found");
_Static_assert(offsetof(li_fault, found_rows) == 24 && sizeof(((li_fault *)0)->found_rows) == 8, "li_fault.found_rows");
_Static_assert(offsetof(li_fault, expected) == 32 && sizeof(((li_fault *)0)->expected) == 8, "li_fault.expected");
_Static_assert(offsetof(li_fault, expected_rows) == 40 && sizeof(((li_fault *)0)->expected_rows) == 8, "li_fault.expected_rows");
_Static_assert(sizeof(li_fault) == 48, "li_fault");

_Static_assert(offsetof(li_row, token) == 0 && sizeof(((li_row *)0)->token) == 4, "li_row.token");
_Static_assert(offsetof(li_row, position) == 4 && sizeof(((li_row *)0)->position) == 4, "li_row.position");
_Static_assert(offsetof(li_row, sequence) == 8 && sizeof(((li_row *)0)->sequence) == 4, "li_row.sequence");
_Static_assert(offsetof(li_row, wants_logits) == 12 && sizeof(((li_row *)0)->wants_logits) == 4, "li_row.wants_logits");
_Static_assert(sizeof(li_row) == 16, "li_row");

_Static_assert(offsetof(li_refusal, schema) == 0 && sizeof(((li_refusal *)0)->schema) == 4, "li_refusal.schema");
_Static_assert(offsetof(li_refusal, keyword) == 4 && sizeof(((li_refusal *)0)->keyword) == 4, "li_refusal.keyword");
_Static_assert(offsetof(li_refusal, reason) == 8 && sizeof(((li_refusal *)0)->reason) == 4, "li_refusal.reason");
_Static_assert(sizeof(li_refusal) == 12, "li_refusal");
