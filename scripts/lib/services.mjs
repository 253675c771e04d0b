// The services of `npm start`, as data.
import { programPath } from './programs.mjs';
import { root } from './workspace.mjs';

/** @typedef {{ id: string, live: boolean, path?: string }} Provider what the command line says of a provider */

/**
 * @typedef {object} Service
 * @property {string} name
 * @property {string} app the folder under apps/
 * @property {string[]} listedAs the services that run.json names for this process
 * @property {number} healthPort
 * @property {NodeJS.ProcessEnv} env
 */

/** The names under which ports are kept: each service's health, and the public ones. */
export const portNames = ['gateway', 'task-store', 'webhook-dispatcher', 'worker', 'dashboard', 'sandbox']
  .map((name) => `${name}-health`)
  .concat('public', 'dashboard', 'sandbox');

/**
 * The addresses that follow from the ports.
 * @param {Record<string, number>} ports
 */
export function addressesOf(ports) {
  const at = (/** @type {string} */ name) => `http://127.0.0.1:${ports[name]}`;
  return { baseUrl: at('public'), storageUrl: `${at('public')}/html`, dashboardUrl: at('dashboard'), sandboxUrl: at('sandbox') };
}

/**
 * Everything that `npm start` runs beside the servers.
 * @param {{ ports: Record<string, number>, providers: Provider[], environment: NodeJS.ProcessEnv }} options
 * @returns {Service[]}
 */
export function servicesOf({ ports, providers, environment }) {
  const { baseUrl, storageUrl, dashboardUrl, sandboxUrl } = addressesOf(ports);
  const allowedHosts = [process.env.WEBHOOK_ALLOWED_HOSTS, new URL(sandboxUrl).host].filter(Boolean).join(',');
  /** @type {(name: string, own?: { listedAs?: string[], env?: NodeJS.ProcessEnv }) => Service} */
  const service = (name, { listedAs = [name], env = {} } = {}) => {
    const healthPort = Number(ports[`${name}-health`]);
    const common = {
      HOST: '127.0.0.1',
      HEALTH_PORT: String(healthPort),
      STORAGE_URL: storageUrl,
      DASHBOARD_URL: dashboardUrl,
      SANDBOX_URL: sandboxUrl,
      UPSTREAM_FALLBACK: 'sandbox',
      WEBHOOK_ALLOWED_HOSTS: allowedHosts,
      PARENT_STDIN: '1',
    };
    // PORT is the gateway's to everybody who sets it; to a service it is its own, or nothing.
    return { name, app: name, listedAs, healthPort, env: { ...environment, PORT: undefined, ...common, ...env } };
  };
  return [
    service('sandbox', { env: { PORT: String(ports.sandbox) } }),
    service('task-store'),
    service('webhook-dispatcher'),
    service('worker', { listedAs: providers.map(({ id }) => workerName(id)), env: { PROVIDERS: providers.map(({ id }) => id).join(',') } }),
    service('dashboard', { env: { PORT: String(ports.dashboard), GATEWAY_URL: baseUrl } }),
    service('gateway', { env: { PORT: String(ports.public) } }),
  ];
}

/** The order of a clean end: the door is closed first, then the work ends, then what the two rely on. */
export const stopOrder = [['gateway'], ['worker'], ['task-store', 'webhook-dispatcher', 'dashboard', 'sandbox']];

/** @param {Service} service @returns {import('./supervisor.mjs').Program} */
export function programOf({ name, app, healthPort, env }) {
  return {
    name,
    command: process.execPath,
    args: [programPath(root, app)],
    cwd: root,
    env,
    stopSignal: 'SIGTERM',
    readsParent: true,
    isReady: () =>
      fetch(`http://127.0.0.1:${healthPort}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
        ({ ok }) => ok,
        () => false,
      ),
  };
}

/** @param {string} id */
const workerName = (id) => `worker-${id.toLowerCase().replaceAll('_', '-')}`;
