// Where one's own GGUF file comes from: the file field, an address, or a drop anywhere on the page.
import { byId } from "../dom.js";

/** @param {(source: File | string) => void} take */
export function listenForFiles(take) {
  const fileField = /** @type {HTMLInputElement} */ (byId("own-file"));
  fileField.addEventListener("change", () => fileField.files?.length && take(fileField.files[0]));
  byId("address-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const address = /** @type {HTMLInputElement} */ (byId("address")).value.trim();
    if (address) take(address);
  });
  takeDrops(take);
}

/** @param {(file: File) => void} take */
function takeDrops(take) {
  const hasFiles = (/** @type {DragEvent} */ { dataTransfer }) => dataTransfer?.types.includes("Files");
  let depth = 0; // a drag enters a child before it leaves the parent
  const mark = (/** @type {boolean} */ isOver) => document.documentElement.classList.toggle("is-dropping", isOver);
  addEventListener("dragenter", (event) => hasFiles(event) && mark(++depth > 0));
  addEventListener("dragleave", (event) => hasFiles(event) && mark(--depth > 0));
  addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    mark((depth = 0) > 0);
    const [file] = event.dataTransfer?.files ?? [];
    if (file) take(file);
  });
}
