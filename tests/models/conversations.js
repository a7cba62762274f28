// Conversations in the form that transformers passes to chat templates.
const system = { role: "system", content: 'You are brief.\nToday is "Monday".' };
const user = (content) => ({ role: "user", content });
const assistant = (content, more) => ({ role: "assistant", content, ...more });
const call = (id, name, input) => ({ id, type: "function", function: { name, arguments: input } });

const weather = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather at a place, now or later.",
    parameters: {
      type: "object",
      properties: {
        place: { type: "string", description: "A city, e.g. Zürich" },
        unit: { type: "string", enum: ["celsius", "fahrenheit"], default: "celsius" },
        days: { type: ["integer", "null"], minimum: 0, maximum: 7.5 },
        items: {
          type: "array",
          items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        },
      },
      required: ["place"],
    },
  },
};
const clock = {
  type: "function",
  function: { name: "clock", description: "The time.", parameters: { type: "object", properties: {} } },
};
const search = {
  type: "function",
  function: {
    name: "search",
    description: "Search a list.",
    parameters: {
      type: "object",
      properties: { words: { type: "string", description: "What to look for" } },
      required: ["words"],
    },
    return: { type: "string", description: "What was found" },
  },
};
const tools = [weather, clock];
const input = { place: 'Zürich\'s "Altstadt" <1>', days: 2, unit: null, near: ["a", 1.5, true, { b: {} }] };
const called = assistant("", { tool_calls: [call("call00001", "get_weather", input)] });
const result = (id, name, content) => ({ role: "tool", tool_call_id: id, name, content });
const thinking = { reasoning_content: "First,\nI think about 2 < 3.\n" };

/** Messages and tools by name. @type {Record<string, { messages: object[], tools?: object[], [name: string]: unknown }>} */
export const conversations = {
  question: { messages: [user("Hello, who are you?")] },
  "with system": { messages: [system, user("  What is 2+2? \n")] },
  turns: {
    messages: [
      system,
      user("Hi"),
      assistant("Hello! \u{1f600}\n"),
      user("<b>Tell</b> me {{ more }} {% please %}"),
      assistant('  More: é, 中文, "quotes", back\\slash.  '),
      user("Thanks"),
    ],
  },
  answered: { messages: [user("Hi"), assistant("Hello!")] },
  "tools told": { messages: [system, user("Weather in Zürich?")], tools },
  "tools told without system": { messages: [user("Weather in Zürich?")], tools },
  "a plain tool": {
    messages: [
      system,
      user("Look for tea."),
      assistant("", { tool_calls: [call("call00001", "search", { words: "tea" })] }),
      result("call00001", "search", "green"),
    ],
    tools: [search],
  },
  "a call": { messages: [user("Weather?"), called], tools },
  "a result": { messages: [user("Weather?"), called, result("call00001", "get_weather", '{"sky": "clear"}')], tools },
  "an answer after a result": {
    messages: [
      system,
      user("Weather?"),
      called,
      result("call00001", "get_weather", "clear\n"),
      assistant("It is clear."),
      user("And the time?"),
    ],
    tools,
  },
  "two calls": {
    messages: [
      user("Weather and time?"),
      assistant("I look.", { tool_calls: [call("call00001", "get_weather", input), call("call00002", "clock", {})] }),
      result("call00001", "get_weather", "clear"),
      result("call00002", "clock", "12:00"),
    ],
    tools,
  },
  "thoughts apart": {
    messages: [user("2+2?"), assistant("4", thinking), user("3+3?"), assistant("6", thinking), user("Sure?")],
  },
  "thoughts in the text": {
    messages: [
      system,
      user("2+2?"),
      assistant("<think>\nEasy.\n</think>\n\n4"),
      user("3+3?"),
      assistant("<think>Hm</think>6"),
    ],
  },
  "thoughts before a call": {
    messages: [
      user("Weather?"),
      { ...called, ...thinking },
      result("call00001", "get_weather", "clear"),
      assistant("Clear.", thinking),
    ],
    tools,
  },
  "no thoughts wanted": {
    messages: [system, user("2+2?")],
    enable_thinking: false,
    thinking: false,
    reasoning_effort: "low",
  },
  "thoughts wanted": {
    messages: [system, user("2+2?")],
    enable_thinking: true,
    thinking: true,
    reasoning_effort: "high",
  },
};
