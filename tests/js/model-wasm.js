// Drives model.wasm directly, without the library's JavaScript, for tests and measurements of the forward pass in Node;
// and in pages, which pass `wasm`.
export const wasmPath = new URL("../../build/wasm/model.wasm", import.meta.url);

const readWasm = () => process.getBuiltinModule("node:fs").readFileSync(wasmPath);

const cacheTypes = ["auto", "f32", "f16", "q8_0"];

function check(status) {
  if (status < 0) throw new Error(`lastinch status ${status}`);
  return status;
}

// An instance that has read a file's header.
export async function openHeader(gguf, wasm = readWasm()) {
  const { instance } = await WebAssembly.instantiate(wasm, {});
  const c = instance.exports;
  c._initialize?.();
  const header = c.li_gguf_create();
  for (let size = 4096; ; size *= 2) {
    size = Math.min(size, gguf.length);
    const at = c.li_gguf_reserve(header, size);
    new Uint8Array(c.memory.buffer, at, size).set(gguf.subarray(0, size));
    if (check(c.li_gguf_parse(header, size, gguf.length)) === 0) break;
  }
  return {
    c,
    header,
    // The bytes that a model of one sequence would take: { weights, cache, scratch }.
    plan(slots, cache) {
      const at = c.li_memory_alloc(64);
      check(c.li_model_plan(header, slots, cacheTypes.indexOf(cache), 1, at));
      const [weights, kept, scratch] = new Float64Array(c.memory.buffer, at, 3);
      c.li_memory_free(at);
      return { weights, cache: kept, scratch };
    },
  };
}

