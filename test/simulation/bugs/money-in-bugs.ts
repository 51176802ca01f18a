import type { BlockRef, ChainPolicy, Clock, Deposit, ObservedTransfer, OrderPayment } from '../../../core/index.ts';
import { ChainFollower, LIGHTNING_ASSET, ORDER_TRANSITIONS, TillEvents } from '../../../core/index.ts';
import { standardHeaders } from '../../../core/notify/sign.ts';
import { afterAttempt, isDelivered } from '../../../core/notify/callback-schedule.ts';
import { creditDeposits } from '../../../core/deposits/credit-deposit.ts';
import type { FollowChainDeps } from '../../../core/deposits/follow-chain.ts';
import { orphanDeposits } from '../../../core/deposits/orphan-deposits.ts';
import { ownedTransfers } from '../../../core/deposits/owned-transfers.ts';
import { recordTransfers } from '../../../core/deposits/record-transfer.ts';
import { SettleDeposits } from '../../../core/deposits/settle-deposits.ts';
import { postEntry } from '../../../core/ledger/post-entry.ts';
import { reversalLoss } from '../../../core/chain/deposit-entries.ts';
import { ChoosePayment } from '../../../core/orders/choose-payment.ts';
import { ExpireOrders } from '../../../core/orders/expire-orders.ts';
import { OrderAdminActions } from '../../../core/orders/order-admin-actions.ts';
import { amountRequired } from '../../../core/orders/order.ts';
import { decideOrder, liveDeposits, sumReceived } from '../../../core/orders/settle-order.ts';
import type { Received } from '../../../core/orders/settle-order.ts';
import type { ChainWrites } from '../../../core/chain/chain-store.ts';
import { quoteUnits } from '../../../core/ledger/conversion.ts';
import { SqlDepositWrites } from '../../../adapters/storage/knex/stores/chain/deposit-writes.ts';
import { SqlTransferWrites } from '../../../adapters/storage/knex/stores/payouts/transfer-writes.ts';
import { nameOf } from '../../support/name-of.ts';
import { edited, patched } from './bug.ts';
import type { Bug } from './bug.ts';
import { inModuleOf, within } from './edits.ts';
import { replaced, rewriteSql, writeAfterCommit } from './patches.ts';

const spendableConfirmations = nameOf<ChainPolicy>((policy) => policy.spendableConfirmations);
const inWindow = nameOf<Received>((received) => received.countedInWindow);
const inTime = nameOf<Received>((received) => received.confirmedInTime);

export const DEPOSIT_BUGS: readonly Bug[] = [
  edited(
    'credit before it is final',
    within(creditDeposits)
      .binary('>=', { mentions: nameOf<ChainPolicy>((policy) => policy.confirmations) })
      .becomes(({ left, right }) => `${left} + 1 >= ${right}`),
    within(SettleDeposits)
      .binary('>=', { mentions: nameOf<ChainPolicy>((policy) => policy.confirmations) })
      .becomes(({ left, right }) => `${left} + 1 >= ${right}`),
  ),
  edited(
    'spendable as soon as it is credited',
    within(SettleDeposits)
      .binary('-', { mentions: spendableConfirmations })
      .becomes(({ left }) => left),
  ),
  edited(
    'a reorganisation is not reversed in the ledger',
    inModuleOf(orphanDeposits)
      .call(postEntry.name, { every: true })
      .becomes(() => 'true'),
  ),
  edited(
    'a reversal takes what was withdrawn already',
    within(reversalLoss)
      .conditional()
      .becomes(({ whenTrue }) => whenTrue),
  ),
  edited(
    'a payment that is mined again stays lost',
    inModuleOf(recordTransfers)
      .binary('!==', { mentions: 'ORPHANED' })
      .becomes(() => 'true'),
  ),
  patched("a deposit's index is ignored", () => {
    const { addAll } = SqlDepositWrites.prototype;
    SqlDepositWrites.prototype.addAll = function (this: SqlDepositWrites, deposits) {
      const isFirst = (one: Deposit, at: number): boolean => deposits.findIndex(({ txid }) => txid === one.txid) === at;
      return addAll.call(this, deposits.filter(isFirst));
    };
  }),
  patched('the cursor moves before its deposits are stored', () =>
    writeAfterCommit((tx, later) =>
      replaced(tx, {
        deposits: replaced(tx.deposits, {
          addAll: async (deposits) => {
            if (deposits.some(({ chain }) => chain === LIGHTNING_ASSET.chain)) await tx.deposits.addAll(deposits);
            else later((next) => next.deposits.addAll(deposits));
          },
        }),
      }),
    ),
  ),
  edited(
    'payments go by the clock, not by the chain',
    within(ChainFollower)
      .call('min', { mentions: nameOf<Clock>((clock) => clock.now) })
      .becomes(({ args }) => args[0] ?? ''),
  ),
  edited(
    'a payment goes to the wrong order',
    within(ownedTransfers)
      .call('get', { mentions: nameOf<ObservedTransfer>((transfer) => transfer.toKey) })
      .becomes(({ receiver }) => `[...${receiver}.values()][0]`),
  ),
  patched('spent coins of a reorganised deposit stay', () => {
    SqlTransferWrites.prototype.dropHolding = () => Promise.resolve(true);
  }),
];

