// @parts: bitcoind litecoind
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DISAPPEARED_AFTER_MS } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { EngineName, OpenStorage, TestStorage } from '../support/storage.ts';
import { chosenParts } from '../support/parts.ts';
import type { DaemonKind } from './daemons.ts';
import { buildTill } from './utxo-till.ts';
import type { UtxoTill } from './utxo-till.ts';
import { UtxoFixture, toAmount } from './utxo-fixture.ts';

const MINUTE = 60_000;
/** It does not remember over a restart what waited to be mined. */
const FORGETFUL = { settings: ['persistmempool=0'] };

/** Orders that are paid on a real chain. */
function describeOrders(kind: DaemonKind): void {
  const suite = (engine: EngineName, open: OpenStorage): void =>
    void describe(`orders on ${kind} and ${engine}`, () => {
      let fixture: UtxoFixture;
      let database: TestStorage;
      let till: UtxoTill;
      before(async () => {
        fixture = await UtxoFixture.start(
          kind,
          { confirmations: 2, spendableConfirmations: 4, finalityBlocks: 30 },
          FORGETFUL,
        );
        database = await open();
        till = await buildTill(database.storage, fixture.chain);
        await till.follow();
      });
      after(async () => {
        await database.close();
        await fixture.stop();
      });

      const pay = async (
        price: string,
      ): Promise<{ order: Awaited<ReturnType<UtxoTill['order']>>['order']; units: bigint; txid: string }> => {
        const { order, payment } = await till.order(price);
        const txid = await fixture.daemon.pay(payment.address, toAmount(payment.units));
        return { order, units: payment.units, txid };
      };

      /** The node's clock goes with the till's from here on. */
      const pass = async (ms: number): Promise<void> => {
        till.clock.advance(ms);
        await fixture.daemon.rpc('setmocktime', Math.floor(till.clock.now() / 1_000));
      };

      test('an order is paid, credited at its confirmations, and its money can be spent later', async () => {
        const { order, units } = await pay('100');
        await till.follow();
        assert.deepEqual(await till.deposits(order), [], 'fault 53: what waits does not pay');
        await fixture.daemon.mine();
        await till.follow();
        assert.deepEqual([await till.status(order), await till.balance('pending')], ['PENDING', 0n]);
        await fixture.daemon.mine();
        await till.follow();
        assert.deepEqual([await till.status(order), await till.balance('pending')], ['SUCCESS', units]);
        await fixture.daemon.mine(2);
        await till.follow();
        assert.deepEqual([await till.balance('pending'), await till.balance('available')], [0n, units]);
        await till.checkBooks();
      });

      // A matter of the node's: seconds that one database is enough for.
      if (engine === 'sqlite') {
        test('fault 42: a node that was restarted and forgot what waited takes no payment away, and has it again', async () => {
          const { order, txid } = await pay('70');
          await till.follow();
          const [first] = await till.unconfirmedPayments(order);
          await fixture.daemon.restart();
          await till.follow();
          assert.deepEqual(
            (await till.unconfirmedPayments(order)).map(({ status }) => status),
            ['MISSING'],
          );
          till.clock.advance(DISAPPEARED_AFTER_MS - MINUTE);
          await fixture.daemon.openPurse();
          await fixture.resend(txid);
          await till.follow();
          const [again] = await till.unconfirmedPayments(order);
          assert.deepEqual([again?.status, again?.seenAt], ['WAITING', first?.seenAt]);
          await fixture.daemon.mine(4);
          await till.follow();
          assert.equal(await till.status(order), 'SUCCESS');
          await till.checkBooks();
        });
      }

      for (const depth of [1, 3, 12]) {
        test(`fault 51: a reorganisation of ${depth} takes the credit back; mined again it is credited once`, async () => {
          const before = { pending: await till.balance('pending'), available: await till.balance('available') };
          const { order, units, txid } = await pay('50');
          await fixture.daemon.mine(Math.max(depth, 2));
          await till.follow();
          assert.equal(await till.status(order), 'SUCCESS');
          await fixture.forkEmpty(Math.max(depth, 2));
          await till.follow();
          const [gone] = await till.deposits(order);
          assert.deepEqual([gone?.status, gone?.txid], ['ORPHANED', txid]);
          assert.deepEqual(
            { pending: await till.balance('pending'), available: await till.balance('available') },
            before,
          );
          await till.checkBooks();
          // A node puts back into its pool only what lay in the last ten blocks.
          await fixture.resend(txid);
          await fixture.daemon.mine(4);
          await till.follow();
          const [again, ...others] = await till.deposits(order);
          assert.deepEqual([again?.status, again?.txid, others], ['SPENDABLE', txid, []]);
          assert.equal(await till.balance('available'), before.available + units);
          await till.checkBooks();
        });
      }

      test('fault 54: an order paid in two parts is a success when both are there', async () => {
        const { order, payment } = await till.order('80');
        const half = payment.units / 2n;
        await fixture.daemon.pay(payment.address, toAmount(half));
        await fixture.daemon.mine(2);
        await till.follow();
        assert.equal(await till.status(order), 'PENDING');
        await fixture.daemon.pay(payment.address, toAmount(payment.units - half));
        await fixture.daemon.mine(2);
        await till.follow();
        assert.equal(await till.status(order), 'SUCCESS');
        await till.checkBooks();
      });

      test('fault 53: paid in time and mined after the deadline is a success, and nothing before it is mined', async () => {
        const { order, payment } = await till.order('60');
        await pass(29 * MINUTE);
        const txid = await fixture.daemon.pay(payment.address, toAmount(payment.units));
        await till.follow();
        const [unconfirmed] = await till.unconfirmedPayments(order);
        assert.deepEqual(
          [unconfirmed?.txid, unconfirmed?.units, unconfirmed?.status],
          [txid, payment.units, 'WAITING'],
        );
        assert.ok(
          unconfirmed !== undefined &&
            unconfirmed.seenAt > order.expiresAt - 2 * MINUTE &&
            unconfirmed.seenAt <= order.expiresAt,
        );
        const before = await till.balance('pending');
        await pass(16 * MINUTE);
        assert.equal(await till.expire(), 0);
        assert.deepEqual(
          [await till.status(order), await till.balance('pending'), await till.deposits(order)],
          ['PENDING', before, []],
        );
        await fixture.daemon.mine();
        assert.equal(await till.expire(), 0);
        const [deposit] = await till.deposits(order);
        assert.deepEqual([deposit?.status, deposit?.txid, deposit?.paidAt], ['SEEN', txid, unconfirmed.seenAt]);
        assert.ok((await fixture.chain.head()).time > order.expiresAt, 'its block is late');
        assert.deepEqual(await till.unconfirmedPayments(order), []);
        await fixture.daemon.mine();
        await till.follow();
        assert.equal(await till.status(order), 'SUCCESS');
        await till.checkBooks();
      });

      test('fault 53: a payment that is spent elsewhere before it is mined ends in OVERDUE, without a credit', async () => {
        const { order, payment } = await till.order('60');
        const coin = await fixture.purseCoin();
        await fixture.spend(coin, payment.address, 10_000n);
        await till.follow();
        assert.equal((await till.unconfirmedPayments(order)).length, 1);
        await pass(31 * MINUTE);
        await fixture.spend(coin, await fixture.foreign(), 100_000n);
        assert.equal(await till.expire(), 0);
        assert.deepEqual(
          (await till.unconfirmedPayments(order)).map(({ status }) => status),
          ['MISSING'],
        );
        await fixture.daemon.mine();
        await pass(DISAPPEARED_AFTER_MS);
        assert.equal(await till.expire(), 1);
        assert.deepEqual(
          [await till.status(order), await till.deposits(order), await till.unconfirmedPayments(order)],
          ['OVERDUE', [], []],
        );
        await till.checkBooks();
      });

      test('fault 51: a payment that lost its block waits again, and is a success when it is mined anew', async () => {
        const { order, txid } = await pay('40');
        await fixture.daemon.mine();
        await till.follow();
        await fixture.forkEmpty(1);
        await pass(31 * MINUTE);
        assert.equal(await till.expire(), 0);
        assert.deepEqual(
          (await till.unconfirmedPayments(order)).map((each) => [each.txid, each.status]),
          [[txid, 'WAITING']],
        );
        await fixture.daemon.mine(2);
        await till.follow();
        assert.equal(await till.status(order), 'SUCCESS');
        await till.checkBooks();
      });

      // A matter of the node's: days that one database is enough for.
      if (engine === 'sqlite') {
        test('fault 349: dust that is never mined holds no order, and a whole payment that is never mined holds it for hours', async () => {
          const [dusted, whole] = [await till.order('100'), await till.order('100')];
          const [asset] = fixture.chain.assets;
          assert(asset?.minDeposit !== undefined, 'the coin has a smallest deposit');
          await fixture.daemon.pay(dusted.payment.address, toAmount(asset.minDeposit - 1n));
          await fixture.daemon.pay(whole.payment.address, toAmount(whole.payment.units));
          await till.follow();
          for (const { order } of [dusted, whole]) assert.equal((await till.unconfirmedPayments(order)).length, 1);
          const statuses = async (ms: number): Promise<readonly string[]> => {
            await pass(ms);
            // A block that has room for neither.
            await fixture.daemon.rpc('generateblock', await fixture.foreign(), []);
            await till.expire();
            return [await till.status(dusted.order), await till.status(whole.order)];
          };
          assert.deepEqual(await statuses(31 * MINUTE), ['OVERDUE', 'PENDING']);
          assert.deepEqual(await statuses(5 * 60 * MINUTE), ['OVERDUE', 'PENDING']);
          assert.deepEqual(await statuses(60 * MINUTE), ['OVERDUE', 'OVERDUE']);
          await till.checkBooks();
        });
      }

      test('fault 56: a change below the finality bound stops the chain', async () => {
        await fixture.daemon.mine(2);
        await till.follow();
        await fixture.forkEmpty(31);
        assert.equal(await till.follow(), 'halted');
      });
    });
  eachStorage(suite);
}

for (const kind of chosenParts(['bitcoind', 'litecoind'])) describeOrders(kind);
