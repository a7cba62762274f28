// What looks beyond one token and one text, for engines of the page's own.
export { createBeamSearch } from "./beam-searcher.js";
export { lookupDraft } from "./decode/lookup.js";
export { majorityVote } from "./decode/vote.js";
export { createDecoder } from "./decoder.js";
export { createGroup } from "./group.js";
