// As a model wrote it. Made by demos/model/record.js.
export const settings = { prompt: "Once upon a time, there was a little", size: 8, seed: 1, temperature: 1 };
export const groups = [
  {
    temperature: 1,
    texts: [
      " boy named Tim. Tim had a toy bunny that he loved to play with. One day, he found a big box in the garden. He thought it would be fun to play",
      " girl called Amy. She loved to read and learn new words when she finished everything. One day, she went to the store to buy some and see new things to do. She",
      " boy called Jack. He was only three years old though.\nOne day, Jack decided to know something new. He had never seen a new show.\nHe started to draw",
      " dog named Spot. Spot lived in a small house with his best friend, a cat named Tom. They loved to play together every day. Spot would hold the dog's hand",
      " boy named Timmy. Timmy loved to play with his toys and watch Tv on the floor to play with. One day, Timmy's tummy started to shake and a",
      ' girl named Molly. She was three years old and loved to eat hour." Molly was always very kind and she liked to eat hour. She loved hour and asked her',
      " girl named Mia. She loved to play in the park with her mom and dad. One day, Mia went to the park. They saw a big square spraya.",
      " girl named Mia. Mia lived in a small house near her house. She liked to look for leaves! One day, she found a big, smelly flower. She was so",
    ],
    votes: {
      alike: {
        answer:
          "boy named Tim. Tim had a toy bunny that he loved to play with. One day, he found a big box in the garden. He thought it would be fun to play",
        votes: 1,
        isTie: true,
        counts: [
          {
            answer:
              "boy named Tim. Tim had a toy bunny that he loved to play with. One day, he found a big box in the garden. He thought it would be fun to play",
            votes: 1,
            indices: [0],
          },
          {
            answer:
              "girl called Amy. She loved to read and learn new words when she finished everything. One day, she went to the store to buy some and see new things to do. She",
            votes: 1,
            indices: [1],
          },
          {
            answer:
              "boy called Jack. He was only three years old though.\nOne day, Jack decided to know something new. He had never seen a new show.\nHe started to draw",
            votes: 1,
            indices: [2],
          },
          {
            answer:
              "dog named Spot. Spot lived in a small house with his best friend, a cat named Tom. They loved to play together every day. Spot would hold the dog's hand",
            votes: 1,
            indices: [3],
          },
          {
            answer:
              "boy named Timmy. Timmy loved to play with his toys and watch Tv on the floor to play with. One day, Timmy's tummy started to shake and a",
            votes: 1,
            indices: [4],
          },
          {
            answer:
              'girl named Molly. She was three years old and loved to eat hour." Molly was always very kind and she liked to eat hour. She loved hour and asked her',
            votes: 1,
            indices: [5],
          },
          {
            answer:
              "girl named Mia. She loved to play in the park with her mom and dad. One day, Mia went to the park. They saw a big square spraya.",
            votes: 1,
            indices: [6],
          },
          {
            answer:
              "girl named Mia. Mia lived in a small house near her house. She liked to look for leaves! One day, she found a big, smelly flower. She was so",
            votes: 1,
            indices: [7],
          },
        ],
        abstained: 0,
      },
      first: {
        answer: "girl",
        votes: 4,
        isTie: false,
        counts: [
          { answer: "girl", votes: 4, indices: [1, 5, 6, 7] },
          { answer: "boy", votes: 3, indices: [0, 2, 4] },
          { answer: "dog", votes: 1, indices: [3] },
        ],
        abstained: 0,
      },
    },
  },
];
