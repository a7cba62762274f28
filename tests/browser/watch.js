// Runs first in every page under test: records errors, and the page's messages to its Workers.
const watched = { errors: [], posts: [] };
Object.assign(globalThis, { watched });

// A ResizeObserver that reports a size one frame late is not an error: this happens on slow machines.
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
