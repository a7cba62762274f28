import { createSampler } from "lastinch/sampler";

export const runtime = "edge";

export const GET = () =>
  createSampler({ vocabSize: 3 }).then(
    () => Response.json({ code: "none" }),
    ({ code, message }) => Response.json({ code, message }),
  );
