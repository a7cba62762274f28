// Our own chat templates, which write what those of the families write.

const chatml = (/** @type {string} */ assistant, { open = "", head = "" } = {}) => `{{- '' }}
${head}
{%- for message in messages %}
  {%- if message.role == "assistant" %}
    {{- "<|im_start|>assistant\\n" }}
    ${assistant}
    {{- "<|im_end|>\\n" }}
  {%- elif message.role == "tool" %}
    {{- "<|im_start|>user\\n<tool_response>\\n" + message.content + "\\n</tool_response><|im_end|>\\n" }}
  {%- else %}
    {{- "<|im_start|>" + message.role + "\\n" + message.content + "<|im_end|>\\n" }}
  {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
  {{- "<|im_start|>assistant\\n" }}
  ${open}
{%- endif %}`;

const tools = `{%- if tools %}
  {{- "<|im_start|>system\\nTools:\\n" }}
  {%- for tool in tools %}{{ tool | tojson }}{% endfor %}
  {{- "<|im_end|>\\n" }}
{%- endif %}`;

const calls = (/** @type {string} */ call) => `{{- message.content }}
    {%- for tool_call in message.tool_calls or [] %}
      {%- set call = tool_call.function %}
      {%- if not loop.first or message.content %}{{ "\\n" }}{% endif %}
      {{- ${call} }}
    {%- endfor %}`;

/** As Qwen 2.5. */
export const hermes = chatml(
  calls(`'<tool_call>\\n{"name": "' + call.name + '", "arguments": ' + (call.arguments | tojson) + '}\\n</tool_call>'`),
  { head: tools },
);

/** As Qwen 3: a switch for thoughts; answers before the last question lose their thoughts. */
export const qwen3 = chatml(
  `{%- if message.reasoning_content and loop.last %}
      {{- "<think>\\n" + message.reasoning_content.strip("\\n") + "\\n</think>\\n\\n" }}
    {%- endif %}
    {%- set content = message.content.lstrip("\\n") %}
    {{- content }}
    {%- for tool_call in message.tool_calls or [] %}
      {%- set call = tool_call.function %}
      {%- if not loop.first or content %}{{ "\\n" }}{% endif %}
      {{- '<tool_call>\\n{"name": "' + call.name + '", "arguments": ' + (call.arguments | tojson) + '}\\n</tool_call>' }}
    {%- endfor %}`,
  {
    head: tools,
    open: `{%- if enable_thinking is defined and enable_thinking is false %}{{ "<think>\\n\\n</think>\\n\\n" }}{% endif %}`,
  },
);

/** As Qwen 3.5: the prompt opens the thought; at a new question the thoughts before it go, between calls they stay. */
export const qwen35 = chatml(
  `{%- if message.reasoning_content and loop.index0 > question.at %}
      {{- "<think>\\n" + message.reasoning_content.strip("\\n") + "\\n</think>\\n\\n" }}
    {%- endif %}
    ${calls(`'<tool_call>\\n{"name": "' + call.name + '", "arguments": ' + (call.arguments | tojson) + '}\\n</tool_call>'`)}`,
  {
    head: `${tools}
{%- set question = namespace(at=0) %}
{%- for message in messages %}
  {%- if message.role == "user" %}{%- set question.at = loop.index0 %}{%- endif %}
{%- endfor %}`,
    open: `{{- "<think>\\n" }}`,
  },
);

/** As DeepSeek R1: the prompt opens the thought, and no switch keeps it closed. */
export const opened = chatml(`{{- message.content.split("</think>")[-1] }}`, { open: `{{- "<think>\\n" }}` });

/** As Llama 3.1: JSON that is the whole answer. */
export const llama3 = chatml(
  `{%- if message.tool_calls %}
      {%- set call = message.tool_calls[0].function %}
      {{- '{"name": "' + call.name + '", "parameters": ' + (call.arguments | tojson) + '}' }}
    {%- else %}{{- message.content }}{% endif %}`,
  { head: tools },
);

