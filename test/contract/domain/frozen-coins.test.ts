import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  AssetCatalogue,
  checkLedger,
  contractRefusal,
  readSolvency,
  reconcile,
  WalletQueries,
} from '../../../core/index.ts';
import type { CurrencyCode, Order, PayingChain } from '../../../core/index.ts';
import { Crash, CrashPoint } from '../../support/crashing.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { leaveRefundAddress } from '../../support/refund-address.ts';
import { testsOf } from '../../support/storage.ts';
import { anotherMerchant, asMerchant, TokenIssuer } from '../../support/token-issuer.ts';

const ETHER = 10n ** 18n;
const USDT = 10n ** 6n;
const HOUR = 3_600_000;
const TOKEN = 'USDT-ERC20';
/** More calls than one pass of the payouts makes; the test fails when it is reached. */
const MOST_CALLS = 400;
const FEWEST_CALLS = 10;

/** An order of the present merchant that is paid in tokens, spendable, and frozen before its sweep. */
async function frozenOrder(till: MoneyDomain, issuer: TokenIssuer, price: string): Promise<Order> {
  const order = await till.fund(TOKEN, price);
  issuer.frozen.add(order.payment?.address ?? '');
  return order;
}

const alertsOf = (till: MoneyDomain, kind: string) => till.events.of('alert').filter((alert) => alert.kind === kind);
const gauge = (till: MoneyDomain, name: string) =>
  [...till.metrics.gauges].find(([key]) => key.startsWith(name) && key.includes(TOKEN))?.[1];

async function solvent(till: MoneyDomain, currency: CurrencyCode): Promise<bigint> {
  return (await readSolvency(till.eth, till.storage)).find((line) => line.currency === currency)?.units ?? 0n;
}

