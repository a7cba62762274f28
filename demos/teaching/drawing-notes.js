// Notes on widgets that show how one token is drawn.
/** @type {Record<string, import("./notes.js").Notes>} */
export const drawingNotes = {
  "generation-loop": {
    minutes: 8,
    aim: "Text is written by a loop: the model gives one row of scores, one token is drawn and appended, and all begins again.",
    predict: [
      "How many rows of scores does the model compute for a text of ten tokens?",
      "Which line of the loop is random, and which always gives the same result?",
      "Without the cache, does the tenth token cost more than the first?",
    ],
    answers: [
      "Ten: one for each token that is written. The prompt is read before the first.",
      "Only the draw. The same text always gives the same row.",
      "Yes. Every pass reads the whole text again, so it grows with each token. With the cache a pass reads one token.",
    ],
    misconceptions: [
      [
        "The model plans a sentence, then writes it down.",
        "Each pass gives scores for one token. Nothing else is handed on but the text.",
      ],
      ["The model chooses the word.", "The model scores all tokens. The loop around it chooses."],
    ],
  },
  "worked-example": {
    minutes: 6,
    aim: "Softmax turns scores into shares that add up to 100 %; only differences between scores count.",
    predict: [
      "Raise the logit of the second token by 1. Which other shares change?",
      "Add 3 to every logit. What happens to the shares?",
      "Make two logits equal. What about their shares?",
    ],
    answers: [
      "All of them: the shares must still add up to 100 %, so every other token pays in proportion to its share.",
      "Nothing. Softmax sees only differences.",
      "They are equal too.",
    ],
    misconceptions: [
      ["A logit of 0 means “impossible”.", "A logit is no probability. 0 may be the highest score of a row."],
      [
        "A score twice as high is twice as likely.",
        "The difference counts: one more on the scale is e = 2.7 times as likely.",
      ],
    ],
  },
  "softmax-steps": {
    minutes: 6,
    aim: "Softmax is four plain steps: divide by the temperature, subtract the largest, exponentiate, divide by the sum.",
    predict: [
      "Does the order of the tokens change in any phase?",
      "The largest score is subtracted from all. Do the final shares change?",
      "Halve the temperature. Does the favourite gain or lose?",
    ],
    answers: [
      "No. Every phase keeps the order.",
      "No. It only keeps the exponentials from overflowing.",
      "It gains: the differences double.",
    ],
    misconceptions: [
      [
        "Subtracting the largest score makes the result less exact.",
        "It is the same result, and without it large scores give infinity.",
      ],
      ["Softmax decides.", "It only rescales. Something else draws."],
    ],
  },
  die: {
    minutes: 8,
    aim: "A draw is a roll of a die with uneven faces: single rolls surprise, many rolls settle near the expected counts.",
    predict: [
      "In ten rolls, will the likeliest token come up as often as expected?",
      "Roll a thousand times. How far are the counts from what was expected?",
      "Cut all but one token. What do the rolls show?",
    ],
    answers: [
      "Often not. Ten rolls stray widely.",
      "Within a few per cent of the rolls: the spread grows only with the square root of their number.",
      "Always the same token. Nothing is left to chance.",
    ],
    misconceptions: [
      [
        "An unlikely token that came up was a mistake.",
        "A token with 2 % comes up in one roll of fifty, and that is right.",
      ],
      ["After a run of one token another is due.", "Rolls have no memory."],
    ],
  },
  "quick-check": {
    minutes: 5,
    aim: "Pupils find out what they have understood of how words are chosen.",
    predict: [
      "How many questions will you get right?",
      "Which question will most of the class get wrong?",
      "Read one explanation: would you have given the same reason?",
    ],
    answers: [
      "Compare with the score below the questions.",
      "Ask for hands before each answer is opened.",
      "The explanation appears with every answer, right or wrong.",
    ],
    misconceptions: [
      ["The score is sent to somebody.", "Nothing is stored or sent."],
      ["A right answer for a wrong reason is enough.", "Read the reason under it too."],
    ],
  },
  "greedy-spiral": {
    minutes: 6,
    aim: "Always taking the likeliest token leads to loops, because a phrase that was said makes itself likelier.",
    predict: [
      "After how many tokens will the text begin to repeat?",
      "Does the probability of the phrase rise or fall at each turn?",
      "One token is drawn instead of taken. Does the loop end?",
    ],
    answers: [
      "Usually within a few sentences. Press the button and count.",
      "It rises, towards 100 %. That is why the loop does not end by itself.",
      "Often: another word leads to another place. It may also fall back.",
    ],
    misconceptions: [
      [
        "The best word each time gives the best text.",
        "A chain of best steps is not the best chain, and people do not write so.",
      ],
      [
        "A model loops because it is broken.",
        "Large models loop too when they are read greedily. The rule of choice is at fault.",
      ],
    ],
  },
  likelihood: {
    minutes: 8,
    aim: "Text that a model finds likeliest is not the text that people find good; human text surprises.",
    predict: [
      "Which of the five texts surprises the model most?",
      "Which surprises it least?",
      "Is the surprise of the human text even, or does it jump?",
    ],
    answers: [
      "The one by a person.",
      "Beam search or greedy: both remove surprise.",
      "It jumps: many easy words, then one that nobody would have guessed.",
    ],
    misconceptions: [
      ["Low perplexity means good writing.", "It means predictable writing. A loop has the lowest of all."],
      ["Surprise is the same as error.", "Names and turns of a story surprise, and are right."],
    ],
  },
  "temperature-panels": {
    minutes: 6,
    aim: "Temperature flattens or sharpens the shares and never changes their order; small shares add up over a text.",
    predict: [
      "At which temperature are all tokens almost equally likely?",
      "Can a high temperature make the second token overtake the first?",
      "A token has 1 % at each step. How likely is it at least once in 100 tokens?",
    ],
    answers: [
      "Only at a very high one. At 2 there is still an order.",
      "No. Dividing keeps the order.",
      "About 63 %: 1 − .99 to the power of 100.",
    ],
    misconceptions: [
      ["Temperature is creativity.", "It is a divisor. It lets unlikely tokens in, good ones and bad ones."],
      [
        "Temperature 1 is the neutral middle of a scale from 0 to 2.",
        "1 is the model as it was trained. The scale has no middle.",
      ],
    ],
  },
  "same-seed": {
    minutes: 8,
    aim: "With the same seed the same random numbers are used; temperature decides where they lead elsewhere.",
    predict: [
      "Run it twice without changing anything. Will the texts differ?",
      "At which token will the hottest text leave the coldest?",
      "After they have parted, will they meet again?",
    ],
    answers: [
      "No. Same seed, same logits, same text, in every browser.",
      "The widget marks it. The closer the temperatures, the later.",
      "Hardly ever: from there on the model reads different texts.",
    ],
    misconceptions: [
      ["A language model is random by nature.", "All randomness is in the draw, and a seed fixes it."],
      ["A bad word does no more harm than one bad word.", "The model goes on from it: slips compound."],
    ],
  },
  characters: {
    minutes: 6,
    aim: "A model can know nothing but which character tends to follow, and still write words.",
    predict: [
      "After “th”, which character is likeliest?",
      "At which temperature do spellings fall apart?",
      "Does it know what a word means?",
    ],
    answers: [
      "Usually e. Type it and look.",
      "From about 1.5 on. Move the knob and read.",
      "It has only seen characters in order. Ask the class what would show that it knows.",
    ],
    misconceptions: [
      ["A model needs a dictionary.", "Spelling was learnt from text, character by character."],
      ["Real words prove understanding.", "They prove that the order of characters was learnt."],
    ],
  },
  rulers: {
    minutes: 8,
    aim: "Top-k counts tokens, top-p adds them up, min-p sets a height; they agree on some rows and not on others.",
    predict: [
      "Which rule keeps the same number on every row?",
      "Lower p from .9 to .5. Which tokens go first?",
      "Which tokens are kept by some rules, but not by all three?",
    ],
    answers: [
      "Top-k.",
      "The least likely ones that were left.",
      "The widget lists them. Move one ruler until the list is empty.",
    ],
    misconceptions: [
      ["Top-k, top-p and min-p are three strengths of one knob.", "They ask three different questions of the row."],
      ["A token that was cut keeps a little chance.", "It has none. The shares of the others grow."],
    ],
  },
  nucleus: {
    minutes: 7,
    aim: "Top-p keeps the fewest tokens that together reach p, and scales them up to 100 %.",
    predict: [
      "With p = .9, how many tokens stay?",
      "Does the token at which the sum reaches p stay, or is it cut?",
      "After the cut, is the favourite likelier than before?",
    ],
    answers: [
      "Count down the running sum: as many as it takes to reach .9.",
      "It stays. The sum has to reach p.",
      "Yes, its share is divided by what was kept.",
    ],
    misconceptions: [
      ["Top-p .9 keeps 90 % of the tokens.", "It keeps 90 % of the probability: often a handful of tokens."],
      ["A smaller p is always safer.", "It also cuts right words where many would fit."],
    ],
  },
  "peaked-flat": {
    minutes: 7,
    aim: "One fixed number of tokens is too many where the model is sure and too few where many words fit.",
    predict: [
      "With k = 10, what does the sure row let in that it should not?",
      "How many does top-p keep in each row?",
      "In a live passage, where does top-p keep one token, where dozens?",
    ],
    answers: [
      "Wrong or odd ones: Lyon, Nice, now.",
      "Few in the sure one, many in the flat one. The numbers stand below, once a knob has moved.",
      "One in the middle of a word or phrase, dozens where a new thing begins.",
    ],
    misconceptions: [
      ["A model is equally sure at each word.", "It swings from 1 to hundreds of good tokens within a sentence."],
      ["The flat row is a bad row.", "Many words are right there. It knows that."],
    ],
  },
  "min-p-heat": {
    minutes: 7,
    aim: "Heat lifts thousands of unlikely tokens; top-p lets them in, min-p measures each against the best.",
    predict: [
      "At temperature 2, which of the two keeps more tokens?",
      "Do both curves rise with heat?",
      "What share of top-p's draws are tokens that min-p cuts?",
    ],
    answers: [
      "Top-p, often by hundreds.",
      "Yes, but at very different rates. The axis is logarithmic.",
      "The sentence below says it for the current temperature.",
    ],
    misconceptions: [
      [
        "Top-p protects from nonsense at any temperature.",
        "When heat has flattened the row, nonsense is part of the 90 %.",
      ],
      ["Min-p .05 keeps tokens above 5 %.", "Above 5 % of the likeliest token's share."],
    ],
  },
  funnel: {
    minutes: 7,
    aim: "Logits pass stages one after another, and each stage sees only what the one before has left.",
    predict: [
      "Pick a token in the middle. Which stage will cut it?",
      "Set k to 3. What is left for the later stages to do?",
      "Can a later stage bring a token back?",
    ],
    answers: [
      "The widget follows it. Compare.",
      "Little or nothing: they work on three tokens.",
      "No. What is cut stays cut.",
    ],
    misconceptions: [
      ["All settings act at once.", "They act in order, each on the survivors of the last."],
      ["More stages mean more control.", "Often one stage does everything and the others nothing."],
    ],
  },
  inspector: {
    minutes: 10,
    aim: "Every word of a text was one of many; one can look at the row behind it and go on another way.",
    predict: [
      "Was each token of the text the likeliest of its step?",
      "At which word was the model least sure?",
      "Take another token at step 3. Does the rest of the text stay?",
    ],
    answers: [
      "No: drawn tokens are often second or fifth.",
      "Step through and look for the flattest row.",
      "No. Everything after it is written anew.",
    ],
    misconceptions: [
      ["The text shows what the model thinks.", "It shows one draw out of many rows."],
      [
        "The tokens behind “all others” do not matter.",
        "There are thousands, and together they may hold a tenth of the chance.",
      ],
    ],
  },
  "order-bench": {
    minutes: 8,
    aim: "The same settings in another order keep other tokens, which is why systems differ.",
    predict: [
      "Put temperature after top-p. Does top-p keep more tokens, or fewer?",
      "Does the place of temperature matter to top-k?",
      "Choose two systems. Will the same settings keep the same tokens?",
    ],
    answers: [
      "With T above 1 fewer: it sees the row before it is flattened.",
      "No. Temperature never changes the order.",
      "Not always. The table shows the tokens on which they differ.",
    ],
    misconceptions: [
      ["top-p = .9 means the same everywhere.", "It depends on what ran before it."],
      ["Order matters for all stages.", "Some pairs commute: temperature and top-k, for example."],
    ],
  },
  penalties: {
    minutes: 8,
    aim: "Penalties lower the scores of tokens that were said; too strong, they forbid the words that a text needs.",
    predict: [
      "A word was said three times. Which penalty counts the times?",
      "Lower all logits by 5. Does the repetition penalty still do the same?",
      "What will a story look like under a penalty that is too strong?",
    ],
    answers: [
      "Frequency. Presence asks only whether it was said.",
      "No: it divides above zero and multiplies below, although a shift changes no probability.",
      "It runs out of “the”, “and” and names. Press the button and read.",
    ],
    misconceptions: [
      ["A penalty removes repetitions.", "It lowers scores. A likely word may still come again, as it should."],
      ["All repetition is bad.", "Names, articles and refrains must come again."],
    ],
  },
  "failure-modes": {
    minutes: 10,
    aim: "Too careful repeats, too bold rambles; two numbers tell the one from the other.",
    predict: [
      "Which of the three texts will repeat most?",
      "Which will surprise the model most?",
      "Can you heal the bold one without touching its temperature?",
    ],
    answers: ["The cautious one.", "The bold one.", "Usually: lower its top-p."],
    misconceptions: [
      ["There is one right setting.", "It depends on the model and on what the text is for."],
      ["Nonsense means that the model is bad.", "The same model writes well at another setting."],
    ],
  },
};
