import { describe, expect, it } from '@jest/globals';
import { htmlPage } from './html-page.js';

const page = (markdown: string) => htmlPage({ title: 'Which <pump>?', markdown });

describe('the page of an answer', () => {
  it('is a whole document that shows its Markdown, tables too', () => {
    const html = page('# Head\n\n**bold** [link](https://a.example)\n\n| a |\n|---|\n| 1 |');
    expect(html).toMatch(/^<!doctype html>\n<html>/);
    expect(html).toContain('<meta charset="utf-8">');
    expect(html).toContain('<title>Which &lt;pump&gt;?</title>');
    expect(html).toContain('<h1>Head</h1>\n<p><strong>bold</strong> <a href="https://a.example">link</a></p>');
    expect(html).toContain('<td>1</td>');
  });

  it.each(['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', 'a <b onclick="x">b</b>', '<!-- c -->'])('shows HTML as text: %s', (html) => {
    expect(page(html)).not.toContain(html);
    expect(page(html)).toContain(html.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'));
  });

  it.each(['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x', 'xmpp:a@b', 'irc://a'])('has no link to %s', (address) => {
    expect(page(`[a](${address})`)).not.toContain('href');
    expect(page(`![a](${address})`)).not.toContain('src');
  });

  it('has links to the web and to mail', () => {
    for (const address of ['https://a.example/', 'http://a.example/', 'mailto:a@b.example']) expect(page(`[a](${address})`)).toContain(`href="${address}"`);
  });
});
