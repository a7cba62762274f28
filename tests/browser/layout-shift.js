// How much of a page has moved since it opened (Chromium's layout shift; 0: nothing).

/** @param {import("./browsers.js").Driver} driver */
export const layoutShift = (driver) =>
  driver.evaluate(
    () =>
      new Promise((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const { value } of list.getEntries()) sum += value;
        }).observe({ type: "layout-shift", buffered: true });
        setTimeout(() => resolve(sum), 300);
      }),
  );
