/** The command line was not understood: exit status 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The command could not be carried out: one line on standard error, exit status 1. */
export class CommandFailed extends Error {
  override name = 'CommandFailed';
}
