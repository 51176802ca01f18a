import {
  formatInstant,
  formatUnits,
  MAX_OPEN_PULL_PAYMENTS,
  MAX_PULL_PAYMENT_NAME,
  PULL_PAYMENT_STATES,
  unclaimed,
} from '../../../../core/index.ts';
import type { ManagedPullPayment, OrderId, PullPaymentId } from '../../../../core/index.ts';
import { z } from 'zod';
import { code, decimalText, merchantReference, metadata, optionalCode, text } from '../../fields.ts';
import { CODE_DIGITS } from '../../operations/withdrawal-record.ts';
import { accountExample } from '../access/accounts.ts';
import { accountFilter, idParams, inputOf, instantField, ownerField, recordId, texts, yesNo } from '../fields.ts';
import { apiOperation, manageList } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { amount, id, instant, pageRecord, time } from '../reply-fields.ts';

const MAX_COINS = 64;
const MAX_CODE = 64;

export const pullPaymentSchema = z
  .object({
    id: id('ID of the pull payment'),
    account: id('ID of the account that pays'),
    url: z.string().nullable().meta({
      description:
        'URL of its claim page, with which anyone can claim the amount; only when it is created or revealed, otherwise null',
    }),
    state: z.enum(PULL_PAYMENT_STATES).meta({ description: 'settled: all of it is claimed and paid' }),
    name: z.string().meta({ description: 'Heading of its claim page' }),
    currency: z.string().meta({ description: 'Code of a coin, or of a fiat currency' }),
    amount: amount('Amount promised'),
    claimed: amount('Part of it that is claimed'),
    left: amount('Part of it that nobody has claimed'),
    coins: z
      .array(z.string())
      .readonly()
      .nullable()
      .meta({ description: 'Coins in which a fiat amount can be claimed; null for all, and for an amount in a coin' }),
    expires_at: instant('Time of expiry').nullable(),
    auto_approve: z
      .boolean()
      .meta({ description: 'Whether claims are paid without an approval, after the delay of a new address' }),
    reference: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    order: id('ID of the order of which it refunds a part').nullable(),
    requested_by: id('ID of the account that created it here; null for a program').nullable(),
    archived_at: instant('Time at which it was archived').nullable(),
    created_at: instant('Time of creation'),
  })
  .meta({ id: 'PullPayment' });

type PullPaymentRecord = z.input<typeof pullPaymentSchema>;

/** Writes the record of a pull payment. */
export function pullPaymentRecord({ pull, state, currency, url }: ManagedPullPayment): PullPaymentRecord {
  const money = (units: bigint): string => formatUnits(units, currency.decimals);
  return {
    id: pull.id,
    account: pull.accountId,
    url,
    state,
    name: pull.name,
    currency: pull.currency,
    amount: money(pull.amount),
    claimed: money(pull.claimed),
    left: money(unclaimed(pull)),
    coins: pull.coins,
    expires_at: time(pull.expiresAt),
    auto_approve: pull.autoApprove,
    reference: pull.reference,
    metadata: pull.metadata,
    order: pull.orderId,
    requested_by: pull.requestedBy,
    archived_at: time(pull.archivedAt),
    created_at: formatInstant(pull.createdAt),
  };
}

const shown = {
  id: '1530219844911046800',
  account: accountExample.id,
  url: 'https://pay.example/claim/6f1c0d2e8b4a49d7a0c35e1f9b27d864',
  state: 'active',
  name: 'Bug bounty',
  currency: 'EUR',
  amount: '500',
  claimed: '25',
  left: '475',
  coins: null,
  expires_at: null,
  auto_approve: false,
  reference: 'bounty-17',
  metadata: {},
  order: null,
  requested_by: accountExample.id,
  archived_at: null,
  created_at: accountExample.created_at,
} as const satisfies PullPaymentRecord;
const example = { ...shown, url: null };

const params = idParams<PullPaymentId>('ID of the pull payment');

