import { isRecord, type JsonRecord } from '../../formats/json.js';

/** One operation of the web app's patch encoding: where, what to do, and with which value. */
export interface Patch {
  p: string;
  o: string;
  v: unknown;
}

const TEXT = '/message/content/parts/0';

/** Reads the deltas of a stream; one without a place or a verb has those of the one before, so that `{ v }` alone goes on. */
export class PatchReader {
  #place = { p: '', o: '' };

  /** The operations of a delta, each complete. */
  read(delta: JsonRecord): Patch[] {
    this.#place = placeOf(delta, this.#place);
    return operations(delta.v, this.#place);
  }
}

type Place = Omit<Patch, 'v'>;

const placeOf = ({ p, o }: JsonRecord, before: Place): Place => ({ p: typeof p === 'string' ? p : before.p, o: typeof o === 'string' ? o : before.o });

function operations(v: unknown, place: Place): Patch[] {
  // Words that go on after a batch or a whole message can only be the text.
  if (!isBatch(v, place.o)) return [typeof v === 'string' && place.p === '' ? { p: TEXT, o: 'append', v } : { ...place, v }];
  let inner = place;
  return v.filter(isRecord).flatMap((delta) => {
    inner = placeOf(delta, inner);
    return operations(delta.v, inner);
  });
}

/** A list of operations says so, or each of its entries has a place. */
const isBatch = (v: unknown, o: string): v is unknown[] =>
  Array.isArray(v) && (o === 'patch' || (v.length > 0 && v.every((entry) => isRecord(entry) && typeof entry.p === 'string')));

/** Carries out an operation on a value, which it may change, and gives the value that results. What makes no sense changes nothing. */
export const applyPatch = (value: unknown, { p, o, v }: Patch): unknown =>
  changeAt(
    value,
    p
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')),
    { o, v },
  );

type Change = Omit<Patch, 'p'>;

function changeAt(value: unknown, [key, ...path]: string[], change: Change): unknown {
  if (key === undefined) return changed(value, change);
  const container = isRecord(value) || Array.isArray(value) ? value : /^(?:\d+|-)$/.test(key) ? [] : {};
  if (Array.isArray(container)) changeEntry(container, key === '-' ? container.length : Number(key), path, change);
  else changeField(container, key, path, change);
  return container;
}

function changeEntry(list: unknown[], index: number, path: string[], change: Change): void {
  // A gap would be a list as long as the upstream pleases.
  if (!Number.isInteger(index) || index < 0 || index > list.length) return;
  if (change.o === 'remove' && path.length === 0) list.splice(index, 1);
  else list[index] = changeAt(list[index], path, change);
}

function changeField(record: JsonRecord, key: string, path: string[], change: Change): void {
  if (key === '__proto__') return;
  if (change.o === 'remove' && path.length === 0) delete record[key];
  else record[key] = changeAt(Object.hasOwn(record, key) ? record[key] : undefined, path, change);
}

function changed(value: unknown, { o, v }: Change): unknown {
  switch (o) {
    case 'add':
    case 'replace':
      return v;
    case 'append':
      return appended(value, v);
    case 'truncate':
      return typeof value === 'string' && typeof v === 'number' ? value.slice(0, v) : value;
    default:
      return value;
  }
}

function appended(value: unknown, v: unknown): unknown {
  if (Array.isArray(value)) {
    for (const entry of [v].flat()) value.push(entry);
    return value;
  }
  if (typeof value === 'string' && typeof v === 'string') return value + v;
  return isRecord(value) && isRecord(v) ? { ...value, ...v } : v;
}
