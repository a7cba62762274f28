// Chooses the drafter of a call: a draft model, heads, prompt lookup, lookahead, multi-token prediction, or what pays.
import { Auto, Paces } from "./auto.js";
import { DRAFT_PRIORS, DraftModel } from "./draft-model.js";
import { Eagle, eagleAcceptance } from "./eagle.js";
import { LOOKAHEAD_PRIORS, Lookahead } from "./lookahead.js";
import { LOOKUP_PRIORS, Lookup } from "./lookup.js";
import { Medusa, medusaAcceptance } from "./medusa.js";
import { MTP_PRIORS, MultiToken } from "./multi-token.js";
import { Pace, paceOf } from "./draft-pace.js";

/** @typedef {import("../loop.js").Call} Call */
/** @typedef {import("../strategies/sampling-strategy.js").Drafter} Drafter */

const kinds = {
  model: { Kind: DraftModel, rates: () => DRAFT_PRIORS },
  lookup: { Kind: Lookup, rates: () => LOOKUP_PRIORS },
  lookahead: { Kind: Lookahead, rates: () => LOOKAHEAD_PRIORS },
  medusa: { Kind: Medusa, rates: medusaAcceptance },
  eagle: { Kind: Eagle, rates: eagleAcceptance },
  mtp: { Kind: MultiToken, rates: () => MTP_PRIORS },
};

/** Those that need no second file. Their paces in "auto" are known by these copies. */
const free = { lookup: { ...kinds.lookup }, mtp: { ...kinds.mtp } };

/**
 * The same for all that needs no second file.
 * @param {Call} call
 * @param {number | "auto"} tokens
 */
function automatic(call, tokens) {
  const { engine } = call;
  const used = engine.config.predictsAhead ? [free.lookup, free.mtp] : [free.lookup];
  const paces = used.map((kind) => {
    return paceOf(engine, kind, tokens, () => new Pace(kind.rates(), kind === free.lookup));
  });
  const open = () => {
    const drafters = used.map(({ Kind }, i) => /** @type {Drafter} */ (new Kind(call, paces[i])));
    return /** @type {Drafter} */ (new Auto(drafters, paces));
  };
  return { pace: new Paces(paces), open };
}

/**
 * The pace of a call, and a function that makes its drafters. They share the pace.
 * @param {Call} call
 */
export function drafting(call) {
  const { engine, settings, draft } = call;
  if (!settings.draft) return undefined;
  const { by, tokens } = settings.draft;
  if (by === "auto") return automatic(call, tokens);
  const kind = kinds[typeof by === "string" ? by : call.heads ? call.heads.kind : "model"];
  const rates = kind.rates(call);
  // Numbers of models are a page's own, and pages may share a model.
  const drafter = call.heads ? rates : (draft ?? kind);
  const pace = paceOf(engine, drafter, tokens, () => new Pace(rates, by === "lookup" || by === "lookahead"));
  return { pace, open: () => /** @type {Drafter} */ (new kind.Kind(call, pace)) };
}
