// Compiles a grammar over a vocabulary whose tokens are the bytes, to test which texts it takes.
import { compileGrammar } from "lastinch";

export const byteVocabulary = {
  tokens: [...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)), null],
  eos: [256],
};

/** Which of the texts a grammar takes as a whole. @param {object} source @param {string[]} texts */
export async function taken(source, texts) {
  const grammar = await compileGrammar({ vocabulary: byteVocabulary, ...source });
  const matcher = grammar.matcher();
  const found = texts.filter((text) => {
    matcher.reset();
    return matcher.acceptBytes(new TextEncoder().encode(text)) && matcher.isAccepting;
  });
  grammar.dispose();
  return found;
}
