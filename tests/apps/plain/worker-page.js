const worker = new Worker("worker.js", { type: "module" });
worker.onmessage = ({ data }) => (document.querySelector("main").textContent = data);
