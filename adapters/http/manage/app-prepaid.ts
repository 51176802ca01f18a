import { formatInstant, ORDER_STATUSES } from '../../../core/index.ts';
import type { AppId, Plan, PrepaidView, PurchaseView, TopUp } from '../../../core/index.ts';
import { z } from 'zod';
import { text } from '../fields.ts';
import { planPrice } from '../plan-price.ts';
import { idParams } from './fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { amount, id, instant, whole } from './reply-fields.ts';

const planSchema = z.object({
  name: z.string(),
  units: whole('What it adds'),
  price: amount('In its currency'),
  currency: z.string().meta({ description: 'A fiat currency' }),
});

const purchaseSchema = z.object({
  order_id: id("The order, in the seller's list"),
  plan: z.string(),
  units: whole('What it adds, or has added'),
  state: z.enum(['OPEN', 'CREDITED', 'TAKEN_BACK']).meta({
    description:
      'Whether the App has the units; taken back after a refund, or when a reorganisation removed the payment',
  }),
  order_status: z.enum(ORDER_STATUSES),
  created_at: instant('When it was ordered'),
});

const prepaidSchema = z
  .object({
    units_left: z
      .number()
      .meta({ type: 'integer', description: 'May be below 0: what was admitted in the last second counts too' }),
    units_bought: whole('In all'),
    units_used: whole('While the App was prepaid'),
    top_up_url: z.string().meta({ description: 'The page where whoever knows it buys units for this App' }),
    plans: z.array(planSchema).readonly(),
    purchases: z.array(purchaseSchema).readonly().meta({ description: 'The latest 20, newest first' }),
  })
  .meta({ id: 'AppPrepaid' });

const topUpSchema = z
  .object({
    order_id: id("The order, in the seller's list"),
    pay_url: z.string().meta({ description: 'The page where it is paid' }),
    ...planSchema.omit({ name: true }).shape,
    plan: z.string(),
    expires_at: instant('The deadline of the payment'),
  })
  .meta({ id: 'AppTopUp' });

const planRecord = (plan: Plan): z.input<typeof planSchema> => ({
  name: plan.name,
  units: plan.units,
  price: planPrice(plan),
  currency: plan.vsCurrency,
});

const purchaseRecord = (purchase: PurchaseView): z.input<typeof purchaseSchema> => ({
  order_id: purchase.orderId,
  plan: purchase.plan,
  units: purchase.units,
  state: purchase.state,
  order_status: purchase.orderStatus,
  created_at: formatInstant(purchase.createdAt),
});

/** What an App has, by the names of the management API. */
export function prepaidRecord(
  { units, left, topUpUrl, plans }: PrepaidView,
  purchases: readonly PurchaseView[],
): z.input<typeof prepaidSchema> {
  return {
    units_left: left,
    units_bought: units.bought,
    units_used: units.used,
    top_up_url: topUpUrl,
    plans: plans.map(planRecord),
    purchases: purchases.map(purchaseRecord),
  };
}

/** An order of a plan, by the names of the management API. */
export function topUpRecord({ order, plan, payUrl }: TopUp): z.input<typeof topUpSchema> {
  const { name, ...record } = planRecord(plan);
  return {
    order_id: order.id,
    pay_url: payUrl,
    plan: name,
    ...record,
    expires_at: formatInstant(order.expiresAt),
  };
}

const planExample = { units: 1_000_000, price: '10.00', currency: 'USD' };
const orderExample = '1530217733414232065';
const params = idParams<AppId>('The App');

/** What Apps bought of the gateway (decisions, section 13). */
export const appPrepaidOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'getAppPrepaid',
    method: 'GET',
    path: '/apps/{id}/prepaid',
    summary: 'What an App has left',
    description: 'Of the units that were bought for it, with the plans on sale. 404 for an App that is not prepaid.',
    errors: ['NOT_FOUND'],
    params,
    data: prepaidSchema,
    examples: {
      data: {
        units_left: 998_796,
        units_bought: 1_000_000,
        units_used: 1204,
        top_up_url: 'https://pay.example.com/top-up/0d1f4a0c6c7b4c2f9d3e5a6b7c8d9e0f',
        plans: [{ name: 'starter', ...planExample }],
        purchases: [
          {
            order_id: orderExample,
            plan: 'starter',
            units: 1_000_000,
            state: 'CREDITED',
            order_status: 'SUCCESS',
            created_at: '2027-01-31T00:00:00.000Z',
          },
        ],
      },
    },
    handler: async ({ actor, params: { id } }, { manage }) => {
      const { view, purchases } = await manage.apps.prepaid(actor, id);
      return prepaidRecord(view, purchases);
    },
  }),
  manageOperation({
    id: 'topUpApp',
    method: 'POST',
    path: '/apps/{id}/top-up',
    status: 201,
    summary: 'Buy units for an App',
    description:
      "Makes an order of the seller for a plan's price. When it is paid the App has the units, in the same transaction.",
    errors: ['NOT_FOUND', 'STATE_CONFLICT', 'AMOUNT_OUT_OF_RANGE', 'NOT_READY'],
    params,
    body: z.object({ plan: text(64, 'The name of a plan') }),
    data: topUpSchema,
    examples: {
      body: { plan: 'starter' },
      data: {
        order_id: orderExample,
        pay_url: 'https://pay.example.com/checkout/8f14e45fceea167a5a36dedd4bea2543',
        plan: 'starter',
        ...planExample,
        expires_at: '2027-01-31T00:30:00.000Z',
      },
    },
    handler: async ({ actor, params: { id }, body: { plan } }, { manage }) =>
      topUpRecord(await manage.apps.topUp(actor, id, plan)),
  }),
];
