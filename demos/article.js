// The lesson: what follows its controls, and the game and the end. Nothing is stored.
import { beginLesson, nameOf } from "./lesson.js";
import { changeRow, followControl, showPart } from "./thread.js";

beginLesson(showPart);

// ---- Controls ----

for (const type of ["lastinch-input", "lastinch-change"])
  document.addEventListener(type, ({ target, detail: { name, value } }) => {
    if (target.localName === "lastinch-quick-check") return;
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
