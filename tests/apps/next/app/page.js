import { createSampler } from "lastinch";
import "lastinch/inline/sampler"; // to sample on the server too: its bundle has no files beside it
import { Story } from "./story.js";

export const dynamic = "force-dynamic";

export default async function Page() {
  const sampler = await createSampler({ vocabSize: 6, temperature: 0.8, topP: 0.95, seed: 7 });
  return (
    <>
      <p id="server">{sampler.sample(Float32Array.of(6, 5, 4.5, 3.5, 2, 0))}</p>
      <Story />
    </>
  );
}
