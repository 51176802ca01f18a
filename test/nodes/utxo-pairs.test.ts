// @parts: bitcoind litecoind
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describePairs, toUnits } from '../e2e/pair-suite.ts';
import type { Engine } from '../e2e/pair-suite.ts';
import type { PairTill } from '../e2e/pair-till.ts';
import { durableEngines } from '../support/each-storage.ts';
import { chosenParts } from '../support/parts.ts';
import type { DaemonKind } from './daemons.ts';
import { openUtxoPairFixture } from './utxo-pair-fixture.ts';
import type { UtxoPairFixture } from './utxo-pair-fixture.ts';

const DECIMALS = 8;

/** A coin from the order to the last unit withdrawn, and what reorganisations do to both ends of its way. */
function describeUtxoPairs(kind: DaemonKind, engines: readonly Engine[]): void {
  const currency = kind === 'bitcoind' ? 'BTC' : 'LTC';
  let fixture: UtxoPairFixture;
  const open = async (): Promise<UtxoPairFixture> => (fixture = await openUtxoPairFixture(kind));
  describePairs(
    `${currency} on ${kind}`,
    engines,
    [{ currency, decimals: DECIMALS, native: true, price: '300' }],
    open,
    (till) => {
      const earn = (): Promise<bigint> => paidOrder(till(), fixture, currency);
      const withdraw = async (): Promise<Payout> => {
        const to = await fixture.newAddress();
        await till().registers(to);
        const { available } = await till().wallet(currency);
        const id = String((await till().withdraw(currency, available))['tx_id']);
        await till().until(async () => (await till().row(id))['tx_hash'] !== null, `withdrawal ${id} to be sent`);
        return { id, to, txid: (await till().row(id))['tx_hash'] ?? '' };
      };

      test('fault 51: a reorganisation takes a credited deposit away; mined again it is credited once, and told of once', async () => {
        const { pending: before } = await till().wallet(currency);
        const order = await till().order(currency, '120');
        const txid = await fixture.pay(order.address, currency, toUnits(order.amount, DECIMALS));
        await fixture.mine(fixture.confirmations);
        await till().becomes(order.id, 'SUCCESS');
        await till().calledBack(order.id);
        const { pending: credited } = await till().wallet(currency);
        await fixture.forkEmpty(fixture.confirmations);
        await till().until(
          async () => (await till().detail(order.id))['obtained'] === null,
          'the credit to be taken back',
        );
        assert.deepEqual(
          [(await till().wallet(currency)).pending, (await till().detail(order.id))['status']],
          [before, 'SUCCESS'],
        );
        await till().booksHold();
        if (!(await fixture.waits(txid))) await fixture.resend(txid);
        await fixture.mine(fixture.confirmations);
        await till().until(async () => (await till().detail(order.id))['obtained'] !== null, 'the credit to come back');
        assert.equal((await till().wallet(currency)).pending, credited);
        await fixture.mine(fixture.spendableConfirmations);
        await till().until(async () => (await till().wallet(currency)).pending === before, 'the money to be spendable');
        assert.equal(till().callbacksOf(order.id), 1);
        await till().booksHold();
      });

      test('fault 42: a reorganisation takes the block of a payout away; it is mined again, and paid once', async () => {
        await earn();
        const payout = await withdraw();
        await fixture.mine(1);
        await till().caughtUp();
        await fixture.forkEmpty(1);
        await till().caughtUp();
        assert.equal((await till().row(payout.id))['status'], 'PENDING');
        await till().booksHold();
        await paidOnce(till(), fixture, payout);
      });

      test('fault 42: a final payout whose block goes, forgotten by the node, is sent again: the same bytes, paid once', async () => {
        await earn();
        // The coins that it spends must outlast what is replaced below.
        const depth = 12;
        await fixture.mine(depth);
        const payout = await withdraw();
        await fixture.mine(depth);
        await till().until(async () => (await till().row(payout.id))['status'] === 'SUCCESS', 'the payout to be final');
        // A node puts back into its pool only what lay in the last ten blocks.
        await fixture.forkEmpty(depth);
        await till().until(() => fixture.waits(payout.txid), 'the payout to be sent again');
        await till().booksHold();
        await paidOnce(till(), fixture, payout);
      });

      test('a till killed while its payout waits follows it after its start', async () => {
        await earn();
        const payout = await withdraw();
        await till().kill();
        await fixture.mine(1);
        await fixture.forkEmpty(1);
        await till().startServer();
        await paidOnce(till(), fixture, payout);
      });
    },
  );
}

interface Payout {
  readonly id: string;
  readonly to: string;
  readonly txid: string;
}

/** Returns what was earned, once it can be spent. */
async function paidOrder(till: PairTill, fixture: UtxoPairFixture, currency: string): Promise<bigint> {
  const order = await till.order(currency, '250');
  const units = toUnits(order.amount, DECIMALS);
  await fixture.pay(order.address, currency, units);
  await fixture.mine(fixture.spendableConfirmations);
  await till.becomes(order.id, 'SUCCESS');
  await till.mineUntil(async () => (await till.wallet(currency)).pending === '0', 'the money to be spendable');
  return units;
}

async function paidOnce(till: PairTill, fixture: UtxoPairFixture, { id, to, txid }: Payout): Promise<void> {
  await till.mineUntil(async () => (await till.row(id))['status'] === 'SUCCESS', `withdrawal ${id} to be SUCCESS`);
  await fixture.mine(fixture.spendableConfirmations);
  await till.caughtUp();
  const row = await till.row(id);
  assert.deepEqual([row['status'], row['tx_hash']], ['SUCCESS', txid]);
  assert.deepEqual(await fixture.paymentsTo(to), [txid]);
  assert.equal(await fixture.balanceOf(to, ''), toUnits(row['obtained'] ?? '', DECIMALS));
  await till.booksHold();
}

for (const kind of chosenParts(['bitcoind', 'litecoind'])) describeUtxoPairs(kind, durableEngines());
