import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describePairs, toUnits } from '../e2e/pair-suite.ts';
import type { Engine } from '../e2e/pair-suite.ts';
import type { PairTill } from '../e2e/pair-till.ts';
import type { DaemonKind } from './daemons.ts';
import { openUtxoPairYard } from './utxo-pair-yard.ts';
import type { UtxoPairYard } from './utxo-pair-yard.ts';

const DECIMALS = 8;

/** A coin from the order to the last unit withdrawn, and what reorganisations do to both ends of its way. */
export function describeUtxoPairs(kind: DaemonKind, engines: readonly Engine[]): void {
  const currency = kind === 'bitcoind' ? 'BTC' : 'LTC';
  let yard: UtxoPairYard;
  const open = async (): Promise<UtxoPairYard> => (yard = await openUtxoPairYard(kind));
  describePairs(`${currency} on ${kind}`, engines, [{ currency, decimals: DECIMALS, native: true, price: '300' }], open, (till) => {
    const earn = (): Promise<bigint> => paidOrder(till(), yard, currency);
    const withdraw = async (): Promise<Payout> => {
      const to = await yard.newAddress();
      await till().registers(to);
      const { available } = await till().wallet(currency);
      const id = String((await till().withdraw(currency, available))['tx_id']);
      await till().until(async () => (await till().row(id))['tx_hash'] !== null, `withdrawal ${id} to be sent`);
      return { id, to, txid: (await till().row(id))['tx_hash'] ?? '' };
    };

    test('fault 51: a reorganisation takes a credited deposit away; mined again it is credited once, and told of once', async () => {
      const { pending: before } = await till().wallet(currency);
      const order = await till().order(currency, '120');
      const txid = await yard.pay(order.address, currency, toUnits(order.amount, DECIMALS));
      await yard.mine(yard.confirmations);
      await till().becomes(order.id, 'SUCCESS');
      await till().calledBack(order.id);
      const { pending: credited } = await till().wallet(currency);
      await yard.forkEmpty(yard.confirmations);
      await till().until(async () => (await till().detail(order.id))['obtained'] === null, 'the credit to be taken back');
      assert.deepEqual([(await till().wallet(currency)).pending, (await till().detail(order.id))['status']], [before, 'SUCCESS']);
      await till().booksHold();
      if (!(await yard.waits(txid))) await yard.resend(txid);
      await yard.mine(yard.confirmations);
      await till().until(async () => (await till().detail(order.id))['obtained'] !== null, 'the credit to come back');
      assert.equal((await till().wallet(currency)).pending, credited);
      await yard.mine(yard.spendableConfirmations);
      await till().until(async () => (await till().wallet(currency)).pending === before, 'the money to be spendable');
      assert.equal(till().callbacksOf(order.id), 1);
      await till().booksHold();
    });

    test('fault 42: a reorganisation takes the block of a payout away; it is mined again, and paid once', async () => {
      await earn();
      const payout = await withdraw();
      await yard.mine(1);
      await till().caughtUp();
      await yard.forkEmpty(1);
      await till().caughtUp();
      assert.equal((await till().row(payout.id))['status'], 'PENDING');
      await till().booksHold();
      await paidOnce(till(), yard, payout);
    });

    test('fault 42: a final payout whose block goes, forgotten by the node, is sent again: the same bytes, paid once', async () => {
      await earn();
      // The coins that it spends must outlast what is replaced below.
      const depth = 12;
      await yard.mine(depth);
      const payout = await withdraw();
      await yard.mine(depth);
      await till().until(async () => (await till().row(payout.id))['status'] === 'SUCCESS', 'the payout to be final');
      // A node puts back into its pool only what lay in the last ten blocks.
      await yard.forkEmpty(depth);
      await till().until(() => yard.waits(payout.txid), 'the payout to be sent again');
      await till().booksHold();
      await paidOnce(till(), yard, payout);
    });

    test('a till killed while its payout waits follows it after its start', async () => {
      await earn();
      const payout = await withdraw();
      await till().kill();
      await yard.mine(1);
      await yard.forkEmpty(1);
      await till().startServer();
      await paidOnce(till(), yard, payout);
    });
  });
}

interface Payout {
  readonly id: string;
  readonly to: string;
  readonly txid: string;
}

/** Returns what was earned, once it can be spent. */
async function paidOrder(till: PairTill, yard: UtxoPairYard, currency: string): Promise<bigint> {
  const order = await till.order(currency, '250');
  const units = toUnits(order.amount, DECIMALS);
  await yard.pay(order.address, currency, units);
  await yard.mine(yard.spendableConfirmations);
  await till.becomes(order.id, 'SUCCESS');
  await till.mineUntil(async () => (await till.wallet(currency)).pending === '0', 'the money to be spendable');
  return units;
}

async function paidOnce(till: PairTill, yard: UtxoPairYard, { id, to, txid }: Payout): Promise<void> {
  await till.mineUntil(async () => (await till.row(id))['status'] === 'SUCCESS', `withdrawal ${id} to be SUCCESS`);
  await yard.mine(yard.spendableConfirmations);
  await till.caughtUp();
  const row = await till.row(id);
  assert.deepEqual([row['status'], row['tx_hash']], ['SUCCESS', txid]);
  assert.deepEqual(await yard.paymentsTo(to), [txid]);
  assert.equal(await yard.balanceOf(to, ''), toUnits(row['obtained'] ?? '', DECIMALS));
  await till.booksHold();
}
