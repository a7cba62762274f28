// Entry of the steps for a page's own engine: speculation, beam search, combined rows.
export { createBeamSearch } from "./beam-searcher.js";
export { lookupDraft } from "../drafters/lookup.js";
export { majorityVote } from "./majority-vote.js";
export { createDecoder } from "./decoder.js";
export { createGroup } from "../../sampler/group.js";
