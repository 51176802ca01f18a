import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { checkLedger, TillgateError } from '../../../core/index.ts';
import type { PaymentLine } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { testsOf } from '../../support/storage.ts';

const ETHER = 10n ** 18n;
const HOUR = 3_600_000;
const COLD = 'eth-cold';
const blocked = new TillgateError('STATE_CONFLICT', 'The network would revert the payment: blocked.', {
  reason: 'contract-refuses',
});
const nodeFailure = new TillgateError('NODE_FAILED', 'The node gave up.');

/** A till with a float, a merchant with three ether, and tokens above the ceiling of the hot wallet. */
async function funded(till: MoneyDomain): Promise<void> {
  await till.float(10n * ETHER);
  await till.fund('ETH', '6000');
}

/** Sets the network's objections to payments; `null` lets one pass. */
function objects(till: MoneyDomain, objection: (line: PaymentLine) => TillgateError | null): void {
  till.ethPayments.objection = objection;
}

async function payee(till: MoneyDomain, address: string): Promise<void> {
  const { accountId } = till.principal;
  const now = till.clock.now();
  const record = { accountId, chain: 'ETH', formerAddress: null, address, activeFrom: now, updatedAt: now };
  await till.storage.transaction((tx) => tx.wallets.saveWithdrawalAddress(record));
}

const alertsOf = (till: MoneyDomain, kind: string) => till.events.of('alert').filter((alert) => alert.kind === kind);

