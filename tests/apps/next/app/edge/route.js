import { compileGrammar } from "lastinch/grammar";
// What the route uses: its bundle has no files beside it.
import "lastinch/inline/grammar";
import "lastinch/inline/sampler";
import { createSampler } from "lastinch/sampler";

export const runtime = "edge";

export async function GET() {
  const vocabulary = { tokens: ["", "no", "yes"].map((text) => new TextEncoder().encode(text)), eos: [0] };
  const grammar = (await compileGrammar({ vocabulary, regex: "yes" })).matcher();
  const sampler = await createSampler({ vocabSize: 3, temperature: 0, grammar });
  return Response.json({ token: sampler.sample(Float32Array.of(1, 3, 2)) });
}
