import { ADMISSION_MODES, QUOTA_WINDOWS } from '../../../../core/index.ts';
import type { AdmissionLimits } from '../../../../core/index.ts';
import { z } from 'zod';
import { group, plainNumber, word } from '../fields.ts';

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

/** Limits in a body. @param rate - the description of the field `requests_per_second` */
export const limitsBody = (rate: string) =>
  group({
    requests_per_second: limitField(rate, false),
    burst: limitField('Maximum number of requests in a burst', true),
    concurrency: limitField('Maximum number of concurrent requests', true),
  });

const windows = 'Calendar period in UTC';
export const quotaSchema = z
  .object({
    units: z.number().meta({ type: 'integer', minimum: 0 }),
    window: z.enum(QUOTA_WINDOWS).meta({ description: windows }),
  })
  .meta({ id: 'Quota' });

/** A quota in a body. */
export const quotaBody = group({
  units: plainNumber('Units that the App may use in each window', true),
  window: word(QUOTA_WINDOWS, windows),
});
