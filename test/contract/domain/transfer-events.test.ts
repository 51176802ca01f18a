import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  approveTransfer,
  cancelTransfer,
  confirmRestore,
  OPERATOR,
  recordLostWithdrawal,
  rejectTransfer,
} from '../../../core/index.ts';
import type { Callback, Storage, Transaction, TransferId, WebhookEndpoint } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildLightning } from '../../support/lightning.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { testsOf } from '../../support/storage.ts';
import { dataIn, eventsFor, subscribe, typesOf } from '../../support/subscribe.ts';

const EVENTS = ['withdrawal.*', 'refund.*'];
const approveAbove = new Map([
  ['ETH', '0.5'],
  ['BTC-LN', '0.0005'],
]);

const subscribed = ({ storage, principal }: Pick<MoneyDomain, 'storage' | 'principal'>): Promise<WebhookEndpoint> =>
  subscribe(storage, principal.accountId, { events: EVENTS });

/** The events of one transfer, oldest first. */
async function toldOf(storage: Storage, endpoint: WebhookEndpoint, id: string): Promise<readonly Callback[]> {
  return (await eventsFor(storage, endpoint)).filter(({ subjectId }) => subjectId === id);
}

const statusesOf = (events: readonly Callback[]): readonly unknown[] => events.map((event) => dataIn(event)['status']);

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney, { withdrawals: { approveAbove } });
  const limited = testsOf(open, buildMoney, {
    withdrawals: { limits: [{ currency: 'ETH', windowMs: 3_600_000, perAccount: '0.1' }] },
  });
  const lightning = testsOf(open, buildLightning, { withdrawals: { approveAbove } });

  describe(`what webhook endpoints receive of money that goes out on ${engine}`, () => {
    money('is its request and its payment, each once, with the row of the merchant’s transactions', async (till) => {
      const endpoint = await subscribed(till);
      await till.fund('ETH', '2000');
      const wakes = () => till.events.emitted.filter(({ name }) => name === 'callback.queued').length;
      const before = wakes();
      const { tx_id } = await till.withdraw('0.5');
      assert.deepEqual(typesOf(await eventsFor(till.storage, endpoint)), ['withdrawal.requested']);
      assert.equal(wakes() - before, 1, 'the delivery is woken');
      await till.settle();
      const events = await eventsFor(till.storage, endpoint);
      assert.deepEqual(typesOf(events), ['withdrawal.requested', 'withdrawal.succeeded']);
      assert.ok(events.every(({ subjectId, orderId }) => subjectId === tx_id && orderId === null));
      const { items } = await till.queries.transactions(till.principal.accountId, { page: 1, size: 10 });
      const row = items.find((item) => item.tx_id === tx_id);
      assert.ok(row);
      const { user_id: account, tx_type: type, currency: coin, obtained: received, ...rest } = row;
      const { tx_id: id, from_addr: from_address, to_addr: to_address, event_time, ...same } = rest;
      const { created_at, ...data } = dataIn(events[1]!);
      assert.deepEqual(data, { ...same, id, account, type, order: null, coin, received, from_address, to_address });
      assert.match(String(created_at), new RegExp(`^${event_time}\\.\\d{3}Z$`));
      assert.deepEqual([statusesOf(events), row.tx_hash], [['PENDING', 'SUCCESS'], dataIn(events[1]!)['tx_hash']]);
      assert.notEqual(row.tx_hash, null);
    });

    money('fault 401: is that it is held because a backup was restored', async (till) => {
      const endpoint = await subscribed(till);
      await till.fund('ETH', '2000');
      const { tx_id } = await till.withdraw('0.4');
      const { held } = await confirmRestore(till, OPERATOR, null);
      assert.equal(held, 1);
      const events = await eventsFor(till.storage, endpoint);
      assert.deepEqual(typesOf(events), ['withdrawal.requested', 'withdrawal.held']);
      assert.ok(events.every(({ subjectId }) => subjectId === tx_id));
    });

    money('is that it is held, and its rejection; an approval is no event of its own', async (till) => {
      const endpoint = await subscribed(till);
      await till.fund('ETH', '4000');
      const [paid, rejected] = [(await till.withdraw('0.6')).tx_id, (await till.withdraw('0.7')).tx_id];
      const begun = await toldOf(till.storage, endpoint, paid);
      assert.deepEqual(typesOf(begun), ['withdrawal.requested', 'withdrawal.held']);
      assert.ok(begun[0]!.createdAt < begun[1]!.createdAt, 'they are sent in this order');
      const now = till.clock.now();
      await till.storage.transaction((tx) => approveTransfer(tx, paid as TransferId, now));
      await till.storage.transaction((tx) => rejectTransfer(tx, rejected as TransferId, 'No.', { now, ids: till.ids }));
      await till.settle();
      assert.deepEqual(typesOf(await toldOf(till.storage, endpoint, paid)).slice(2), ['withdrawal.succeeded']);
      const ended = (await toldOf(till.storage, endpoint, rejected)).slice(2);
      assert.deepEqual([typesOf(ended), statusesOf(ended)], [['withdrawal.failed'], ['FAILED']]);
    });

    limited('is the same where each request is decided after the other', async (till) => {
      const endpoint = await subscribed(till);
      await till.fund('ETH', '2000');
      const [small, large] = [(await till.withdraw('0.1')).tx_id, (await till.withdraw('0.2')).tx_id];
      assert.deepEqual(typesOf(await toldOf(till.storage, endpoint, small)), ['withdrawal.requested']);
      assert.deepEqual(typesOf(await toldOf(till.storage, endpoint, large)), [
        'withdrawal.requested',
        'withdrawal.held',
      ]);
    });

    money('is that one is held when it should have been signed, and that it was cancelled', async (till) => {
      const endpoint = await subscribed(till);
      await till.fund('ETH', '4000');
      const { accountId } = till.principal;
      const held = (await till.withdraw('0.1')).tx_id;
      await till.storage.transaction((tx) => tx.transfers.freeze({ accountId, reason: 'A loss.', at: 1 }));
      await till.settle();
      assert.deepEqual(typesOf(await toldOf(till.storage, endpoint, held)), [
        'withdrawal.requested',
        'withdrawal.held',
      ]);
      await till.storage.transaction((tx) => tx.transfers.unfreeze(accountId));
      till.ethPayments.unminable = ({ lines }) => lines.some(({ to }) => to === PAYEE.ETH);
      const cancelled = (await till.withdraw('0.2')).tx_id;
      await till.payOut();
      await till.storage.transaction((tx) => cancelTransfer(tx, cancelled as TransferId, 'Not wanted.'));
      await till.settle();
      assert.equal((await till.transfer(cancelled)).status, 'FAILED');
      assert.deepEqual(typesOf(await toldOf(till.storage, endpoint, cancelled)), [
        'withdrawal.requested',
        'withdrawal.failed',
      ]);
    });

    money('is the failure of one that was mined without effect', async (till) => {
      const endpoint = await subscribed(till);
      await till.fund('ETH', '2000');
      till.ethPayments.reverts = ({ to }) => to === PAYEE.ETH;
      const { tx_id } = await till.withdraw('0.5');
      await till.settle();
      const events = await toldOf(till.storage, endpoint, tx_id);
      assert.deepEqual(typesOf(events), ['withdrawal.requested', 'withdrawal.failed']);
      assert.equal(dataIn(events[1]!)['received'], '0');
    });

    money('is a refund with its order, and nothing of the till’s own moves', async (till) => {
      const endpoint = await subscribed(till);
      const order = await till.fund('ETH', '800');
      await till.refund.run(till.principal, order.id);
      await till.settle();
      const events = await eventsFor(till.storage, endpoint);
      assert.deepEqual(typesOf(events), ['refund.requested', 'refund.succeeded']);
      assert.deepEqual(
        events.map((event) => [dataIn(event)['type'], dataIn(event)['order']]),
        [
          ['REFUND', order.id],
          ['REFUND', order.id],
        ],
      );
    });

    money('is one event of a withdrawal that is recorded as paid, which never waited for anybody', async (till) => {
      const endpoint = await subscribed(till);
      await till.fund('ETH', '2000');
      const lost = {
        ...{ accountId: till.principal.accountId, asset: till.assets.require('ETH', 'ETH'), units: 2_000_000n },
        ...{ sourceAddress: 'hot', toAddress: PAYEE.ETH, txHash: '0xlost', obtainedUnits: 1_000_000n },
        cost: { currency: 'ETH', units: 1_000_000n },
      };
      const context = { stateMachine: till.stateMachine, ids: till.ids, now: till.clock.now() };
      await till.storage.transaction((tx) => recordLostWithdrawal(tx, lost, context));
      assert.deepEqual(typesOf(await eventsFor(till.storage, endpoint)), [
        'withdrawal.requested',
        'withdrawal.succeeded',
      ]);
    });

    money('fault 200: is nothing of a change that is rolled back, refused or asked for a second time', async (till) => {
      const endpoint = await subscribed(till);
      const other = await subscribe(till.storage, till.principal.accountId, { events: ['order.*'] });
      await till.fund('ETH', '2000');
      const claim = { route: '/api/withdraw', key: 'k', bodyHash: 'a', expiresAt: 9_000_000_000_000 };
      const { tx_id } = await till.withdraw('0.6', 'ETH', claim);
      assert.equal((await till.withdraw('0.6', 'ETH', claim)).tx_id, tx_id);
      await assert.rejects(till.withdraw('0.7'), { code: 'INSUFFICIENT_BALANCE' });
      const context = { now: till.clock.now(), ids: till.ids };
      const undone = till.storage.transaction(async (tx) => {
        await rejectTransfer(tx, tx_id as TransferId, 'No.', context);
        throw new Error('rolled back');
      });
      await assert.rejects(undone, /rolled back/);
      const late = { updatedAt: till.clock.now() };
      const overtaken = (tx: Transaction) => tx.transfers.move(tx_id as TransferId, 'SIGNED', 'FAILED', late);
      assert.equal(await till.storage.transaction(overtaken), false);
      assert.deepEqual(typesOf(await eventsFor(till.storage, endpoint)), ['withdrawal.requested', 'withdrawal.held']);
      assert.ok((await eventsFor(till.storage, other)).every(({ event }) => event.startsWith('order.')));
    });

    lightning('is the same over Lightning: paid, failed, held, and held until the invoice expired', async (till) => {
      const endpoint = await subscribed(till);
      await till.fund('1000');
      const paid = (await till.withdraw(till.foreignInvoice(10_000_000n).text)).tx_id;
      await till.payInvoices();
      till.node.route = { kind: 'no-route' };
      const failed = (await till.withdraw(till.foreignInvoice(10_000_000n).text)).tx_id;
      await till.payInvoices();
      const expired = (await till.withdraw(till.foreignInvoice(100_000_000n, 60).text)).tx_id;
      till.clock.advance(61_000);
      await till.payInvoices();
      const { accountId } = till.principal;
      const frozen = (await till.withdraw(till.foreignInvoice(10_000_000n).text)).tx_id;
      await till.storage.transaction((tx) => tx.transfers.freeze({ accountId, reason: 'A loss.', at: 1 }));
      await till.payInvoices();
      const lives = await Promise.all(
        [paid, failed, expired, frozen].map(async (id) => typesOf(await toldOf(till.storage, endpoint, id))),
      );
      assert.deepEqual(lives, [
        ['withdrawal.requested', 'withdrawal.succeeded'],
        ['withdrawal.requested', 'withdrawal.failed'],
        ['withdrawal.requested', 'withdrawal.held', 'withdrawal.failed'],
        ['withdrawal.requested', 'withdrawal.held'],
      ]);
      const [, settled] = await toldOf(till.storage, endpoint, paid);
      assert.notEqual(dataIn(settled!)['tx_hash'], null);
    });
  });
});
