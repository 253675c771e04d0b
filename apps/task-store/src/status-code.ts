import { ERRORS, type Outcome } from '@overheard/contracts';

/** What a synchronous caller is answered for an outcome (decision L7). */
export const statusCodeOf = (outcome: Outcome): number => (outcome.status === 'COMPLETED' ? 200 : ERRORS[outcome.error.code].status);
