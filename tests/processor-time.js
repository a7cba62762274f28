// Times of a machine that is busy with other programs.

/**
 * Starts a clock that returns the milliseconds of processor time that this process has had since. Unlike the time on the
 * wall, it does not grow while other programs have the cores.
 */
export function startProcessorClock() {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}
