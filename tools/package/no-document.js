// What Lit needs on import where there is no document (Node, server rendering): enough to define elements that are
// never created there. esbuild replaces the globals with these.
const { HTMLElement = class {}, customElements, document = { createTreeWalker: () => ({}) } } = globalThis;
export { HTMLElement, customElements, document };
