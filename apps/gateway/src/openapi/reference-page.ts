import { operations, type Operation, TAGS } from './operations.js';

/** The document as one page of HTML: no scripts, nothing from elsewhere, light and dark, readable without a mouse. */
export function referencePage(document: Record<string, any>): string {
  const { info, components, webhooks } = document;
  const paths = withResponses(document);
  const tags = Object.entries(TAGS).map(([tag, about]) => ({ tag, about, routes: operations.filter((operation) => operation.tag === tag) }));
  const contents = tags.map(({ tag, routes }) => `<li>${escaped(tag)}<ul>${routes.map(entry).join('')}</ul></li>`).join('');
  const sections = tags.map(
    ({ tag, about, routes }) =>
      `<section aria-labelledby="tag-${tag}"><h2 id="tag-${tag}">${escaped(tag)}</h2><p>${prose(about)}</p>${routes
        .map(({ path, method }) => operation(path, method.toUpperCase(), paths[path][method]))
        .join('')}</section>`,
  );
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) => `<article id="schema-${name}"><h3>${name}</h3>${described(schema as Shape)}${table(schema as Shape)}</article>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(info.title)} API reference</title><style>${STYLE}</style></head>
<body><a class="skip" href="#content">Skip to content</a>
<nav aria-label="Contents"><strong>${escaped(info.title)} ${escaped(info.version)}</strong><ul>${contents}<li><a href="#events">Events</a></li><li><a href="#schemas">Schemas</a></li></ul></nav>
<main id="content"><h1>${escaped(info.title)} API</h1><p>${prose(info.summary)}</p><p>${prose(info.description)}</p>
<p>${prose('Every request but those under Pages carries `Authorization: Bearer <API key>`.')} The same as a document: <a href="/openapi.json">openapi.json</a>.</p>
${sections.join('\n')}
<section aria-labelledby="events"><h2 id="events">Events</h2>${operation('webhook.url', 'POST', webhooks.taskOver.post)}</section>
<section aria-labelledby="headers"><h2 id="headers">Response headers</h2>${headerTable(components.headers)}</section>
<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>${shapes.join('\n')}</section>
</main></body></html>
`;
}

type Shape = Record<string, any>;

/** The paths with the responses in them that they refer to. */
function withResponses({ paths, components }: Shape): Shape {
  const text = JSON.stringify(paths).replace(/\{"\$ref":"#\/components\/responses\/(\w+)"\}/g, (_ref, name: string) =>
    JSON.stringify(components.responses[name]),
  );
  return JSON.parse(text) as Shape;
}

const entry = ({ id, summary }: Operation): string => `<li><a href="#${id}">${escaped(summary)}</a></li>`;

function operation(path: string, method: string, { operationId, summary, description, parameters = [], requestBody, responses }: Shape): string {
  const body = requestBody?.content['application/json'];
  return `<article id="${operationId}"><h3>${escaped(summary)}</h3><p class="route"><b>${method}</b> <code>${escaped(path)}</code></p><p>${prose(description)}</p>
${
  parameters.length > 0
    ? rows(
        'Parameters',
        ['Name', 'In', 'Type', 'About'],
        parameters.map(({ name, in: place, required, schema, description: about }: Shape) => [
          `<code>${escaped(name)}</code>${required ? ' <i>required</i>' : ''}`,
          place,
          typeOf(schema),
          prose(about ?? schema.description ?? ''),
        ]),
      )
    : ''
}
${body ? `<h4>Body</h4><p>${typeOf(body.schema)}</p>${sample(body.example)}` : ''}
${rows(
  'Answers',
  ['Status', 'Body', 'About'],
  Object.entries(responses as Shape).map(([status, { description: about, content }]) => [status, typeOf(contentOf(content)?.schema), prose(about)]),
)}
${Object.values(responses as Shape)
  .map(({ content }) => sample(contentOf(content)?.example))
  .join('')}</article>`;
}

const contentOf = (content: Shape | undefined): Shape | undefined => content && Object.values(content)[0];

const sample = (example: unknown): string =>
  example === undefined ? '' : `<details><summary>Example</summary><pre tabindex="0">${escaped(JSON.stringify(example, null, 2))}</pre></details>`;

const headerTable = (headers: Shape): string =>
  rows(
    'Headers',
    ['Name', 'Type', 'About'],
    Object.entries(headers).map(([name, { schema, description }]) => [`<code>${name}</code>`, typeOf(schema), prose(description)]),
  );

