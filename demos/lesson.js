// What lessons share: where the reader is, which questions are answered, and where links lead. Nothing is stored.
import { elementOf, holdPlace } from "./place.js";
import { lendTrained } from "./trained.js";

/** The name of a part. @param {Element} part */
export const nameOf = (part) => part.querySelector("h2").id;

/** @param {(name: string) => void} [showPart] called with the name of each part that the reader comes to */
export function beginLesson(showPart = () => {}) {
  lendTrained();
  const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.getAttribute("href"), link]));

  // The reader is at the part that crosses the upper third of the window.
  const sight = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        links.get("#" + nameOf(target))?.[isIntersecting ? "setAttribute" : "removeAttribute"]("aria-current", "true");
        if (isIntersecting) showPart(nameOf(target));
      }
    },
    { rootMargin: "-33% 0px -66% 0px" },
  );
  for (const part of document.querySelectorAll(".part:has(h2[id])")) sight.observe(part);

  countAnswers(links);
  loadWidgets();

  const goTo = () => location.hash && holdPlace(elementOf(location.hash));
  addEventListener("hashchange", goTo);
  goTo();
  for (const link of links.values()) link.addEventListener("click", () => holdPlace(elementOf(link.hash)));
  // Paper shows everything.
  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll("main details.more, main details.numpy, main details.check"))
      fold.open = true;
  });
}

/** @param {Map<string, HTMLAnchorElement>} links to the parts, which show how many of their questions are answered */
function countAnswers(links) {
  const checks = [...document.querySelectorAll("lastinch-quick-check")];
  const given = new Map(checks.map((check) => [check, 0]));
  const countOf = (check) => check.querySelectorAll("details").length;
  const all = checks.reduce((sum, check) => sum + countOf(check), 0);
  const bar = document.querySelector("#answered");

  function showProgress() {
    const answered = [...given.values()].reduce((sum, count) => sum + count, 0);
    bar.max = all;
    bar.value = answered;
    document.querySelector("#answered-text").textContent = `${answered} of ${all} questions answered`;
    for (const check of checks) {
      const link = links.get("#" + nameOf(check.closest(".part")));
      if (given.get(check)) link.dataset.tally = `${given.get(check)}/${countOf(check)}`;
      else delete link.dataset.tally;
    }
  }
  showProgress();
  for (const type of ["lastinch-input", "lastinch-change"])
    document.addEventListener(type, ({ target, detail: { value } }) => {
      if (!given.has(target)) return;
      given.set(target, Object.keys(value).length);
      showProgress();
    });
}

/** Loads the code of each widget when the reader comes near, or opens the fold that it is in. */
function loadWidgets() {
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        if (!customElements.get(target.localName)) void import(addressOf(target.localName));
      }
    },
    { rootMargin: "1000px" },
  );
  for (const element of document.querySelectorAll("main :not(:defined)")) near.observe(element);
}

/** @param {string} tag such as "lastinch-nucleus" */
const addressOf = (tag) => new URL(`../dist/${tag.replace("lastinch", "widget")}.js`, import.meta.url).href;
