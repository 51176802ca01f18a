import { ADMISSION_MODES, QUOTA_WINDOWS } from '../../../../core/index.ts';
import type { AdmissionLimits, RouteLimits } from '../../../../core/index.ts';
import { z } from 'zod';
import { group, inputOf, plainNumber, recordOf, word } from '../fields.ts';

export const modeSchema = z.enum(ADMISSION_MODES).meta({ id: 'AdmissionMode' });

const limit = z.number().nullable();
export const limitsSchema = z
  .object({ requests_per_second: limit, burst: limit, concurrency: limit })
  .meta({ id: 'AdmissionLimits' });

const ratesText =
  'Rates of calls for each App by method or `prefix*`, HTTP methods on gateways of the protocol http; a call counts for its name, or else for its longest prefix';
const rateText = 'Maximum calls per second for each App';
export const gatewayLimitsSchema = limitsSchema
  .extend({
    methods: z
      .record(z.string(), z.object({ requests_per_second: z.number().meta({ description: rateText }), burst: limit }))
      .meta({ description: ratesText }),
  })
  .meta({ id: 'GatewayLimits' });

export function limitsRecord({ requestsPerSecond, burst, concurrency }: AdmissionLimits): z.input<typeof limitsSchema> {
  return { requests_per_second: requestsPerSecond, burst, concurrency };
}

export function gatewayLimitsRecord({ methods = {}, ...limits }: RouteLimits): z.input<typeof gatewayLimitsSchema> {
  const rates = Object.entries(methods).map(([name, { requestsPerSecond, burst }]) => [
    name,
    { requests_per_second: requestsPerSecond, burst },
  ]);
  return {
    ...limitsRecord(limits),
    methods: Object.fromEntries(rates) as z.input<typeof gatewayLimitsSchema>['methods'],
  };
}

const limitField = (description: string, whole: boolean) =>
  plainNumber(`${description}; null for no limit`, whole).nullable().optional();

const BURST = 'Maximum number of requests in a burst';
const limitFields = (rate: string) => ({
  requests_per_second: limitField(rate, false),
  burst: limitField(BURST, true),
  concurrency: limitField('Maximum number of concurrent requests', true),
});

/** Limits of an App in a body. */
export const limitsBody = group(limitFields('Maximum requests per second'));

const rateBody = group({ requests_per_second: plainNumber(rateText, false), burst: limitField(BURST, true) }).transform(
  (rate) => ({ burst: null, ...inputOf(rate) }),
);

/** Limits of a gateway in a body. */
export const gatewayLimitsBody = group({
  ...limitFields('Maximum requests per second for each App'),
  methods: recordOf(rateBody, 'must be an object of methods and rates', ratesText).optional(),
}).transform(inputOf);

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
