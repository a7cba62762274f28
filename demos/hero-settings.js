// What the landing page writes, in its recording and live.
export const prompt = "One day, a little fox found a";
export const options = { temperature: 0.8, seed: 5, maxTokens: 56 };
/** The recorded temperatures. */
export const stops = [0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2];