const described = ({ description }: Shape): string => (description ? `<p>${prose(description)}</p>` : '');

/** The fields of a schema, those of objects inside it too. */
function table(schema: Shape): string {
  const fields = fieldsOf(schema, '');
  return fields.length > 0 ? rows('Fields', ['Field', 'Type', 'About'], fields) : `<p>${typeOf(schema)}</p>`;
}

function fieldsOf(schema: Shape, prefix: string): string[][] {
  const { properties = {}, required = [] } = schema['type'] === 'array' ? (schema['items'] ?? {}) : schema;
  return Object.entries(properties as Record<string, Shape>).flatMap(([name, field]) => {
    const label = `<code>${escaped(prefix + name)}</code>${required.includes(name) ? '' : ' <i>optional</i>'}`;
    const inner = field['type'] === 'array' ? `${prefix}${name}[].` : `${prefix}${name}.`;
    return [[label, typeOf(field), prose(field['description'] ?? '')], ...fieldsOf(field, inner)];
  });
}

/** A schema in a few words. */
function typeOf(schema: Shape | undefined): string {
  if (!schema) return '';
  if (schema['$ref']) {
    const name = String(schema['$ref']).split('/').at(-1);
    const codes = schema['properties']?.error?.properties?.code?.enum as string[] | undefined;
    return `<a href="#schema-${name}">${name}</a>${codes ? ` ${codes.map((code) => `<code>${code}</code>`).join(', ')}` : ''}`;
  }
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Shape[] | undefined;
  if (choices) return choices.map(typeOf).join(' or ');
  if (schema['const'] !== undefined) return `<code>${escaped(JSON.stringify(schema['const']))}</code>`;
  if (schema['enum']) return (schema['enum'] as unknown[]).map((value) => `<code>${escaped(String(value))}</code>`).join(', ');
  if (schema['type'] === 'array') return `list of ${typeOf(schema['items']) || 'anything'}`;
  const { minimum, maximum, maxLength, format, default: fallback } = schema;
  const limits = [
    format,
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : undefined,
    maxLength ? `at most ${maxLength} characters` : undefined,
    fallback !== undefined && typeof fallback !== 'object' ? `default ${JSON.stringify(fallback)}` : undefined,
  ].filter(Boolean);
  return [[schema['type'] ?? 'anything'].flat().join(' or '), ...limits].map((word) => escaped(String(word))).join(', ');
}

function rows(caption: string, heads: string[], lines: string[][]): string {
  const head = heads.map((title) => `<th scope="col">${title}</th>`).join('');
  const body = lines.map(([first, ...cells]) => `<tr><th scope="row">${first}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('');
  return `<div class="wide" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
const prose = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');

const STYLE = `
:root{color-scheme:light dark;--text:#1b1f24;--back:#fff;--soft:#f3f5f7;--line:#d3d9df;--link:#0b57c2;--quiet:#56606b}
@media(prefers-color-scheme:dark){:root{--text:#e4e8ec;--back:#14171b;--soft:#1e2329;--line:#363e47;--link:#86b6ff;--quiet:#a3adb8}}
*{box-sizing:border-box}html{scroll-padding-top:1rem}
body{margin:0;font:16px/1.55 system-ui,sans-serif;color:var(--text);background:var(--back);display:grid;grid-template-columns:17rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.25rem;border-right:1px solid var(--line);font-size:.9rem}
nav ul{list-style:none;margin:.25rem 0 .75rem;padding-left:.75rem}main{padding:1.5rem 2rem;max-width:64rem}
a{color:var(--link)}a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--back);padding:.5rem;z-index:1}
h2{margin-top:3rem;border-bottom:1px solid var(--line)}article{margin:2rem 0}.route{font-size:1.05rem}
code,pre{font:.88em/1.5 ui-monospace,monospace;background:var(--soft);border-radius:4px}code{padding:.1em .3em}pre{padding:1rem;overflow:auto;max-height:30rem}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}caption{text-align:left;font-weight:600;padding:.75rem 0 .25rem}
th,td{border-top:1px solid var(--line);padding:.4rem .75rem .4rem 0;text-align:left;vertical-align:top;font-weight:400}thead th{font-weight:600;color:var(--quiet)}i{color:var(--quiet);font-size:.9em}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border:0;border-bottom:1px solid var(--line)}main{padding:1rem}}
`;
