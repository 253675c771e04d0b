/**
 * The places in which a process can be made to die or to freeze, so that tests can show that it does not matter there.
 * Each lies between two steps that belong together and can't be one transaction.
 */
export const FAILPOINTS = [
  /** The commit is made, nothing is published. */
  'gateway.admitted',
  /** The hold is a charge, nobody has been told. */
  'gateway.settled',
  /** The upstream has answered, nobody knows. */
  'worker.answered',
  /** The outcome is on the bus, the work is not acknowledged. */
  'worker.published',
  /** Inside the transaction that claims tasks. */
  'task-store.claimed',
  /** The outcome is committed, neither published nor acknowledged. */
  'task-store.recorded',
  /** The receiver has the delivery, the attempt's outcome is not written down. */
  'webhook-dispatcher.sent',
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

const SIGNALS = { kill: 'SIGKILL', stop: 'SIGSTOP' } as const;

/** How the setting FAILPOINT is written: `name:kill` dies at once, as by `kill -9`; `name:stop` freezes until a SIGCONT. */
export const FAILPOINT_FORM = new RegExp(`^(${FAILPOINTS.join('|')}):(${Object.keys(SIGNALS).join('|')})$`);

let armed: string | undefined;

/** Arms the failpoint that the setting names. */
export function arm(setting: string | undefined): void {
  armed = setting;
}

/** What the armed failpoint does to this process the first time it comes by; nothing at all anywhere else. */
export function failpoint(name: Failpoint): void {
  if (armed === undefined || !armed.startsWith(`${name}:`)) return;
  const action = armed.slice(name.length + 1) as keyof typeof SIGNALS;
  armed = undefined;
  process.kill(process.pid, SIGNALS[action]);
}
