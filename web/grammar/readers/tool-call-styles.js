// How families of models write tool calls.

/**
 * The syntax of a model's calls: trigger, then begin, arguments and end of each call, with separators between, then
 * close. `{name}`, in begin and end, is the tool's name; `{number}`, anywhere but in a trigger, is an integer, because
 * models count the calls of the whole conversation. The name of a special token of the vocabulary (<|call|>) means that
 * token; everything else is text.
 * @typedef {object} ToolCallStyle
 * @property {string} trigger text or special token that free text cannot contain
 * @property {string} begin
 * @property {string} end
 * @property {string} [separator] between calls of one trigger; without it, a trigger has only one call
 * @property {string} [close] after the last call of a trigger
 * @property {boolean} [alone] the call is the whole text; text without a call does not begin with the trigger
 * @property {ToolParameterStyle} [parameters] writes the arguments one by one between begin and end. Default: as a JSON
 *   object
 */

/**
 * How one argument is written: begin, the value, end. `{key}`, in begin, is the argument's name.
 * @typedef {object} ToolParameterStyle
 * @property {string} begin
 * @property {string} end
 * @property {string} [separator] between arguments
 * @property {boolean} [plain] a text has no quotation marks or escapes, if the schema says that the value is a text;
 *   every other value is JSON
 * @property {string} [quote] stands before and after a plain text, which cannot contain it. Default: nothing
 * @property {boolean} [cdata] a plain text with &, < or a newline must be in a CDATA section, `<![CDATA[` to `]]>`;
 *   every other value may
 */

/** Tags of a CDATA section of XML. */
export const CDATA_BEGIN = "<![CDATA[";
export const CDATA_END = "]]>";

/** By model family. @satisfies {Record<string, ToolCallStyle>} */
export const toolCallStyles = {
  /** Hermes, Qwen 2.5 and 3 */
  hermes: {
    trigger: "<tool_call>",
    begin: '\n{"name": "{name}", "arguments": ',
    end: "}\n</tool_call>",
  },
  /** Qwen 3 Coder and Qwen 3.5 */
  qwen3Coder: {
    trigger: "<tool_call>",
    begin: "\n<function={name}>\n",
    parameters: { begin: "<parameter={key}>\n", end: "\n</parameter>\n", plain: true },
    end: "</function>\n</tool_call>",
  },
  /** MiniCPM 5 */
  minicpm5: {
    trigger: '<function name="',
    begin: '{name}">',
    parameters: { begin: '<param name="{key}">', end: "</param>", plain: true, cdata: true },
    end: "</function>",
  },
  /** GLM 4.5 and 4.6 */
  glm: {
    trigger: "<tool_call>",
    begin: "{name}\n",
    parameters: { begin: "<arg_key>{key}</arg_key>\n<arg_value>", end: "</arg_value>\n", plain: true },
    end: "</tool_call>",
  },
  /** GLM 4.7 */
  glm47: {
    trigger: "<tool_call>",
    begin: "{name}",
    parameters: { begin: "<arg_key>{key}</arg_key><arg_value>", end: "</arg_value>", plain: true },
    end: "</tool_call>",
  },
  /** FunctionGemma; objects and lists are JSON */
  functionGemma: {
    trigger: "<start_function_call>",
    begin: "call:{name}{",
    parameters: { begin: "{key}:", end: "", separator: ",", plain: true, quote: "<escape>" },
    end: "}<end_function_call>",
  },
  /** LFM2 */
  lfm2: {
    trigger: "<|tool_call_start|>[",
    begin: "{name}(",
    parameters: { begin: "{key}=", end: "", separator: ", " },
    end: ")",
    separator: ", ",
    close: "]<|tool_call_end|>",
  },
  /** only JSON: for models whose template shows no calls */
  json: { trigger: "{", begin: '"name": "{name}", "arguments": ', end: "}", alone: true },
  /** Llama 3.1 and 3.2, as in their templates */
  llama3Json: { trigger: "{", begin: '"name": "{name}", "parameters": ', end: "}", alone: true },
  /** Llama 3.1 and later, custom tools */
  llama3: { trigger: "<function=", begin: "{name}>", end: "</function>" },
  /** Mistral before version 11 of its tokenizer */
  mistral: {
    trigger: "[TOOL_CALLS][",
    begin: '{"name": "{name}", "arguments": ',
    end: "}",
    separator: ", ",
    close: "]",
  },
  /** Mistral since version 11 */
  mistral11: { trigger: "[TOOL_CALLS]", begin: "{name}[ARGS]", end: "" },
  /** DeepSeek V3 and R1 */
  deepseek: {
    trigger: "<｜tool▁calls▁begin｜>",
    begin: "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n",
    end: "\n```<｜tool▁call▁end｜>",
    separator: "\n",
    close: "<｜tool▁calls▁end｜>",
  },
  /** DeepSeek V3.1 */
  deepseek31: {
    trigger: "<｜tool▁calls▁begin｜>",
    begin: "<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>",
    end: "<｜tool▁call▁end｜>",
    separator: "",
    close: "<｜tool▁calls▁end｜>",
  },
  /** Kimi K2 */
  kimi: {
    trigger: "<|tool_calls_section_begin|>",
    begin: "<|tool_call_begin|>functions.{name}:{number}<|tool_call_argument_begin|>",
    end: "<|tool_call_end|>",
    separator: "",
    close: "<|tool_calls_section_end|>",
  },
  /** gpt-oss: the call's channel of harmony */
  harmony: {
    trigger: "<|channel|>commentary to=functions.",
    begin: "{name} <|constrain|>json<|message|>",
    end: "<|call|>",
  },
  /** Phi 4 */
  phi4: {
    trigger: "<|tool_call|>[",
    begin: '{"name": "{name}", "arguments": ',
    end: "}",
    separator: ", ",
    close: "]<|/tool_call|>",
  },
  /** Granite 3 */
  granite: {
    trigger: "<|tool_call|>[",
    begin: '{"name": "{name}", "arguments": ',
    end: "}",
    separator: ", ",
    close: "]",
  },
};
