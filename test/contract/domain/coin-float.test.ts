import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { present, readSolvency } from '../../../core/index.ts';
import type { TransferId } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain, MoneyOptions } from '../../support/money.ts';
import { testsOf } from '../../support/storage.ts';

const COIN = 1_000_000n;
const MINUTE = 60_000;
/** Small enough that nothing is consolidated or waits for days. */
const OPTIONS: MoneyOptions = { payouts: { cancelAfterMs: 30 * MINUTE }, btcMinDeposit: 500n };

/** Sends a coin to the hot wallet without a transaction of the till. */
function send(till: MoneyDomain, units = COIN, txid = 'from-outside'): string {
  till.btc.mine({ to: till.btcPayments.hotAddress, currency: 'BTC', units, txid });
  return `${txid}:0`;
}

/** Mines blocks, with a pass of the runner in each. */
async function blocks(
  till: MoneyDomain,
  count: number,
  each: () => void = () => till.btcPayments.mine(),
): Promise<void> {
  for (let at = 0; at < count; at++) {
    till.clock.advance(MINUTE);
    each();
    await till.follow(till.btc);
    await till.payOut(till.btc);
    for (const { currency, units } of await readSolvency(till.btc, till.storage))
      assert.ok(units >= 0n, `the till lacks ${-units} units of ${currency}`);
  }
}

const looks = (till: MoneyDomain): number => 2 * (till.btc.policy.spendableConfirmations + 1) + 2;

async function floatOf(till: MoneyDomain): Promise<bigint> {
  return (await till.storage.ledger.balances('operator:BTC'))[0]?.units ?? 0n;
}

async function freeOfNobody(till: MoneyDomain): Promise<readonly string[]> {
  return (await till.storage.transfers.freeCoins('BTC', 'BTC', 10, { of: null })).map(({ ref }) => ref);
}