export const ORDER_BUGS: readonly Bug[] = [
  edited(
    'what is unconfirmed counts',
    within(sumReceived)
      .binary('===', { mentions: 'SEEN' })
      .becomes(() => 'false'),
  ),
  edited(
    'another coin counts',
    within(liveDeposits)
      .binary('===', { mentions: nameOf<OrderPayment>((payment) => payment.currency) })
      .becomes(() => 'true'),
  ),
  edited(
    'a late payment does not count',
    inModuleOf(decideOrder)
      .binary('>=', { mentions: inWindow })
      .becomes(({ left, right }) => `${left.replace(inWindow, inTime)} >= ${right}`),
  ),
  edited(
    'the tolerance is applied twice',
    within(amountRequired)
      .binary('/')
      .becomes(({ left, right }) => `((${left}) * 2n) / ${right}`),
  ),
  edited(
    'the least amount is rounded down',
    within(amountRequired)
      .binary('/')
      .becomes(({ left, right }) => `((${left}) + ${right} - 1n) / ${right}`),
  ),
  edited(
    'a quote is rounded down',
    within(quoteUnits)
      .string('up', { every: true })
      .becomes(() => "'down'"),
  ),
  edited(
    'an order expires before its chain was read',
    within(ExpireOrders)
      .call('set')
      .becomes(({ callee, args }) => `${callee}(${args[0]}, Number.MAX_SAFE_INTEGER)`),
  ),
  edited(
    'caught up as of the end of the look',
    within(ChainFollower)
      .call(
        nameOf<ChainWrites>((chains) => chains.setCaughtUp),
        { where: ({ args }) => args[1]?.endsWith(`.${nameOf<BlockRef>((block) => block.time)}`) === false },
      )
      .becomes(
        ({ callee, args }, { dependency }) =>
          `${callee}(${args[0]}, ${dependency(nameOf<FollowChainDeps>((deps) => deps.clock))}.${nameOf<Clock>((clock) => clock.now)}())`,
      ),
  ),
  edited(
    'an order is cancelled although it was paid',
    within(OrderAdminActions)
      .binary('||', { mentions: 'some' })
      .becomes(() => 'false'),
  ),
  edited(
    'an address is given to two orders',
    within(ChoosePayment)
      .binary('=', { where: ({ right }) => right.includes('===') })
      .becomes(({ left }) => `${left} = false`),
  ),
];

export const CALLBACK_BUGS: readonly Bug[] = [
  patched('the outbox is written after the transaction', () =>
    writeAfterCommit((tx, later) =>
      replaced(tx, {
        record: (event) => {
          if (event.type === 'order.moved') later(async (next) => next.record(event));
          else tx.record(event);
        },
      }),
    ),
  ),
  patched('a deposit that becomes spendable is not reported', () => {
    const { ofTransaction } = TillEvents.prototype;
    TillEvents.prototype.ofTransaction = function (this: TillEvents, tx, events) {
      const reported = events.filter((event) => event.type !== 'deposit.moved' || event.to !== 'SPENDABLE');
      return ofTransaction.call(this, tx, reported);
    };
  }),
  patched('no callback for a late payment', () => {
    Object.assign(ORDER_TRANSITIONS.find(({ rule }) => rule === 'late-payment') ?? {}, { event: null });
  }),
  edited(
    'a callback has another id each time',
    within(standardHeaders)
      .property('webhook-id')
      .becomes(({ key, value }) => `${key}: ${value} + Math.random()`),
  ),
  edited(
    'a dead callback is dropped',
    within(afterAttempt)
      .string('DEAD')
      .becomes(() => "'DELIVERED'"),
  ),
  edited(
    'a redirect is a success',
    within(isDelivered)
      .binary('<=')
      .becomes(({ left }) => `${left} <= 399`),
  ),
  patched('callbacks of an order overtake each other', () => {
    rewriteSql((sql) => (sql.includes('claimed_until') ? sql.replace(/NOT EXISTS\s*\(/, '1 = 1 OR EXISTS (') : sql));
  }),
];
