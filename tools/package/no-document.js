// What Lit asks for when it is imported, for places without a document (Node, a server that renders): enough to define
// elements that will never be made there. esbuild puts these in the place of the globals.
const { HTMLElement = class {}, customElements, document = { createTreeWalker: () => ({}) } } = globalThis;
export { HTMLElement, customElements, document };
