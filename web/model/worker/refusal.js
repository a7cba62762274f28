// The errors of a server that refuses a file or cannot be reached.
import { addressHint, isOfHuggingFace, shownAddress } from "./address.js";
import { explain } from "./foreign-file.js";

/**
 * An answer that is not the file.
 * @param {string} url
 * @param {Response} response
 */
export function refusal(url, { status, headers }) {
  const asked = `(${shownAddress(url)}: HTTP ${status})`;
  const said = headers.get("x-error-message"); // Hugging Face
  const details = [asked, said && `The server says: ${said}`, addressHint(url)];
  if (status === 401 || status === 403) return explain("file-gated", ...details, permissionOf(url));
  if (status === 429) return explain("file-throttled", ...details, waitOf(headers));
  return explain("model-download", ...details, adviceOf(status));
}

/** @param {string} url */
function permissionOf(url) {
  const token = 'in `headers`, such as { Authorization: "Bearer …" }';
  if (isOfHuggingFace(url))
    return `Accept the model's licence on its page, if there is one, and give a token ${token}.`;
  if (new URL(url).pathname.includes("/@fs/"))
    return "Vite's development server keeps the folder closed: add the folder to server.fs.allow in its configuration.";
  return `Allow the file in the server's settings, or give the server the permission it asks for ${token}.`;
}

/** @param {Headers} headers */
function waitOf(headers) {
  const seconds = Number(headers.get("retry-after"));
  return seconds > 0 ? `The server asks to wait ${seconds} s.` : "";
}

/** @param {number} status */
function adviceOf(status) {
  if (status === 404 || status === 410) return "There is no such file: check the address and its capital letters.";
  return status >= 500 ? "The server failed: try again later." : "";
}

/**
 * A request without an answer. Browsers do not tell pages whether the connection or a header is missing.
 * @param {string} url
 * @param {any} cause
 */
export function noAnswer(url, cause) {
  const reason = cause?.cause?.message || cause?.message || cause; // Node has the reason within
  const isPage = !globalThis.process?.getBuiltinModule && new URL(url).origin !== globalThis.location?.origin;
  const header = "the server does not allow other sites to read the file (it must send Access-Control-Allow-Origin)";
  const advice = isPage ? `Either there is no connection, or ${header}.` : "";
  return explain("model-download", `(${shownAddress(url)}: ${reason})`, advice, addressHint(url));
}
