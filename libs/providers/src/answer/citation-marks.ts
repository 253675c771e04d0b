// How answers mark what they cite, besides links: ⟦private characters⟧, 【1†source】, [1], [[1]], [^1^].

const PRIVATE = /\uE200[^\uE201\n]*\uE201?/;
const BRACKET = /【\d{1,3}(?::\d+)?(?:†[^】]*)?】/;
const NUMBER = /\[{1,2}\^?(\d{1,3}(?:, ?\d{1,3})*)\^?\]{1,2}/g;

/** Stands for a citation mark until the brackets, commas and blanks around it are known; `withoutPrivateMarks` leaves none of it in a text. */
export const MARK = '\uE20F';

/** A text without marks in private characters, which no parser may see: they mean something to Markdown. */
export const withoutPrivateMarks = (text: string): string => text.replace(new RegExp(`[ \\t]*${PRIVATE.source}`, 'g'), '').replace(/[\uE200-\uE20F]/g, '');

/** Sets numbered links apart from an exclamation mark, which would make pictures of them. */
export const withoutPictures = (text: string): string => text.replace(/!(?=\[{1,2}\^?\d{1,3}\^?\]{1,2}\()/g, '! ');

/** Puts `MARK` in the place of bracketed marks, and of `[n]` where `isNumber` says that n is one. */
export const standInForMarks = (text: string, isNumber: (number: number) => boolean): string =>
  text
    .replace(new RegExp(BRACKET, 'g'), MARK)
    .replace(NUMBER, (mark, numbers: string) => (numbers.split(',').every((number) => isNumber(Number(number))) ? MARK : mark));

/** Takes out every `MARK` with the brackets, commas and blanks that only served it. */
export const withoutMarks = (text: string): string =>
  text
    .replace(/[ \t\u00a0]*[(（][ \t]*\uE20F(?:[\s,;&]*\uE20F)*[\s,;]*[)）]/g, MARK)
    .replace(/(^|\n)[ \t]*\uE20F(?:[ \t,;]*\uE20F)*[ \t]*/g, '$1')
    .replace(/[ \t\u00a0]*\uE20F(?:[ \t,;]*\uE20F)*/g, '');

/** Where a text holds marks that only the upstream's own pages could resolve. */
export const unlinkedMarks = (text: string): { start: number; end: number }[] =>
  [...text.matchAll(new RegExp(`${PRIVATE.source}|${BRACKET.source}`, 'g'))].map(({ index, 0: mark }) => ({ start: index, end: index + mark.length }));
