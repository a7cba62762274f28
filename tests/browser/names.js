// The browsers that a test runs in. A test file loops over `browserNames` where engines may differ, and over
// `contentBrowserNames` where they do the same.
export const allBrowserNames = ["chromium", "firefox", "webkit"];
/** All browsers, or those that BROWSERS names. */
export const browserNames = process.env.BROWSERS?.split(",") ?? allBrowserNames;

/** For numbers, words and refusals: only Chromium of these; with CHECK_LONG (`make test-long`) all of them. */
export const contentBrowserNames = browserNames.filter((name) => name === "chromium" || process.env.CHECK_LONG);

/** Does that for one test of a file that runs in every browser. @param {string} name of the browser */
export const once = (name) => ({ skip: !contentBrowserNames.includes(name) });

/** Does that for a test that sets the size of the window, which WebKit's driver cannot. @param {string} name */
export const onceIfNarrow = (name) => ({ skip: once(name).skip || name === "webkit" });
