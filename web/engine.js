// Experimental: what adapters of other engines and interfaces are made of. Names and signatures may change in any version.
// All of it is loaded at once, because an engine calls back at moments that no import() can wait for.

export { rangeError, typeError } from "./core/errors.js";
export { checkBoolean, checkNames, checkObject, checkWhole } from "./core/arguments.js";
export { plainText } from "./core/plain-data.js";
export { checkSignal, unlessAborted } from "./core/signal.js";
export { disposeSymbol } from "./core/dispose.js";

export { canonicalNames, isSamplerOption, resolveOptions, tokenList } from "./sampler/options.js";
export { splitOptions } from "./sampler/split-options.js";
export { chatNames, namedOptions } from "./decode/named-options.js";
export { readGenerateOptions } from "./model/generate-options.js";
export { LoopDetector } from "./decode/loop-detector.js";
export { readLoopStop } from "./decode/loop-options.js";
export { withSampling } from "./chat/sampling-defaults.js";

export { openSamplers } from "./sampler/open-samplers.js";
export { createGroup } from "./sampler/sampler-group.js";
export { createBeamSearch } from "./decode/steps/beam-searcher.js";
export { lookupDraft } from "./decode/drafters/lookup.js";

export { TextStream } from "./decode/text-stream.js";
export { StopStrings, readStops } from "./decode/stop-strings.js";

export { openConversation } from "./chat/conversation.js";
export { readTools } from "./chat/messages.js";
export { newId } from "./chat/new-id.js";
export { checkOverflow, fitPrompt, promptThatFits } from "./chat/overflow.js";

/** @typedef {import("./chat/answer-stream.js").Piece} Piece */
/** @typedef {import("./chat/conversation.js").Conversation} Conversation */
/** @typedef {import("./chat/conversation.js").ConversationOptions} ConversationOptions */
/** @typedef {import("./chat/conversation.js").Turn} Turn */
/** @typedef {import("./chat/overflow.js").Dropped} Dropped */
/** @typedef {import("./chat/overflow.js").Overflow} Overflow */
/** @typedef {import("./chat/conversation.js").TurnChunk} TurnChunk */
/** @typedef {import("./decode/decode-types.js").GenerateSettings} GenerateSettings */
/** @typedef {import("./grammar/compile-there.js").SentGrammar} SentGrammar */

// What these are made of.
/** @typedef {import("./decode/banned-texts.js").Ban} Ban */
/** @typedef {import("./decode/loop-detector.js").LoopLimits} LoopLimits */
/** @typedef {import("./decode/loop-options.js").LoopSettings} LoopSettings */
/** @typedef {import("./grammar/readers/form.js").Expression} Expression */
/** @typedef {import("./chat/answer-stream.js").ThoughtTags} ThoughtTags */
/** @typedef {import("./chat/chat-types.js").ChatModel} ChatModel */
/** @typedef {import("./chat/tool-call-stream.js").CallPiece} CallPiece */
/** @typedef {import("./chat/messages.js").Message} Message */
/** @typedef {import("./chat/reasoning.js").Thinking} Thinking */
/** @typedef {import("./chat/traits.js").Traits} Traits */
/** @typedef {import("./chat/traits.js").ThoughtTraits} ThoughtTraits */
/** @typedef {import("./decode/beam/beam-options.js").BeamSettings} BeamSettings */
/** @typedef {import("./decode/decode-types.js").ThoughtSettings} ThoughtSettings */
/** @typedef {import("./grammar/posted.js").PostedGrammar} PostedGrammar */
/** @typedef {import("./model/direct-grammars.js").DirectGrammar} DirectGrammar */
/** @typedef {import("./model/generate-options.js").Reading} Reading */
/** @typedef {import("./sampler/options.js").ResolvedOptions} ResolvedOptions */
