// Pages of one site hand each other the model that learnt in one of them. Nothing is stored: the page that has it lends
// it while it is open.
import { byId, make } from "./dom.js";

const open = () => new BroadcastChannel("lastinch-trained");

/** A page on which a model may learn answers those who ask for it. */
export function lendTrained() {
  const channel = open();
  /** @type {{ bytes: ArrayBuffer, name: string } | undefined} */
  let trained;
  addEventListener("lastinch-trained", async (event) => {
    const { file, name } = /** @type {CustomEvent} */ (event).detail;
    trained = { bytes: await file.arrayBuffer(), name: `${name}.gguf` };
    channel.postMessage(trained);
  });
  channel.onmessage = ({ data }) => data === "ask" && trained && channel.postMessage(trained);
}

/**
 * Offers the model that learnt on another page, now or when it comes.
 * @param {(file: File) => void} take
 */
export function offerTrained(take) {
  const place = byId("trained");
  const channel = open();
  channel.onmessage = ({ data }) => {
    if (!data?.bytes) return;
    const use = () => take(new File([data.bytes], data.name));
    const button = make("button", { type: "button", class: "quiet", text: data.name, onclick: use });
    place.replaceChildren("Or the model that learnt on another page: ", button);
    place.hidden = false;
  };
  channel.postMessage("ask");
}
