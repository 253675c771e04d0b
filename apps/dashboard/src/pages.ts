import type { AccountView, RequestEntry } from '@overheard/database';
import { html, type Html } from './html.js';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 0 auto; padding: 1rem; }
header { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; justify-content: space-between; }
form.login { max-width: 22rem; display: grid; gap: .75rem; }
label { display: grid; gap: .25rem; }
input, button { font: inherit; padding: .5rem .75rem; }
.error { color: light-dark(#a40000, #ff9d9d); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid light-dark(#ddd, #444); white-space: nowrap; }
td.prompt { white-space: normal; min-width: 16rem; overflow-wrap: anywhere; }
dl { display: flex; flex-wrap: wrap; gap: 1rem 2rem; }
dt { font-size: .875rem; } dd { margin: 0; font-size: 1.25rem; font-variant-numeric: tabular-nums; }`;

const page = (title: string, body: Html): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Overheard</title>
        <link rel="icon" href="data:," />
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html>`.text;

/** Where somebody logs in; `problem` says why the last try did not work. */
export const loginPage = (problem?: string): string =>
  page(
    'Log in',
    html`<main>
      <h1>Overheard</h1>
      <form class="login" method="post" action="/login">
        ${problem ? html`<p class="error" role="alert">${problem}</p>` : ''}
        <label>E-mail address <input name="email" type="email" autocomplete="username" required autofocus /></label>
        <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>
        <button>Log in</button>
      </form>
    </main>`,
  );

/** An account's credits and its latest requests. */
export const requestsPage = (email: string, account: AccountView, requests: RequestEntry[]): string =>
  page(
    'Requests',
    html`<header>
        <h1>Requests</h1>
        <form method="post" action="/logout"><button aria-label="Log out ${email}">Log out</button></form>
      </header>
      <main>
        <dl>
          ${[
            ['Credits to spend', account.balance],
            ['Reserved', account.reserved],
            ['Charged', account.charged],
          ].map(
            ([name, value]) =>
              html`<div>
                <dt>${name}</dt>
                <dd>${value}</dd>
              </div>`,
          )}
        </dl>
        ${requests.length === 0 ? html`<p>Nothing was asked yet. Send the request that npm start printed, then look again.</p>` : requestTable(requests)}
      </main>`,
  );

const requestTable = (requests: RequestEntry[]): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="Latest requests">
    <table>
      <thead>
        <tr>
          ${['Time (UTC)', 'Provider', 'Country', 'Prompt', 'Status', 'Credits', 'Latency', 'Request id'].map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${requests.map(
          (entry) =>
            html`<tr>
              <td>${entry.createdAt.toISOString().slice(0, 19).replace('T', ' ')}</td>
              <td>${entry.provider}</td>
              <td>${entry.country}</td>
              <td class="prompt">${entry.prompt?.slice(0, 300)}</td>
              <td>${entry.statusCode}</td>
              <td>${entry.creditsCharged ?? '–'}</td>
              <td>${entry.latencyMs === null ? '–' : `${(entry.latencyMs / 1000).toFixed(1)} s`}</td>
              <td>${entry.requestId}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
