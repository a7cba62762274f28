// The lesson: where the reader is, which questions are answered, and what follows the controls. Nothing is stored.
import { elementOf, holdPlace } from "./place.js";
import { changeRow, followControl, showPart } from "./thread.js";
import { lendTrained } from "./trained.js";

lendTrained();

const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.getAttribute("href"), link]));
const parts = [...document.querySelectorAll(".part:has(h2[id])")];
const nameOf = (part) => part.querySelector("h2").id;

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
for (const part of parts) sight.observe(part);

// ---- Questions ----

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

// ---- Controls ----

for (const type of ["lastinch-input", "lastinch-change"])
  document.addEventListener(type, ({ target, detail: { name, value } }) => {
    if (given.has(target)) {
      given.set(target, Object.keys(value).length);
      return showProgress();
    }
    if (target.localName === "lastinch-worked-example") return changeRow(target.row.logits);
    const part = target.closest(".part");
    if (part) followControl(nameOf(part), name, value);
    takeSetting(name, value);
  });

// ---- The game and the end: their code is loaded on first use ----

for (const button of document.querySelectorAll("#game-choices button")) {
  button.disabled = false;
  button.addEventListener("click", async () => (await import("./game.js")).begin(button.textContent));
}

const form = document.querySelector("#ending-form");
const showSettings = () => {
  for (const output of form.querySelectorAll("output")) output.value = form.elements[output.htmlFor.value].value;
};
form.addEventListener("input", showSettings);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  (await import("./ending.js")).write();
});
document.querySelector("#ending-write").disabled = false;

/** A control somewhere in the lesson was moved: the end takes its setting. */
function takeSetting(name, value) {
  const field = form.elements[name];
  if (!field || !(value >= Number(field.min) && value <= Number(field.max))) return;
  field.value = String(value);
  showSettings();
}

// ---- Places ----

const goTo = () => location.hash && holdPlace(elementOf(location.hash));
addEventListener("hashchange", goTo);
goTo();
for (const link of links.values()) link.addEventListener("click", () => holdPlace(elementOf(link.hash)));
// Paper shows everything.
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("main details.more, main details.numpy, main details.check"))
    fold.open = true;
});
