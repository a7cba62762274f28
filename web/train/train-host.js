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
 *   | { kind: "read" }
 *   | { kind: "stop" }
 *   | { kind: "logits", call: number, tokens: number[] }
 *   | { kind: "weights", call: number }} TrainRequest
 */

/**
 * @typedef {{ kind: "ready" }
 *   | { kind: "done", call: number, value?: any }
 *   | { kind: "failed", call: number, error: { name: string, message: string, code?: string } }
 *   | { kind: "report", call: number, report: LearnReport }} TrainReply
 */

/** Reports that may wait for the page. */
const AHEAD = 16;

/** A loop that learns. `unread`: reports that the page has not read. @typedef {{ isStopped: boolean, unread: number, wake: () => void }} Loop */

/**
 * @param {(reply: TrainReply) => void} post
 * @returns {(request: TrainRequest) => void}
 */
export function createTrainHost(post) {
  /** @type {Training | undefined} */
  let training;
  let rate = 0;
  /** @type {Loop} */
  let loop = { isStopped: true, unread: 0, wake() {} };

  /** @param {Training} trainer @param {TrainRequest & { kind: "learn" }} request @param {Loop} own */
  async function learn(trainer, { call, steps, every }, own) {
    // Lets messages in. Timers of nested calls would be slowed down.
    const gap = new MessageChannel();
    const nextTask = () =>
      new Promise((resolve) => {
        gap.port1.onmessage = resolve;
        gap.port2.postMessage(0);
      });
    let sum = 0;
    let count = 0;
    let time = performance.now();
    for (let taken = 0; taken < steps && !own.isStopped;) {
      sum += trainer.step(rate);
      taken++;
      count++;
      await nextTask();
      if (count < every && taken < steps && !own.isStopped) continue;
      const minutes = Math.max(performance.now() - time, 0.01) / 60_000;
      const report = {
        step: trainer.steps,
        loss: sum / count,
        heldOut: trainer.heldOut(),
        stepsPerMinute: count / minutes,
      };
      post({ kind: "report", call, report });
      own.unread++;
      while (own.unread >= AHEAD && !own.isStopped) await new Promise((wake) => (own.wake = () => wake(undefined)));
      sum = count = 0;
      time = performance.now();
    }
    gap.port1.close();
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
        loop = { isStopped: false, unread: 0, wake() {} };
        return training && learn(training, request, loop);
      case "rate":
        rate = request.rate;
        return;
      case "read":
        loop.unread--;
        return loop.wake();
      case "stop":
        loop.isStopped = true;
        return loop.wake();
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
