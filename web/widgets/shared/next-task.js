/** Lets the page do something else. Timers would be slow while another tab is in front. */
export const nextTask = () =>
  new Promise((go) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      go(undefined);
    };
    port2.postMessage(0);
  });
