import { formatInstant, ORDER_STATUSES } from '../../../../core/index.ts';
import type { AppId, Plan, PrepaidView, PurchaseView, TopUp } from '../../../../core/index.ts';
import { z } from 'zod';
import { text } from '../../fields.ts';
import { planPrice } from '../../plan-price.ts';
import { idParams } from '../fields.ts';
import { manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { amount, id, instant, whole } from '../reply-fields.ts';

const planSchema = z.object({
  name: z.string(),
  units: whole('Units that the plan adds'),
  price: amount('Price in the currency of the plan'),
  currency: z.string().meta({ description: 'Fiat currency code, such as EUR' }),
});

const purchaseSchema = z.object({
  order: id('ID of the order, which belongs to the selling account'),
  plan: z.string(),
  units: whole('Units that the order adds'),
  state: z.enum(['OPEN', 'CREDITED', 'TAKEN_BACK']).meta({
    description:
      'Whether the App has the units. They are removed when the order is refunded, or when a reorganisation removes the payment.',
  }),
  order_status: z.enum(ORDER_STATUSES),
  created_at: instant('Time of the order'),
});

const prepaidSchema = z
  .object({
    units_left: z.number().meta({
      type: 'integer',
      description: 'Units left. Can be negative, because requests of the last second are counted late.',
    }),
    units_bought: whole('Units bought in total'),
    units_used: whole('Units used while the App was prepaid'),
    top_up_url: z.string().meta({
      description: 'URL of the page where units can be bought for this App. Anyone who has the URL can use it.',
    }),
    plans: z.array(planSchema).readonly(),
    purchases: z.array(purchaseSchema).readonly().meta({ description: 'Latest 20 purchases, newest first' }),
  })
  .meta({ id: 'AppPrepaid' });

const topUpSchema = z
  .object({
    order: id('ID of the order, which belongs to the selling account'),
    pay_url: z.string().meta({ description: 'URL of the checkout page' }),
    ...planSchema.omit({ name: true }).shape,
    plan: z.string(),
    expires_at: instant('Payment deadline'),
  })
  .meta({ id: 'AppTopUp' });

const planRecord = (plan: Plan): z.input<typeof planSchema> => ({
  name: plan.name,
  units: plan.units,
  price: planPrice(plan),
  currency: plan.vsCurrency,
});

const purchaseRecord = (purchase: PurchaseView): z.input<typeof purchaseSchema> => ({
  order: purchase.orderId,
  plan: purchase.plan,
  units: purchase.units,
  state: purchase.state,
  order_status: purchase.orderStatus,
  created_at: formatInstant(purchase.createdAt),
});

/** The prepaid balance of an App. */
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

/** An order of a plan. */
export function topUpRecord({ order, plan, payUrl }: TopUp): z.input<typeof topUpSchema> {
  const { name, ...record } = planRecord(plan);
  return {
    order: order.id,
    pay_url: payUrl,
    plan: name,
    ...record,
    expires_at: formatInstant(order.expiresAt),
  };
}

const planExample = { units: 1_000_000, price: '10.00', currency: 'USD' };
const orderExample = '1530217733414232065';
const params = idParams<AppId>('ID of the App');

/** The operations of plans that Apps buy. */
export const appPrepaidOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'getAppPrepaid',
    method: 'GET',
    path: '/apps/{id}/prepaid',
    summary: 'Retrieve the prepaid balance of an App',
    description:
      'Returns the units that the App has left, and the plans on sale. Answers 404 if the App is not prepaid.',
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
            order: orderExample,
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
      'Creates an order for the price of a plan, which belongs to the selling account. The App receives the units when the order is paid.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT', 'AMOUNT_OUT_OF_RANGE', 'NOT_READY'],
    params,
    body: z.object({ plan: text(64, 'Name of the plan') }),
    data: topUpSchema,
    examples: {
      body: { plan: 'starter' },
      data: {
        order: orderExample,
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
