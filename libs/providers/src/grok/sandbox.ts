import type { Sandbox } from '../sandbox.js';
import { badCapture, captureFault, captureRequestOf, isCapture } from '../steering/capture-call.js';
import { answerWeb } from './stand-ins/web.js';
import { answerXai, isXai, noteXai } from './stand-ins/xai.js';

/** Stands in for xAI's Responses API, and for a capture service that shows grok.com's own stream. */
export const grokSandbox: Sandbox = {
  note(call) {
    if (isXai(call)) return noteXai(call);
    if (!isCapture(call)) return undefined;
    const { prompt = '', country } = captureRequestOf(call) ?? {};
    return { prompt, country };
  },

  async answer(call, note, steering) {
    if (isXai(call)) return answerXai(call, note, steering);
    if (!captureRequestOf(call)) return badCapture();
    const { fault } = steering;
    return fault ? captureFault({ ...steering, fault }) : answerWeb(note, steering);
  },
};
