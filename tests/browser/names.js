// The browsers that tests run in.
export const allBrowserNames = ["chromium", "firefox", "webkit"];
/** All, or those that BROWSERS names. */
export const browserNames = process.env.BROWSERS?.split(",") ?? allBrowserNames;

/**
 * For tests of what every engine does alike: numbers, words, refusals. Drawing, keys, pointers and threads are tested in all.
 * @param {string} name of the browser
 */
export const once = (name) => ({ skip: name !== "chromium" });
