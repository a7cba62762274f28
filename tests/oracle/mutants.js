// Small changes of JSON values, near what a schema constrains.

/** Values of every kind. */
export const plain = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  2,
  100,
  1e9,
  "",
  "a",
  "2020-02-30",
  "x".repeat(70),
  [],
  {},
  [1, 1],
  { a: 1 },
];

/** What a schema is about: names of properties, and values that it mentions. */
export function topicsOf(schema) {
  const names = new Set(["a", "zz"]);
  const values = new Set();
  const visit = (node) => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (typeof value === "object" && value && ["properties", "dependencies", "dependentRequired"].includes(key))
        for (const name of Object.keys(value)) names.add(name);
      if (key === "required" && Array.isArray(value))
        for (const name of value) if (typeof name === "string") names.add(name);
      if (key === "enum" && Array.isArray(value)) for (const one of value.slice(0, 20)) values.add(JSON.stringify(one));
      if (["const", "default"].includes(key)) values.add(JSON.stringify(value));
      if (typeof value === "number") for (const step of [-1, 0, 1]) values.add(String(value + step));
      visit(value);
    }
  };
  visit(schema);
  return {
    names: [...names],
    values: [...values].filter((text) => text !== undefined).map((text) => JSON.parse(text)),
  };
}

/** A changed copy of a value. */
export function mutate(value, { names, values }, random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const fresh = () => structuredClone(random() < 0.5 && values.length ? pick(values) : pick(plain));
  const root = { value: structuredClone(value) };
  /** @type {[any, string | number][]} */
  const places = [];
  const visit = (holder, key) => {
    places.push([holder, key]);
    const at = holder[key];
    if (typeof at === "object" && at)
      for (const inner of Object.keys(at)) visit(at, Array.isArray(at) ? Number(inner) : inner);
  };
  visit(root, "value");
  const [holder, key] = pick(places);
  const at = holder[key];
  const changes = [() => (holder[key] = fresh()), () => (holder[key] = structuredClone(root.value && pick(places)[0]))];
  if (holder !== root) changes.push(() => (Array.isArray(holder) ? holder.splice(Number(key), 1) : delete holder[key]));
  if (Array.isArray(holder))
    changes.push(() => holder.splice(Number(key), 0, random() < 0.5 ? structuredClone(at) : fresh()));
  if (typeof at === "number")
    changes.push(...[at + 1, at - 1, at + 0.5, -at, at * 10, at / 10].map((next) => () => (holder[key] = next)));
  if (typeof at === "string") {
    const cut = Math.floor(random() * (at.length + 1));
    const [head, tail] = [at.slice(0, cut), at.slice(cut)];
    const texts = [
      head + pick(["a", "0", "-", ".", " ", "é", "\n", "Z"]) + tail,
      head,
      tail,
      head + tail.slice(1),
      at + at,
    ];
    changes.push(...texts.map((next) => () => (holder[key] = next)));
  }
  if (Array.isArray(at))
    changes.push(
      () => at.push(fresh()),
      () => at.reverse(),
    );
  if (typeof at === "object" && at && !Array.isArray(at)) {
    const add = () =>
      Object.defineProperty(at, pick(names), { value: fresh(), enumerable: true, writable: true, configurable: true });
    changes.push(add, add, () => (at[pick(names)] = structuredClone(pick(places)[0])));
  }
  pick(changes)();
  return root.value;
}
