import {
  CLAIM_STATES,
  claimState,
  formatTimestamp,
  formatUnits,
  obtainedUnits,
  present,
  PULL_PAYMENT_STATES,
  readDecimal,
  TillgateError,
} from '../../../core/index.ts';
import type { ClaimPageView, Decimal, PaidClaim } from '../../../core/index.ts';
import { z } from 'zod';
import type { HttpDeps } from '../deps.ts';
import { optionalText, text } from '../fields.ts';
import { ANYBODY, dataOperation } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { decimal, timestamp } from '../record-fields.ts';

const MAX_AMOUNT = 80;
const MAX_CODE = 64;
const MAX_KEY = 64;
const SHOWN = 6;

const claimSchema = z.object({
  state: z.enum(CLAIM_STATES),
  amount: decimal('Amount claimed, in vs_currency'),
  currency: z.string().meta({ description: 'Coin in which it is paid' }),
  coin_amount: decimal('Amount in the coin, less the network fee once that is known'),
  address: z.string().meta({ description: 'First and last characters of the address' }),
  tx_hash: z.string().nullable(),
  reason: z.string().nullable().meta({ description: 'Reason why it was rejected' }),
  not_before: timestamp('Time before which it is not paid').nullable(),
  created_at: timestamp('Time of the claim'),
});

/** What the claim page shows and polls. */
const claimPageSchema = z
  .object({
    name: z.string(),
    state: z.enum(PULL_PAYMENT_STATES),
    vs_currency: z.string().meta({ description: 'Coin or fiat currency of the amounts' }),
    amount: decimal('Amount promised'),
    left: decimal('Amount that can still be claimed'),
    expires_at: timestamp('Time of expiry').nullable(),
    currencies: z.array(z.string()).readonly().meta({ description: 'Coins in which it can be claimed' }),
    claims: z.array(claimSchema).readonly().meta({ description: 'Claims, newest first' }),
  })
  .meta({ id: 'ClaimPage' });

const example: z.output<typeof claimPageSchema> = {
  name: 'Bug bounty',
  state: 'active',
  vs_currency: 'EUR',
  amount: '500',
  left: '475',
  expires_at: null,
  currencies: ['ETH', 'USDT-ERC20'],
  claims: [
    {
      state: 'waiting',
      amount: '25',
      currency: 'USDT-ERC20',
      coin_amount: '26.7',
      address: '0x7099…79C8',
      tx_hash: null,
      reason: null,
      not_before: '2026-05-05T12:00:00',
      created_at: '2026-05-04T12:00:00',
    },
  ],
};

/** The first and the last characters of an address, enough to recognise one's own. */
export function shortAddress(address: string): string {
  return address.length <= 2 * SHOWN + 1 ? address : `${address.slice(0, SHOWN)}…${address.slice(-4)}`;
}

type Assets = Pick<HttpDeps['assets'], 'find'>;

function claimRecord(paid: PaidClaim, view: ClaimPageView, assets: Assets, now: number): z.input<typeof claimSchema> {
  const { claim, transfer, txHash } = paid;
  const units = transfer === null ? claim.units : obtainedUnits(transfer);
  const notBefore = transfer?.notBefore ?? null;
  return {
    state: claimState(paid, now),
    amount: formatUnits(claim.amount, view.currency.decimals),
    currency: claim.currency,
    coin_amount: formatUnits(units, assets.find(claim.currency)?.decimals ?? 0),
    address: shortAddress(claim.toAddress),
    tx_hash: txHash,
    reason: claim.reason,
    not_before: notBefore === null ? null : formatTimestamp(notBefore),
    created_at: formatTimestamp(claim.createdAt),
  };
}

/** Writes what a claim page shows. */
export function claimPageRecord(view: ClaimPageView, assets: Assets, now: number): z.input<typeof claimPageSchema> {
  const { pull, currency } = view;
  return {
    name: pull.name,
    state: view.state,
    vs_currency: currency.code,
    amount: formatUnits(pull.amount, currency.decimals),
    left: formatUnits(view.left, currency.decimals),
    expires_at: pull.expiresAt === null ? null : formatTimestamp(pull.expiresAt),
    currencies: view.coins.map(({ asset }) => asset.currency),
    claims: view.claims.map((paid) => claimRecord(paid, view, assets, now)),
  };
}

