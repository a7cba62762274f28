// What looks beyond one token and one text, for engines of the page's own.
export { createBeamSearch } from "./beam-searcher.js";
export { lookupDraft } from "../drafters/lookup.js";
export { majorityVote } from "./majority-vote.js";
export { createDecoder } from "./decoder.js";
export { createGroup } from "../../sampler/group.js";
