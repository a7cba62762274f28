// The browsers that tests run in.
export const allBrowserNames = ["chromium", "firefox", "webkit"];
/** All, or those that BROWSERS names. */
export const browserNames = process.env.BROWSERS?.split(",") ?? allBrowserNames;
