navigator.serviceWorker.onmessage = ({ data }) => (document.querySelector("main").textContent = data);
await navigator.serviceWorker.register("service-worker.js", { type: "module" });
const { active } = await navigator.serviceWorker.ready;
active.postMessage("tell");
