// Name: lastinch
// ID: lastinch
// Description: Draw from a language model's numbers, and let a small model go on with a story. Runs in the browser.
// License: MIT
(function (Scratch) {
  const PACKAGE = "https://cdn.jsdelivr.net/npm/lastinch@0.2.0/dist/";
  const { ArgumentType, BlockType, Cast } = Scratch;
  const text = (defaultValue) => ({ type: ArgumentType.STRING, defaultValue });
  const number = (defaultValue) => ({ type: ArgumentType.NUMBER, defaultValue });

  class LastInch {
    #seed = 1;
    #samplers = new Map(); // by the count of logits, so that each draw goes on with the same random numbers
    #model;

    getInfo() {
      const row = { LOGITS: text("3 2 1"), TEMPERATURE: number(1), TOPP: number(1) };
      return {
        id: "lastinch",
        name: "lastinch",
        blocks: [
          {
            opcode: "setSeed",
            blockType: BlockType.COMMAND,
            text: "start random numbers at [SEED]",
            arguments: { SEED: number(1) },
          },
          {
            opcode: "draw",
            blockType: BlockType.REPORTER,
            text: "draw from logits [LOGITS] temperature [TEMPERATURE] top-p [TOPP]",
            arguments: row,
          },
          {
            opcode: "chances",
            blockType: BlockType.REPORTER,
            text: "chances in % of logits [LOGITS] temperature [TEMPERATURE] top-p [TOPP]",
            arguments: row,
          },
          {
            opcode: "continueStory",
            blockType: BlockType.REPORTER,
            text: "go on with [PROMPT] for [COUNT] tokens temperature [TEMPERATURE]",
            arguments: { PROMPT: text("Once upon a time"), COUNT: number(20), TEMPERATURE: number(0.8) },
          },
        ],
      };
    }

    setSeed({ SEED }) {
      this.#seed = Math.abs(Math.trunc(Cast.toNumber(SEED)));
      // A block that waits for its sampler keeps it, so they end with the project.
      this.#samplers.clear();
    }

    /** The place of the chosen number in the list, counted from 1 as Scratch counts. */
    draw(row) {
      return this.#use(row, (sampler, logits) => sampler.sample(logits) + 1);
    }

    /** As many percentages as there are logits; 0 for those that the truncation removes. */
    chances(row) {
      return this.#use(row, (sampler, logits) => {
        const { tokens, probabilities } = sampler.distribution(logits);
        const shares = Array(logits.length).fill(0);
        tokens.forEach((token, i) => (shares[token] = Math.round(1000 * probabilities[i]) / 10));
        return shares.join(" ");
      });
    }

    /** What the storyteller writes after a text. The first call loads a model of 2.6 MB. */
    async continueStory({ PROMPT, COUNT, TEMPERATURE }) {
      try {
        this.#model ??= this.#load().catch((error) => {
          this.#model = undefined; // the next call tries again
          throw error;
        });
        const model = await this.#model;
        const maxTokens = Math.max(1, Math.trunc(Cast.toNumber(COUNT)));
        const options = { maxTokens, temperature: Cast.toNumber(TEMPERATURE), seed: this.#seed };
        return (await model.complete(Cast.toString(PROMPT), options)).text;
      } catch (error) {
        return `Error: ${error.message}`;
      }
    }

    async #load() {
      const { loadModel } = await import(`${PACKAGE}index.js`);
      const { default: storyteller } = await import(`${PACKAGE}storyteller.js`);
      return loadModel(storyteller);
    }

    /** A sampler for so many logits. Its promise is kept, so that two sprites that ask at once share it. */
    #samplerOf(vocabSize) {
      if (!this.#samplers.has(vocabSize)) {
        const seed = this.#seed;
        const made = import(`${PACKAGE}index.js`).then(({ createSampler }) => createSampler({ vocabSize, seed }));
        this.#samplers.set(vocabSize, made);
      }
      return this.#samplers.get(vocabSize);
    }

    async #use({ LOGITS, TEMPERATURE, TOPP }, work) {
      try {
        const words = Cast.toString(LOGITS)
          .split(/[\s,;]+/)
          .filter(Boolean);
        if (!words.length) throw new Error("There are no logits.");
        const sampler = await this.#samplerOf(words.length);
        sampler.set({ temperature: Cast.toNumber(TEMPERATURE), topP: Cast.toNumber(TOPP) });
        return work(sampler, Float32Array.from(words, Number));
      } catch (error) {
        return `Error: ${error.message}`;
      }
    }
  }

  Scratch.extensions.register(new LastInch());
})(Scratch);
