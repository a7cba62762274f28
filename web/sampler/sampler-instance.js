// The code of samplers: one instance a thread, shared by all samplers.
import { sharedInstance } from "../core/wasm.js";

export const openSampler = () => sharedInstance("sampler", (read) => read(new URL("./sampler.wasm", import.meta.url)));
