import { USAGE_GROUPS } from '../../../../core/index.ts';
import type { AppId, UsageSum } from '../../../../core/index.ts';
import { z } from 'zod';
import { csvTable } from '../../csv.ts';
import { idParams, inputOf, instantField, word } from '../fields.ts';
import { apiOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { instant, time, whole } from '../reply-fields.ts';

const rowSchema = z.object({
  at: instant('Start of the hour or day, with `by=hour` or `by=day`').nullable(),
  route: z.string().nullable().meta({ description: 'Host of the gateway, with `by=route`' }),
  method: z
    .string()
    .nullable()
    .meta({ description: 'Method, with `by=method`; `other` combines all methods that the gateway does not know' }),
  requests: whole('Number of calls; each call of a batch counts'),
  units: whole('Units charged for the calls'),
  errors: whole('Calls that were refused or answered with an HTTP status of 400 or above'),
  bytes_in: whole('Bytes in request bodies'),
  bytes_out: whole('Bytes in response bodies'),
});
export const usageSchema = z.object({ rows: z.array(rowSchema).readonly() }).meta({ id: 'AppUsage' });

const TABLE = csvTable(rowSchema);

/** The usage of Apps. */
export function usageRecord(sums: readonly UsageSum[]): z.input<typeof usageSchema> {
  const rows = sums.map(({ at, route, method, requests, units, errors, bytesIn, bytesOut }) => ({
    at: time(at),
    route,
    method,
    requests,
    units,
    errors,
    bytes_in: bytesIn,
    bytes_out: bytesOut,
  }));
  return { rows };
}

/** Usage as comma-separated values, with a header line. */
export function usageCsv({ rows }: z.input<typeof usageSchema>): string {
  return TABLE.header + TABLE.lines(rows);
}

/** The operations of the gateway usage of Apps. */
export const appUsageOperations: readonly ManageOperation[] = [
  apiOperation({
    offer: { name: 'apps.usage', scope: 'read' },
    id: 'getAppUsage',
    method: 'GET',
    path: '/apps/{id}/usage',
    summary: 'Retrieve usage of an App',
    description:
      'Returns usage, summed over the hours (UTC) that start at or after `from` and before `to`. Defaults to the last 30 days, or the last 24 hours with `by=hour`; the maximum is 400 days, or 31 days with `by=hour`. Calls are included one second after they were made. Rows without usage are omitted. Use `format=csv` or `Accept: text/csv` for CSV.',
    errors: ['NOT_FOUND'],
    params: idParams<AppId>('ID of the App'),
    query: z.object({
      from: instantField('First hour, inclusive').optional(),
      to: instantField('Last hour, exclusive').optional(),
      by: word(USAGE_GROUPS, 'Grouping of the sums').default('day'),
      format: word(['json', 'csv'], 'Format of the reply; defaults to json').optional(),
    }),
    data: usageSchema,
    csv: { fileName: 'usage.csv', write: usageCsv },
    examples: {
      data: {
        rows: [
          {
            at: '2027-01-31T00:00:00.000Z',
            route: null,
            method: null,
            requests: 1204,
            units: 3610,
            errors: 2,
            bytes_in: 130_032,
            bytes_out: 2_411_870,
          },
        ],
      },
    },
    handler: async ({ actor, params: { id }, query: { format: _format, ...query } }, { manage }) =>
      usageRecord(await manage.apps.usage(actor, id, inputOf(query))),
  }),
];
