// Runs in the page of a frame: presses the widget's main button as soon as there is one.
const pressing = setInterval(() => {
  const button = document.querySelector("main > *")?.shadowRoot?.querySelector("button.primary");
  if (!button) return;
  clearInterval(pressing);
  button.click();
}, 50);
