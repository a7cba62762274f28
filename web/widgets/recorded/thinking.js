// As a model wrote it. Made by demos/model/record-thinking.js.
export const settings = { date: "2026-11-28" };
export const examples = [
  {
    text: "The cup is in the bed. The car is in the ring. The key is in the hat. The ring is in the cup. The hat is in the box. The bag is in the key. Where is the bag in the end?",
    thought: "The bag is in the key. The key is in the hat. The hat is in the box.",
    right: "box",
  },
  {
    text: "The ball is in the pen. The desk is in the hall. The bank is in the desk. The pen is in the boat. The boat is in the lake. The coin is in the bank. Where is the ball in the end?",
    thought: "The ball is in the pen. The pen is in the boat. The boat is in the lake.",
    right: "lake",
  },
];
export const questions = [
  {
    text: "The bus is in the train. The train is in the shop. The stone is in the tree. The book is in the bus. The ship is in the park. The tree is in the ship. Where is the book in the end?",
    right: "shop",
    thought: "The| book| is| in| the| bus|.| The| bus| is| in| the| train|.| The| train| is| in| the| shop|.",
    answers: "shop ship shop park shop park shop",
    chances: "254 297 271 206 237 242 496",
  },
  {
    text: "The stone is in the table. The ship is in the room. The house is in the bus. The table is in the ship. The shop is in the glass. The bus is in the shop. Where is the house in the end?",
    right: "glass",
    thought: "The| table| is| in| the| ship|.| The| ship| is| in| the| table|.| The| ship| is| in| the| glass|.",
    answers: "table table table table table table table",
    chances: "17 21 38 116 75 215 152",
  },
  {
    text: "The park is in the train. The house is in the stone. The stone is in the park. The book is in the table. The room is in the glass. The table is in the room. Where is the house in the end?",
    right: "train",
    thought: "The| house| is| in| the| stone|.| The| stone| is| in| the| park|.| The| park| is| in| the| table|.",
    answers: "park park park park park park table",
    chances: "165 146 83 72 29 7 19",
  },
  {
    text: "The book is in the table. The table is in the stone. The tree is in the room. The shop is in the book. The ship is in the bus. The bus is in the tree. Where is the shop in the end?",
    right: "stone",
    thought: "The| book| is| in| the| table|.| The| table| is| in| the| stone|.| The| table| is| in| the| book|.",
    answers: "book book table table book book book",
    chances: "3 3 2 3 13 22 13",
  },
];
