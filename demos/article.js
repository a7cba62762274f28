// Where the reader is, and which questions are answered in this visit. Nothing is stored.
const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.getAttribute("href"), link]));
const parts = [...document.querySelectorAll(".part:has(h2[id])")];
const hrefOf = (part) => "#" + part.querySelector("h2").id;

// The part that crosses the upper third of the window is the one that is being read.
const sight = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries)
      links.get(hrefOf(target))?.[isIntersecting ? "setAttribute" : "removeAttribute"]("aria-current", "true");
  },
  { rootMargin: "-33% 0px -66% 0px" },
);
for (const part of parts) sight.observe(part);

const checks = [...document.querySelectorAll("lastinch-quick-check")];
const given = new Map(checks.map((check) => [check, 0]));
const countOf = (check) => check.querySelectorAll("details").length;
const all = checks.reduce((sum, check) => sum + countOf(check), 0);
const bar = document.querySelector("#answered");

function showProgress() {
  const answered = [...given.values()].reduce((sum, count) => sum + count, 0);
  bar.max = all;
  bar.value = answered;
  document.querySelector("#answered-text").textContent = `${answered} of ${all} questions answered`;
  for (const check of checks) {
    const link = links.get(hrefOf(check.closest(".part")));
    if (given.get(check)) link.dataset.tally = `${given.get(check)}/${countOf(check)}`;
    else delete link.dataset.tally;
  }
}

document.addEventListener("lastinch-change", ({ target, detail }) => {
  if (!given.has(target)) return;
  given.set(target, Object.keys(detail.value).length);
  showProgress();
});
showProgress();
document.querySelector(".progress").hidden = false;
