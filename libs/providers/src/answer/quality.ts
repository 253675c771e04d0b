import { judged, type Quality, type QualityCheck, type QualityCheckId } from '@overheard/contracts';

/** What an answer is judged by (decision S19). */
export interface Evidence {
  text: string;
  sources: number;
  /** Sources without an address, such as a weather service. */
  feeds?: string[];
  pills: number;
  /** Citation marks and pills that point at no source. */
  unresolved: number;
  complete: boolean;
  /** Why the answer ended early, when that is known. */
  endedBy?: string | undefined;
  country: {
    asked: string | undefined;
    /** The country the upstream says it used. */
    applied: string | undefined;
    /** Whether this answer is to a request of ours that carried the country. */
    sent: boolean;
    /** Which way it went. */
    way?: string | undefined;
  };
}

/** Judges an answer of an AI provider. */
export const judgeAnswer = (evidence: Evidence): Quality =>
  judged([
    check('answer_present', evidence.text !== ''),
    evidence.pills + evidence.unresolved === 0
      ? notApplicable('citations_resolve', 'The answer cites nothing')
      : check('citations_resolve', evidence.unresolved === 0, `${evidence.unresolved} without a source`),
    sourcesPresent(evidence),
    check('complete_stream', evidence.complete, evidence.endedBy ?? 'The stream broke off'),
    countryApplied(evidence.country),
  ]);

function sourcesPresent({ sources, feeds = [] }: Evidence): QualityCheck {
  if (sources === 0 && feeds.length) return notApplicable('sources_present', `The search used ${[...new Set(feeds)].join(', ')}`);
  return check('sources_present', sources > 0, 'The answer names no page');
}

function countryApplied({ asked, applied, sent, way }: Evidence['country']): QualityCheck {
  if (asked === undefined) return notApplicable('country_applied', 'No country was asked for');
  if (applied !== undefined && applied !== asked) return check('country_applied', false, `${applied} instead of ${asked}`);
  if (applied === undefined && !sent) return notApplicable('country_applied', 'The upstream does not say');
  return { id: 'country_applied', status: 'ok', ...(way && { detail: way }) };
}

const check = (id: QualityCheckId, isOk: boolean, detail?: string): QualityCheck => ({
  id,
  status: isOk ? 'ok' : 'failed',
  ...(!isOk && detail ? { detail } : {}),
});

const notApplicable = (id: QualityCheckId, detail: string): QualityCheck => ({ id, status: 'not_applicable', detail });
