import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from '@jest/globals';
import { withinMs } from './clock.js';

describe('withinMs', () => {
  test('gives what comes in time, and an error that says how long was waited', async () => {
    await expect(withinMs(1000, Promise.resolve('in time'))).resolves.toBe('in time');
    await expect(withinMs(5, new Promise(() => undefined))).rejects.toThrow('no answer within 5 ms');
  });

  test('takes for in time what came while the process was busy elsewhere', async () => {
    const echo = new Worker(`require('node:worker_threads').parentPort.on('message', (text) => require('node:worker_threads').parentPort.postMessage(text))`, {
      eval: true,
    });
    await once(echo, 'online');
    const answer = once(echo, 'message').then(([text]) => text as string);
    echo.postMessage('in time');
    const waiting = withinMs(20, answer);
    // Of the event loop's phases, timers come next after this one, and what has arrived only then.
    setImmediate(() => {
      for (const end = performance.now() + 200; performance.now() < end;);
    });
    await expect(waiting.finally(() => echo.terminate())).resolves.toBe('in time');
  });
});