/** As Mistral: a list, and ids of nine letters and digits. */
export const mistral = `{{- bos_token }}
{%- for message in messages %}
  {%- if message.role == "user" %}
    {%- if tools and loop.last %}{{ "[AVAILABLE_TOOLS] " + (tools | tojson) + "[/AVAILABLE_TOOLS]" }}{% endif %}
    {{- "[INST] " + message.content + "[/INST]" }}
  {%- elif message.role == "assistant" and message.tool_calls %}
    {{- "[TOOL_CALLS] [" }}
    {%- for tool_call in message.tool_calls %}
      {%- if tool_call.id | length != 9 %}{{ raise_exception("Ids have nine letters and digits.") }}{% endif %}
      {{- '{"name": "' + tool_call.function.name + '", "arguments": ' + (tool_call.function.arguments | tojson) + '}' }}
      {%- if not loop.last %}{{ ", " }}{% endif %}
    {%- endfor %}
    {{- "]" + eos_token }}
  {%- elif message.role == "assistant" %}
    {{- (("[THINK]" + message.reasoning_content + "[/THINK]") if message.reasoning_content else "") + message.content + eos_token }}
  {%- elif message.role == "tool" %}
    {{- "[TOOL_RESULTS]" + message.content + "[/TOOL_RESULTS]" }}
  {%- else %}{{ raise_exception("Only users and assistants.") }}
  {%- endif %}
{%- endfor %}`;

/** As DeepSeek V3.1: arguments that are already text. */
export const deepseek = chatml(
  calls(
    `"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>" + call.name + "<｜tool▁sep｜>" + call.arguments + "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"`,
  ),
  { head: tools },
);

/** As Qwen 3 Coder: calls that are not JSON. */
export const xml = chatml(calls(`"<tool_call>\\n<function=" + call.name + ">\\n</function>\\n</tool_call>"`), {
  head: tools,
});

/** As Qwen 3 Coder and Qwen 3.5: arguments one by one, strings without quotation marks. */
export const parameters = chatml(
  `{{- message.content }}
    {%- for tool_call in message.tool_calls or [] %}
      {%- if not loop.first or message.content %}{{ "\\n" }}{% endif %}
      {{- "<tool_call>\\n<function=" + tool_call.function.name + ">\\n" }}
      {%- for key, value in tool_call.function.arguments | items %}
        {{- "<parameter=" + key + ">\\n" + (value if value is string else value | tojson) + "\\n</parameter>\\n" }}
      {%- endfor %}
      {{- "</function>\\n</tool_call>" }}
    {%- endfor %}`,
  { head: tools },
);

const argumentPairs = (/** @type {string} */ newline) =>
  chatml(
    `{{- message.content }}
    {%- for tool_call in message.tool_calls or [] %}
      {{- "<tool_call>" + tool_call.function.name + "${newline}" }}
      {%- for key, value in tool_call.function.arguments | items %}
        {{- "<arg_key>" + key + "</arg_key>${newline}<arg_value>" }}
        {{- (value if value is string else value | tojson) + "</arg_value>${newline}" }}
      {%- endfor %}
      {{- "</tool_call>" }}
    {%- endfor %}`,
    { head: tools },
  );
/** As GLM 4.6: keys and values of arguments in elements of their own. */
export const glm = argumentPairs("\\n");
/** As GLM 4.7: the same without newlines. */
export const glm47 = argumentPairs("");

