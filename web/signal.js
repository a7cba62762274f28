// The check of a signal, which only what runs models takes.
import { typeError } from "./errors.js";

/** @param {unknown} signal */
export function checkSignal(signal) {
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw typeError("bad-type", "signal must be an AbortSignal.");
}
