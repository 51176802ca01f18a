import { ADMISSION_MODES, QUOTA_WINDOWS } from '../../../core/index.ts';
import type { AdmissionLimits } from '../../../core/index.ts';
import { z } from 'zod';
import { group, plainNumber, word } from './fields.ts';

export const modeSchema = z.enum(ADMISSION_MODES).meta({ id: 'AdmissionMode' });

const limit = z.number().nullable();
export const limitsSchema = z
  .object({ requests_per_second: limit, burst: limit, concurrency: limit })
  .meta({ id: 'AdmissionLimits' });

export function limitsRecord({ requestsPerSecond, burst, concurrency }: AdmissionLimits): z.input<typeof limitsSchema> {
  return { requests_per_second: requestsPerSecond, burst, concurrency };
}

const limitField = (description: string, whole: boolean) =>
  plainNumber(`${description}; null for no limit`, whole).nullable().optional();

/** Limits in a body. @param rate - the description of the first of them */
export const limitsBody = (rate: string) =>
  group({
    requests_per_second: limitField(rate, false),
    burst: limitField('How many may come at once', true),
    concurrency: limitField('How many may run at once', true),
  });

const windows = 'Of the calendar, UTC';
export const quotaSchema = z
  .object({
    units: z.number().meta({ type: 'integer', minimum: 0 }),
    window: z.enum(QUOTA_WINDOWS).meta({ description: windows }),
  })
  .meta({ id: 'Quota' });

/** A quota in a body. */
export const quotaBody = group({
  units: plainNumber('How many units the App may use in each window', true),
  window: word(QUOTA_WINDOWS, windows),
});
