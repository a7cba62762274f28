// All of "lastinch" in one file, for service workers, which have no import(). Elsewhere "lastinch" loads less.
export * from "./index.js";
