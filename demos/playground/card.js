// The card at a word: what else could have come there. A press on another token continues the text with it.
import { make } from "../dom.js";
import { formatPercent } from "../../web/widgets/shared/format.js";

/** @typedef {import("./alternatives.js").Alternative} Alternative */

/**
 * @typedef {object} Place
 * @property {HTMLElement} token where the card opens
 * @property {number} index of its step
 * @property {number} count of the text's steps
 * @property {number} chosen id of the token in the text
 * @property {Alternative[]} alternatives
 * @property {string} note what the numbers leave out; "": nothing
 * @property {readonly number[]} banned ids
 * @property {readonly { text: string, isBanned: boolean }[]} phrases at the word
 * @property {boolean} hasStep whether the whole step can be shown
 */

export class Card {
  /** The shown step; -1: none. */
  index = -1;
  #sheet;
  #element = make("div", { class: "card", role: "dialog", hidden: true });
  #on;

  /**
   * @param {HTMLElement} sheet what the text lies on; the card is placed in it
   * @param {object} on
   * @param {(id: number) => void} on.choose
   * @param {(id: number) => void} on.ban bans a token, or allows it again
   * @param {(text: string) => void} on.banPhrase bans a text, or allows it again
   * @param {(index: number) => void} on.move goes to another word
   * @param {() => void} on.step shows the whole step
   * @param {() => void} on.close returns to the word
   * @param {() => void} on.dismiss the person has moved elsewhere
   */
  constructor(sheet, on) {
    this.#sheet = sheet;
    this.#on = on;
    sheet.append(this.#element);
    this.#element.addEventListener("keydown", (event) => this.#onKey(event));
    // A press elsewhere closes the card. A press on another word opens that word's card.
    addEventListener("pointerdown", ({ target }) => {
      const isElsewhere = target instanceof Element && !target.closest(".card, [data-index], .strip canvas");
      if (this.isOpen && isElsewhere) this.#on.dismiss();
    });
  }

  get isOpen() {
    return !this.#element.hidden;
  }

  /** @param {Place} place */
  open({ token, index, count, chosen, alternatives, note, banned, phrases, hasStep }) {
    this.index = index;
    const { choose, ban, banPhrase, move, step, close } = this.#on;
    const widest = Math.max(...alternatives.map(({ raw, share }) => Math.max(raw, share)), 1e-9);
    const rows = alternatives.map((alternative) => makeRow(alternative, widest, alternative.id === chosen, choose));
    const isBanned = banned.includes(chosen);
    const title = `Step ${index + 1} of ${count}: what else could have come`;
    this.#element.setAttribute("aria-label", title);
    const button = (/** @type {string} */ text, /** @type {() => void} */ onclick, more = {}) =>
      make("button", { type: "button", class: "quiet", text, onclick, ...more });
    this.#element.replaceChildren(
      make(
        "div",
        { class: "card-head" },
        button("‹", () => move(index - 1), { "aria-label": "The word before", disabled: index < 1 }),
        make("p", { text: `Step ${index + 1} of ${count}` }),
        button("›", () => move(index + 1), { "aria-label": "The next word", disabled: index >= count - 1 }),
        button("×", close, { "aria-label": "Close" }),
      ),
      make("p", { class: "hint", text: "Choose one, and the text goes on with it." }),
      make("ul", {}, ...rows),
      ...(note ? [make("p", { class: "hint", text: note })] : []),
      make(
        "div",
        { class: "card-foot" },
        button(isBanned ? "Allow this token again" : "Ban this token", () => ban(chosen)),
        ...phrases.map(({ text, isBanned }) =>
          button(`${isBanned ? "Allow" : "Ban"} “${text}”${isBanned ? " again" : ""}`, () => banPhrase(text)),
        ),
        ...(hasStep ? [button("The whole step", step)] : []),
      ),
    );
    this.#element.hidden = false;
    this.#placeAt(token);
    // A person came to choose; the text's own token is among the others.
    const own = rows.find((row) => row.dataset.chosen !== undefined) ?? rows[0];
    own?.querySelector("button")?.focus({ preventScroll: true });
    this.#element.scrollIntoView({ block: "nearest" });
  }

  close() {
    this.index = -1;
    this.#element.hidden = true;
  }

  /** Places the card below the word's line, within the sheet. @param {HTMLElement} token */
  #placeAt(token) {
    const [rect] = token.getClientRects();
    const sheet = this.#sheet.getBoundingClientRect();
    const { style } = this.#element;
    const left = Math.min(rect.left - sheet.left, sheet.width - this.#element.offsetWidth);
    style.insetInlineStart = `${Math.max(0, left)}px`;
    style.top = `${rect.bottom - sheet.top + 6}px`;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const buttons = [...this.#element.querySelectorAll("li button")];
    const at = buttons.indexOf(/** @type {Element} */ (document.activeElement));
    const focus = (/** @type {number} */ i) =>
      /** @type {HTMLElement} */ (buttons[(i + buttons.length) % buttons.length]).focus();
    if (event.key === "ArrowDown") focus(at + 1);
    else if (event.key === "ArrowUp") focus(at < 0 ? -1 : at - 1);
    else if (event.key === "ArrowLeft") this.#on.move(this.index - 1);
    else if (event.key === "ArrowRight") this.#on.move(this.index + 1);
    else if (event.key === "Escape") this.#on.close();
    else return;
    event.preventDefault();
  }
}

/**
 * @param {Alternative} alternative
 * @param {number} widest probability that fills a bar
 * @param {boolean} isChosen
 * @param {(id: number) => void} choose
 */
function makeRow({ id, label, raw, share }, widest, isChosen, choose) {
  const isCut = share === 0;
  const bar = make("span", { class: isCut ? "bar cut" : "bar", "aria-hidden": "true" });
  bar.style.setProperty("--size", String((isCut ? raw : share) / widest));
  const number = isCut ? `${formatPercent(raw)}, cut` : formatPercent(share);
  const button = make(
    "button",
    { type: "button", "data-id": id, onclick: () => choose(id) },
    make("span", { class: "unseen", text: isChosen ? "In the text: " : "Go on with " }),
    make("span", { class: "label", text: label }),
    make("span", { class: "track" }, bar),
    make("span", { class: "number", text: number }),
  );
  return make("li", { "data-chosen": isChosen }, button);
}
