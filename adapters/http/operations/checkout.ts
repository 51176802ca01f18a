import { formatTimestamp, present, TillgateError } from '../../../core/index.ts';
import type { CheckoutView } from '../../../core/index.ts';
import { z } from 'zod';
import type { HttpDeps } from '../deps.ts';
import { code, text } from '../fields.ts';
import { ANYBODY, dataOperation } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { newPayerBrowser, payerBrowser } from '../payer-cookie.ts';
import { decimal, orderStatus, timestamp } from '../record-fields.ts';
import { detailExample } from './order-record.ts';

/** What the payer's page polls (decisions, section 4). */
const checkoutStateSchema = z
  .object({
    status: orderStatus,
    chain: z.string(),
    currency: z.string(),
    amount: decimal('What is due in all'),
    received: decimal('What was seen'),
    address: z.string(),
    contract_addr: z.string(),
    payment_uri: z.string().meta({
      description:
        'Asks for what is missing; empty before a coin is chosen, and once nothing is to be paid any more: all was seen, the deadline has passed, the order is over',
    }),
    confirmations: z.number().meta({ type: 'integer', minimum: 0 }),
    confirmations_required: z.number().meta({ type: 'integer', minimum: 0 }),
    expires_at: timestamp('The deadline'),
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

const params = z.object({ token: text(128, "The last part of the order's pay_url") });
const shared = { tag: 'Checkout', auth: ANYBODY, params, data: checkoutStateSchema } as const;
const examples = { data: checkoutStateExample };
/** Relative, so that it holds under any base path. */
const page = ({ token }: Readonly<Record<string, string>>): string => `../${present(token, 'token')}`;

/** The state of an order as its payer's page shows it (decisions, section 4). */
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

/** Nothing but what the till made itself reaches the storage as a token. */
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
  summary: 'Choose the coin',
  description:
    'Chooses the coin of a hosted order and fixes its rate; it may be changed until a payment was seen (decisions, section 4).',
  bodyKinds: ['json', 'form'],
  page,
  errors: ['NOT_FOUND', 'UNSUPPORTED', 'STATE_CONFLICT', 'NODE_FAILED', 'NOT_READY', 'RATE_LIMITED'],
  body: z.object({ chain: code('Chain code'), currency: code('Crypto currency code') }),
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
  summary: 'The state of a hosted order',
  description: "What the payer's page shows and asks for again and again (decisions, section 4).",
  errors: ['NOT_FOUND'],
  examples,
  handler: ({ params }, deps) => stateOf(tokenOf(params), deps),
});

const refundAddress = dataOperation({
  ...shared,
  id: 'setCheckoutRefundAddress',
  method: 'POST',
  path: '/checkout/{token}/refund-address',
  summary: 'Leave the address of a refund',
  description:
    'The payer names the address that a refund shall go to (decisions, sections 4 and 5). It is left once: the browser that left it gets a cookie, and can change it until a refund is asked for.',
  bodyKinds: ['json', 'form'],
  page,
  errors: ['NOT_FOUND', 'STATE_CONFLICT', 'RATE_LIMITED'],
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

/** What the payer's page posts and polls. The page itself is the host's. */
export const checkoutOperations: readonly Operation[] = [chooseCoin, checkoutState, refundAddress];
