import type { PayoutOutcome, Transfer } from '../../../core/index.ts';
import { SqlTransferStore } from '../../../adapters/storage/knex/stores/payouts/transfer-store.ts';
import { SqlTransferWrites } from '../../../adapters/storage/knex/stores/payouts/transfer-writes.ts';
import { paidEntry } from '../../../core/payouts/transfer-entries.ts';
import { orderRefunds } from '../../../core/orders/order-refunds.ts';
import { rejectTransfer } from '../../../core/payouts/review-transfer.ts';
import { PayoutBuilder } from '../../../core/payouts/build-payout.ts';
import { finishMined } from '../../../core/payouts/finish-payout.ts';
import { FollowPayouts } from '../../../core/payouts/follow-payouts.ts';
import { reserveTransfer } from '../../../core/payouts/reserve-transfer.ts';
import { NonceCounters } from '../../../core/payouts/nonce-counters.ts';
import { SimPayments } from '../world/node.ts';
import { nameOf } from '../../support/name-of.ts';
import { edited, patched } from './bug.ts';
import type { Bug } from './bug.ts';
import { inModuleOf, within } from './edits.ts';
import { rewriteSql } from './patches.ts';

type Mined = Extract<PayoutOutcome, { kind: 'mined' }>;

const confirmations = nameOf<{ readonly confirmations: number }>((outcome) => outcome.confirmations);

export const REQUEST_BUGS: readonly Bug[] = [
  edited(
    'no look at the balance',
    within(reserveTransfer)
      .binary('<')
      .becomes(() => 'false'),
  ),
  patched('an idempotency key is not claimed', () => {
    const { reserve } = SqlTransferStore.prototype;
    SqlTransferStore.prototype.reserve = function (this: SqlTransferStore, reservation) {
      return reserve.call(this, { ...reservation, idempotency: null });
    };
    SqlTransferStore.prototype.claimed = () => Promise.resolve(null);
  }),
  {
    name: 'an order is refunded twice',
    edits: [
      within(orderRefunds)
        .binary('!==', { mentions: 'FAILED' })
        .becomes(() => 'false'),
    ],
    patch: () => rewriteSql((sql) => sql.replace(/CREATE UNIQUE (INDEX \w*_one_live_refund\b)/, 'CREATE $1')),
  },
  edited(
    'a signed payment can be rejected',
    within(rejectTransfer)
      .binary('!==', { mentions: 'REQUESTED' })
      .becomes(({ left, right }) => `${left} !== ${right} && ${left} !== 'SIGNED' && ${left} !== 'BROADCAST'`),
  ),
];

export const PAYOUT_BUGS: readonly Bug[] = [
  patched('bytes are sent before they are stored', () => {
    const { sign } = SimPayments.prototype;
    SimPayments.prototype.sign = async function (this: SimPayments, request) {
      const signed = await sign.call(this, request);
      await this.broadcast(signed);
      return signed;
    };
  }),
  patched('the nonce comes from memory', () => {
    NonceCounters.prototype.forget = () => undefined;
    rewriteSql((sql) => sql.replace(/WHERE \S*next_nonce = excluded\.next_nonce - 1/, ''));
  }),
  patched('a fee is raised with a new nonce', () => {
    const { again } = PayoutBuilder.prototype;
    PayoutBuilder.prototype.again = function (this: PayoutBuilder, transfers, request, nonce) {
      return again.call(this, transfers, request, nonce === null ? null : nonce + 1);
    };
  }),
  patched('a raised fee changes the payment', () => {
    const { again } = PayoutBuilder.prototype;
    PayoutBuilder.prototype.again = function (this: PayoutBuilder, transfers, ...rest) {
      return again.call(
        this,
        transfers.map((transfer) => ({ ...transfer, feeUnits: transfer.feeUnits + 1n })),
        ...rest,
      );
    };
  }),
  edited(
    'a reserve goes back when no node knows the payment',
    within(FollowPayouts)
      .clause('missing')
      .becomes(({ label, bodies }) => `case ${label}: ${bodies['conflicted'] ?? ''}`),
  ),
  edited(
    'paid with its first confirmation',
    within(FollowPayouts)
      .binary('>=', { mentions: confirmations })
      .becomes(({ left }) => `${left} >= 1`),
  ),
  edited(
    'a payment without effect counts as made',
    within(finishMined)
      .conditional({ mentions: 'CONFIRMED' })
      .becomes(({ whenTrue }) => whenTrue),
  ),
  edited(
    'a payment that left its block is not sent again',
    within(FollowPayouts)
      .binary('===', { mentions: 'missing' })
      .becomes(() => 'false'),
  ),
  edited(
    'change is forgotten',
    within(finishMined)
      .binary('!==', { mentions: nameOf<Mined>((mined) => mined.change) })
      .becomes(() => 'false'),
  ),
  // Edits the comparison of the payout with null; the first such comparison is that of the returned amount.
  edited(
    'a sweep is counted as a payment',
    inModuleOf(paidEntry)
      .binary('===', { where: ({ left, right }) => right === 'null' && !left.includes('.'), nth: 2 })
      .becomes(() => 'false'),
  ),
  edited(
    "the network's fee is not booked",
    within(paidEntry)
      .spread({ nth: 2 })
      .becomes(() => ''),
  ),
  edited(
    'more is charged than was agreed',
    inModuleOf(PayoutBuilder)
      .binary('>', { mentions: nameOf<Transfer>((transfer) => transfer.maxFeeUnits), every: true })
      .becomes(() => 'false'),
  ),
];

/** Bugs on chains whose transactions expire. */
export const EXPIRY_BUGS: readonly Bug[] = [
  edited(
    'what no node knows is signed again',
    within(FollowPayouts)
      .clause('missing')
      .becomes(({ label, bodies }) => `case ${label}: ${bodies['expired'] ?? ''}`),
  ),
  patched('an expiry is not kept', () => {
    const { addAttempt } = SqlTransferWrites.prototype;
    SqlTransferWrites.prototype.addAttempt = function (this: SqlTransferWrites, attempt) {
      return addAttempt.call(this, { ...attempt, expiresAt: attempt.expiresAt === null ? null : attempt.createdAt });
    };
  }),
  patched('bytes have expired by the clock', () => {
    SimPayments.prototype.solidTime = function (this: SimPayments) {
      return this.chain.time;
    };
  }),
  patched('bytes have expired by a block that may go', () => {
    SimPayments.prototype.solidTime = function (this: SimPayments, height) {
      return this.chain.timeOf(height);
    };
  }),
  patched('one node is believed that bytes were never mined', () => {
    SimPayments.prototype.witnessKnows = () => false;
  }),
];
