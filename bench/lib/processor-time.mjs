// Processor time of one piece of work, for comparisons on a machine that has other things to do as well.

/** So long is each piece of work measured at least. */
const LONG_ENOUGH_MS = 300;

/**
 * Milliseconds of processor time, the collector's included, of the best of several runs: the rest is what else the machine did.
 * @param {() => unknown} work
 */
export const best = async (work) => (await bestInTurn([work], 2))[0] ?? 0;

/**
 * The same for several pieces of work that take turns, so that a slow spell of the machine meets all of them.
 * @param {(() => unknown)[]} works
 * @param {number} turns at least
 */
export async function bestInTurn(works, turns) {
  const times = works.map(() => Infinity);
  for (let turn = 0, spent = 0; turn < turns || spent < LONG_ENOUGH_MS * works.length; turn += 1) {
    for (const [index, work] of works.entries()) {
      const before = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(before);
      const ms = (user + system) / 1000;
      times[index] = Math.min(times[index] ?? ms, ms);
      spent += ms;
    }
  }
  return times;
}

/** Three digits: more would be noise. @param {number} value */
export const round = (value) => Number(value.toPrecision(3));
