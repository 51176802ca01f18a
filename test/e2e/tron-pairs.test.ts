import assert from 'node:assert/strict';
import { test } from 'node:test';
import { USDC, USDT } from '../support/tron/tron-fixture.ts';
import { describePairs, toUnits } from './pair-suite.ts';
import type { Engine } from './pair-suite.ts';
import type { PairTill } from './pair-till.ts';
import { openTronFixture } from './tron-fixture.ts';
import type { TronPairFixture } from './tron-fixture.ts';

const DECIMALS = 6;
const PAIRS = [USDT, USDC].map((currency) => ({ currency, decimals: DECIMALS, native: false, price: '100' }));
let fixture: TronPairFixture;

/** Both tokens of Tron from the order to the last unit withdrawn, and payouts whose way is disturbed. */
function describeTronPairs(engine: Engine): void {
  describePairs(
    'TRX on Tron’s protocol',
    [engine],
    PAIRS,
    async () => (fixture = await openTronFixture()),
    (till) => {
      test('fault 40: a broadcast whose reply is lost is paid once', async () => {
        await earn(till());
        for (const { losesReply } of fixture.nodes) losesReply.add('/wallet/broadcasthex');
        const payout = await withdraw(till());
        await till().until(
          async () => fixture.network.isPending(payout.txid) !== null || fixture.paymentsTo(payout.to).length > 0,
          'the bytes to reach the network',
        );
        for (const { losesReply } of fixture.nodes) losesReply.clear();
        await paidOnce(till(), payout);
      });

      test('fault 42: a payout that the nodes forget, or a reorganisation takes away, is sent again: the same bytes, paid once', async () => {
        await earn(till());
        const payout = await withdraw(till());
        await till().until(async () => fixture.network.isPending(payout.txid) !== null, 'the payout to be sent');
        fixture.network.forget(payout.txid);
        await fixture.mine(1);
        await till().until(async () => fixture.network.isPending(payout.txid) !== null, 'the payout to be sent again');
        await fixture.mine(1);
        await till().caughtUp();
        fixture.network.reorganise(1, 'gone');
        await paidOnce(till(), payout);
      });

      test('a till killed while its payout waits follows it after its start', async () => {
        await earn(till());
        const payout = await withdraw(till());
        await till().kill();
        await fixture.mine(2);
        await till().startServer();
        await paidOnce(till(), payout);
      });
    },
  );
}

interface Payout {
  readonly id: string;
  readonly to: string;
  readonly txid: string;
}

interface Shown {
  readonly chain_transaction: { readonly attempts: readonly { readonly tx_hash: string }[] } | null;
}

async function earn(till: PairTill): Promise<void> {
  const { id, address, amount } = await till.order(USDT, '50');
  await fixture.pay(address, USDT, toUnits(amount, DECIMALS));
  await fixture.mine(fixture.confirmations);
  await till.becomes(id, 'SUCCESS');
  // The operator's, so that no sweep has to come first: a payment is signed without another block.
  await fixture.pay(till.hot, USDT, toUnits(amount, DECIMALS));
  await till.mineUntil(async () => (await till.wallet(USDT)).pending === '0', 'the money to be spendable');
}

/** Asks for everything and waits until the payment is signed. */
async function withdraw(till: PairTill): Promise<Payout> {
  const to = await fixture.newAddress();
  await till.registers(to);
  const id = String((await till.withdraw(USDT, (await till.wallet(USDT)).available))['tx_id']);
  const attempt = async (): Promise<string | undefined> =>
    ((await till.command('transfer', 'show', id)) as Shown).chain_transaction?.attempts[0]?.tx_hash;
  await till.until(async () => (await attempt()) !== undefined, `withdrawal ${id} to be signed`);
  return { id, to, txid: (await attempt()) ?? '' };
}

async function paidOnce(till: PairTill, { id, to, txid }: Payout): Promise<void> {
  await till.mineUntil(async () => (await till.row(id))['status'] === 'SUCCESS', `withdrawal ${id} to be SUCCESS`);
  await fixture.mine(fixture.spendableConfirmations);
  await till.caughtUp();
  const row = await till.row(id);
  assert.equal(row['tx_hash'], txid);
  assert.deepEqual(fixture.paymentsTo(to), [txid]);
  assert.equal(await fixture.balanceOf(to, USDT), toUnits(row['obtained'] ?? '', DECIMALS));
  await till.booksHold();
}

describeTronPairs('sqlite');
