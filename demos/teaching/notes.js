// What a teacher needs for each widget. Answers belong to the predictions, one each.
/**
 * @typedef {object} Notes
 * @property {number} minutes
 * @property {string} aim what pupils can say afterwards
 * @property {string[]} predict three: predict, then try
 * @property {string[]} answers
 * @property {[claim: string, truth: string][]} misconceptions two
 */

/** @type {Record<string, Notes>} By the names of the widgets. */
export const notes = {
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