/** Only tokens in the form that the till makes reach the storage. @throws TillgateError `NOT_FOUND` */
export function claimToken(token: string): string {
  if (/^[0-9a-f]{32}$/.test(token)) return token;
  throw new TillgateError('NOT_FOUND', 'There is no such page.');
}

const AMOUNT_RULE = 'must be a positive decimal, such as 12.50';

/** A decimal of a form or a JSON string; a comma is accepted, as in many languages, and an empty field is absent. */
const claimAmount = z
  .string({ error: AMOUNT_RULE })
  .max(MAX_AMOUNT, { error: AMOUNT_RULE })
  .optional()
  .transform((value, context): Decimal | null => {
    const typed = (value ?? '').trim();
    if (typed === '') return null;
    const found = /^\d+(?:[.,]\d+)?$/.test(typed) ? readDecimal(typed.replace(',', '.')) : null;
    if (found !== null && found.digits > 0n) return found;
    context.issues.push({ code: 'custom', input: value, message: AMOUNT_RULE });
    return z.NEVER;
  })
  .meta({ type: 'string', maxLength: MAX_AMOUNT, description: 'Amount in vs_currency; all that is left by default' });

const params = z.object({ token: text(128, 'Last part of the URL of the claim page') });
const shared = { tag: 'Checkout', auth: ANYBODY, params, data: claimPageSchema, examples: { data: example } } as const;
/** Relative, so that it works under any base path. */
const page = ({ token }: Readonly<Record<string, string>>): string => `../${present(token, 'token')}`;

const stateOf = async (token: string, { claimPullPayment, assets, clock }: HttpDeps) =>
  claimPageRecord(await claimPullPayment.page(token), assets, clock.now());

const claimPageState = dataOperation({
  ...shared,
  id: 'getClaimPageState',
  method: 'GET',
  path: '/claim/{token}/state',
  summary: 'Retrieve what can be claimed',
  description: 'Returns what the claim page of a pull payment shows and polls.',
  errors: ['NOT_FOUND'],
  handler: ({ params }, deps) => stateOf(claimToken(params.token), deps),
});

const claimAnAmount = dataOperation({
  ...shared,
  id: 'claimAmount',
  method: 'POST',
  path: '/claim/{token}/claims',
  summary: 'Claim an amount',
  description:
    'Claims a part of a pull payment, or all that is left, to an address of the payee. The network fee is taken from the amount. A repetition with the same key is the same claim.',
  bodyKinds: ['json', 'form'],
  page,
  errors: [
    'NOT_FOUND',
    'AMOUNT_OUT_OF_RANGE',
    'DESTINATION_UNPAYABLE',
    'STATE_CONFLICT',
    'IDEMPOTENCY_MISMATCH',
    'INSUFFICIENT_BALANCE',
    'RATE_LIMITED',
    'NODE_FAILED',
    'NOT_READY',
  ],
  body: z.object({
    currency: optionalText(MAX_CODE, 'Coin, such as USDT-ERC20; may be omitted where there is one'),
    address: text(256, "Address on the coin's chain"),
    amount: claimAmount,
    key: text(MAX_KEY, 'Text of 8 to 64 letters, digits, - and _ that is new for each claim'),
  }),
  examples: {
    body: {
      currency: 'USDT-ERC20',
      address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      amount: '25',
      key: '8f6b1c0a5d3e',
    },
    data: example,
  },
  handler: async ({ params, body }, deps) => {
    const token = claimToken(params.token);
    await deps.claimPullPayment.claim(token, { ...body, address: body.address.trim() });
    return stateOf(token, deps);
  },
});

/** The operations that the claim page posts to and polls. The host serves the page itself. */
export const claimOperations: readonly Operation[] = [claimPageState, claimAnAmount];
