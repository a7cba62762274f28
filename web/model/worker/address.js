// What an error may say of an address.

/**
 * The address without what may be secret: name, password and query.
 * @param {string} address
 */
export function shownAddress(address) {
  const url = new URL(address);
  if (url.protocol === "data:") return "data:…";
  url.username = url.password = url.search = "";
  return url.href;
}

/**
 * The address of the file where this one is of a page that shows the file, "" where nothing is known of it.
 * @param {string | undefined} address
 */
export function addressHint(address) {
  const { hostname, pathname, origin } = new URL(address ?? "about:blank");
  const [, owner, name, place, path] = /^\/([^/]+)\/([^/]+)(?:\/([^/]+)\/(.*))?$/.exec(pathname) ?? [];
  if (!owner) return "";
  if (hostname === "github.com" && place === "blob")
    return `Use https://raw.githubusercontent.com/${owner}/${name}/${path}`;
  if (hostname !== "huggingface.co" && hostname !== "hf.co") return "";
  if (place === "blob") return `Use /resolve/ in the place of /blob/: ${origin}/${owner}/${name}/resolve/${path}`;
  if (place === "resolve" || /^(?:api|datasets|docs|models|spaces)$/.test(owner)) return "";
  return `The address of a file begins with ${origin}/${owner}/${name}/resolve/main/ and ends with .gguf`;
}
