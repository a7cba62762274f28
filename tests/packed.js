// The package as npm makes it, unpacked where apps find it.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/**
 * Packs the checkout and unpacks it as `node_modules/lastinch` of a fresh folder.
 * @param {string} folder below the checkout
 * @returns {{ folder: string, installed: string, tarball: Uint8Array<ArrayBuffer>, files: string[] }} absolute paths, the
 *   tarball, and the paths of its files
 */
export function installPacked(folder) {
  const absolute = join(root, folder);
  const modules = join(absolute, "node_modules");
  rmSync(absolute, { recursive: true, force: true });
  mkdirSync(modules, { recursive: true });
  // A scope of its own: below the checkout "lastinch" would mean the checkout itself.
  writeFileSync(join(absolute, "package.json"), '{ "private": true, "type": "module" }\n');
  const answer = execFileSync(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--offline", "--pack-destination", absolute],
    {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const [{ filename, files }] = JSON.parse(answer);
  execFileSync("tar", ["-xzf", join(absolute, filename), "-C", modules]);
  const installed = join(modules, "lastinch");
  renameSync(join(modules, "package"), installed);
  const tarball = new Uint8Array(readFileSync(join(absolute, filename)));
  return {
    folder: absolute,
    installed,
    tarball,
    files: files.map((/** @type {{ path: string }} */ file) => file.path),
  };
}
