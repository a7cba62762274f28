// The key of the method that `using` calls; engines that do not have it yet get a symbol of the same description.

/** @type {typeof Symbol.dispose} */
export const disposeSymbol = Symbol.dispose ?? Symbol.for("Symbol.dispose");
