// Tells a person what is going on while they wait.

/** @typedef {{ say: (text: string) => void, during: <Result>(deed: string, work: () => Promise<Result>) => Promise<Result> }} Progress */

const REMINDER_MS = 5000;

/**
 * Progress lines on a stream. `during` says what begins, every five seconds that it still goes on, and how long it took.
 * @param {NodeJS.WritableStream} stream
 * @returns {Progress}
 */
export function progressOn(stream) {
  const say = (/** @type {string} */ text) => void stream.write(`${text}\n`);
  return {
    say,
    async during(deed, work) {
      const startedAt = Date.now();
      const seconds = () => ((Date.now() - startedAt) / 1000).toFixed(1);
      say(`${deed} …`);
      const reminder = setInterval(() => say(`${deed} … ${seconds()} s so far`), REMINDER_MS);
      try {
        const result = await work();
        say(`${deed}: done in ${seconds()} s`);
        return result;
      } finally {
        clearInterval(reminder);
      }
    },
  };
}

/** Says nothing. @type {Progress} */
export const silently = { say: () => {}, during: (_deed, work) => work() };

/**
 * Ends this process once its last lines are out; a reader that takes nothing more is not waited for.
 * @param {number} status
 */
export function exitWith(status) {
  outliveReaders();
  setTimeout(() => process.exit(status), 2000);
  process.stdout.write('', () => process.stderr.write('', () => process.exit(status)));
}

/** A reader of our output that goes away must not end us before we have cleaned up. */
export function outliveReaders() {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
