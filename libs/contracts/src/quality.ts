import * as z from 'zod';

/** The checks an answer is held against (decision S19). */
export const QUALITY_CHECKS = ['answer_present', 'citations_resolve', 'sources_present', 'complete_stream', 'country_applied', 'aioverview'] as const;
export type QualityCheckId = (typeof QUALITY_CHECKS)[number];

export const qualityCheck = z.object({
  id: z.enum(QUALITY_CHECKS),
  status: z.enum(['ok', 'failed', 'not_applicable']),
  detail: z.string().optional(),
});

/** How good an answer is: `degraded` as soon as one of its checks failed (decision S19). */
export const quality = z.object({ status: z.enum(['ok', 'degraded']), checks: z.array(qualityCheck) }).meta({ id: 'Quality' });

export type QualityCheck = z.infer<typeof qualityCheck>;
export type Quality = z.infer<typeof quality>;

/** Sums checks up into a quality. */
export function judged(checks: QualityCheck[]): Quality {
  return { status: checks.some((check) => check.status === 'failed') ? 'degraded' : 'ok', checks };
}
