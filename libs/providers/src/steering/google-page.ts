import { decodeUule } from '../formats/google-address.js';
import type { SandboxCall, SandboxNote, SandboxReply } from '../sandbox.js';
import type { Steering } from './steering.js';

// How Google's pages look to whoever reads them, as recordings of 2026 show it: their frame, and the pages in place of results.

/** A text inside HTML. */
export const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/** Reads what a search was for, and from where; undefined for any other address. */
export function noteSearch({ method, url, headers }: SandboxCall): SandboxNote | undefined {
  const { pathname, searchParams } = new URL(url, 'http://sandbox');
  const query = searchParams.get('q');
  if (method !== 'GET' || pathname !== '/search' || query === null) return undefined;
  return {
    prompt: query,
    country: searchParams.get('gl')?.toUpperCase(),
    location: decodeUule(searchParams.get('uule') ?? ''),
    language: searchParams.get('hl') ?? undefined,
    device: /Mobile/.test(String(headers['user-agent'])) ? 'mobile' : 'desktop',
    page: Number(searchParams.get('start') ?? 0) / 10 + 1,
  };
}

interface Frame {
  note: SandboxNote;
  /** Above the results, across the page. */
  head?: string;
  /** The list of results; none on a page that found nothing. */
  results?: string;
  /** Below the results. */
  foot?: string;
  /** In place of everything from the results on. */
  message?: string;
  paddingBytes?: number;
}

/** A page of results. Mobile pages lack two elements of the desktop's. */
export function* resultsPage({ note, head = '', results, foot = '', message = '', paddingBytes = 0 }: Frame): Generator<string> {
  const list = results === undefined ? '' : `<div data-async-context="query:${encodeURIComponent(note.prompt)}" id="rso">${results}</div>`;
  const isMobile = note.device === 'mobile';
  const column = `<div id="taw">${head}</div><div id="topstuff"></div>${isMobile ? list : `<div id="search">${list}</div>`}<div id="botstuff">${message}${foot}</div>`;
  yield `<!doctype html><html itemscope="" lang="${note.language ?? 'en'}-${note.country ?? 'US'}"><head><meta charset="UTF-8">${isMobile ? '<meta name="viewport" content="width=device-width">' : ''}<title>${escaped(note.prompt)} - Google Search</title></head><body jsmodel="hspDDf" id="gsr"><noscript><meta content="0;url=/httpservice/retry/enablejs?sei=sandbox" http-equiv="refresh"></noscript><form action="/search" role="search"><textarea name="q" role="combobox">${escaped(note.prompt)}</textarea></form><div class="main" id="main"><div id="cnt">${isMobile ? '' : '<div id="rcnt">'}<div id="center_col" role="main">${column}</div>${isMobile ? '' : '</div>'}</div></div>`;
  yield* padding(paddingBytes);
  yield '</body></html>';
}

const BLOCK_BYTES = 64 * 1024;

function* padding(bytes: number): Generator<string> {
  for (let left = bytes; left > 0; left -= BLOCK_BYTES) yield `<!--${'x'.repeat(Math.min(left, BLOCK_BYTES))}-->`;
}

/** The sentence of a search that found nothing. */
export const nothingFound = (note: SandboxNote, what = 'documents'): string =>
  `<div class="mnr-c"><div class="JPMJ2c"><p aria-level="3" role="heading">Your search - <span><em>${escaped(note.prompt)}</em></span> - did not match any ${what}.</p><p>Suggestions:</p><ul><li>Make sure all words are spelled correctly.</li><li>Try different keywords.</li></ul></div></div>`;

/** Puts HTML in place of an element after a moment. It stands in a script until then, where no reader of the page sees it. */
export const later = (id: string, html: string): string =>
  `<script>setTimeout(function(){document.getElementById('${id}').outerHTML=${scriptText(html)}},150)</script>`;

/** HTML as a text of a script. */
export const scriptText = (html: string): string => `'${html.replace(/[\\'<>\n]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)}'`;

const HTML = { 'content-type': 'text/html; charset=UTF-8' };

