// The browsers that a test runs in. A file says so in its loop: over `browserNames` what engines may do differently, over
// `contentBrowserNames` what they do alike.
export const allBrowserNames = ["chromium", "firefox", "webkit"];
/** All, or those that BROWSERS names. */
export const browserNames = process.env.BROWSERS?.split(",") ?? allBrowserNames;

/** For numbers, words and refusals: Chromium of these, and with CHECK_LONG (`make test-long`) each. */
export const contentBrowserNames = browserNames.filter((name) => name === "chromium" || process.env.CHECK_LONG);

/** The same for one test of a file that runs in every browser. @param {string} name of the browser */
export const once = (name) => ({ skip: !contentBrowserNames.includes(name) });

/** The same, for a test that sets the size of the window, which WebKit's driver cannot. @param {string} name */
export const onceIfNarrow = (name) => ({ skip: once(name).skip || name === "webkit" });
