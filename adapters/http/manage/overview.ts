import { formatInstant, formatUnits, findFiat, MAX_OVERVIEW_DAYS } from '../../../core/index.ts';
import type { Overview } from '../../../core/index.ts';
import { z } from 'zod';
import type { ManageDeps } from './deps.ts';
import { accountFilter, inputOf, instantField } from './fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { amount, id, instant, whole } from './reply-fields.ts';

const DAY_DIGITS = 'YYYY-MM-DD'.length;
const day = z.string().meta({ format: 'date', description: 'A day, UTC' });
const use = {
  requests: whole('Calls'),
  errors: whole('Those that were refused, or answered with a status from 400 up'),
};

export const overviewSchema = z
  .object({
    account_id: id('The account').nullable().meta({ description: 'null for all accounts' }),
    from: instant('The beginning of the first day'),
    to: instant('The end of the last one'),
    sales: z
      .array(
        z.object({
          day,
          currency: z.string().nullable().meta({ description: 'null where an order was accepted without a coin' }),
          orders: whole('Orders'),
          amount: amount('What is credited for them'),
          prices: z
            .array(z.object({ vs_currency: z.string(), amount: amount('The sum of the prices') }))
            .readonly()
            .meta({ description: 'By fiat currency' }),
        }),
      )
      .readonly()
      .meta({ description: 'Orders that are SUCCESS or RESOLVED, by the day on which they were made and their coin' }),
    orders: z
      .object({
        made: whole('All of them'),
        pending: whole('PENDING'),
        paid: whole('SUCCESS'),
        late: whole('RESOLVED: paid late, or accepted'),
        partial: whole('PARTIAL'),
        timed_out: whole('OVERDUE'),
        terminated: whole('TERMINATED'),
        refunded: whole('REFUNDED'),
      })
      .meta({ description: 'Orders that were made on these days, by what they are now' }),
    callbacks: z
      .object({
        delivered: whole('DELIVERED'),
        failed: whole('DEAD: given up'),
        waiting: whole('PENDING'),
      })
      .meta({ description: 'Callbacks, and events of webhook endpoints, that were made on these days' }),
    gateway: z.object({
      days: z.array(z.object({ day, ...use })).readonly(),
      methods: z
        .array(z.object({ method: z.string(), ...use }))
        .readonly()
        .meta({ description: 'Those with the most calls, most first' }),
    }),
    chains: z
      .array(
        z.object({
          code: z.string(),
          name: z.string(),
          lag_seconds: z.number().nullable().meta({ description: 'How long ago it had been read to the head' }),
        }),
      )
      .readonly()
      .nullable()
      .meta({ description: 'Now; null for an account' }),
  })
  .meta({ id: 'Overview' });

const dateOf = (at: number): string => formatInstant(at).slice(0, DAY_DIGITS);

function overviewRecord(overview: Overview, { assets }: Pick<ManageDeps, 'assets'>): z.input<typeof overviewSchema> {
  const { accountId, from, to, sales, orders, callbacks, gatewayDays, gatewayMethods, chains } = overview;
  const made = [...orders.values()].reduce((sum, count) => sum + count, 0);
  return {
    account_id: accountId,
    from: formatInstant(from),
    to: formatInstant(to),
    sales: sales.map((sold) => ({
      day: dateOf(sold.day),
      currency: sold.currency,
      orders: sold.orders,
      // A currency whose plugin was removed is shown in units.
      amount: formatUnits(sold.received, sold.currency === null ? 0 : (assets.find(sold.currency)?.decimals ?? 0)),
      prices: [...sold.prices].map(([code, sum]) => ({
        vs_currency: code,
        amount: formatUnits(sum, findFiat(code)?.decimals ?? 0),
      })),
    })),
    orders: {
      made,
      pending: orders.get('PENDING') ?? 0,
      paid: orders.get('SUCCESS') ?? 0,
      late: orders.get('RESOLVED') ?? 0,
      partial: orders.get('PARTIAL') ?? 0,
      timed_out: orders.get('OVERDUE') ?? 0,
      terminated: orders.get('TERMINATED') ?? 0,
      refunded: orders.get('REFUNDED') ?? 0,
    },
    callbacks: {
      delivered: callbacks.get('DELIVERED') ?? 0,
      failed: callbacks.get('DEAD') ?? 0,
      waiting: callbacks.get('PENDING') ?? 0,
    },
    gateway: {
      days: gatewayDays.map(({ day: at, ...sum }) => ({ day: dateOf(at), ...sum })),
      methods: gatewayMethods,
    },
    chains:
      chains?.map(({ code, lagMs }) => ({
        code,
        name: assets.chainName(code),
        lag_seconds: lagMs === null ? null : Math.round(lagMs / 1000),
      })) ?? null,
  };
}

/** What charts show (decisions, section 15). */
export const overviewOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'getOverview',
    method: 'GET',
    path: '/overview',
    summary: 'Sales, orders, callbacks and the use of the gateway, by day',
    description: `The days, UTC, that \`from\` and \`to\` are in: the last 30 by default, at most ${MAX_OVERVIEW_DAYS}. An order counts for the day on which it was made, with what it is now. An admin without \`account_id\` sees the sums of all accounts, and how far each chain is behind.`,
    errors: ['NOT_FOUND'],
    query: z.object({
      from: instantField('From this day on').optional(),
      to: instantField('Until before this time').optional(),
      ...accountFilter,
    }),
    data: overviewSchema,
    examples: {
      data: {
        account_id: null,
        from: '2026-05-01T00:00:00.000Z',
        to: '2026-05-31T00:00:00.000Z',
        sales: [
          {
            day: '2026-05-04',
            currency: 'USDT-ERC20',
            orders: 2,
            amount: '75',
            prices: [
              { vs_currency: 'EUR', amount: '46.2' },
              { vs_currency: 'USD', amount: '25' },
            ],
          },
        ],
        orders: { made: 5, pending: 1, paid: 2, late: 0, partial: 0, timed_out: 1, terminated: 0, refunded: 1 },
        callbacks: { delivered: 3, failed: 0, waiting: 1 },
        gateway: {
          days: [{ day: '2026-05-04', requests: 1200, errors: 3 }],
          methods: [{ method: 'eth_call', requests: 1200, errors: 3 }],
        },
        chains: [{ code: 'ETH', name: 'Ethereum', lag_seconds: 4 }],
      },
    },
    handler: async ({ actor, query }, deps) =>
      overviewRecord(await deps.manage.overview.read(actor, inputOf(query)), deps),
  }),
];
