import { first, parseHtml, type Element } from './html.js';

const CALL = /jsl\.dh\('([^']+)','/g;

/** Parts of a page that a script puts in when they are needed, by the id of their place: `window.jsl.dh('<id>','\x3cdiv …')`. */
export function deferredParts(scripts: string): (id: string) => Element | undefined {
  let begins: Map<string, number> | undefined;
  return (id) => {
    begins ??= new Map([...scripts.matchAll(CALL)].map(({ 0: call, 1: name, index }) => [name!, index + call.length]));
    const begin = begins.get(id);
    const end = begin === undefined ? -1 : scripts.indexOf("')", begin);
    return end < 0 ? undefined : first(parseHtml(`<div>${unescapeScript(scripts.slice(begin, end))}</div>`), 'div');
  };
}

const CONTROLS: Record<string, string> = { n: '\n', r: '\r', t: '\t' };

const unescapeScript = (text: string): string =>
  text.replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|(.))/gis, (_all, byte: string | undefined, unit: string | undefined, sign: string) =>
    byte || unit ? String.fromCharCode(parseInt((byte ?? unit)!, 16)) : (CONTROLS[sign] ?? sign),
  );
