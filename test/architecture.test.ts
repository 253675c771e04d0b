import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { contracts } from '@overheard/providers/contracts';

const root = join(import.meta.dirname, '..');
const SOURCE = /\.(ts|tsx|js|mjs|cjs|css|html|sql)$/;
const NO_SOURCE = /(^|\/)(node_modules|dist|test|fixtures|\.local)$|\.test\.[a-z]+$/;

test('no source file outside libs/providers names a provider', () => {
  const patterns = providerNames().flatMap(patternsOf);
  const files = ['apps', 'libs', 'scripts'].flatMap((folder) => sourcesBelow(join(root, folder)));
  const leaks = files.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, index) => (patterns.some((pattern) => pattern.test(line)) ? [`${relative(root, path)}:${index + 1} ${line.trim()}`] : [])),
  );
  expect(files.length).toBeGreaterThan(0);
  expect(leaks).toEqual([]);
});

test('a name is found in every spelling, and not inside other words', () => {
  const patterns = patternsOf('grok');
  const found = (line: string) => patterns.some((pattern) => pattern.test(line));
  expect(['Grok', "'GROK'", 'grok_web', 'worker-grok', 'grokEngine', 'GrokEngine', 'loadGrok', 'isGrok()'].filter((line) => !found(line))).toEqual([]);
  expect(['ngrok', 'grokked', 'NGROK'].filter(found)).toEqual([]);
});

/** Identifiers, paths and labels. */
function providerNames(): string[] {
  return [...new Set(contracts.flatMap(({ id, path, label }) => [id, path.replace('/', ' '), label].map((name) => name.toLowerCase())))];
}

/** How a name may be written: by itself in any case, or as a part of a name in camel case. */
function patternsOf(name: string): RegExp[] {
  const words = name.split(/[^a-z]+/);
  const alone = words.join('[^a-z]?');
  const capitalised = words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
  return [
    new RegExp(`(?<![a-z])${alone}(?![a-z])`, 'i'),
    new RegExp(`(?<![A-Za-z])(${words[0] + capitalised.slice(words[0]?.length)}|${capitalised})(?=[A-Z])`),
    new RegExp(`(?<=[a-z])${capitalised}(?![a-z])`),
  ];
}

function sourcesBelow(folder: string): string[] {
  if (relative(root, folder) === 'libs/providers') return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (NO_SOURCE.test(path)) return [];
    if (entry.isDirectory()) return sourcesBelow(path);
    return SOURCE.test(entry.name) ? [path] : [];
  });
}
