// A PostgreSQL server of our own.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { run } from './command.mjs';
import { commandLine } from './process-identity.mjs';
import { debianPackage, embeddedPostgres, libraryPath, onPath } from './packages.mjs';
import { talk } from './talk.mjs';
import { readJson, writeWhole } from './write-whole.mjs';

/** @typedef {import('./servers.mjs').Place} Place */
/** @typedef {{ uid: number, gid: number }} User */
/** @typedef {{ bin: string, env: NodeJS.ProcessEnv, major: string }} Installation */
/** @typedef {{ folder: string, user: User | undefined, outside: boolean }} Home where the data are, and as whom the server runs */

const NAME = 'overheard';

/**
 * The program that serves PostgreSQL, and its address; undefined where there is none.
 * @param {Place} place
 * @returns {Promise<import('./servers.mjs').Provided | undefined>}
 */
export async function postgres(place) {
  const { port, password, logFile, durable, progress } = place;
  const home = homeOf(place);
  const data = join(home.folder, 'postgres');
  const installation = await usableInstallation(place, home, data);
  if (!installation) return undefined;
  const { bin, env } = installation;
  return {
    url: `postgres://${NAME}:${password}@127.0.0.1:${port}/${NAME}`,
    ...(home.outside ? { postgresDataDir: home.folder } : {}),
    program: {
      name: 'postgres',
      command: join(bin, 'postgres'),
      args: serverArguments({ data, port, durable }),
      env,
      cwd: home.folder,
      logFile,
      // SIGTERM would wait for clients to leave.
      stopSignal: 'SIGINT',
      ...(home.user ? { user: home.user } : {}),
      beforeStart: () => removeForeignPid(data, progress),
      isReady: async () => (await talk({ host: '127.0.0.1', port }, startupMessage())).startsWith('R'),
    },
  };
}

/** The first installation that runs here and fits the data; makes the data where there are none. @param {Place} place @param {Home} home @param {string} data */
async function usableInstallation(place, home, data) {
  const stored = existsSync(join(data, 'PG_VERSION')) ? readFileSync(join(data, 'PG_VERSION'), 'utf8').trim() : undefined;
  for await (const candidate of candidates(place)) {
    const installation = await inspect(candidate, home);
    if (!installation || (stored !== undefined && installation.major !== stored)) continue;
    if (stored !== undefined) return installation;
    const made = await makeCluster(installation, home, data, place.password).then(
      () => true,
      (error) => void place.progress.say(error.message),
    );
    if (made) return installation;
  }
  if (stored !== undefined)
    throw new Error(
      `The data in ${data} are of PostgreSQL ${stored}, which is not on this machine. Install that version, or move the folder away to begin anew.`,
    );
  return undefined;
}

/** Folders that may hold postgres and initdb, with the libraries they need. @param {Place} place @returns {AsyncGenerator<{ bin: string, root?: string }>} */
async function* candidates({ packagesDir, progress }) {
  for (const bin of installedFolders()) yield { bin };
  const debian = await debianPackage('postgresql', packagesDir, progress).catch((error) => void progress.say(error.message));
  if (debian) for (const bin of versionFolders(join(debian, 'usr/lib/postgresql'), 'bin')) yield { bin, root: debian };
  const embedded = await embeddedPostgres(packagesDir, progress).catch((error) => void progress.say(error.message));
  if (embedded) yield { bin: join(embedded, 'bin'), root: embedded };
}

function installedFolders() {
  const named = onPath('postgres');
  return [
    ...(named ? [dirname(named)] : []),
    ...versionFolders('/usr/lib/postgresql', 'bin'),
    ...['/usr', '/opt/homebrew/opt', '/usr/local/opt'].flatMap((parent) => versionFolders(parent, 'bin', /^(pgsql-|postgresql@)/)),
  ].filter((bin) => existsSync(join(bin, 'initdb')));
}

/** @param {string} parent @param {string} below @param {RegExp} [pattern] @returns {string[]} newest first */
function versionFolders(parent, below, pattern = /^\d+$/) {
  if (!existsSync(parent)) return [];
  const names = readdirSync(parent).filter((name) => pattern.test(name));
  return names.sort((a, b) => b.localeCompare(a, 'en', { numeric: true })).map((name) => join(parent, name, below));
}

/**
 * Tries an installation; undefined when it doesn't run here.
 * @param {{ bin: string, root?: string }} candidate
 * @param {Home} home
 * @returns {Promise<Installation | undefined>}
 */
