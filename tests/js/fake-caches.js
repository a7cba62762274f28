// The browser's CacheStorage as far as the library uses it, in memory, for tests in Node.

/** What browsers throw when the disk is full. */
const full = () => new DOMException("there is no room", "QuotaExceededError");

function answerOf(entries, key) {
  const bytes = entries?.get(new URL(key).href);
  return bytes && new Response(bytes);
}

export class FakeCaches {
  /** Bytes by cache and key, which tests inspect and damage. @type {Map<string, Map<string, Uint8Array>>} */
  stored = new Map();
  /** How many bytes there is room for. */
  room = Infinity;
  /** Names of methods that throw. @type {Set<string>} */
  broken = new Set();
  /** Names of methods that never answer. @type {Set<string>} */
  silent = new Set();
  unanswered = 0;
  /** Called with each key before it is put. @type {(key: string) => void | Promise<void>} */
  onPut = () => {};

  async #enter(method) {
    await null;
    if (this.broken.has(method)) throw new DOMException(`${method} is refused`, "SecurityError");
    if (!this.silent.has(method)) return;
    this.unanswered++;
    await new Promise(() => {});
  }

  async has(name) {
    await this.#enter("has");
    return this.stored.has(name);
  }

  async keys() {
    await this.#enter("keys");
    return [...this.stored.keys()];
  }

  async match(key, { cacheName }) {
    await this.#enter("match");
    return answerOf(this.stored.get(cacheName), key);
  }

  async delete(name) {
    await this.#enter("delete");
    return this.stored.delete(name);
  }

  async open(name) {
    await this.#enter("open");
    const entries = this.stored.get(name) ?? new Map();
    this.stored.set(name, entries);
    return {
      match: async (key) => {
        await this.#enter("match");
        return answerOf(entries, key);
      },
      put: async (key, response) => {
        await this.#enter("put");
        await this.onPut(key);
        const bytes = new Uint8Array(await response.arrayBuffer());
        this.room -= bytes.length;
        if (this.room < 0) throw full();
        entries.set(new URL(key).href, bytes);
      },
    };
  }
}