/** An answer of pages in parts. */
export const pageReply = (body: Iterable<string>, { truncate }: Steering): SandboxReply => {
  if (!truncate) return { status: 200, headers: HTML, body };
  const [begun = ''] = body;
  return { status: 200, headers: HTML, body: begun.slice(0, begun.length / 2), broken: true };
};

/** What comes instead of results; undefined when nothing is wrong. Blocks take turns, as no one knows which comes. */
export function obstacle(note: SandboxNote, { fault, attempt }: Steering): SandboxReply | undefined {
  switch (fault) {
    case undefined:
      return undefined;
    case 'fail':
      return attempt % 2 ? errorPage(503, 'Service Unavailable') : errorPage(500, 'Server Error');
    case 'badkey':
      return errorPage(403, 'Forbidden');
    case 'ratelimit':
    case 'quota':
      return { status: 429, headers: HTML, body: captchaPage(note) };
    case 'blocked':
      return [
        { status: 429, headers: HTML, body: captchaPage(note) },
        { status: 200, headers: HTML, body: consentPage(note) },
        { status: 200, headers: HTML, body: scriptPage(note) },
      ][(attempt - 1) % 3];
  }
}

const errorPage = (status: number, words: string): SandboxReply => ({
  status,
  headers: HTML,
  body: `<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Error ${status} (${words})!!1</title><a href=//www.google.com/><span id=logo aria-label=Google></span></a><p><b>${status}.</b> <ins>That’s an error.</ins><p>Please try again later.</html>`,
});

const captchaPage = ({ prompt }: SandboxNote): string =>
  `<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"><title>https://www.google.com/search?q=${escaped(encodeURIComponent(prompt))}</title></head><body><div><form id="captcha-form" action="index" method="post"><div id="recaptcha" class="g-recaptcha" data-sitekey="sandbox" data-callback="submitCallback"></div><input type="hidden" name="continue" value="https://www.google.com/search"></form><div><b>About this page</b><br><br>Our systems have detected unusual traffic from your computer network.<br>IP address: 192.0.2.1<br></div></div></body></html>`;

const CONSENT: Record<string, [title: string, reject: string, accept: string]> = {
  de: ['Bevor Sie fortfahren', 'Alle ablehnen', 'Alle akzeptieren'],
  fr: ['Avant d’accéder à Google', 'Tout refuser', 'Tout accepter'],
  es: ['Antes de ir a Google', 'Rechazar todo', 'Aceptar todo'],
  pt: ['Antes de continuar', 'Rejeitar tudo', 'Aceitar tudo'],
  it: ['Prima di continuare', 'Rifiuta tutto', 'Accetta tutto'],
  ja: ['Google にアクセスする前に', 'すべて拒否', 'すべて同意'],
  en: ['Before you continue to Google', 'Reject all', 'Accept all'],
};

function consentPage({ prompt, country, language = 'en' }: SandboxNote): string {
  const [title, reject, accept] = CONSENT[language.slice(0, 2)] ?? CONSENT.en!;
  const form = (label: string) =>
    `<form action="https://consent.google.com/save" method="POST"><input type="hidden" name="gl" value="${country}"><input type="hidden" name="continue" value="https://www.google.com/search?q=${escaped(encodeURIComponent(prompt))}"><button type="submit" aria-label="${label}">${label}</button></form>`;
  return `<!doctype html><html lang="${language}" dir="ltr"><head><meta charset="utf-8"><title>${title}</title><base href="https://consent.google.com/"></head><body><h1>${title}</h1>${form(reject)}${form(accept)}</body></html>`;
}

const scriptPage = ({ prompt }: SandboxNote): string =>
  `<!DOCTYPE html><html lang="en"><head><title>Google Search</title></head><body><noscript><style>table,div,span,p{display:none}</style><meta content="0;url=/httpservice/retry/enablejs?sei=sandbox" http-equiv="refresh"><div style="display:block">Please click <a href="/httpservice/retry/enablejs?sei=sandbox">here</a> if you are not redirected within a few seconds.</div></noscript><div id="yvlrue">If you're having trouble accessing Google Search, please <a href="/search?q=${escaped(encodeURIComponent(prompt))}&amp;emsg=SG_REL">click here</a>, or send feedback.</div></body></html>`;
