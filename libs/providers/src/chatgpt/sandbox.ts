import type { Sandbox } from '../sandbox.js';
import { badCapture, captureFault, captureRequestOf, isCapture } from '../steering/capture-call.js';
import { answerOpenai, isOpenai, noteOpenai } from './stand-ins/openai.js';
import { answerWeb } from './stand-ins/web.js';

/** Stands in for OpenAI's Responses API, and for a capture service that shows chatgpt.com's own stream. */
export const chatgptSandbox: Sandbox = {
  note(call) {
    if (isOpenai(call)) return noteOpenai(call);
    if (!isCapture(call)) return undefined;
    const { prompt = '', country } = captureRequestOf(call) ?? {};
    return { prompt, country };
  },

  async answer(call, note, steering) {
    if (isOpenai(call)) return answerOpenai(call, note, steering);
    if (!captureRequestOf(call)) return badCapture();
    const { fault } = steering;
    return fault ? captureFault({ ...steering, fault }) : answerWeb(note, steering);
  },
};
