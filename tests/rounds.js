// Long sweeps in JavaScript: whole with CHECK_LONG (`make test-long`), else a part with the same seeds. As in tests/c/check.h.
const isLong = process.env.CHECK_LONG !== undefined;

/** @template T @param {T} all @param {T} some of them without CHECK_LONG */
export const rounds = (all, some) => (isLong ? all : some);
