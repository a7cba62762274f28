// Writes ONNX files: the few messages of its protocol buffers that a graph of standard operators needs, and of one of
// onnxruntime's own for four bits (onnx.proto of ONNX 1.16, whose field numbers these are).

const encoder = new TextEncoder();

/** ONNX's numbers of element types. */
export const elementTypes = { float32: 1, uint8: 2, int64: 7, bool: 9, float16: 10 };

const OWN_DOMAIN = "com.microsoft";

/** @param {number} value a whole number, not negative */
function varint(value) {
  const bytes = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Uint8Array.of(...bytes, Number(rest));
}

function join(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A field: numbers as varints, texts and messages by their length. */
function field(number, value) {
  if (typeof value === "number" || typeof value === "bigint") return join([varint(number << 3), varint(value)]);
  const bytes = typeof value === "string" ? encoder.encode(value) : value;
  return join([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

/** Fields of a message; a list gives one for each of its values. */
const message = (...fields) =>
  join(fields.flatMap(([number, value]) => (Array.isArray(value) ? value : [value]).map((one) => field(number, one))));

/** Negative numbers are written as 64 bits. */
const signed = (value) => BigInt.asUintN(64, BigInt(value));

function tensor(name, dims, data) {
  const type = data instanceof BigInt64Array ? "int64" : data instanceof Uint8Array ? "uint8" : "float32";
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return message([1, dims], [2, elementTypes[type]], [8, name], [9, bytes]);
}

/** Attributes of an operator: whole numbers and lists of them. */
const attribute = (name, value) =>
  Array.isArray(value) ? message([1, name], [8, value.map(signed)], [20, 7]) : message([1, name], [3, signed(value)], [20, 2]);

/** dims: numbers, or names of what may vary. */
function valueInfo({ name, type, dims }) {
  const shape = message([1, dims.map((dim) => message(typeof dim === "number" ? [1, dim] : [2, dim]))]);
  return message([1, name], [2, message([1, message([1, elementTypes[type]], [2, shape])])]);
}

/** A graph as it is put together. Values are known by their names, which are texts. */
export class Graph {
  #nodes = [];
  #initializers = [];
  #inputs = [];
  #outputs = [];
  #count = 0;

  input(name, type, dims) {
    this.#inputs.push(valueInfo({ name, type, dims }));
    return name;
  }

  output(name, type, dims) {
    this.#outputs.push(valueInfo({ name, type, dims }));
  }

  /** Weights: floats, or bytes of packed ones. */
  floats(data, dims = [data.length]) {
    const name = `w${this.#count++}`;
    this.#initializers.push(tensor(name, dims, data));
    return name;
  }

  /** A list of whole numbers; of one number alone a scalar. */
  ints(values) {
    const name = `c${this.#count++}`;
    const list = BigInt64Array.from([values].flat(), BigInt);
    this.#initializers.push(tensor(name, Array.isArray(values) ? [list.length] : [], list));
    return name;
  }

  /** What an operator makes of values. */
  op(type, inputs, attributes = {}, output = `v${this.#count++}`) {
    const list = Object.entries(attributes).map(([name, value]) => attribute(name, value));
    this.#nodes.push(message([1, inputs], [2, output], [3, output], [4, type], [5, list]));
    return output;
  }

  /** What one of onnxruntime's own operators makes of values. */
  ownOp(type, inputs, attributes) {
    const output = `v${this.#count++}`;
    const list = Object.entries(attributes).map(([name, value]) => attribute(name, value));
    this.#nodes.push(message([1, inputs], [2, output], [3, output], [4, type], [5, list], [7, OWN_DOMAIN]));
    return output;
  }

  /** The file, for operators of set 17. */
  finish() {
    const graph = message(
      [1, this.#nodes],
      [2, "lastinch"],
      [5, this.#initializers],
      [11, this.#inputs],
      [12, this.#outputs],
    );
    const sets = [message([1, ""], [2, 17]), message([1, OWN_DOMAIN], [2, 1])];
    return message([1, 8], [2, "lastinch"], [7, graph], [8, sets]);
  }
}
