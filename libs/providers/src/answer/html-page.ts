import { markdownParser } from './markdown.js';

const STYLE =
  'body{max-width:44rem;margin:2rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif}pre{overflow-x:auto}img{max-width:100%}td,th{border:1px solid;padding:.2rem .5rem}table{border-collapse:collapse}';

const parser = markdownParser((address) => /^(?:https?|mailto):/i.test(address.trim())).set({ linkify: true });

/** A complete page that shows an answer's Markdown. HTML inside the Markdown shows as text; links lead to web or mail addresses only. */
export const htmlPage = ({ title, markdown }: { title: string; markdown: string }): string => `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${parser.utils.escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${parser.render(markdown)}</body>
</html>
`;