/** As FunctionGemma: texts between tokens, arguments in alphabetical order. */
export const functionGemma = `{{- bos_token }}
{%- if tools %}
  {{- "<start_of_turn>developer\n" }}
  {%- for tool in tools %}
    {{- "<start_function_declaration>declaration:" + tool.function.name + "<end_function_declaration>" }}
  {%- endfor %}
  {{- "<end_of_turn>\n" }}
{%- endif %}
{%- for message in messages %}
  {%- if message.role == "tool" %}
    {{- "<start_function_response>response:" + message.name + "{value:<escape>" + message.content + "<escape>}" }}
    {{- "<end_function_response>" }}
  {%- else %}
    {{- "<start_of_turn>" + ("model" if message.role == "assistant" else message.role) + "\n" + message.content }}
    {%- for tool_call in message.tool_calls or [] %}
      {%- set call = tool_call.function %}
      {{- "<start_function_call>call:" + call.name + "{" }}
      {%- for key, value in call.arguments | dictsort %}
        {{- key + ":" + ("<escape>" + value + "<escape>" if value is string else value | tojson) }}
        {{- "," if not loop.last else "" }}
      {%- endfor %}
      {{- "}<end_function_call>" }}
    {%- endfor %}
    {{- "<end_of_turn>\n" }}
  {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ "<start_of_turn>model\n" }}{% endif %}`;

/** As SmolLM3 in a file whose template has lost the tools. */
export const smollm3 = chatml("{{- message.content }}", {
  head: `{{- "<|im_start|>system\\nReasoning Mode: /think\\n\\nYou are a helpful AI assistant named SmolLM.<|im_end|>\\n" }}`,
});

/** As Phi-4-mini: tools are a text in the system message. */
export const phi4 = `{%- for message in messages %}
  {%- if message.role == "system" and message.tools %}
    {{- "<|system|>" + message.content + "<|tool|>" + message.tools + "<|/tool|><|end|>" }}
  {%- else %}{{- "<|" + message.role + "|>" + message.content + "<|end|>" }}{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ "<|assistant|>" }}{% endif %}`;

/** As Granite 3.0: calls are messages of a role of their own. */
export const granite30 = `{%- if tools %}{{ "<|start_of_role|>available_tools<|end_of_role|>" + (tools | tojson) }}{% endif %}
{%- for message in messages %}
  {%- if message.role == "assistant_tool_call" %}
    {{- "<|start_of_role|>assistant<|end_of_role|><|tool_call|>" + message.content }}
  {%- else %}{{- "<|start_of_role|>" + message.role + "<|end_of_role|>" + message.content }}{% endif %}
{%- endfor %}`;

/** As DeepSeek R1: the calls end only after the second. */
export const deepseekR1 = chatml(
  `{%- for tool_call in message.tool_calls or [] %}
      {{- "<｜tool▁calls▁begin｜>" if loop.first else "\\n" }}
      {{- "<｜tool▁call▁begin｜>function<｜tool▁sep｜>" + tool_call.function.name }}
      {{- "\\n\\u0060\\u0060\\u0060json\\n" + tool_call.function.arguments + "\\n\\u0060\\u0060\\u0060<｜tool▁call▁end｜>" }}
      {{- "<｜tool▁calls▁end｜>" if loop.index == 2 else "" }}
    {%- else %}{{- message.content }}{% endfor %}`,
).replaceAll("\\u0060", "`");

/** As MiniCPM 5: arguments one by one, in elements of XML. */
export const elements = chatml(
  `{{- message.content }}
    {%- for tool_call in message.tool_calls or [] %}
      {%- if not loop.first or message.content %}{{ "\\n" }}{% endif %}
      {{- '<function name="' + tool_call.function.name + '">' }}
      {%- for key, value in tool_call.function.arguments | items %}
        {%- set written = value if value is string else value | tojson %}
        {%- if "<" in written or "&" in written or "\\n" in written %}
          {%- set written = "<![CDATA[" + written + "]]>" %}
        {%- endif %}
        {{- '<param name="' + key + '">' + written + "</param>" }}
      {%- endfor %}
      {{- "</function>" }}
    {%- endfor %}`,
  { head: tools },
);

