import assert from 'node:assert';
import { UpstreamFailure, type Quality } from '@overheard/contracts';
import { judgeAnswer, type Evidence } from '../answer/quality.js';
import { sharedPool } from '../browser/browser-pool.js';
import { googleSettings, type GoogleSettings } from '../browser/google-visit.js';
import { browserLacks } from '../browser/settings.js';
import type { Engine, EngineModule } from '../engine.js';
import { readGooglePage } from '../formats/google-page.js';
import { lastTurn } from '../formats/google-turn.js';
import type { AimodeRequest, AimodeResult } from './contract.js';
import { extractResult } from './extract/result.js';
import { askAimode } from './upstreams/google.js';

/** Google AI Mode, read from its page. */
export const aimodeEngine: EngineModule<GoogleSettings, AimodeRequest, AimodeResult> = { settings: googleSettings, create: createEngine };

const EVERYTHING = { html: false, markdown: true };

function createEngine(settings: GoogleSettings): Engine<AimodeRequest, AimodeResult> {
  const { pool, release } = sharedPool(settings);
  return {
    service: 'Google AI Mode',
    live: settings.GOOGLE_BASE_URL !== undefined,
    lacks: browserLacks(settings),
    close: release,

    async ask(attempt) {
      const { country, include } = attempt.request;
      const asked = performance.now();
      const html = await askAimode(settings, pool, attempt);
      const received = performance.now();
      const { result, quality } = read(html, include, { asked: country, sent: true });
      const timings = { upstreamMs: received - asked, parseMs: performance.now() - received };
      if (include.html) result.html = await attempt.storeHtml(html);
      return { result, quality, timings };
    },

    async extract([file], { format = 'aimode-html', country }) {
      assert(file, 'there is a stored answer');
      assert(format === 'aimode-html', `AIMODE reads aimode-html, not ${format}`);
      return read(file.text, EVERYTHING, { asked: country, sent: false });
    },
  };
}

function read(
  html: string,
  include: AimodeRequest['include'],
  country: { asked: string | undefined; sent: boolean },
): { result: AimodeResult; quality: Quality } {
  const page = readGooglePage(html);
  const turn = lastTurn(page);
  if (!turn) throw new UpstreamFailure('invalid_answer', 'The page holds no answer');
  const result = extractResult(turn, include, country.asked ?? page.region);
  return { result, quality: judge(result, turn.answer.unresolved, { ...country, applied: undefined }) };
}

const judge = ({ text, sources, citationPills }: AimodeResult, unresolved: number, country: Evidence['country']): Quality =>
  judgeAnswer({ text, sources: sources.length, pills: citationPills.length, unresolved, complete: true, country });
