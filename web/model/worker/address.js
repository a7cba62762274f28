// Writes addresses for errors.

/**
 * Removes what may be secret: name, password and query.
 * @param {string} address
 */
export function shownAddress(address) {
  const url = new URL(address);
  if (url.protocol === "data:") return "data:…";
  url.username = url.password = url.search = "";
  return url.href;
}

/** @param {string} address */
export const isOfHuggingFace = (address) => /(?:^|\.)(?:huggingface\.co|hf\.co)$/.test(new URL(address).hostname);

/**
 * If the address is that of a page about a file, the file's address; or the reason why it leads nowhere; "" if unknown.
 * @param {string | undefined} address
 */
export function addressHint(address) {
  const given = address ?? "about:blank";
  const { hostname, pathname, origin } = new URL(given);
  const [, owner, name, place, path] = /^\/([^/]+)\/([^/]+)(?:\/([^/]+)\/(.*))?$/.exec(pathname) ?? [];
  if (!owner) return "";
  // The folder where Vite 7 and older keep the scripts of packages, without the files beside them.
  if (/\/\.(?:vite|cache)\//.test(pathname) && pathname.includes("/deps/"))
    return 'Vite has moved the package away from its files: set optimizeDeps: { exclude: ["lastinch"] } in its configuration.';
  if (hostname === "github.com" && place === "blob")
    return `Use https://raw.githubusercontent.com/${owner}/${name}/${path}`;
  if (!isOfHuggingFace(given)) return "";
  if (place === "blob") return `Use /resolve/ instead of /blob/: ${origin}/${owner}/${name}/resolve/${path}`;
  if (place === "resolve" || /^(?:api|datasets|docs|models|spaces)$/.test(owner)) return "";
  return `The address of a file begins with ${origin}/${owner}/${name}/resolve/main/ and ends with .gguf`;
}

const PARTS_LIMIT = 1000;

/**
 * The addresses of all parts of a model in several files, if the address is that of the first; otherwise undefined.
 * @param {string} address
 * @returns {string[] | undefined}
 */
export function partAddresses(address) {
  const [, before, count, after] = /^([^?#]*-)00001-of-(\d{5})(\.gguf(?:[?#].*)?)$/.exec(address) ?? [];
  const parts = Number(count);
  if (!(parts > 1 && parts <= PARTS_LIMIT)) return undefined;
  const numbers = Array.from({ length: parts }, (_, i) => String(i + 1).padStart(5, "0"));
  return numbers.map((number) => `${before}${number}-of-${count}${after}`);
}