async function attemptsOf(till: MoneyDomain, id: string): Promise<readonly bigint[]> {
  const view = present(await till.storage.transfers.payoutOf(id as TransferId), `the payout of ${id}`);
  return view.attempts.filter(({ kind }) => kind === 'payment').map(({ feeUnits }) => feeUnits);
}

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney, OPTIONS);

  describe(`the operator's coins on a UTXO chain, on ${engine}`, () => {
    money('coins from outside are the float once two looks have shown them, and nobody’s to spend', async (till) => {
      await till.fund('BTC', '50000');
      await till.payOut(till.btc);
      const ref = send(till);
      await blocks(till, till.btc.policy.spendableConfirmations + 3);
      assert.equal(await floatOf(till), 0n, 'one look is not enough');
      await blocks(till, looks(till));
      assert.equal(await floatOf(till), COIN);
      assert.deepEqual(await freeOfNobody(till), [ref]);
      await blocks(till, looks(till));
      assert.equal(await floatOf(till), COIN, 'they are booked once');
    });

    money('fault 102: change of a payout that is not booked yet is not the operator’s', async (till) => {
      await till.fund('BTC', '50000');
      const { tx_id } = await till.withdraw('0.4', 'BTC');
      await till.payOut(till.btc);
      till.btcPayments.mine();
      till.btcPayments.unreadable = () => true;
      await blocks(till, looks(till) * 2);
      assert.equal((await till.transfer(tx_id)).status, 'BROADCAST');
      assert.equal((await till.btcPayments.unspent(till.btcPayments.hotAddress)).length, 1, 'the change is there');
      assert.equal(await floatOf(till), 0n);
      till.btcPayments.unreadable = () => false;
      await blocks(till, 2);
      assert.equal((await till.transfer(tx_id)).status, 'CONFIRMED');
    });

    money('what another holder of the keys has left of merchants’ coins is not the operator’s', async (till) => {
      await till.fund('BTC', '50000');
      const [coin] = await till.storage.transfers.freeCoins('BTC', 'BTC', 1);
      const { btcPayments: payments } = till;
      assert(coin !== undefined);
      const content = { source: payments.hotAddress, nonce: null, coins: [coin.ref], lines: [], fee: '1000' };
      const change = (coin.units / 2n).toString();
      payments.sent.set('stolen', { txid: 'stolen', content: { ...content, change }, block: null, succeeded: true });
      payments.mine();
      await blocks(till, looks(till) * 2);
      assert.equal(await floatOf(till), 0n);
      assert.match((await till.storage.transfers.payoutStop('BTC')) ?? '', /holds less than the ledger says/);
    });

    money('a coin that the search shows and the node does not have is not booked', async (till) => {
      await till.fund('BTC', '50000');
      const { btcPayments: payments } = till;
      const phantom = { ref: 'phantom:0', address: payments.hotAddress, index: null, units: COIN };
      payments.unspent = async () => [phantom];
      await blocks(till, looks(till) * 2);
      assert.equal(await floatOf(till), 0n);
    });

    money('coins that cost more than they are worth stay out of the ledger', async (till) => {
      await till.fund('BTC', '50000');
      send(till, 499n, 'dust');
      send(till, 500n, 'worth-it');
      await blocks(till, looks(till) * 2);
      assert.equal(await floatOf(till), 500n);
    });

    money('a node that cannot search keeps nobody from being paid', async (till) => {
      await till.fund('BTC', '50000');
      till.btcPayments.unspent = () => Promise.reject(new Error('no such method'));
      const { tx_id } = await till.withdraw('0.4', 'BTC');
      await blocks(till, looks(till));
      assert.equal((await till.transfer(tx_id)).status, 'CONFIRMED');
    });

    money('a loss stops payouts until the operator has sent enough', async (till) => {
      await till.fund('BTC', '50000');
      await till.withdraw('0.9', 'BTC');
      await till.payOut(till.btc);
      // The deposit that it spends is gone.
      till.btc.drop(11);
      till.btc.mineEmpty(3);
      await till.follow(till.btc);
      await till.payOut(till.btc);
      assert.match((await till.storage.transfers.payoutStop('BTC')) ?? '', /send at least 0\.8999\d* BTC to btc-hot/);
      send(till, 100_000_000n);
      for (let look = 0; look < 6; look++) {
        till.btc.mineEmpty(till.btc.policy.spendableConfirmations + 1);
        await till.follow(till.btc);
        await till.payOut(till.btc);
      }
      assert.equal(await till.storage.transfers.payoutStop('BTC'), null, 'the stop ends by itself');
    });
  });

  describe(`raised fees on a UTXO chain, on ${engine}`, () => {
    const stuck = async (till: MoneyDomain, amount = '0.4'): Promise<string> => {
      const { tx_id } = await till.withdraw(amount, 'BTC');
      await till.payOut(till.btc);
      return tx_id;
    };
    const nothing = (till: MoneyDomain) => () => till.btc.mineEmpty(1);

    money(
      'fault 101: without a float a fee is not raised beyond the charge; the payment is cancelled instead',
      async (till) => {
        await till.fund('BTC', '50000');
        const before = await till.balance('available', 'BTC');
        const id = await stuck(till);
        till.btcPayments.unminable = ({ lines }) => lines.length > 0;
        await blocks(till, 20, nothing(till));
        assert.deepEqual(await attemptsOf(till, id), [1_000n]);
        const said = till.events.of('alert').find(({ subject }) => subject === `transfer ${id}`);
        assert.match(said?.reason ?? '', /lacks BTC of its own .* send at least 0\.00001 BTC to btc-hot/);
        await blocks(till, 60);
        const failed = await till.transfer(id);
        assert.deepEqual([failed.status, failed.feeUnits], ['FAILED', 2_000n], 'its owner pays the cancel');
        assert.equal(await till.balance('available', 'BTC'), before - 2_000n);
        assert.equal(till.btcPayments.paidTo(PAYEE.BTC, 'BTC').length, 0);
      },
    );

    money('the float pays for a raised fee, as far as it goes', async (till) => {
      await till.fund('BTC', '50000');
      await till.float(2_500n, till.btc);
      const id = await stuck(till);
      till.btcPayments.unminable = () => true;
      await blocks(till, 20, nothing(till));
      assert.deepEqual(await attemptsOf(till, id), [1_000n, 2_000n, 3_000n], '2,000 more than was charged');
      till.btcPayments.unminable = ({ fee }) => fee !== '3000';
      await blocks(till, 12);
      assert.equal((await till.transfer(id)).status, 'CONFIRMED');
      assert.equal((await readSolvency(till.btc, till.storage))[0]?.units, 500n);
    });

    money('two payments that are stuck together are not raised with the same coins of the till', async (till) => {
      await till.fund('BTC', '50000');
      await till.fund('BTC', '50000');
      await till.float(1_000n, till.btc);
      till.btcPayments.unminable = () => true;
      const ids = [await stuck(till, '0.9'), await stuck(till, '0.9')];
      await blocks(till, 15, nothing(till));
      const raised = (await Promise.all(ids.map((id) => attemptsOf(till, id)))).map(({ length }) => length);
      assert.deepEqual(raised.sort(), [1, 2]);
      till.btcPayments.unminable = () => false;
      await blocks(till, 12);
    });
  });
});
