// The instance of decode.wasm: the sampler of sampler.wasm, which can also mark texts, and the steps of decoding.
import { sharedInstance } from "../core/wasm.js";
import { allowWatermarks } from "./watermark-options.js";

allowWatermarks();

/** The one instance of a thread. */
export const openDecode = () => sharedInstance("decode", (read) => read(new URL("./decode.wasm", import.meta.url)));
