// Chooses the drafter of a call: a draft model, Medusa heads, prompt lookup, lookahead or multi-token prediction.
import { DRAFT_PRIORS, DraftModel } from "./draft-model.js";
import { LOOKAHEAD_PRIORS, Lookahead } from "./lookahead.js";
import { LOOKUP_PRIORS, Lookup } from "./lookup.js";
import { MEDUSA_PRIORS, Medusa, acceptanceOf } from "./medusa.js";
import { MTP_PRIORS, MultiToken } from "./multi-token.js";
import { paceOf } from "./draft-pace.js";

/** @typedef {import("../loop.js").Call} Call */

const kinds = {
  model: /** @type {const} */ ([DraftModel, DRAFT_PRIORS]),
  lookup: /** @type {const} */ ([Lookup, LOOKUP_PRIORS]),
  lookahead: /** @type {const} */ ([Lookahead, LOOKAHEAD_PRIORS]),
  medusa: /** @type {const} */ ([Medusa, MEDUSA_PRIORS]),
  mtp: /** @type {const} */ ([MultiToken, MTP_PRIORS]),
};

/**
 * The pace of a call, and a function that makes its drafters. They share the pace.
 * @param {Call} call
 */
export function drafting(call) {
  const { engine, settings } = call;
  if (!settings.draft) return undefined;
  const { by } = settings.draft;
  const [Kind, priors] = kinds[typeof by === "string" ? by : call.heads ? "medusa" : "model"];
  const acceptance = call.heads && acceptanceOf(call);
  const pace = paceOf(engine, settings.draft, priors, by === "lookup" || by === "lookahead", acceptance);
  return { pace, open: () => new Kind(call, pace) };
}
