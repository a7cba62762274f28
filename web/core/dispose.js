// The key of the method that `using` calls; in engines without it a symbol of the same description.

/** The key of the method that `using` calls. @type {typeof Symbol.dispose} */
export const disposeSymbol = Symbol.dispose ?? Symbol.for("Symbol.dispose");
