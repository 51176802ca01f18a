import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eachStorage } from '../support/storage.ts';
import type { EngineName, OpenStorage, TestStorage } from '../support/storage.ts';
import type { DaemonKind } from './daemons.ts';
import { buildTill } from './utxo-till.ts';
import type { UtxoTill } from './utxo-till.ts';
import { UtxoYard, toAmount } from './utxo-yard.ts';

/** Orders that are paid on a real chain. */
export function describeOrders(kind: DaemonKind): void {
  const suite = (engine: EngineName, open: OpenStorage): void => void describe(`orders on ${kind} and ${engine}`, () => {
    let yard: UtxoYard;
    let database: TestStorage;
    let till: UtxoTill;
    before(async () => {
      yard = await UtxoYard.start(kind, { confirmations: 2, spendableConfirmations: 4, finalityBlocks: 30 });
      database = await open();
      till = await buildTill(database.storage, yard.chain);
      await till.follow();
    });
    after(async () => {
      await database.close();
      await yard.stop();
    });

    const pay = async (price: string): Promise<{ order: Awaited<ReturnType<UtxoTill['order']>>['order']; units: bigint; txid: string }> => {
      const { order, payment } = await till.order(price);
      const txid = await yard.daemon.pay(payment.address, toAmount(payment.units));
      return { order, units: payment.units, txid };
    };

    test('an order is paid, credited at its confirmations, and its money can be spent later', async () => {
      const { order, units } = await pay('100');
      await till.follow();
      assert.deepEqual(await till.deposits(order), [], 'fault 53: what waits does not pay');
      await yard.daemon.mine();
      await till.follow();
      assert.deepEqual([await till.status(order), await till.balance('pending')], ['PENDING', 0n]);
      await yard.daemon.mine();
      await till.follow();
      assert.deepEqual([await till.status(order), await till.balance('pending')], ['SUCCESS', units]);
      await yard.daemon.mine(2);
      await till.follow();
      assert.deepEqual([await till.balance('pending'), await till.balance('available')], [0n, units]);
      await till.checkBooks();
    });

    for (const depth of [1, 3, 12]) {
      test(`fault 51: a reorganisation of ${depth} takes the credit back; mined again it is credited once`, async () => {
        const before = { pending: await till.balance('pending'), available: await till.balance('available') };
        const { order, units, txid } = await pay('50');
        await yard.daemon.mine(Math.max(depth, 2));
        await till.follow();
        assert.equal(await till.status(order), 'SUCCESS');
        await yard.forkEmpty(Math.max(depth, 2));
        await till.follow();
        const [gone] = await till.deposits(order);
        assert.deepEqual([gone?.status, gone?.txid], ['ORPHANED', txid]);
        assert.deepEqual({ pending: await till.balance('pending'), available: await till.balance('available') }, before);
        await till.checkBooks();
        // A node puts back into its pool only what lay in the last ten blocks.
        await yard.resend(txid);
        await yard.daemon.mine(4);
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
      await yard.daemon.pay(payment.address, toAmount(half));
      await yard.daemon.mine(2);
      await till.follow();
      assert.equal(await till.status(order), 'PENDING');
      await yard.daemon.pay(payment.address, toAmount(payment.units - half));
      await yard.daemon.mine(2);
      await till.follow();
      assert.equal(await till.status(order), 'SUCCESS');
      await till.checkBooks();
    });

    test('fault 56: a change below the finality bound stops the chain', async () => {
      await yard.daemon.mine(2);
      await till.follow();
      await yard.forkEmpty(31);
      assert.equal(await till.follow(), 'halted');
    });
  });
  eachStorage(suite);
}
