import type { Sandbox, SandboxNote } from '../sandbox.js';
import { contentOf } from '../steering/content.js';
import { answerHtml, paidCards, placeCards, priceIn, productCards, videoCards } from '../steering/google-answer.js';
import { escaped, later, noteSearch, obstacle, pageReply, resultsPage } from '../steering/google-page.js';
import type { Steering } from '../steering/steering.js';

/** Stands in for Google AI Mode: a conversation of one turn, whose answer is written a moment after the page is there. */
export const aimodeSandbox: Sandbox = {
  note: noteSearch,

  async answer(_call, note, steering) {
    return obstacle(note, steering) ?? pageReply(resultsPage({ note, results: conversation(note, steering), paddingBytes: steering.largeBytes }), steering);
  },
};

function conversation({ prompt, country = 'US' }: SandboxNote, { text, nonce, words, empty }: Steering): string {
  const content = contentOf({ text, country, nonce });
  const price = priceIn(country);
  const cards = [
    words.has('places') ? placeCards(content) : '',
    words.has('shopping') ? productCards(content, price) : '',
    words.has('videos') ? videoCards(content) : '',
    words.has('ads') ? paidCards(content, price) : '',
  ];
  const answer = empty ? '' : later('aim-wait', answerHtml(content, cards.join('')));
  return `<div data-xid="aim-mars-turn-root"><span aria-level="2" role="heading">You said: ${escaped(prompt)}</span><div id="aim-wait" aria-valuetext="Generating" role="progressbar"></div></div>${answer}`;
}
