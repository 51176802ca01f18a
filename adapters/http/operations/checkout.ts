import { formatTimestamp, present, TillgateError } from '../../../core/index.ts';
import type { CheckoutView } from '../../../core/index.ts';
import { z } from 'zod';
import type { HttpDeps } from '../deps.ts';
import { code, text } from '../fields.ts';
import { ANYBODY, dataOperation } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { newPayerBrowser, payerBrowser } from '../payer-cookie.ts';
import { typedAddressCookie } from '../typed-address.ts';
import { decimal, orderStatus, timestamp } from '../record-fields.ts';
import { detailExample } from './order-record.ts';

/** The state that the payer's page polls. */
const checkoutStateSchema = z
  .object({
    status: orderStatus,
    chain: z.string(),
    currency: z.string(),
    amount: decimal('Total amount due'),
    received: decimal('Amount seen so far, including unconfirmed payments'),
    address: z.string(),
    contract_addr: z.string(),
    payment_uri: z.string().meta({
      description:
        'Payment URI for the amount that is still due. Empty until the payer has chosen a coin, and once nothing is left to pay: the order is paid or closed, or its deadline has passed.',
    }),
    confirmations: z.number().meta({ type: 'integer', minimum: 0 }),
    confirmations_required: z.number().meta({ type: 'integer', minimum: 0 }),
    expires_at: timestamp('Payment deadline'),
    refund_address: z.string().nullable(),
  })
  .meta({ id: 'CheckoutState' });

const checkoutStateExample: z.output<typeof checkoutStateSchema> = {
  status: 'PENDING',
  chain: 'ETH',
  currency: 'USDT-ERC20',
  amount: '25',
  received: '0',
  address: detailExample.to_addr,
  contract_addr: detailExample.contract_id,
  payment_uri: `ethereum:${detailExample.contract_id}@1/transfer?address=${detailExample.to_addr}&uint256=25000000`,
  confirmations: 0,
  confirmations_required: 12,
  expires_at: '2026-05-04T12:30:00',
  refund_address: null,
};

const params = z.object({ token: text(128, "Last part of the order's pay_url") });
const shared = { tag: 'Checkout', auth: ANYBODY, params, data: checkoutStateSchema } as const;
const examples = { data: checkoutStateExample };
/** Relative, so that it works under any base path. */
const page = ({ token }: Readonly<Record<string, string>>): string => `../${present(token, 'token')}`;

/** Writes the state of an order for its payer's page. */
export function checkoutStateRecord(view: CheckoutView): z.input<typeof checkoutStateSchema> {
  const { order } = view;
  return {
    status: order.status,
    chain: order.payment?.chain ?? '',
    currency: order.payment?.currency ?? '',
    amount: view.amount,
    received: view.received,
    address: order.payment?.address ?? '',
    contract_addr: view.contractAddr,
    payment_uri: view.paymentUri,
    confirmations: view.confirmations,
    confirmations_required: view.confirmationsRequired,
    expires_at: formatTimestamp(order.expiresAt),
    refund_address: view.refundAddress,
  };
}

/** Only tokens in the format that the till creates reach the storage. */
function tokenOf(params: { readonly token: string }): string {
  if (/^[A-Za-z0-9_-]{1,128}$/.test(params.token)) return params.token;
  throw new TillgateError('NOT_FOUND', 'There is no such order.');
}

const stateOf = async (token: string, { orderQueries }: HttpDeps) =>
  checkoutStateRecord(await orderQueries.checkout(token));

const chooseCoin = dataOperation({
  ...shared,
  id: 'chooseCheckoutCoin',
  method: 'POST',
  path: '/checkout/{token}/choice',
  summary: 'Choose a coin',
  description:
    'Chooses the coin of a hosted order and fixes its exchange rate. The coin can be changed until a payment is seen.',
  bodyKinds: ['json', 'form'],
  page,
  errors: ['NOT_FOUND', 'UNSUPPORTED', 'STATE_CONFLICT', 'NODE_FAILED', 'NOT_READY', 'RATE_LIMITED'],
  body: z.object({
    chain: code('Chain code, such as ETH, BTC or TRX'),
    currency: code('Currency code, such as ETH or USDT-ERC20'),
  }),
  examples: { body: { chain: 'ETH', currency: 'USDT-ERC20' }, ...examples },
  handler: async ({ params, body }, deps) => {
    const token = tokenOf(params);
    await deps.choosePayment.choose(token, body.chain, body.currency);
    return stateOf(token, deps);
  },
});

const checkoutState = dataOperation({
  ...shared,
  id: 'getCheckoutState',
  method: 'GET',
  path: '/checkout/{token}/state',
  summary: 'Retrieve the state of a hosted order',
  description: 'Returns the state that the checkout page shows and polls.',
  errors: ['NOT_FOUND'],
  examples,
  handler: ({ params }, deps) => stateOf(tokenOf(params), deps),
});

const refundAddress = dataOperation({
  ...shared,
  id: 'setCheckoutRefundAddress',
  method: 'POST',
  path: '/checkout/{token}/refund-address',
  summary: 'Set the refund address',
  description:
    'Sets the address to which a refund is paid. It can be set once; the browser that set it receives a cookie and can change the address until a refund is requested.',
  bodyKinds: ['json', 'form'],
  page,
  errors: ['NOT_FOUND', 'STATE_CONFLICT', 'RATE_LIMITED'],
  refusalCookie: (body, { settings }) =>
    typedAddressCookie((body as { readonly address?: unknown } | undefined)?.address, settings.secureCookies ?? false),
  body: z.object({ address: text(256, "An address on the order's chain") }),
  examples: { body: { address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }, ...examples },
  handler: async ({ params, body, request }, deps, headers) => {
    const token = tokenOf(params);
    const known = payerBrowser(request.headers);
    const fresh = known === null ? newPayerBrowser(deps.settings.secureCookies ?? false) : null;
    await deps.choosePayment.setRefundAddress(token, body.address, known ?? fresh?.hash);
    if (fresh !== null) headers['Set-Cookie'] = fresh.cookie;
    return stateOf(token, deps);
  },
});

/** The operations that the payer's page posts to and polls. The host serves the page itself. */
export const checkoutOperations: readonly Operation[] = [chooseCoin, checkoutState, refundAddress];