eachStorage((engine, open) => {
  const cold = new Map([['ETH', { address: COLD, above: new Map([['USDT-ERC20', '100']]) }]]);
  const withCold = testsOf(open, (storage) => buildMoney(storage, { sweeps: { cold } }));
  const money = testsOf(open, buildMoney);

  describe(`a refusal that concerns one payment or one move, on ${engine}`, () => {
    withCold('fault 355: a cold address that a token refuses keeps no payment from being signed', async (till) => {
      await funded(till);
      till.ethPayments.fund(till.ethPayments.hotAddress, 'USDT-ERC20', 1_000n * 10n ** 6n);
      objects(till, ({ to }) => (to === COLD ? blocked : null));
      const asked = await till.withdraw('0.5');
      await till.settle();
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
      const [alert, ...more] = alertsOf(till, 'payouts');
      assert.match(`${alert?.subject} ${alert?.reason}`, /USDT-ERC20 to the cold address eth-cold.*blocked/);
      assert.deepEqual(more, [], 'one alert, however often it is refused');
      objects(till, () => null);
      await till.settle();
      assert.ok(till.ethPayments.paidTo(COLD, 'USDT-ERC20').length > 0, 'the move is made once nothing is against it');
      objects(till, ({ to }) => (to === COLD ? blocked : null));
      till.ethPayments.fund(till.ethPayments.hotAddress, 'USDT-ERC20', 1_000n * 10n ** 6n);
      await till.settle();
      assert.equal(alertsOf(till, 'payouts').length, 2, 'what is over and comes back is raised again');
      assert.deepEqual(await checkLedger(till.storage), []);
    });

    for (const [name, error] of [
      ['the receiver is said to be unpayable', new TillgateError('DESTINATION_UNPAYABLE', 'It needs too much gas.')],
      ['the node fails for it', nodeFailure],
      ['its token is not configured any more', new TillgateError('UNSUPPORTED', 'The pair is not configured.')],
      ['the adapter has a defect', new RangeError('Invalid array length') as unknown as TillgateError],
    ] as const)
      money(`fault 355: a sweep for which ${name} keeps neither others nor payments back`, async (till) => {
        await till.float(10n * ETHER);
        const bad = await till.fund('USDT-ERC20', '900');
        const good = await till.fund('USDT-ERC20', '500');
        const [at, other] = [bad.payment?.address ?? '', good.payment?.address ?? ''];
        const { price } = till.ethPayments;
        till.ethPayments.price = (request) =>
          request.source.address === at ? Promise.reject(error) : price.call(till.ethPayments, request);
        await till.settle();
        const left = (address: string) => till.ethPayments.balance(address, 'USDT-ERC20');
        assert.deepEqual([await left(at), await left(other)], [900n * 10n ** 6n, 0n]);
        const asked = await till.withdraw('400', 'USDT-ERC20');
        await till.settle();
        assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
        assert.deepEqual(await checkLedger(till.storage), []);
      });

    money('fault 355: the search for the operator’s coins fails, and payments are made', async (till) => {
      await funded(till);
      await till.fund('USDT-ERC20', '500');
      await till.settle();
      const { balance } = till.ethPayments;
      const asked = await till.withdraw('0.5');
      till.ethPayments.balance = (address, currency) =>
        currency === 'USDT-ERC20' ? Promise.reject(nodeFailure) : balance.call(till.ethPayments, address, currency);
      till.ethPayments.custody = async (expected) =>
        new Map([...expected].map(({ currency }) => [currency, 10n ** 30n] as const));
      await till.settle();
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
    });

    money('fault 355: many payments for which calls fail starve none of those behind them', async (till) => {
      await funded(till);
      await payee(till, 'eth-poison');
      for (let i = 0; i < 20; i++) await till.withdraw('0.01');
      await payee(till, PAYEE.ETH);
      const good = await till.withdraw('0.4');
      objects(till, ({ to }) => (to === 'eth-poison' ? nodeFailure : null));
      for (let pass = 0; pass < 4; pass++) {
        // A pass with many failures throws the last of them; the loop tries again, after a new block.
        till.clock.advance(16_000);
        till.ethPayments.mine();
        await till.follow();
        await till.payOut().catch((error: unknown) => assert.equal(error, nodeFailure));
      }
      assert.notEqual((await till.transfer(good.tx_id)).status, 'REQUESTED');
    });

    money('fault 355: while the node does not answer at all, a pass ends after a few payments', async (till) => {
      await funded(till);
      for (let i = 0; i < 20; i++) await till.withdraw('0.01');
      await till.payOut();
      let calls = 0;
      const waiting = await till.withdraw('0.01');
      for (let i = 0; i < 8; i++) await till.withdraw('0.01');
      till.eth.head = () => Promise.reject(nodeFailure);
      objects(till, () => {
        calls += 1;
        return nodeFailure;
      });
      await assert.rejects(till.payOut(), nodeFailure);
      assert.ok(calls <= 4, `${calls} calls`);
      assert.equal((await till.transfer(waiting.tx_id)).status, 'REQUESTED');
    });
  });

  describe(`what waits fails in time, on ${engine}`, () => {
    money('fault 359: a withdrawal fails after a day although the chain’s payouts are stopped', async (till) => {
      await funded(till);
      const asked = await till.withdraw('0.5');
      await till.storage.transaction((tx) => tx.transfers.setPayoutStop('ETH', 'Looked into.'));
      await till.payOut();
      const waiting = await till.transfer(asked.tx_id);
      assert.match(waiting.reason ?? '', /are stopped: Looked into/);
      till.clock.advance(23 * HOUR);
      await till.payOut();
      assert.equal((await till.transfer(asked.tx_id)).status, 'REQUESTED');
      till.clock.advance(HOUR);
      await till.payOut();
      assert.equal((await till.transfer(asked.tx_id)).status, 'FAILED');
      assert.equal(await till.balance('reserved', 'ETH'), 0n);
      assert.deepEqual(await checkLedger(till.storage), []);
    });

    money('fault 359: a withdrawal fails after a day in which the chain could not be compared', async (till) => {
      await funded(till);
      const asked = await till.withdraw('0.5');
      const runner = till.newRunner();
      till.ethPayments.custody = () => Promise.reject(nodeFailure);
      const step = async () =>
        runner.step(await till.payoutLease()).catch((error: unknown) => assert.equal(error, nodeFailure));
      await step();
      till.clock.advance(24 * HOUR);
      await step();
      assert.equal((await till.transfer(asked.tx_id)).status, 'FAILED');
      assert.deepEqual(await checkLedger(till.storage), []);
    });
  });
});