async function inspect({ bin, root }, home) {
  // What we unpacked lies in a folder that only root can enter: the server's own user gets a copy.
  const reachable = root && home.user ? copyFor(home, root) : root;
  const place = root && reachable ? bin.replace(root, reachable) : bin;
  const env = { ...process.env, ...(reachable ? { LD_LIBRARY_PATH: libraryPath(reachable) } : {}), LC_ALL: 'C', TZ: 'UTC' };
  try {
    const { stdout } = await run(join(place, 'postgres'), ['--version'], { env, cwd: home.folder, ...home.user });
    return { bin: place, env, major: String(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]) };
  } catch {
    return undefined;
  }
}

/** @param {Home} home @param {string} root */
function copyFor(home, root) {
  const copy = join(home.folder, `program-${createHash('sha256').update(root).digest('hex').slice(0, 8)}`);
  if (!existsSync(copy)) {
    cpSync(root, `${copy}.tmp`, { recursive: true, verbatimSymlinks: true, force: true });
    chmodSync(`${copy}.tmp`, 0o755);
    renameSync(`${copy}.tmp`, copy);
  }
  return copy;
}

/** Makes the data folder, the role and the database; an interrupted attempt leaves nothing that counts. @param {Installation} installation @param {Home} home @param {string} data @param {string} password */
async function makeCluster({ bin, env }, home, data, password) {
  const draft = `${data}.new`;
  const passwordFile = join(home.folder, 'password');
  rmSync(draft, { recursive: true, force: true });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (home.user) chownSync(passwordFile, home.user.uid, home.user.gid);
  const options = { env, cwd: home.folder, ...home.user };
  try {
    const initdb = [
      '-D',
      draft,
      '-U',
      NAME,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ];
    await run(join(bin, 'initdb'), initdb, options);
    // Not every installation has a client, so the database is made by the server itself, in single-user mode.
    await run(join(bin, 'postgres'), ['--single', '-D', draft, 'postgres'], { ...options, input: `CREATE DATABASE ${NAME};\n` });
    renameSync(draft, data);
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(draft, { recursive: true, force: true });
  }
}

/** @param {{ data: string, port: number, durable: boolean }} settings */
function serverArguments({ data, port, durable }) {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '128MB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  };
  return ['-D', data, '-p', String(port), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/**
 * PostgreSQL refuses to run as root. Then it runs as `postgres`, else `nobody`, and since the data folder is closed to both,
 * its data go to a folder under /var/tmp. The data folder remembers which.
 * @param {Place} place
 * @returns {Home}
 */
function homeOf({ dataDir, progress }) {
  if (process.getuid?.() !== 0) return { folder: dataDir, user: undefined, outside: false };
  const user = userOf('postgres') ?? userOf('nobody');
  if (!user) throw new Error('PostgreSQL does not run as root, and this machine has neither a user postgres nor a user nobody.');
  const note = join(dataDir, 'postgres.json');
  const folder = readJson(note)?.folder;
  if (folder !== undefined && isPrivate(folder, user)) return { folder, user, outside: true };
  if (folder !== undefined) progress.say(`PostgreSQL's data in ${folder} are gone: beginning anew`);
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 8);
  const fresh = mkdtempSync(`/var/tmp/overheard-${name}-`);
  chownSync(fresh, user.uid, user.gid);
  writeWhole(note, { folder: fresh });
  return { folder: fresh, user, outside: true };
}

/** @param {string} name @returns {User | undefined} */
function userOf(name) {
  try {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' })));
    return uid === undefined || gid === undefined ? undefined : { uid, gid };
  } catch {
    return undefined;
  }
}

/** @param {string} folder @param {User} user */
function isPrivate(folder, user) {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === user.uid && (found.mode & 0o077) === 0;
}

/** After a crash the server's pid may by now belong to a stranger, for whose sake PostgreSQL would not start. @param {string} data @param {Place['progress']} progress */
function removeForeignPid(data, progress) {
  const path = join(data, 'postmaster.pid');
  if (!existsSync(path)) return;
  const pid = Number(readFileSync(path, 'utf8').split('\n')[0]);
  if (/\bpostgres\b/.test(commandLine(pid))) return;
  rmSync(path, { force: true });
  if (commandLine(pid) !== '') progress.say(`removed ${basename(path)}: ${pid} is another program now`);
}

/** The first words of the PostgreSQL protocol: a server that is ready asks for the password (R), one that still starts refuses (E). */
function startupMessage() {
  const words = Buffer.from(`user\0${NAME}\0database\0${NAME}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + words.length, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, words]);
}
