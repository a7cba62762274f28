// What the Worker of a trainer does with its messages. It looks for new ones between two steps.
import { takeFiles } from "../core/inlined.js";
import { Training } from "./training.js";

/** @typedef {import("./train-types.js").TrainerShape} TrainerShape */
/** @typedef {import("./train-types.js").LearnReport} LearnReport */

/**
 * A message to the Worker. call: the number that its answer bears.
 * @typedef {{ kind: "begin", call: number, shape: TrainerShape, seed: number, tokens: Uint16Array, files?: import("../core/inlined.js").Files }
 *   | { kind: "learn", call: number, steps: number, every: number, rate: number }
 *   | { kind: "rate", rate: number }
 *   | { kind: "stop" }
 *   | { kind: "logits", call: number, tokens: number[] }
 *   | { kind: "weights", call: number }} TrainRequest
 */

/**
 * @typedef {{ kind: "done", call: number, value?: any }
 *   | { kind: "failed", call: number, error: { name: string, message: string, code?: string } }
 *   | { kind: "report", call: number, report: LearnReport }} TrainReply
 */

/**
 * @param {(reply: TrainReply) => void} post
 * @returns {(request: TrainRequest) => void}
 */
export function createTrainHost(post) {
  /** @type {Training | undefined} */
  let training;
  let rate = 0;
  let isStopped = true;
  /** Lets messages in: timers of nested calls are slowed down. */
  const gap = new MessageChannel();
  const nextTask = () =>
    new Promise((resolve) => {
      gap.port1.onmessage = resolve;
      gap.port2.postMessage(0);
    });

  /** @param {Training} trainer @param {TrainRequest & { kind: "learn" }} request */
  async function learn(trainer, { call, steps, every }) {
    isStopped = false;
    let sum = 0;
    let count = 0;
    let time = performance.now();
    for (let taken = 0; taken < steps && !isStopped;) {
      sum += trainer.step(rate);
      taken++;
      if (++count === every || taken === steps) {
        const stepsPerMinute = (60_000 * count) / (performance.now() - time);
        const report = { step: trainer.steps, loss: sum / count, heldOut: trainer.heldOut(), stepsPerMinute };
        post({ kind: "report", call, report });
        sum = count = 0;
        time = performance.now();
      }
      await nextTask();
    }
    isStopped = true;
  }

  /** @param {TrainRequest} request @returns {Promise<any>} */
  async function answer(request) {
    switch (request.kind) {
      case "begin":
        if (request.files) takeFiles(request.files);
        training = await Training.open(request.shape, request.seed, request.tokens);
        return;
      case "learn":
        rate = request.rate;
        return training && learn(training, request);
      case "rate":
        rate = request.rate;
        return;
      case "stop":
        isStopped = true;
        return;
      case "logits":
        return training?.logits(request.tokens);
      case "weights":
        return training?.weights();
    }
  }

  return (request) => {
    const call = "call" in request ? request.call : 0;
    answer(request).then(
      (value) => call && post({ kind: "done", call, value }),
      ({ name, message, code }) => post({ kind: "failed", call, error: { name, message, code } }),
    );
  };
}
