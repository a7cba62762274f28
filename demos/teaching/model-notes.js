// Notes on widgets that show models, and ways to decode whole texts.
/** @type {Record<string, import("./notes.js").Notes>} */
export const modelNotes = {
  "beam-tree": {
    minutes: 8,
    aim: "Beam search keeps several beginnings alive and can find a likelier text than greedy steps do.",
    predict: [
      "With width 1, which text is found?",
      "With width 2, is the first word still the likeliest one?",
      "Is the likeliest text always the best one to read?",
    ],
    answers: [
      "The greedy one.",
      "Not on the worked tree: a worse first word leads to a better whole.",
      "No. Compare with “Likely is not the same as good”.",
    ],
    misconceptions: [
      ["Beam search tries everything.", "It drops all but a few beginnings at each step, and may drop the best."],
      ["Wider is better.", "Very wide beams find short, empty texts. Length penalties were invented for that."],
    ],
  },
  guidance: {
    minutes: 8,
    aim: "Two rows can be combined into one: what the prompt changed is enlarged, or what a weak model likes is taken away.",
    predict: [
      "At which weight is guidance the same as the model with its prompt?",
      "Raise the weight. Do tokens that the prompt favours gain or lose?",
      "Can a token win that neither row put first?",
    ],
    answers: [
      "At 1.",
      "They gain, more and more.",
      "Yes: the difference counts. Move the weight and watch the leader.",
    ],
    misconceptions: [
      [
        "Guidance makes the model understand the prompt better.",
        "It enlarges a difference between two rows that the model gave anyway.",
      ],
      ["More weight is more obedient, without a price.", "Too much weight gives stiff or broken texts."],
    ],
  },
  hands: {
    minutes: 6,
    aim: "Temperature, cutoff, penalty, grammar, guidance and training all reach for the same row.",
    predict: [
      "Which switch can forbid a token for certain?",
      "Temperature or penalty: which one never changes the order of the tokens?",
      "Switch on penalty and cutoff. Does the penalised token survive?",
    ],
    answers: [
      "Grammar, and the cutoff for whatever lies below it.",
      "Temperature.",
      "Look at its bar: it depends on how far it fell.",
    ],
    misconceptions: [
      ["Rules for outputs are taught to the model.", "Many are applied to its scores afterwards, without training."],
      ["The hands work side by side.", "One after another, and the next sees what the last has left."],
    ],
  },
  group: {
    minutes: 8,
    aim: "Learning from rewards needs a group whose members differ; temperature makes them differ.",
    predict: [
      "At temperature 0, how do the texts of the group differ?",
      "If all get the same reward, which ones are favoured?",
      "At a very high temperature, are there more good answers?",
    ],
    answers: ["Not at all.", "None: nobody is above the average.", "More different ones, and fewer good ones."],
    misconceptions: [
      ["The model is told the right answer.", "It is only told which of its own texts did better."],
      ["Randomness is noise to be removed.", "Without it there is nothing to compare."],
    ],
  },
  "json-mask": {
    minutes: 8,
    aim: "A grammar forbids every token that cannot lead to a valid text; form is certain, content is not.",
    predict: [
      "Raise the temperature to 2. Will the JSON still be valid?",
      "After an opening quote, how many tokens are allowed?",
      "Without the mask, how many of the texts are valid?",
    ],
    answers: [
      "Yes. The values become wild, the form never does.",
      "Thousands, and few after a closing brace. Watch the count.",
      "The widget writes them beside. Of a small model: few or none.",
    ],
    misconceptions: [
      ["Valid JSON means right answers.", "The mask knows nothing of truth."],
      ["The model has learnt the schema.", "It has never seen it. Its tokens are masked before each draw."],
    ],
  },
  speculation: {
    minutes: 10,
    aim: "A small model proposes, the large one judges in one pass, and the text is distributed as if the large one wrote alone.",
    predict: [
      "The draft proposes a token that the target likes better. Is it ever rejected?",
      "If the draft is always wrong, is the text worse?",
      "What makes it faster: better guesses or more guesses?",
    ],
    answers: [
      "Never: it is kept with probability min(1, target ÷ draft).",
      "No, only slower. Rejected tokens are replaced by the target's.",
      "Better ones. More guesses cost rows, and later ones are rarely reached.",
    ],
    misconceptions: [
      [
        "A small model's words make the text worse.",
        "Acceptance is made so that the distribution is exactly the target's. The widget tests it.",
      ],
      [
        "Two models must cost twice as much.",
        "One pass over several tokens costs less than several passes, where memory is the limit.",
      ],
    ],
  },
  train: {
    minutes: 15,
    aim: "A model learns by many small corrections that lower its loss; text it has never read shows what it has learnt.",
    predict: [
      "Before it learns, what is the loss? (ln of the number of characters)",
      "After 100 steps, will it write words?",
      "Raise the learning rate ten times. Faster, or broken?",
    ],
    answers: [
      "About ln V: 4.2 for 65 characters. It guesses evenly.",
      "Syllables and spaces. Words follow within some hundred steps.",
      "Broken: the loss jumps, and the lines fall apart.",
    ],
    misconceptions: [
      [
        "The model stores the text.",
        "It has some 50,000 numbers, and learns what follows what. With a short text it does learn parts by heart: the held-out line shows it.",
      ],
      ["More training is always better.", "When the held-out loss rises again, it is learning by heart."],
    ],
  },
  markov: {
    minutes: 8,
    aim: "Counting what followed the last few characters is the oldest language model; it fails where it has never counted.",
    predict: [
      "Which order writes the most readable text?",
      "Which order stumbles most often at places that it has never seen?",
      "At one place, who gives the right character more: counts or transformer?",
    ],
    answers: [
      "Order 4 or 5, much of it copied from the text.",
      "The highest: long contexts are rare.",
      "Walk through the passage. The transformer wins where the context is new.",
    ],
    misconceptions: [
      [
        "Language models are large tables of counts.",
        "A table knows nothing of a context it has not seen. A transformer shares what it learnt.",
      ],
      ["A longer context is always better.", "For counts it is soon too rare to have been counted."],
    ],
  },
  watermark: {
    minutes: 10,
    aim: "A secret key can steer the draws so that its owner can recognise a text, and nobody else sees a difference.",
    predict: [
      "Can you tell the marked text by reading?",
      "How many tokens does the detector need before it is sure?",
      "Delete every fifth word. Is the mark gone?",
    ],
    answers: [
      "No better than by chance.",
      "Watch the p-value: some dozens.",
      "Weaker, often still there. Go on until it is.",
    ],
    misconceptions: [
      ["A detector can tell any machine's text.", "Only texts that were marked with its own key."],
      [
        "No mark means that a person wrote it.",
        "It means nothing: the mark may have been edited away, or never been there.",
      ],
    ],
  },
  "same-zero": {
    minutes: 7,
    aim: "Computers round after every addition, so the order of a sum can decide between two tokens that are almost level.",
    predict: [
      "Do both machines compute the same sum?",
      "How close must two tokens be for the winner to change?",
      "Would exact arithmetic change its mind?",
    ],
    answers: [
      "Almost: the last digits differ.",
      "Within millionths. Move the gap and see.",
      "No. Its sum does not depend on the order.",
    ],
    misconceptions: [
      ["Temperature 0 always gives the same answer.", "Only where the logits are the same to the last bit."],
      ["A computer's sums are exact.", "Each addition rounds to 24 binary digits here."],
    ],
  },
  "cheat-sheet": {
    minutes: 5,
    aim: "An overview of the ways to choose a token, and when to take which.",
    predict: [
      "Which method would you take for code, which for a poem?",
      "Which methods need no random number?",
      "Which ones cut the row before the draw?",
    ],
    answers: [
      "Compare with the table, and with the questions below it.",
      "Greedy and beam search.",
      "Those with a limit: top-k, top-p, min-p.",
    ],
    misconceptions: [
      ["There is one best method.", "The table says what each is for."],
      ["More settings give better texts.", "Temperature with one truncation is enough for most."],
    ],
  },
  glossary: {
    minutes: 5,
    aim: "The words of the field, each in a sentence.",
    predict: [
      "What is a logit? Write a sentence before you look.",
      "What is the difference between a token and a word?",
      "Which word did you know in another meaning?",
    ],
    answers: [
      "A model's raw score for one token.",
      "A token is a piece of the vocabulary: a word, a part of one, a sign.",
      "Usual ones: temperature, greedy, beam.",
    ],
    misconceptions: [
      ["Probability and logit are the same.", "Softmax makes probabilities of logits."],
      ["Sampling means to take a sample of the text.", "It means to draw the next token at random by its probability."],
    ],
  },
  tokens: {
    minutes: 8,
    aim: "A model reads numbers for pieces of text; where the cuts lie decides what it can see and what a text costs.",
    predict: [
      "Into how many tokens will “strawberry” be cut?",
      "Does the same sentence need as many tokens in every language?",
      "Does a space in front of a word change its token?",
    ],
    answers: [
      "Look. Its letters are not visible to a model that reads these tokens.",
      "No. Languages that were rare in the training text pay several times as much.",
      "Yes: the piece with its space is another entry of the vocabulary.",
    ],
    misconceptions: [
      ["A token is a word.", "Often it is a part of one, and in some scripts a part of a character."],
      ["The model sees letters.", "It sees numbers. Counting letters is hard for it for this reason."],
    ],
  },
  "forward-pass": {
    minutes: 10,
    aim: "Each layer adds something to a row of numbers; the next token comes to light step by step.",
    predict: [
      "After the first layer, is the final token already in the lead?",
      "Where will a head look, at the last word or further back?",
      "Does the row grow longer or shorter from layer to layer?",
    ],
    answers: [
      "Usually not. It comes up in the last layers.",
      "It differs by head: some at the word before, some at the beginning.",
      "Its norm usually grows, because layers add.",
    ],
    misconceptions: [
      ["Attention shows why the model chose a word.", "It shows what was read from where, not what was done with it."],
      ["The answer is in one place of the network.", "Every layer adds its part to the same row."],
    ],
  },
  cache: {
    minutes: 8,
    aim: "Keys and values of earlier tokens are kept, so that each new token costs one row and not the whole text again.",
    predict: [
      "Which takes longer, the first token or the second?",
      "Without the cache, how do the multiplications grow with the text?",
      "How much memory does the cache take for twice the text?",
    ],
    answers: [
      "The first: the whole prompt is read before it.",
      "Each pass computes all rows again, so the total grows with the square, and more.",
      "Twice as much. In bytes instead of halves, about half of it.",
    ],
    misconceptions: [
      [
        "The model remembers the conversation.",
        "It reads the whole text. The cache only keeps what was computed of it.",
      ],
      ["The cache changes the text.", "Kept as floats it changes no digit. Halves and bytes round a little."],
    ],
  },
  bits: {
    minutes: 8,
    aim: "Weights can be rounded to few bits; for long nothing is seen, then the text falls apart at once.",
    predict: [
      "With 8 bits, will the story differ?",
      "With how many bits does it fall apart?",
      "Is a model of half the size half as good?",
    ],
    answers: [
      "Hardly, if at all: see the token at which the stories part.",
      "Around 3 or 2. Look at the surprise.",
      "No. The surprise grows slowly at first and then steeply.",
    ],
    misconceptions: [
      ["Fewer bits leave out parts of the model.", "All weights stay, each with fewer steps to choose from."],
      ["A text that differs is worse.", "The same seed may lead elsewhere. Surprise on a fixed text is the measure."],
    ],
  },
  thinking: {
    minutes: 6,
    aim: "A thought is text that the model reads again, whether it is right or wrong.",
    predict: [
      "Question 1: is the right answer likelier after 21 tokens of thought than after none?",
      "Question 3: which sentence of the thought is wrong?",
      "Does a longer thought always make the right answer likelier?",
    ],
    answers: [
      "Yes: 50 % instead of 25 %.",
      "The third. The answer takes over its wrong place.",
      "No. In question 3 it falls from 17 % to 2 %.",
    ],
    misconceptions: [
      ["A model that thinks checks its steps.", "It writes likely tokens, in the thought as in the answer."],
      ["The thought is hidden reasoning of another kind.", "It is ordinary text, made token by token."],
    ],
  },
};
