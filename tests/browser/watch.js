// Runs first in every page under test: keeps what goes wrong, and what the page tells its Workers.
const watched = { errors: [], posts: [] };
Object.assign(globalThis, { watched });

// A size that is told one frame later is no error: the notice comes when a machine is slow.
const isLate = (event) => /^ResizeObserver loop/.test(event.message ?? "");
addEventListener(
  "error",
  (event) => isLate(event) || watched.errors.push(`error: ${event.message ?? event.target?.src}`),
  true,
);
addEventListener("unhandledrejection", (event) => watched.errors.push(`unhandled: ${event.reason}`));
addEventListener("securitypolicyviolation", (event) =>
  watched.errors.push(`policy: ${event.violatedDirective} ${event.blockedURI}`),
);

const { error } = console;
console.error = (...parts) => {
  watched.errors.push(`console.error: ${parts.join(" ")}`);
  error.apply(console, parts);
};

const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (message, ...rest) {
  watched.posts.push(message?.kind);
  return postMessage.call(this, message, ...rest);
};
