// All of "lastinch" with nothing left to be fetched: the bundler makes one file of it, for service workers, which have
// no import(). Elsewhere "lastinch" itself loads less.
export * from "./index.js";
