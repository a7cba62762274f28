// As a model wrote it. Made by demos/model/record.js.
export const settings = { text: "strawberry", size: 2048 };
export const cut = {
  pieces: [
    {
      begin: 0,
      end: 10,
      merges: [
        { begin: 6, end: 8, token: 279 },
        { begin: 0, end: 2, token: 349 },
        { begin: 2, end: 4, token: 423 },
        { begin: 8, end: 10, token: 432 },
        { begin: 5, end: 8, token: 853 },
      ],
    },
  ],
  ids: [349, 423, 2004, 853, 432],
};
export const costs = [25, 37, 35, 127, 94, 233, 57, 126];