async function start(till: MoneyDomain): Promise<TokenIssuer> {
  await till.float(10n * ETHER);
  return new TokenIssuer(till);
}

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);

  describe(`coins that the contract of their token does not move, on ${engine}`, () => {
    money('fault 356: are not paid out with the coins of others', async (till) => {
      const issuer = await start(till);
      await till.fund(TOKEN, '5000');
      await till.settle();
      const thief = await anotherMerchant(till);
      await asMerchant(till, thief, () => frozenOrder(till, issuer, '5000'));
      await till.settle();
      const [alert, ...more] = alertsOf(till, 'frozen');
      assert.match(`${alert?.subject} ${alert?.reason}`, new RegExp(`${TOKEN} at .*5000 ${TOKEN}.*blocked.*${thief}`));
      assert.deepEqual(more, [], 'one alert');
      assert.equal(gauge(till, 'tillgate_frozen_units'), Number(5_000n * USDT));
      await asMerchant(till, thief, () =>
        assert.rejects(till.withdraw('4990', TOKEN), { code: 'INSUFFICIENT_BALANCE' }),
      );
      const asked = await till.withdraw('4990', TOKEN);
      await till.settle();
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
      assert.deepEqual(await checkLedger(till.storage), []);
    });

    money('fault 382: are not shown as available, so that all that is shown can be withdrawn', async (till) => {
      const issuer = await start(till);
      await till.fund(TOKEN, '100');
      await till.settle();
      await frozenOrder(till, issuer, '5000');
      await till.settle();
      const { storage, principal } = till;
      const queries = new WalletQueries({ storage, assets: new AssetCatalogue(till.eth.assets), chains: new Map() });
      const rows = await queries.list(principal.accountId);
      const row = rows.find(({ asset }) => asset.currency === TOKEN);
      assert.deepEqual([row?.available, row?.frozen, row?.reserved], [100n * USDT, 5_000n * USDT, 0n]);
      await assert.rejects(till.withdraw('100.000001', TOKEN), { code: 'INSUFFICIENT_BALANCE' });
      const { tx_id } = await till.withdraw('100', TOKEN);
      await till.settle();
      assert.equal((await till.transfer(tx_id)).status, 'CONFIRMED');
      assert.deepEqual(await checkLedger(storage), []);
    });

    money('fault 394: no refund is offered that frozen coins would have to pay', async (till) => {
      const issuer = await start(till);
      const [first, second] = [await frozenOrder(till, issuer, '50'), await till.fund(TOKEN, '50')];
      const offered = async ({ id }: Order): Promise<boolean> =>
        (await till.queries.detail(till.principal.accountId, id)).refund;
      for (const { id } of [first, second]) await leaveRefundAddress(till, id, 'eth-payer');
      assert.equal(await offered(first), true);
      await till.settle();
      assert.deepEqual(await Promise.all([first, second].map(offered)), [true, true]);
      const { tx_id } = await till.withdraw('50', TOKEN);
      assert.deepEqual(await Promise.all([first, second].map(offered)), [false, false]);
      await assert.rejects(till.refund.run(till.principal, second.id), { code: 'STATE_CONFLICT' });
      await till.settle();
      assert.equal((await till.transfer(tx_id)).status, 'CONFIRMED');
      assert.deepEqual(await checkLedger(till.storage), []);
    });

    for (const after of [false, true])
      money(
        `fault 383: are frozen once and named to the operator, though the process is killed ${after ? 'after' : 'before'} any call's effect`,
        async (till) => {
          const issuer = await start(till);
          let at = 0;
          for (let crashed = true; crashed;) {
            at += 1;
            assert.ok(at < MOST_CALLS, 'the run never ends');
            const { payment } = await frozenOrder(till, issuer, '50');
            const point = new CrashPoint(at, after);
            const runner = till.newRunner(till.eth, point.watch(till.storage, 'storage'));
            const lease = await till.payoutLease();
            try {
              while ((await runner.step(lease)) === 'advanced');
            } catch (error) {
              if (!(error instanceof Crash)) throw error;
            }
            crashed = point.crashed;
            till.events.emitted.length = 0;
            const next = till.newRunner();
            for (let steps = 0; (await next.step(lease)) === 'advanced'; steps++) assert.ok(steps < 500, 'it rests');
            const coins = (await till.storage.transfers.frozenCoins('ETH')).filter(
              ({ address }) => address === payment?.address,
            );
            assert.deepEqual(
              coins.map(({ units }) => units),
              [50n * USDT],
              `killed at call ${at}`,
            );
            const named = alertsOf(till, 'frozen').filter(({ subject }) => subject.endsWith(payment?.address ?? ''));
            assert.equal(named.length, 1, `killed at call ${at}`);
            assert.equal(await solvent(till, TOKEN), 0n, `killed at call ${at}`);
            assert.deepEqual(await checkLedger(till.storage), [], `killed at call ${at}`);
          }
          assert.ok(at > FEWEST_CALLS, `only ${at} calls were seen`);
        },
      );

    money(
      'fault 356: that are frozen after the withdrawal was asked for make it wait, and fail in time',
      async (till) => {
        const issuer = await start(till);
        await till.fund(TOKEN, '5000');
        await till.settle();
        const thief = await anotherMerchant(till);
        const stolen = await asMerchant(till, thief, async () => {
          const order = await till.fund(TOKEN, '5000');
          const { tx_id } = await till.withdraw('4990', TOKEN);
          issuer.frozen.add(order.payment?.address ?? '');
          return tx_id;
        });
        const honest = await till.withdraw('4990', TOKEN);
        await till.settle();
        const waiting = await till.transfer(stolen);
        assert.equal(waiting.status, 'REQUESTED');
        assert.match(waiting.reason ?? '', /5000 USDT-ERC20 of its account cannot be moved/);
        assert.equal((await till.transfer(honest.tx_id)).status, 'CONFIRMED');
        till.clock.advance(25 * HOUR);
        await till.settle();
        assert.equal((await till.transfer(stolen)).status, 'FAILED');
        assert.deepEqual(till.ethPayments.paidTo('eth-other', TOKEN), []);
        assert.deepEqual(await checkLedger(till.storage), []);
      },
    );

    money(
      'fault 356: that are frozen between the last look and the signature are found when it is signed',
      async (till) => {
        const issuer = await start(till);
        await till.fund(TOKEN, '5000');
        await till.settle();
        const thief = await anotherMerchant(till);
        // Worth less than its fee, so that it stays where it is.
        till.ethPayments.fee = ETHER;
        const order = await asMerchant(till, thief, () => till.fund(TOKEN, '3000'));
        await till.payOut();
        till.ethPayments.fee = 1_000n;
        const { tx_id } = await asMerchant(till, thief, () => till.withdraw('2990', TOKEN));
        issuer.frozen.add(order.payment?.address ?? '');
        await till.payOut();
        assert.equal((await till.transfer(tx_id)).status, 'REQUESTED');
        assert.equal(alertsOf(till, 'frozen').length, 1);
        assert.equal((await till.storage.transfers.frozenCoins('ETH')).length, 1);
      },
    );

    money('fault 356: are paid and swept once the contract lets them go', async (till) => {
      const issuer = await start(till);
      const thief = await anotherMerchant(till);
      const order = await asMerchant(till, thief, () => frozenOrder(till, issuer, '5000'));
      await till.settle();
      issuer.frozen.clear();
      till.clock.advance(61_000);
      await till.settle();
      assert.deepEqual(await till.storage.transfers.frozenCoins('ETH'), []);
      assert.equal(await till.ethPayments.balance(order.payment?.address ?? '', TOKEN), 0n);
      const asked = await asMerchant(till, thief, () => till.withdraw('4990', TOKEN));
      await till.settle();
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
      assert.equal(gauge(till, 'tillgate_frozen_units'), 0);
      assert.deepEqual(await checkLedger(till.storage), []);
    });

    money('fault 356: count as neither held nor owed, and what arrives beside them is frozen too', async (till) => {
      const issuer = await start(till);
      const order = await frozenOrder(till, issuer, '5000');
      await till.settle();
      assert.equal(await solvent(till, TOKEN), 0n);
      till.eth.mine({
        to: order.payment?.address ?? '',
        currency: TOKEN,
        units: 7n * USDT,
        txid: 'beside',
        from: 'eth-payer',
      });
      till.eth.mineEmpty(20);
      await till.follow();
      assert.equal((await till.storage.transfers.frozenCoins('ETH')).length, 2);
      assert.equal(
        await till.storage.transfers.ownerCover('ETH', till.principal.accountId, TOKEN).then(({ frozen }) => frozen),
        5_007n * USDT,
      );
      // The issuer destroys them; no comparison of balances reports that.
      till.ethPayments.fund(order.payment?.address ?? '', TOKEN, -5_000n * USDT);
      const lines = await reconcile(till.eth as unknown as PayingChain, till);
      assert.equal(lines.find(({ currency }) => currency === TOKEN)?.shortfall, 0n);
    });

    money('fault 356: stop their currency alone where their owner is not owed as much any more', async (till) => {
      const issuer = await start(till);
      await till.fund('ETH', '6000');
      await till.fund(TOKEN, '5000');
      await till.settle();
      const thief = await anotherMerchant(till);
      till.ethPayments.fee = ETHER;
      const order = await asMerchant(till, thief, () => till.fund(TOKEN, '3000'));
      await till.payOut();
      till.ethPayments.fee = 1_000n;
      await asMerchant(till, thief, () => till.withdraw('2990', TOKEN));
      await till.payOut();
      issuer.frozen.add(order.payment?.address ?? '');
      await till.settle();
      till.clock.advance(601_000);
      await till.settle();
      const [stop] = await till.storage.transfers.currencyStops('ETH');
      assert.deepEqual([stop?.currency, stop?.cause], [TOKEN, 'insolvent']);
      assert.match(stop?.reason ?? '', /send at least 29\d\d[.\d]* USDT-ERC20/);
      const eth = await till.withdraw('0.5');
      await till.settle();
      assert.equal((await till.transfer(eth.tx_id)).status, 'CONFIRMED');
      assert.equal(await till.storage.transfers.payoutStop('ETH'), null);
    });
  });

  describe(`a token that refuses the hot wallet, on ${engine}`, () => {
    money(
      'fault 357: stops its currency with one alert, freezes nobody’s coins, and goes on by itself',
      async (till) => {
        const issuer = await start(till);
        await till.fund('ETH', '6000');
        await till.fund(TOKEN, '5000');
        await till.settle();
        await till.fund(TOKEN, '100');
        const hot = till.ethPayments.hotAddress;
        issuer.frozen.add(hot);
        const [token, eth] = [await till.withdraw('50', TOKEN).catch(() => null), await till.withdraw('0.5')];
        await till.settle();
        assert.equal(token, null, 'a new withdrawal is refused');
        assert.equal((await till.transfer(eth.tx_id)).status, 'CONFIRMED');
        assert.deepEqual(await till.storage.transfers.frozenCoins('ETH'), []);
        assert.equal(alertsOf(till, 'payouts-stopped').length, 1);
        assert.deepEqual(
          (await till.storage.transfers.currencyStops('ETH')).map(({ currency, cause }) => [currency, cause]),
          [[TOKEN, 'refused']],
        );
        issuer.frozen.clear();
        till.clock.advance(601_000);
        await till.settle();
        assert.deepEqual(await till.storage.transfers.currencyStops('ETH'), []);
        const asked = await till.withdraw('5050', TOKEN);
        await till.settle();
        assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
        assert.deepEqual(await checkLedger(till.storage), []);
      },
    );

    money('fault 357: is found when a payment that waits is signed', async (till) => {
      const issuer = await start(till);
      await till.fund(TOKEN, '5000');
      await till.settle();
      const asked = await till.withdraw('50', TOKEN);
      issuer.frozen.add(till.ethPayments.hotAddress);
      await till.payOut();
      assert.equal((await till.storage.transfers.currencyStops('ETH')).length, 1);
      assert.match((await till.transfer(asked.tx_id)).reason ?? '', /blocked/);
      till.clock.advance(25 * HOUR);
      await till.settle();
      assert.equal((await till.transfer(asked.tx_id)).status, 'FAILED');
    });
  });

  describe(`a token that is missing, on ${engine}`, () => {
    money('fault 357: stops its currency alone, and that ends once it is there again', async (till) => {
      await till.float(10n * ETHER);
      await till.fund('ETH', '6000');
      await till.fund(TOKEN, '5000');
      await till.settle();
      // A token that keeps a part of the swept amount.
      till.ethPayments.fund(till.ethPayments.hotAddress, TOKEN, -50n * USDT);
      till.clock.advance(601_000);
      await till.settle();
      const [token, eth] = [await till.withdraw('50', TOKEN), await till.withdraw('0.5')];
      await till.settle();
      assert.equal((await till.transfer(eth.tx_id)).status, 'CONFIRMED');
      const waiting = await till.transfer(token.tx_id);
      assert.match(
        waiting.reason ?? '',
        /Payments of USDT-ERC20 are stopped: .*less of it than the ledger says, by 50/,
      );
      assert.equal(await till.storage.transfers.payoutStop('ETH'), null);
      assert.equal(alertsOf(till, 'payouts-stopped').length, 1);
      till.ethPayments.fund(till.ethPayments.hotAddress, TOKEN, 50n * USDT);
      till.clock.advance(61_000);
      await till.settle();
      assert.equal((await till.transfer(token.tx_id)).status, 'CONFIRMED');
      assert.deepEqual(await checkLedger(till.storage), []);
    });

    money('fault 357: whose balances are not told keeps no other currency from being paid', async (till) => {
      await till.float(10n * ETHER);
      await till.fund('ETH', '6000');
      await till.fund(TOKEN, '5000');
      await till.settle();
      const { custody, balance } = till.ethPayments;
      const failure = Object.assign(contractRefusal('x'), { code: 'NODE_FAILED' });
      till.ethPayments.custody = (expected) =>
        expected.some(({ currency }) => currency === TOKEN)
          ? Promise.reject(failure)
          : custody.call(till.ethPayments, expected);
      till.ethPayments.balance = (address, currency) =>
        currency === TOKEN ? Promise.reject(failure) : balance.call(till.ethPayments, address, currency);
      till.clock.advance(601_000);
      const eth = await till.withdraw('0.5');
      await till.settle();
      assert.equal((await till.transfer(eth.tx_id)).status, 'CONFIRMED');
    });
  });
});
