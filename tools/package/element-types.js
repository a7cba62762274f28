// Writes types of the elements, from dist/custom-elements.json: for the DOM, and as elements of React, Preact, Vue and
// Svelte.
import { appendFileSync, writeFileSync } from "node:fs";

const OUTPUT = "dist/types";

/** @typedef {{ name: string, tagName: string, description: string, attributes: any[], members: any[], pageSize: number }} Element */

/** @param {{ modules: { declarations: any[] }[] }} manifest */
export function writeElementTypes({ modules }) {
  /** @type {Element[]} */
  const elements = modules.flatMap(({ declarations }) => declarations).filter(({ tagName }) => tagName);
  for (const element of elements) appendFileSync(`${OUTPUT}/widgets/${fileOf(element)}.d.ts`, namesInDom(element));
  writeFileSync(`${OUTPUT}/elements.d.ts`, table(elements));
  for (const [framework, text] of Object.entries(frameworks)) writeFileSync(`${OUTPUT}/${framework}.d.ts`, text);
  // The script that an import of the types finds at run time.
  writeFileSync("dist/elements.js", "export {};\n");
}

/** @param {Element} element */
const fileOf = ({ tagName }) => tagName.replace("lastinch-", "");

/** @param {Element} element */
const namesInDom = ({ name, tagName }) => `
declare global {
    interface HTMLElementTagNameMap {
        "${tagName}": ${name};
    }
    interface HTMLElementEventMap {
        "lastinch-input": CustomEvent<{ name: string; value: unknown }>;
        "lastinch-change": CustomEvent<{ name: string; value: unknown }>;
    }
}
`;

/** The type of an attribute, and of the property of the same name. @param {any} attribute */
function typeOf({ type }) {
  const text = type?.text.replace(" | undefined", "") ?? "string";
  return text === "number" ? "number | `${number}`" : text;
}

/** @param {any} attribute */
function commentOf({ description, range, default: value }) {
  const parts = [description, range && `${range.min} to ${range.max}.`, value && `Default: ${value}.`];
  return `/** ${parts.filter(Boolean).join(" ")} */`;
}

/** Attributes and properties of every element. @param {Element[]} elements */
function table(elements) {
  const entries = elements.map((element) => {
    const { name, tagName, description, attributes, members } = element;
    // Lists the attributes of all elements only once.
    const rows = attributes
      .filter(({ inheritedFrom }) => !inheritedFrom)
      .map((one) => `        ${commentOf(one)}\n        "${one.name}"?: ${typeOf(one)} | undefined;`);
    const fields = members
      .filter(({ inheritedFrom }) => !inheritedFrom)
      .map((one) => `        ${commentOf(one)}\n        ${one.name}?: ${name}["${one.name}"];`);
    return `    /** ${description} */\n    "${tagName}": {\n        element: ${name};\n        attributes: SharedAttributes & {\n${[...rows, ...fields].join("\n").replace(/^/gm, "    ")}\n        };\n    };`;
  });
  const imports = elements.map((element) => `import type { ${element.name} } from "./widgets/${fileOf(element)}.js";`);
  const shared = [...elements[0].attributes, ...elements[0].members].filter(({ inheritedFrom }) => inheritedFrom);
  const sharedRows = shared.map((one) => {
    const { fieldName = one.name, name } = one;
    return `    ${commentOf(one)}\n    "${name}"?: ${fieldName === name && one.kind ? `LastInchElement["${name}"]` : `${typeOf(one)} | undefined`};`;
  });
  return `${imports.join("\n")}
import type { LastInchElement } from "./widgets/index.js";

/** Attributes and properties of every element. */
export interface SharedAttributes {
${sharedRows.join("\n")}
}

/** The elements by their names, with the attributes and properties that each takes. */
export interface LastInchElements {
${entries.join("\n")}
}
/** A control has moved. */
export type ControlEvent = CustomEvent<{ name: string; value: unknown }>;
export type AttributesOf<Name extends keyof LastInchElements> = LastInchElements[Name]["attributes"];
export type ElementOf<Name extends keyof LastInchElements> = LastInchElements[Name]["element"];
/** Listeners, under their names in React 19, Preact and Svelte 5. */
export interface Listeners {
    "onlastinch-input"?: ((event: ControlEvent) => void) | undefined;
    "onlastinch-change"?: ((event: ControlEvent) => void) | undefined;
}
`;
}

const imported = 'import type { AttributesOf, ElementOf, LastInchElements, Listeners } from "./elements.js";';

/** Files by framework. */
const frameworks = {
  react: `${imported}
import type { DetailedHTMLProps, HTMLAttributes } from "react";

type Elements = {
    // React 18 takes \`class\` where its own elements take \`className\`.
    [Name in keyof LastInchElements]: DetailedHTMLProps<HTMLAttributes<ElementOf<Name>>, ElementOf<Name>> &
        AttributesOf<Name> & Listeners & { class?: string | undefined };
};
declare module "react" {
    namespace JSX {
        interface IntrinsicElements extends Elements {}
    }
}
`,
  preact: `${imported}
import type { HTMLAttributes } from "preact";

type Elements = {
    [Name in keyof LastInchElements]: HTMLAttributes<ElementOf<Name>> & AttributesOf<Name> & Listeners;
};
declare module "preact" {
    namespace JSX {
        interface IntrinsicElements extends Elements {}
    }
}
`,
  vue: `import type { AttributesOf, ControlEvent, LastInchElements } from "./elements.js";
import type { DefineComponent, HTMLAttributes } from "vue";

/** Listeners, for @lastinch-input in templates. */
interface VueListeners {
    onLastinchInput?: ((event: ControlEvent) => void) | undefined;
    onLastinchChange?: ((event: ControlEvent) => void) | undefined;
}
type Elements = {
    [Name in keyof LastInchElements]: DefineComponent<HTMLAttributes & AttributesOf<Name> & VueListeners>;
};
declare module "vue" {
    interface GlobalComponents extends Elements {}
}
`,
  svelte: `${imported}
import type { HTMLAttributes } from "svelte/elements";

type Elements = {
    [Name in keyof LastInchElements]: HTMLAttributes<ElementOf<Name>> & AttributesOf<Name> & Listeners;
};
declare module "svelte/elements" {
    interface SvelteHTMLElements extends Elements {}
}
`,
};
