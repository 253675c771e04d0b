// Makes the services' JSON log readable: one line an event.

const LEVELS = /** @type {Record<number, string>} */ ({ 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' });
const LEFT_OUT = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'service', 'name', 'v']);
const LONGEST_VALUE = 100;
const LONGEST_LINE = 400;

/**
 * A line for a person. What is not JSON is passed on as it is.
 * @param {string} service
 * @param {string} line
 */
export function readable(service, line) {
  const event = parse(line);
  if (!event) return head(new Date(), 'info', service) + line;
  const fields = Object.entries(event).flatMap(([key, value]) => (LEFT_OUT.has(key) ? [] : field(key, value)));
  const text = [event.msg, ...fields].filter((part) => part !== undefined && part !== '').join('  ');
  return head(new Date(event.time ?? Date.now()), LEVELS[event.level] ?? String(event.level), service) + shorten(text, LONGEST_LINE) + stackOf(event);
}

/** @param {string} line @returns {Record<string, any> | undefined} */
function parse(line) {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** @param {Date} time @param {string} level @param {string} service */
function head(time, level, service) {
  const clock = Number.isNaN(time.getTime()) ? '--------' : time.toISOString().slice(11, 23);
  return `${clock} ${level.padEnd(5)} ${service.padEnd(18)} `;
}

/** @param {string} key @param {unknown} value @returns {string[]} */
function field(key, value) {
  if (value === null || value === undefined || value === '') return [];
  if (key === 'err' && typeof value === 'object') return [`${key}=${JSON.stringify(/** @type {any} */ (value).message)}`];
  const text = typeof value === 'string' ? (/^[\w./:@+-]+$/.test(value) ? value : JSON.stringify(value)) : JSON.stringify(value);
  return [`${key}=${shorten(text, LONGEST_VALUE)}`];
}

/** An error's stack is the one thing worth more than a line. @param {Record<string, any>} event */
function stackOf(event) {
  const stack = event.err?.stack;
  return event.level >= 50 && typeof stack === 'string'
    ? stack
        .split('\n')
        .slice(1, 6)
        .map((line) => `\n    ${line.trim()}`)
        .join('')
    : '';
}

/** @param {string} text @param {number} length */
const shorten = (text, length) => (text.length > length ? `${text.slice(0, length)}…` : text);
