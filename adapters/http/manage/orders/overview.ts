import { formatInstant, formatUnits, findFiat, MAX_OVERVIEW_DAYS } from '../../../../core/index.ts';
import type { Overview } from '../../../../core/index.ts';
import { z } from 'zod';
import type { ManageDeps } from '../deps.ts';
import { accountFilter, inputOf, instantField } from '../fields.ts';
import { manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { amount, id, instant, whole } from '../reply-fields.ts';

const DAY_DIGITS = 'YYYY-MM-DD'.length;
const day = z.string().meta({ format: 'date', description: 'Day (UTC)' });
const use = {
  requests: whole('Number of calls'),
  errors: whole('Calls that were refused or answered with an HTTP status of 400 or above'),
};

export const overviewSchema = z
  .object({
    account: id('ID of the account').nullable().meta({ description: 'null for all accounts' }),
    from: instant('Start of the first day'),
    to: instant('End of the last day'),
    sales: z
      .array(
        z.object({
          day,
          coin: z.string().nullable().meta({ description: 'null if the order was accepted without a coin' }),
          orders: whole('Number of orders'),
          amount: amount('Amount credited'),
          prices: z
            .array(z.object({ currency: z.string(), price: amount('Sum of the prices') }))
            .readonly()
            .meta({ description: 'Sales by fiat currency' }),
        }),
      )
      .readonly()
      .meta({ description: 'Orders that are SUCCESS or RESOLVED, by day of creation and coin' }),
    orders: z
      .object({
        made: whole('Orders of every status'),
        pending: whole('Orders that are PENDING'),
        paid: whole('Orders that are SUCCESS'),
        late: whole('Orders that are RESOLVED: paid late or accepted'),
        partial: whole('Orders that are PARTIAL'),
        timed_out: whole('Orders that are OVERDUE'),
        terminated: whole('Orders that are TERMINATED'),
        refunded: whole('Orders that are REFUNDED'),
      })
      .meta({ description: 'Orders created on these days, by current status' }),
    callbacks: z
      .object({
        delivered: whole('Callbacks that are DELIVERED'),
        failed: whole('Callbacks that are DEAD: every attempt failed'),
        waiting: whole('Callbacks that are PENDING'),
      })
      .meta({ description: 'Callbacks and webhook events created on these days' }),
    gateway: z.object({
      days: z.array(z.object({ day, ...use })).readonly(),
      methods: z
        .array(z.object({ method: z.string(), ...use }))
        .readonly()
        .meta({ description: 'Methods with the most calls, in descending order' }),
    }),
    chains: z
      .array(
        z.object({
          code: z.string(),
          name: z.string(),
          lag_seconds: z
            .number()
            .nullable()
            .meta({ description: 'Seconds since the chain was last read up to its head' }),
        }),
      )
      .readonly()
      .nullable()
      .meta({ description: 'Current state; null for a single account' }),
  })
  .meta({ id: 'Overview' });

const dateOf = (at: number): string => formatInstant(at).slice(0, DAY_DIGITS);

function overviewRecord(overview: Overview, { assets }: Pick<ManageDeps, 'assets'>): z.input<typeof overviewSchema> {
  const { accountId, from, to, sales, orders, callbacks, gatewayDays, gatewayMethods, chains } = overview;
  const made = [...orders.values()].reduce((sum, count) => sum + count, 0);
  return {
    account: accountId,
    from: formatInstant(from),
    to: formatInstant(to),
    sales: sales.map((sold) => ({
      day: dateOf(sold.day),
      coin: sold.currency,
      orders: sold.orders,
      // The amount of a currency whose plugin was removed is shown in its smallest unit.
      amount: formatUnits(sold.received, sold.currency === null ? 0 : (assets.find(sold.currency)?.decimals ?? 0)),
      prices: [...sold.prices].map(([code, sum]) => ({
        currency: code,
        price: formatUnits(sum, findFiat(code)?.decimals ?? 0),
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

/** The operations of the overview's charts. */
export const overviewOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'getOverview',
    method: 'GET',
    path: '/overview',
    summary: 'Retrieve the overview',
    description: `Returns sales, orders, callbacks and gateway usage for each day (UTC) from \`from\` to \`to\`: the last 30 days by default, at most ${MAX_OVERVIEW_DAYS}. An order counts on the day it was created, with its current status. Without \`account\`, admins see the totals of all accounts and how far each chain lags.`,
    errors: ['NOT_FOUND'],
    query: z.object({
      from: instantField('First day').optional(),
      to: instantField('Last day, exclusive').optional(),
      ...accountFilter,
    }),
    data: overviewSchema,
    examples: {
      data: {
        account: null,
        from: '2026-05-01T00:00:00.000Z',
        to: '2026-05-31T00:00:00.000Z',
        sales: [
          {
            day: '2026-05-04',
            coin: 'USDT-ERC20',
            orders: 2,
            amount: '75',
            prices: [
              { currency: 'EUR', price: '46.2' },
              { currency: 'USD', price: '25' },
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
