import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { checkLedger, ManageChains, OPERATOR, reconcile, writeOffCoins } from '../../../core/index.ts';
import type { PayingChain, WrittenOff } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { testsOf } from '../../support/storage.ts';
import { failing, nothing } from './late-payment.ts';

const COIN = 50_000_000n;
const STOP = 'Stopped by an operator: coins are gone';

const chainOf = (till: MoneyDomain): PayingChain => till.btc as unknown as PayingChain;
const writeOff = (till: MoneyDomain, record: () => void = nothing): Promise<WrittenOff> =>
  writeOffCoins(chainOf(till), till, record);
const manageOf = (till: MoneyDomain): ManageChains =>
  new ManageChains({ ...till, chains: new Map([['BTC', till.btc]]), lightning: null });
const stop = (till: MoneyDomain): Promise<boolean> => till.storage.transfers.replacePayoutStop('BTC', null, STOP);
const floatOf = async (till: MoneyDomain): Promise<bigint> =>
  (await till.storage.ledger.balances('operator:BTC'))[0]?.units ?? 0n;
const shortfall = async (till: MoneyDomain): Promise<bigint> =>
  (await reconcile(chainOf(till), till)).reduce((sum, line) => sum + line.shortfall, 0n);

async function blocks(till: MoneyDomain, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    till.clock.advance(60_000);
    till.btcPayments.mine();
    await till.follow(till.btc);
    await till.payOut(till.btc);
  }
}

let spends = 0;

/** Spends coins with the till's keys but without the till; the change returns to the hot wallet. */
function spendByHand(till: MoneyDomain, coins: readonly string[], change = 0n): void {
  const { btcPayments: payments } = till;
  const content = { source: payments.hotAddress, nonce: null, coins, lines: [], fee: '1000', change: String(change) };
  const txid = `by-hand-${(spends += 1)}`;
  payments.sent.set(txid, { txid, content, block: null, succeeded: true });
  payments.mine();
}

/** A till with a merchant's coin, a coin of the operator's, and no coin in flight. */
async function funded(till: MoneyDomain): Promise<{ own: string; merchants: string }> {
  await till.fund('BTC', '50000');
  await till.float(COIN, till.btc);
  const [own] = await till.storage.transfers.freeCoins('BTC', 'BTC', 1, { of: null });
  const [merchants] = await till.storage.transfers.freeCoins('BTC', 'BTC', 1, { notOf: null });
  assert.ok(own !== undefined && merchants !== undefined);
  return { own: own.ref, merchants: merchants.ref };
}

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney, { btcMinDeposit: 500n });

  describe(`fault 108: coins of a UTXO hot wallet that were spent by hand, on ${engine}`, () => {
    money('are taken from the float; payouts go on, and books and chain agree', async (till) => {
      const { own } = await funded(till);
      spendByHand(till, [own], 10_000_000n);
      assert.equal(await shortfall(till), COIN);
      await stop(till);
      const written = await manageOf(till).writeOffCoins(OPERATOR, 'BTC', 'paid the rent');
      assert.deepEqual([written.gone.length, written.found.length, written.units], [1, 1, COIN - 10_000_000n]);
      assert.deepEqual([await floatOf(till), await shortfall(till)], [10_000_000n, 0n]);
      const [row] = await till.storage.audit.list(null, { before: null, limit: 1 });
      assert.deepEqual(
        [row?.action, row?.subjectId, row?.changes['reason']?.to, row?.changes['gone']?.to, row?.changes['float']?.to],
        ['chain.write_off_coins', 'BTC', 'paid the rent', [own], '-40000000 units of BTC'],
      );
      assert.deepEqual(await checkLedger(till.storage), []);
      await till.storage.transfers.replacePayoutStop('BTC', STOP, null);
      const { tx_id } = await till.withdraw('0.4', 'BTC');
      await blocks(till, 20);
      assert.equal((await till.transfer(tx_id)).status, 'CONFIRMED');
      assert.equal(await till.storage.transfers.payoutStop('BTC'), null);
    });

    money(
      'are refused with the figure where they are more than the float; what is sent for it counts',
      async (till) => {
        const { merchants } = await funded(till);
        const before = (await till.storage.transfers.holdings('BTC', null, 10)).find(({ ref }) => ref === merchants);
        const units = before?.units ?? 0n;
        assert.ok(units > COIN);
        spendByHand(till, [merchants]);
        await stop(till);
        const lacking = (Number(units - COIN) / 1e8).toString();
        await assert.rejects(writeOff(till), (error: Error & { code?: string }) => {
          assert.equal(error.code, 'INSUFFICIENT_BALANCE');
          assert.ok(error.message.includes(`at least ${lacking} BTC to ${till.btcPayments.hotAddress}`), error.message);
          return true;
        });
        assert.deepEqual([await floatOf(till), await shortfall(till)], [COIN, units]);
        till.btc.mine({ to: till.btcPayments.hotAddress, currency: 'BTC', units, txid: `made-good-${units}` });
        const written = await writeOff(till);
        assert.deepEqual([written.units, await floatOf(till), await shortfall(till)], [0n, COIN, 0n]);
        assert.deepEqual(await checkLedger(till.storage), []);
      },
    );

    money('are not written off while payouts run, or one is under way, or nothing is missing', async (till) => {
      const { own } = await funded(till);
      await assert.rejects(writeOff(till), { code: 'STATE_CONFLICT', message: /Stop the payouts/ });
      await stop(till);
      await assert.rejects(writeOff(till), { code: 'STATE_CONFLICT', message: /No coin of BTC is missing/ });
      await till.storage.transfers.replacePayoutStop('BTC', STOP, null);
      await till.withdraw('0.4', 'BTC');
      await till.payOut(till.btc);
      await stop(till);
      spendByHand(till, [own]);
      await assert.rejects(writeOff(till), { code: 'STATE_CONFLICT', message: /under way/ });
      await blocks(till, 20);
      assert.equal((await writeOff(till)).units, COIN);
      await assert.rejects(writeOffCoins(till.eth as unknown as PayingChain, till, nothing), { code: 'UNSUPPORTED' });
    });

    money('are not written off before what spends them is mined', async (till) => {
      const { own } = await funded(till);
      await stop(till);
      const { custody } = till.btcPayments;
      till.btcPayments.custody = async (coins) =>
        custody.call(
          till.btcPayments,
          coins.filter(({ ref }) => ref !== own),
        );
      await assert.rejects(writeOff(till), { code: 'STATE_CONFLICT', message: /not mined yet/ });
      assert.equal(await floatOf(till), COIN);
    });

    money('stay in the ledger when the audit row cannot be written, or the float changed meanwhile', async (till) => {
      const { own } = await funded(till);
      spendByHand(till, [own]);
      await stop(till);
      await assert.rejects(writeOff(till, failing), /the audit fails/);
      assert.deepEqual([await floatOf(till), await shortfall(till)], [COIN, COIN]);
      const both = await Promise.allSettled([writeOff(till), writeOff(till)]);
      assert.equal(both.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.deepEqual([await floatOf(till), await shortfall(till)], [0n, 0n]);
    });
  });
});
