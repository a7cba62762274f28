// Chooses the drafter of a call: a draft model, prompt lookup or lookahead.
import { DRAFT_PRIORS, DraftModel } from "./draft-model.js";
import { LOOKAHEAD_PRIORS, Lookahead } from "./lookahead.js";
import { LOOKUP_PRIORS, Lookup } from "./lookup.js";
import { paceOf } from "./pace.js";

/** @typedef {import("../loop.js").Call} Call */

/**
 * The pace of a call, and a function that makes its drafters. They share the pace.
 * @param {Call} call
 */
export function drafting(call) {
  const { engine, draft, settings } = call;
  if (!settings.draft) return undefined;
  const { by } = settings.draft;
  const priors = by === "lookup" ? LOOKUP_PRIORS : by === "lookahead" ? LOOKAHEAD_PRIORS : DRAFT_PRIORS;
  const pace = paceOf(engine, settings.draft, priors, !draft);
  const Kind = by === "lookup" ? Lookup : by === "lookahead" ? Lookahead : DraftModel;
  return { pace, open: () => new Kind(call, pace) };
}
