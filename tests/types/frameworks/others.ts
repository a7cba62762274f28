// The elements in Vue's templates, in Svelte, and in the DOM.
import type {} from "lastinch/svelte";
import type {} from "lastinch/vue";
import "lastinch/widgets/nucleus";
import type { SvelteHTMLElements } from "svelte/elements";
import type { GlobalComponents } from "vue";

type VueProps = InstanceType<GlobalComponents["lastinch-nucleus"]>["$props"];
export const inVue: VueProps = {
  "top-p": 0.7,
  theme: "dark",
  class: "wide",
  onLastinchChange: ({ detail }) => void detail.name,
};
// @ts-expect-error no such theme
export const wrongInVue: VueProps = { theme: "blue" };

export const inSvelte: SvelteHTMLElements["lastinch-nucleus"] = {
  "top-p": "0.7",
  "onlastinch-change": (event) => void event.detail,
};
// @ts-expect-error not a number
export const wrongInSvelte: SvelteHTMLElements["lastinch-nucleus"] = { "top-p": "much" };

const made = document.createElement("lastinch-nucleus");
made.topP = 0.5;
made.data = { tokens: ["a", "b"], logits: Float32Array.of(1, 2) };
made.addEventListener("lastinch-change", ({ detail }) => detail.name.length);
// @ts-expect-error a number
made.topP = "0.5";
document.querySelector("lastinch-nucleus")?.row.tokens.length;
