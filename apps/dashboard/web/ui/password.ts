const LENGTH_MIN = 12;
const LENGTH_MAX = 200;

/** What is wrong with a new password, before the server says the same. */
export const faultOfPassword = (password: string): string | null =>
  password.length < LENGTH_MIN ? `Use at least ${LENGTH_MIN} characters.` : password.length > LENGTH_MAX ? `Use at most ${LENGTH_MAX} characters.` : null;
