import { USAGE_GROUPS } from '../../../core/index.ts';
import type { AppId, UsageSum } from '../../../core/index.ts';
import { z } from 'zod';
import { csvTable } from '../csv.ts';
import { idParams, inputOf, instantField, word } from './fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { instant, time, whole } from './reply-fields.ts';

const rowSchema = z.object({
  at: instant('The beginning of the hour or the day, with `by=hour` and `by=day`').nullable(),
  route: z.string().nullable().meta({ description: "The gateway's host, with `by=route`" }),
  method: z
    .string()
    .nullable()
    .meta({ description: 'With `by=method`; `other` is every method that the gateway does not know by name' }),
  requests: whole('Calls; each of a batch counts'),
  units: whole('What they cost'),
  errors: whole('Calls that were refused, or answered with an HTTP status from 400 up'),
  bytes_in: whole('Bytes of bodies, from the client'),
  bytes_out: whole('Bytes of bodies, to the client'),
});
export const usageSchema = z.object({ rows: z.array(rowSchema).readonly() }).meta({ id: 'AppUsage' });

const TABLE = csvTable(rowSchema);

/** Usage by the names of the management API. */
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

/** The same as comma-separated values, with the names in the first line. */
export function usageCsv({ rows }: z.input<typeof usageSchema>): string {
  return TABLE.header + TABLE.lines(rows);
}

/** What Apps used of the gateway (decisions, section 13). */
export const appUsageOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'getAppUsage',
    method: 'GET',
    path: '/apps/{id}/usage',
    summary: 'What an App used',
    description:
      'Sums of the hours (UTC) that begin at `from` or later, and before `to`: by default the last 30 days, with `by=hour` the last 24 hours. At most 400 days, with `by=hour` 31. Calls are in it a second after they were made. Rows without usage are left out. `format=csv`, or `Accept: text/csv`, gives the same as CSV.',
    errors: ['NOT_FOUND'],
    params: idParams<AppId>('The App'),
    query: z.object({
      from: instantField('The first hour').optional(),
      to: instantField('The hour after the last one').optional(),
      by: word(USAGE_GROUPS, 'What it is summed up by').default('day'),
      format: word(['json', 'csv'], 'json by default').optional(),
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
