import type { Sandbox } from '../sandbox.js';
import { badCapture, captureFault, captureRequestOf, isCapture } from '../steering/capture-call.js';
import { answerSonar, isSonar, noteSonar } from './stand-ins/sonar.js';
import { answerWeb } from './stand-ins/web.js';

/** Stands in for the Sonar API, and for a capture service that shows perplexity.ai's own stream. */
export const perplexitySandbox: Sandbox = {
  note(call) {
    if (isSonar(call)) return noteSonar(call);
    if (!isCapture(call)) return undefined;
    const { prompt = '', country } = captureRequestOf(call) ?? {};
    return { prompt, country };
  },

  async answer(call, note, steering) {
    if (isSonar(call)) return answerSonar(call, note, steering);
    if (!captureRequestOf(call)) return badCapture();
    const { fault } = steering;
    return fault ? captureFault({ ...steering, fault }) : answerWeb(note, steering);
  },
};