/** As LFM2.5: calls in Python. */
export const python = chatml(
  `{{- message.content }}
    {%- if message.tool_calls %}
      {{- "<|tool_call_start|>[" }}
      {%- for tool_call in message.tool_calls %}
        {{- tool_call.function.name + "(" }}
        {%- for key, value in tool_call.function.arguments | items %}
          {{- key + "=" + ("'" + value + "'" if value is string else value | string) }}
          {%- if not loop.last %}{{ ", " }}{% endif %}
        {%- endfor %}
        {{- ")" }}
        {%- if not loop.last %}{{ ", " }}{% endif %}
      {%- endfor %}
      {{- "]<|tool_call_end|>" }}
    {%- endif %}`,
  { head: tools },
);

/** As LFM2: calls in Python that the template does not write. */
export const toldList = chatml("{{- message.content }}", {
  head: `{%- if tools %}{{ "<|im_start|>system\\nList of tools: <|tool_list_start|>[" + (tools | tojson) + "]<|tool_list_end|><|im_end|>\\n" }}{% endif %}`,
});

/** As Granite 3.3: the template says how calls are written, and writes none. */
export const granite = chatml("{{- message.content }}", {
  head: `{%- if tools %}{{ "<|im_start|>system\\nRespond only with <|tool_call|> followed by a JSON list of tools used." + (tools | tojson) + "<|im_end|>\\n" }}{% endif %}`,
});

/** As SmolLM3: tools by another name, calls that are only explained. */
export const explained = chatml("{{- message.content }}", {
  head: `{%- if xml_tools %}
  {{- '<|im_start|>system\\n' + (xml_tools | tojson) + '\\nWrite <tool_call>\\n{"name": <function-name>, "arguments": <args-json-object>}\\n</tool_call><|im_end|>\\n' }}
{%- endif %}`,
});

/** As Gemma 2: users and models, but no tools. */
export const bare = `{%- if messages[0].role == "system" %}{{ raise_exception("System role not supported") }}{% endif %}
{%- for message in messages %}
  {%- if message.role == "user" or message.role == "assistant" %}
    {{- "<|im_start|>" + message.role + "\\n" + message.content + "<|im_end|>\\n" }}
  {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ "<|im_start|>assistant\\n" }}{% endif %}`;

/** As gpt-oss: thoughts and answers in channels, and a degree of effort. Its thoughts go back only with calls. */
export const channels = `{%- if reasoning_effort is not defined %}{%- set reasoning_effort = "medium" %}{%- endif %}
{{- "<|start|>system<|message|>Reasoning: " + reasoning_effort + "<|end|>" }}
{%- for message in messages %}
  {%- if message.role == "assistant" and message.tool_calls %}
    {%- set call = message.tool_calls[0].function %}
    {%- if message.content and message.thinking %}{{ raise_exception("Not both.") }}{% endif %}
    {%- if message.thinking %}{{ "<|start|>assistant<|channel|>analysis<|message|>" + message.thinking + "<|end|>" }}{% endif %}
    {{- "<|start|>assistant to=functions." + call.name + "<|channel|>commentary json<|message|>" }}
    {{- (call.arguments | tojson) + "<|call|>" }}
  {%- elif message.role == "assistant" %}
    {%- if message.thinking and loop.last and not add_generation_prompt %}
      {{- "<|start|>assistant<|channel|>analysis<|message|>" + message.thinking + "<|end|>" }}
    {%- endif %}
    {{- "<|start|>assistant<|channel|>final<|message|>" + message.content + "<|end|>" }}
  {%- elif message.role == "tool" %}
    {{- "<|start|>functions to=assistant<|channel|>commentary<|message|>" + message.content + "<|end|>" }}
  {%- else %}
    {{- "<|start|>" + message.role + "<|message|>" + message.content + "<|end|>" }}
  {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ "<|start|>assistant" }}{% endif %}`;

/** As GLM 4.7: no newline between a thought and what is around it. */
export const tight = chatml(
  `{{- ("<think>" + message.reasoning_content + "</think>") if message.reasoning_content else "" }}{{ message.content }}`,
  { open: `{{- "<think></think>" if enable_thinking is defined and not enable_thinking else "<think>" }}` },
);