export async function openModel(
  gguf,
  { slots = 0, cache = "auto", sequences = 2, piece = 65536, wasm = readWasm() } = {},
) {
  const { c, header } = await openHeader(gguf, wasm);
  const dataStart = c.li_gguf_data_start(header);
  const statusAt = c.li_memory_alloc(4);
  const before = c.memory.buffer.byteLength;
  const model = c.li_model_create(header, slots, cacheTypes.indexOf(cache), sequences, statusAt);
  check(new Int32Array(c.memory.buffer, statusAt, 1)[0]);
  c.li_gguf_destroy(header);
  const memoryTaken = c.memory.buffer.byteLength - before;

  // The weights.
  const pieceAt = c.li_memory_alloc(piece);
  for (let at = dataStart; at < gguf.length; at += piece) {
    const bytes = gguf.subarray(at, at + piece);
    new Uint8Array(c.memory.buffer, pieceAt, bytes.length).set(bytes);
    check(c.li_model_write(model, pieceAt, bytes.length));
  }
  check(c.li_model_finish(model));
  c.li_memory_free(pieceAt);

  const [vocabSize, dim, , layers] = new Uint32Array(c.memory.buffer, c.li_model_get_config(model), 4);
  return {
    c,
    model,
    vocabSize,
    dim,
    layers,
    memoryTaken,
    // Appends tokens to a sequence; returns the logits (a view until the next call) of the last or of all.
    forward(tokens, { sequence = 0, all = false } = {}) {
      const start = c.li_sequence_length(model, sequence);
      const rows = new Uint32Array(c.memory.buffer, c.li_model_rows(model), tokens.length * 5);
      tokens.forEach((token, i) =>
        rows.set([token, start + i, sequence, all || i === tokens.length - 1 ? 1 : 0, 0], i * 5),
      );
      check(c.li_model_forward(model, tokens.length));
      const length = all ? vocabSize * tokens.length : vocabSize;
      return new Float32Array(c.memory.buffer, c.li_model_logits(model), length);
    },
    // Lets the block that predicts later tokens read `tokens`, then asks for `wanted` guesses.
    draft(tokens, wanted, sequence = 0) {
      const start = c.li_sequence_read(model, sequence);
      const into = c.li_memory_alloc(4 * wanted + 4);
      const rows = new Uint32Array(c.memory.buffer, c.li_model_rows(model), tokens.length * 5);
      tokens.forEach((token, i) => rows.set([token, start + i, sequence, 0, 0], i * 5));
      check(c.li_model_draft(model, tokens.length, wanted, into));
      const guesses = [...new Uint32Array(c.memory.buffer, into, wanted)];
      c.li_memory_free(into);
      return { guesses, row: new Float32Array(c.memory.buffer, c.li_model_logits(model), vocabSize).slice() };
    },
    // Heads of a file in the memory of the model: `guess` gives the likeliest tokens of each of the first `count`, for the
    // state of a row of the last pass.
    openHeads(file) {
      const gguf = c.li_gguf_create();
      const at = c.li_gguf_reserve(gguf, file.length);
      new Uint8Array(c.memory.buffer, at, file.length).set(file);
      check(c.li_gguf_parse(gguf, file.length, file.length));
      const heads = c.li_heads_create(model, gguf, statusAt);
      check(new Int32Array(c.memory.buffer, statusAt, 1)[0]);
      c.li_gguf_destroy(gguf);
      const stateAt = c.li_memory_alloc(4 * dim);
      new Uint32Array(c.memory.buffer, stateAt, 1)[0] = layers;
      check(c.li_model_set_taps(model, stateAt, 1)); // the states that heads read
      const into = c.li_memory_alloc(4 * 8 * 16);
      const state = (place) => new Float32Array(c.memory.buffer, c.li_model_taps(model) + 4 * dim * place, dim).slice();
      return {
        count: c.li_heads_count(heads),
        state,
        guess(place, count, width) {
          new Float32Array(c.memory.buffer, stateAt, dim).set(state(place));
          check(c.li_heads_guess(heads, stateAt, count, width, into));
          return Array.from({ length: count }, (_, i) => [
            ...new Uint32Array(c.memory.buffer, into + 4 * i * width, width),
          ]);
        },
        dispose: () => c.li_heads_destroy(heads),
      };
    },
    // EAGLE's layer of a file in the instance of the model. `read` passes the text through the model (all tokens but the
    // last) and the layer; `step` lets the layer read its own output, before a drafted token. Both give a row of logits.
    openEagle(file, layers) {
      const tap = (of, list) => {
        const at = c.li_memory_alloc(4 * list.length);
        new Uint32Array(c.memory.buffer, at, list.length).set(list);
        check(c.li_model_set_taps(of, at, list.length));
        c.li_memory_free(at);
      };
      const floats = (at, count) => new Float32Array(c.memory.buffer, at, count);
      const gguf = c.li_gguf_create();
      const at = c.li_gguf_reserve(gguf, file.length);
      new Uint8Array(c.memory.buffer, at, file.length).set(file);
      check(c.li_gguf_parse(gguf, file.length, file.length));
      const layer = c.li_model_create(gguf, 128, 1, 8, statusAt);
      check(new Int32Array(c.memory.buffer, statusAt, 1)[0]);
      const start = c.li_gguf_data_start(gguf);
      check(c.li_model_write(layer, at + start, file.length - start));
      check(c.li_model_finish(layer));
      if (c.li_model_forward(layer, 1) === 0) throw new Error("it has no model yet");
      check(c.li_eagle_attach(layer, model));
      c.li_gguf_destroy(gguf);
      tap(model, layers);
      tap(layer, [0]);
      const [, size] = new Uint32Array(c.memory.buffer, c.li_model_get_config(layer), 2);
      let last = 0;
      const pass = (rows, width) => {
        new Uint32Array(c.memory.buffer, c.li_model_rows(layer), rows.length * 5).set(rows.flat());
        check(c.li_model_forward(layer, rows.length));
        last = rows.length - 1;
        return floats(c.li_model_logits(layer), width).slice();
      };
      return {
        layer,
        read(tokens, width) {
          const count = tokens.length - 1;
          this.length = count;
          const states = c.li_memory_alloc(12 * dim * count);
          const all = floats(c.li_model_taps(model), 3 * count * dim).slice();
          for (let i = 0; i < count; i++)
            for (let tap = 0; tap < 3; tap++)
              floats(states + 4 * (3 * i + tap) * dim, dim).set(
                all.subarray((tap * count + i) * dim, (tap * count + i + 1) * dim),
              );
          for (let i = 0; i < count; i += 4) c.li_eagle_fuse(layer, states + 12 * i * dim, i, Math.min(4, count - i));
          c.li_memory_free(states);
          return pass(
            tokens.slice(1).map((token, i) => [token, i, 0, Number(i === count - 1), 0]),
            width,
          );
        },
        step(token, width) {
          const output = floats(c.li_model_taps(layer) + 4 * last * size, size).slice();
          floats(c.li_eagle_features(layer), size).set(output);
          return pass([[token, this.length++, 0, 1, 0]], width);
        },
        choices(width) {
          const into = c.li_memory_alloc(4 * width);
          c.li_eagle_choices(layer, c.li_model_logits(layer), width, into);
          const ids = [...new Uint32Array(c.memory.buffer, into, width)];
          c.li_memory_free(into);
          return ids;
        },
        dispose: () => c.li_model_destroy(layer),
      };
    },
    keep(length, sequence = 0) {
      check(c.li_sequence_keep(model, sequence, length));
    },
    dispose() {
      c.li_model_destroy(model);
    },
  };
}
