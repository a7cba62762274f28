// The traits of thoughts and tools in real templates of llama.cpp.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { openTemplate } from "../../web/chat/template.js";
import { traitsOf } from "../../web/chat/traits.js";
import { toolCallStyles } from "../../web/grammar/readers/tool-call-styles.js";
import { pathOf } from "./llama.js";

const folder = pathOf("vocabularies/templates");
const skip = existsSync(folder) ? false : "make models gets the templates";

// { template: [style, begin of a thought, whether the prompt opens it, switch] }
const expected = {
  "Qwen-Qwen2.5-7B-Instruct": ["hermes"],
  "Qwen-Qwen3-0.6B": ["hermes", "<think>", false, "enable_thinking"],
  "Qwen-QwQ-32B": ["hermes", "<think>", false, "enable_thinking"],
  "Qwen3.5-4B": ["qwen3Coder", "<think>", true, "enable_thinking"],
  "Qwen3-Coder": ["qwen3Coder"],
  "openbmb-MiniCPM5-1B": ["minicpm5", "<think>", false, "enable_thinking"],
  "LFM2-8B-A1B": ["lfm2"],
  "LFM2.5-8B-A1B": ["lfm2", "<think>", false, null],
  "LFM2.5-Instruct": ["lfm2", "<think>", false, null],
  "GLM-4.6": ["glm", "<think>", false, "enable_thinking"],
  "GLM-4.7-Flash": ["glm47", "<think>", true, "enable_thinking"],
  "deepseek-ai-DeepSeek-R1-Distill-Llama-8B": ["deepseek", "<think>", true, null],
  "HuggingFaceTB-SmolLM3-3B": ["hermes", "<think>", false, "enable_thinking"],
  "NousResearch-Hermes-3-Llama-3.1-8B-tool_use": ["hermes"],
  "ibm-granite-granite-3.3-2B-Instruct": ["granite", "<think>", false, "thinking"],
  "ibm-granite-granite-4.0": ["hermes"],
  "meta-llama-Llama-3.1-8B-Instruct": ["llama3Json"],
  "meta-llama-Llama-3.2-3B-Instruct": ["llama3Json"],
  "meta-llama-Llama-3.3-70B-Instruct": ["llama3Json"],
  "mistralai-Mistral-Nemo-Instruct-2407": ["mistral"],
  "Mistral-Small-3.2-24B-Instruct-2506": ["mistral11"],
  "mistralai-Ministral-3-14B-Reasoning-2512": ["mistral11", "[THINK]", false, null],
  "llama-cpp-deepseek-r1": ["deepseek", "<think>", true, null],
  "deepseek-ai-DeepSeek-V3.1": ["deepseek31", "<think>", false, "enable_thinking"],
  "moonshotai-Kimi-K2": ["kimi"],
  "google-gemma-2-2b-it": [null],
  "microsoft-Phi-3.5-mini-instruct": [null],
  "unsloth-Apriel-1.5": [null, "<thinking>", false, null],
  "openai-gpt-oss-120b": [null, "<|channel|>analysis<|message|>", false, null],
  "google-gemma-4-31B-it": [null, "<|channel>thought", false, "enable_thinking"],
};

// { template: [what ends a thought, the variable for effort, the variable for a budget] }
const closings = {
  "Qwen-Qwen3-0.6B": ["\n</think>\n\n"],
  "Qwen3.5-4B": ["\n</think>\n\n"],
  "openbmb-MiniCPM5-1B": ["\n</think>\n\n"],
  "HuggingFaceTB-SmolLM3-3B": ["\n</think>\n"],
  "LFM2.5-8B-A1B": ["</think>"],
  "GLM-4.6": ["</think>\n"],
  "GLM-4.7-Flash": ["</think>"],
  "deepseek-ai-DeepSeek-V3.1": ["</think>"],
  "deepseek-ai-DeepSeek-R1-Distill-Llama-8B": ["\n</think>\n\n"],
  "mistralai-Ministral-3-14B-Reasoning-2512": ["[/THINK]"],
  "google-gemma-4-31B-it": ["\n<channel|>"],
  "ByteDance-Seed-OSS": ["</seed:think>\n", null, "thinking_budget"],
  Cohere2MoE: ["<|END_THINKING|>"],
  "openai-gpt-oss-120b": ["<|end|><|start|>assistant<|channel|>final<|message|>", "reasoning_effort"],
  "deepseek-ai-DeepSeek-V4-Flash-0731": ["\n</think>\n\n", "reasoning_effort"],
};

/** The marks of a style without spaces, which differ from template to template. */
const bare = (style) => style && JSON.stringify(style).replace(/ |\\n/g, "");

test("styles of calls, thoughts and switches are found in real templates", { skip }, async () => {
  for (const [name, [style, begin = null, isOpened, switchName]] of Object.entries(expected)) {
    const source = readFileSync(`${folder}/${name}.jinja`, "utf8");
    const { toolStyle, thought } = traitsOf(await openTemplate(source), source);
    assert.equal(bare(toolStyle), style && bare(toolCallStyles[style]), name);
    assert.equal(thought?.begin ?? null, begin, name);
    if (begin) assert.deepEqual([thought?.isOpened, thought?.switch], [isOpened, switchName], name);
  }
});

test("what ends a thought is found in real templates, and the variables for its length", { skip }, async () => {
  for (const [name, [closing, effort = null, budget = null]] of Object.entries(closings)) {
    const source = readFileSync(`${folder}/${name}.jinja`, "utf8");
    const { thought } = traitsOf(await openTemplate(source), source);
    assert.deepEqual([thought?.closing, thought?.effort, thought?.budget], [closing, effort, budget], name);
  }
});
