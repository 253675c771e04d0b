import type { Sandbox } from '../sandbox.js';
import { badCapture, captureFault, captureRequestOf, isCapture } from '../steering/capture-call.js';
import { answerAzure, isAzure, noteAzure } from './stand-ins/azure.js';
import { answerWeb } from './stand-ins/web.js';

/** Stands in for an Azure OpenAI resource, and for a capture service that shows the frames of copilot.microsoft.com. */
export const copilotSandbox: Sandbox = {
  note(call) {
    if (isAzure(call)) return noteAzure(call);
    if (!isCapture(call)) return undefined;
    const { prompt = '', country } = captureRequestOf(call) ?? {};
    return { prompt, country };
  },

  async answer(call, note, steering) {
    if (isAzure(call)) return answerAzure(call, note, steering);
    if (!captureRequestOf(call)) return badCapture();
    const { fault } = steering;
    return fault ? captureFault({ ...steering, fault }) : answerWeb(note, steering);
  },
};
