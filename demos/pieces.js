// The lesson about tokens: bytes that arrive one by one, shown at once and shown when a character is whole.
import { beginLesson } from "./lesson.js";

// The file for use without a network has both lessons, and article.js begins them.
if (!document.querySelector("#thread")) beginLesson();

const text = document.querySelector("#pieces-text");
const arrived = document.querySelector("#pieces-arrived");

function show() {
  const bytes = new TextEncoder().encode(text.value);
  arrived.max = String(bytes.length);
  const some = bytes.subarray(0, Number(arrived.value));
  const put = (id, value) => (document.querySelector(id).textContent = value);
  put("#pieces-bytes", Array.from(some, (byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(" "));
  put("#pieces-hasty", new TextDecoder().decode(some));
  // With `stream` a decoder keeps what may be the beginning of a character.
  put("#pieces-patient", new TextDecoder().decode(some, { stream: true }));
  put("#pieces-count", `${some.length} of ${bytes.length}`);
}

for (const field of [text, arrived]) {
  field.disabled = false;
  field.addEventListener("input", show);
}
show();
