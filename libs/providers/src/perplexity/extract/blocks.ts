import { fieldsOf, isRecord, listOf, textOf, type JsonRecord } from '../../formats/json.js';

/** The blocks of a web answer by their use, after every patch that came. */
export class Blocks extends Map<string, JsonRecord> {
  take({ intended_usage, diff_block, ...whole }: JsonRecord): void {
    const usage = textOf(intended_usage);
    if (usage === undefined) return;
    const { field, patches } = fieldsOf(diff_block);
    // The frames stay as they came, for rawResponse; only copies are patched.
    const known = { ...this.get(usage), ...structuredClone(whole) };
    if (typeof field === 'string') known[field] = patched(known[field], listOf(patches));
    this.set(usage, known);
  }
}

/** A document after JSON Patches (RFC 6902) of the kinds that come: add, replace, remove. One whose place is not there is passed over. */
function patched(document: unknown, patches: unknown[]): unknown {
  let root = document;
  for (const { op, path, value } of patches.map(fieldsOf)) {
    const keys = String(path ?? '')
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop();
    if (last === undefined) root = structuredClone(value);
    else change(keys.reduce<unknown>(inside, root), { op, key: last, value: structuredClone(value) });
  }
  return root;
}

function inside(container: unknown, key: string): unknown {
  return Array.isArray(container) || isRecord(container) ? Object.getOwnPropertyDescriptor(container, key)?.value : undefined;
}

function change(container: unknown, { op, key, value }: { op: unknown; key: string; value: unknown }): void {
  if (Array.isArray(container)) {
    const index = key === '-' ? container.length : Number(key);
    if (Number.isInteger(index) && index >= 0) container.splice(index, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [value]));
  } else if (isRecord(container) && key !== '__proto__') {
    if (op === 'remove') delete container[key];
    else container[key] = value;
  }
}
