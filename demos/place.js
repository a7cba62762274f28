// Scrolls a page to a place. Widgets draw themselves when they come near, which moves what is below. So the element
// that an address names is held in place until the reader moves on.

/** @type {HTMLElement | null} */
let place = null;
const hold = () => place?.scrollIntoView();
new ResizeObserver(hold).observe(document.body);
for (const type of ["wheel", "touchmove", "keydown", "pointerdown"])
  addEventListener(type, () => (place = null), { passive: true });

/** Scrolls to an element and holds it there whatever is drawn above. @param {HTMLElement | null} element */
export function holdPlace(element) {
  place = element;
  for (let fold = element?.closest("details"); fold; fold = fold.parentElement?.closest("details")) fold.open = true;
  hold();
}

/**
 * What a hash names: an id, or the widget of a link that "Copy link" made (#v=1&w=nucleus&top-p=0.9).
 * @param {string} hash
 * @returns {HTMLElement | null}
 */
export function elementOf(hash) {
  const widget = new URLSearchParams(hash.slice(1)).get("w");
  if (!widget) return document.getElementById(decodeURIComponent(hash.slice(1)));
  return document.querySelector(`#${CSS.escape(widget)}, lastinch-${CSS.escape(widget)}`);
}
