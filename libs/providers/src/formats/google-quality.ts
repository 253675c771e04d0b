import { judged, type Quality, type QualityCheck } from '@overheard/contracts';

/** What a list of results is judged by (decision S19). */
export interface ListEvidence {
  /** Results that a page visibly lists and that were not understood. */
  missed: number;
  found: number;
  country: { asked: string | undefined; sent: boolean };
  /** Further checks of this list. */
  more?: QualityCheck[];
}

/** Judges a list of results. Pages that say there are none were understood too. */
export const judgeList = ({ missed, found, country, more = [] }: ListEvidence): Quality =>
  judged([
    { id: 'answer_present', status: 'ok' },
    missed > 0
      ? { id: 'complete_stream', status: 'failed', detail: `${missed} of ${found + missed} listed results were not understood` }
      : { id: 'complete_stream', status: 'ok' },
    countryApplied(country),
    ...more,
  ]);

function countryApplied({ asked, sent }: ListEvidence['country']): QualityCheck {
  if (asked === undefined) return { id: 'country_applied', status: 'not_applicable', detail: 'No country was asked for' };
  return sent ? { id: 'country_applied', status: 'ok' } : { id: 'country_applied', status: 'not_applicable', detail: 'The page does not say' };
}