/** The operations of pull payments (core/decisions/pull-payments.md). */
export const pullPaymentOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'pull_payments.list', scope: 'read' },
    id: 'listPullPayments',
    path: '/pull-payments',
    summary: 'List pull payments',
    description: 'Returns amounts that were promised, newest first.',
    errors: ['NOT_FOUND'],
    filter: accountFilter,
    name: 'PullPaymentList',
    item: pullPaymentSchema,
    example,
    handler: async ({ actor, query }, { manage }) =>
      pageRecord(await manage.pullPayments.list(actor, inputOf(query)), pullPaymentRecord),
  }),
  apiOperation({
    offer: { name: 'pull_payments.create', scope: 'move' },
    id: 'createPullPayment',
    method: 'POST',
    path: '/pull-payments',
    status: 201,
    idempotent: true,
    summary: 'Create a pull payment',
    description: `Promises an amount to whoever has the URL of its claim page, who chooses the coin and the address. An amount in a coin is set aside from the balance now; an amount in a fiat currency is converted and set aside when it is claimed. With \`order\` it refunds a part of what an order received. An account can have at most ${MAX_OPEN_PULL_PAYMENTS} that can still be claimed. A session needs a step-up.`,
    errors: [
      'NOT_FOUND',
      'UNSUPPORTED',
      'VERIFICATION_REQUIRED',
      'VERIFY_CODE_INVALID',
      'STATE_CONFLICT',
      'INSUFFICIENT_BALANCE',
      'IDEMPOTENCY_MISMATCH',
      'IDEMPOTENCY_RUNNING',
      'NOT_READY',
    ],
    body: z.object({
      account: ownerField,
      name: text(MAX_PULL_PAYMENT_NAME, 'Heading of its claim page'),
      currency: code('Code of a coin, such as USDT-ERC20, or of a fiat currency, such as EUR'),
      amount: decimalText('Amount to promise'),
      coins: texts(MAX_COINS, MAX_CODE, 'Coins in which a fiat amount can be claimed; null for all')
        .nullable()
        .optional(),
      expires_at: instantField('Time of expiry; null for none').nullable().optional(),
      auto_approve: yesNo(
        'Pays claims without an approval, after the delay of a new address; defaults to false',
      ).optional(),
      reference: merchantReference(),
      metadata: metadata(),
      order: recordId<OrderId>('ID of the order of which it refunds a part, in the coin of the order').optional(),
      verify_code: optionalCode(
        CODE_DIGITS,
        'Code of the second factor, for an API key: required with `auto_approve`, and if the account demands one for payouts',
      ),
    }),
    data: pullPaymentSchema,
    examples: { body: { name: 'Bug bounty', currency: 'EUR', amount: '500', reference: 'bounty-17' }, data: shown },
    owner: ({ actor, body }) => Promise.resolve(body.account ?? actor.accountId),
    handler: async ({ actor, body: { currency, ...body }, idempotency }, { manage }) =>
      pullPaymentRecord(await manage.pullPayments.create(actor, { ...inputOf(body), currency }, idempotency)),
  }),
  apiOperation({
    offer: { name: 'pull_payments.get', scope: 'read' },
    id: 'getPullPayment',
    method: 'GET',
    path: '/pull-payments/{id}',
    summary: 'Retrieve a pull payment',
    description: 'Returns a pull payment. List what was claimed of it with `claims?pull_payment=…`.',
    errors: ['NOT_FOUND'],
    params,
    data: pullPaymentSchema,
    examples: { data: example },
    handler: async ({ actor, params: { id } }, { manage }) =>
      pullPaymentRecord(await manage.pullPayments.find(actor, id)),
  }),
  apiOperation({
    offer: { name: 'pull_payments.reveal', scope: null },
    id: 'revealPullPayment',
    method: 'POST',
    path: '/pull-payments/{id}/reveal',
    summary: 'Reveal the claim page of a pull payment',
    description:
      'Returns a pull payment with the URL of its claim page. Only its own account; a session needs a step-up.',
    errors: ['NOT_FOUND'],
    params,
    data: pullPaymentSchema,
    examples: { data: shown },
    owner: async ({ actor, params: { id } }, { manage }) => (await manage.pullPayments.find(actor, id)).pull.accountId,
    handler: async ({ actor, params: { id } }, { manage }) =>
      pullPaymentRecord(await manage.pullPayments.reveal(actor, id)),
  }),
  apiOperation({
    offer: { name: 'pull_payments.archive', scope: 'move' },
    id: 'archivePullPayment',
    method: 'POST',
    path: '/pull-payments/{id}/archive',
    summary: 'Archive a pull payment',
    description:
      'Ends a pull payment: nothing more can be claimed, claims that wait for approval are rejected, and what is left returns to the balance. Payments under way go on.',
    errors: ['NOT_FOUND'],
    params,
    data: pullPaymentSchema,
    examples: { data: { ...example, state: 'archived', archived_at: accountExample.updated_at } },
    owner: async ({ actor, params: { id } }, { manage }) => (await manage.pullPayments.find(actor, id)).pull.accountId,
    handler: async ({ actor, params: { id } }, { manage }) =>
      pullPaymentRecord(await manage.pullPayments.archive(actor, id)),
  }),
];
