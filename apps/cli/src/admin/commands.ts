import { randomBytes } from 'node:crypto';
import { durationMs, ROLES, SCOPES } from '@overheard/contracts';
import {
  createAccount,
  createKey,
  createPerson,
  type Database,
  disableSigning,
  enableSigning,
  grantCredits,
  listDeliveries,
  listKeys,
  listRequests,
  redeliver,
  redeliverRange,
  revokeKey,
  rotateSigning,
  sendTestDelivery,
  setPassword,
  showAccount,
} from '@overheard/database';
import * as z from 'zod';
import { flag, wholeNumber } from '../options.js';
import { encryptionKey } from '../servers.js';
import { UsageError } from '../usage-error.js';

/** A command of `admin`: its options, and what it does. What it returns is printed as JSON. */
export interface Command<Shape extends z.ZodRawShape = z.ZodRawShape> {
  usage: string;
  options: z.ZodObject<Shape>;
  run(database: Database, options: z.infer<z.ZodObject<Shape>>): Promise<unknown>;
}

const command = <Shape extends z.ZodRawShape>(usage: string, shape: Shape, run: Command<Shape>['run']): Command =>
  ({ usage, options: z.object(shape), run }) as unknown as Command;

const id = z.guid('Expected an id');
const scopes = z
  .string()
  .transform((list) => list.split(','))
  .pipe(z.array(z.enum(SCOPES, { error: `Expected scopes out of ${SCOPES.join(', ')}` })));
const status = z.enum(['pending', 'delivered', 'failed'], { error: 'Expected pending, delivered or failed' });
const role = z.enum(ROLES, { error: `Expected a role: ${ROLES.join(', ')}` });
const email = z.email('Expected an e-mail address');
const webhookUrl = z.url({ protocol: /^https?$/, error: 'Expected an http or https URL' });

/** Everything an operator may do, by its two words (operations.md, admin). */
export const COMMANDS: Record<string, Command> = {
  'account create': command(
    '--name NAME [--credits N] [--concurrency N] [--rate N]',
    { name: z.string().min(1), credits: wholeNumber(0).optional(), concurrency: wholeNumber(1).optional(), rate: wholeNumber(1).optional() },
    createAccount,
  ),
  'account show': command('--account ID', { account: id }, (database, { account }) => showAccount(database, account)),
  'account grant': command('--account ID --credits N', { account: id, credits: wholeNumber(1) }, (database, { account, credits }) =>
    grantCredits(database, account, credits),
  ),
  'key create': command(
    '--account ID [--name NAME] [--scopes a,b] [--expires-in 3s] [--test]',
    { account: id, name: z.string().min(1).optional(), scopes: scopes.optional(), 'expires-in': durationMs.optional(), test: flag },
    (database, { account, name, scopes, 'expires-in': expiresInMs, test }) => createKey(database, { accountId: account, name, scopes, expiresInMs, test }),
  ),
  'key list': command('--account ID', { account: id }, (database, { account }) => listKeys(database, account)),
  'key revoke': command('--key ID', { key: id }, async (database, { key }) => {
    await revokeKey(database, key);
    return { keyId: key, revoked: true };
  }),
  'person create': command(
    '--account ID --email EMAIL [--role viewer|member|owner]',
    { account: id, email, role: role.default('owner') },
    async (database, { account, email, role }) => {
      await showAccount(database, account);
      const password = newPassword();
      const { personId, isNew, isAdded } = await createPerson(database, { accountId: account, email, role, password });
      return { personId, ...(isAdded ? { role } : {}), ...(isNew ? { password } : {}) };
    },
  ),
  'person password': command('--email EMAIL', { email }, async (database, { email }) => {
    const password = newPassword();
    await setPassword(database, email, password);
    return { password };
  }),
  'signing enable': command('--account ID', { account: id }, (database, { account }) => enableSigning(database, encryptionKey(), account)),
  'signing rotate': command('--account ID', { account: id }, (database, { account }) => rotateSigning(database, encryptionKey(), account)),
  'signing disable': command('--account ID', { account: id }, (database, { account }) => disableSigning(database, account)),
  requests: command('--account ID [--limit N]', { account: id, limit: wholeNumber(1).default(100) }, async (database, { account, limit }) => {
    await showAccount(database, account);
    return listRequests(database, account, limit);
  }),
  deliveries: command(
    '--account ID [--task ID] [--status pending|delivered|failed] [--limit N]',
    { account: id, task: id.optional(), status: status.optional(), limit: wholeNumber(1).default(1000) },
    async (database, { account, task, status, limit }) => {
      await showAccount(database, account);
      return (await listDeliveries(database, { accountId: account, taskId: task, status, limit })).deliveries;
    },
  ),
  redeliver: command(
    '--delivery ID | --account ID --since 2h [--status failed]',
    { delivery: id.optional(), account: id.optional(), since: durationMs.optional(), status: status.optional() },
    async (database, { delivery, account, since, status }) => {
      const isRange = account !== undefined && since !== undefined;
      if (delivery !== undefined && !(account ?? since ?? status)) return redeliver(database, { deliveryId: delivery });
      if (delivery !== undefined || !isRange) throw new UsageError('expected --delivery, or --account with --since');
      return redeliverRange(database, { accountId: account, sinceMs: since, status: status ?? 'failed' });
    },
  ),
  'webhook-test': command('--account ID --url URL', { account: id, url: webhookUrl }, (database, { account, url }) =>
    sendTestDelivery(database, { accountId: account, url }),
  ),
};

/** Made here, since what is on a command line can be read by others. */
const newPassword = (): string => randomBytes(15).toString('base64url');
