import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  approveTransfer,
  custodyAccount,
  FEES_ACCOUNT,
  isTillgateError,
  merchantAccount,
  newTransfer,
  postEntry,
  readDecimal,
} from '../../../core/index.ts';
import type { Account, AccountId, EntryId, Order, Principal, Transfer, TransferId } from '../../../core/index.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { RealCoins } from '../../support/real-coins.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const HOUR = 3_600_000;
let payments = 0;

/** An account that may withdraw BTC. */
async function addMerchant(till: MoneyDomain): Promise<Principal> {
  const { storage, ids, clock, principal } = till;
  const accountId = ids.next() as AccountId;
  const like = (await storage.accounts.find(principal.accountId)) as Account;
  await storage.accounts.create({ ...like, id: accountId, email: `merchant-${accountId}@example.com` });
  const now = clock.now();
  const address = { accountId, chain: 'BTC', formerAddress: null, address: `btc-${accountId}`, activeFrom: now };
  await storage.transaction((tx) => tx.wallets.saveWithdrawalAddress({ ...address, updatedAt: now }));
  return { ...principal, accountId };
}

/** Pays a merchant's order in these outputs, and mines until they can be spent. */
async function deposit(till: MoneyDomain, owner: Principal, ...units: readonly bigint[]): Promise<Order> {
  const vsPrice = readDecimal('1');
  assert.ok(vsPrice !== null);
  const input = { chain: 'BTC', currency: 'BTC', vsCurrency: 'USD', vsPrice };
  const order = await till.createOrder.inCoin(owner, input);
  const to = order.payment?.address ?? '';
  till.btc.mine(...units.map((each) => ({ to, currency: 'BTC', units: each, txid: `coin${(payments += 1)}` })));
  till.btc.mineEmpty(till.btc.policy.spendableConfirmations);
  await till.follow(till.btc);
  return order;
}

async function withdraw(till: MoneyDomain, owner: Principal, amount: string): Promise<Transfer> {
  const value = readDecimal(amount);
  assert.ok(value !== null);
  const { withdrawal } = await till.withdrawal.run(owner, { chain: 'BTC', currency: 'BTC', amount: value });
  return withdrawal;
}

const same = (count: number, units: bigint): readonly bigint[] => Array.from({ length: count }, () => units);
const found = (till: MoneyDomain, { id }: Transfer): Promise<Transfer> => till.transfer(id);
const coinsOf = async (till: MoneyDomain, { id }: Transfer): Promise<number> => {
  const view = await till.storage.transfers.payoutOf(id);
  return view === null ? 0 : (await till.storage.transfers.coinsOf(view.payout.id)).length;
};
const availableOf = async (till: MoneyDomain, { accountId }: Principal): Promise<bigint> =>
  (await till.storage.ledger.balances(merchantAccount(accountId, 'available'))).find(
    ({ currency }) => currency === 'BTC',
  )?.units ?? 0n;

async function step(till: MoneyDomain, blocks = 1): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    till.clock.advance(60_000);
    till.btcPayments.mine();
    await till.follow(till.btc);
    await till.payOut(till.btc);
  }
}

/** Adds earned fees to the till, in a coin without an owner. */
async function earn(till: MoneyDomain, units: bigint): Promise<void> {
  const { hotAddress: address } = till.btcPayments;
  const txid = `earned${(payments += 1)}`;
  till.btc.mine({ to: address, currency: 'BTC', units, txid });
  const [id, at] = [till.ids.next() as EntryId, till.clock.now()];
  const entry = { id, at, kind: 'transfer-paid', reference: txid } as const;
  const postings = [
    { account: custodyAccount('BTC'), currency: 'BTC', units: -units },
    { account: FEES_ACCOUNT, currency: 'BTC', units },
  ];
  await till.storage.transaction(async (tx) => {
    await postEntry(tx, { ...entry, postings });
    await tx.transfers.addHolding({ chain: 'BTC', ref: `${txid}:0`, address, index: null, currency: 'BTC', units });
  });
}

const unitsOf = async (till: MoneyDomain, { accountId }: Principal): Promise<readonly bigint[]> =>
  (await till.storage.transfers.freeCoins('BTC', 'BTC', 1_000, { of: accountId })).map(({ units }) => units);
const sweepsOf = async (till: MoneyDomain): Promise<readonly Transfer[]> =>
  (await till.storage.transfers.list(null, { before: null, limit: 100 })).filter(({ kind }) => kind === 'sweep');

function ratesOf(till: MoneyDomain): RealCoins {
  assert.ok(till.btcPayments instanceof RealCoins);
  return till.btcPayments;
}

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney, { realCoins: true, chain: { maxScanBlocks: 50 } });
  const held = testsOf(open, buildMoney, {
    realCoins: true,
    chain: { maxScanBlocks: 50 },
    withdrawals: { approveAbove: new Map([['BTC', '0.02']]) },
  });

  describe(`coins and who pays for them, on ${engine}`, () => {
    money('fault 88: one merchant’s dust costs that merchant, and the fee of another does not change', async (till) => {
      const [a, b] = [till.principal, await addMerchant(till)];
      ratesOf(till).rate = 25_000n;
      await deposit(till, b, 300_000n);
      const alone = await withdraw(till, b, '0.001');
      await till.payOut(till.btc);
      assert.equal(await coinsOf(till, alone), 1);
      await step(till, 8);
      await deposit(till, a, ...same(200, 1_500n));
      // Spending them would cost more than they are worth now: it is refused, and B's coin is not used instead.
      await assert.rejects(withdraw(till, a, '0.003'), (error) => isTillgateError(error, 'AMOUNT_OUT_OF_RANGE'));
      const beside = await withdraw(till, b, '0.001');
      await till.payOut(till.btc);
      assert.deepEqual(
        [await coinsOf(till, beside), (await found(till, beside)).feeUnits],
        [1, (await found(till, alone)).feeUnits],
      );
      // At a low rate A pays for its 200 coins, and nobody else does.
      ratesOf(till).rate = 2_000n;
      const dear = await withdraw(till, a, '0.003');
      await till.payOut(till.btc);
      assert.equal(await coinsOf(till, dear), 200);
      assert.ok((await found(till, dear)).feeUnits > 27_000n);
    });

    money('fault 88: what is left of an account’s coins is the account’s', async (till) => {
      const [a, b] = [till.principal, await addMerchant(till)];
      ratesOf(till).rate = 2_000n;
      await deposit(till, a, 1_000_000n);
      await deposit(till, b, 1_000_000n, ...same(20, 20_000n));
      const first = await withdraw(till, a, '0.001');
      await till.payOut(till.btc);
      // The change of the first is in flight: the second waits for it, and uses no coin of B's.
      const second = await withdraw(till, a, '0.002');
      await till.payOut(till.btc);
      assert.match((await found(till, second)).reason ?? '', /not confirmed yet/);
      await step(till, 10);
      assert.deepEqual(
        [(await found(till, first)).status, (await found(till, second)).status],
        ['CONFIRMED', 'BROADCAST'],
      );
      assert.equal(await coinsOf(till, second), 1);
      const whole = await withdraw(till, b, '0.014');
      await till.payOut(till.btc);
      assert.equal(await coinsOf(till, whole), 21);
      await step(till, 10);
      assert.equal(await availableOf(till, b), 0n);
    });

    money('fault 88: payments of two accounts never share a transaction', async (till) => {
      const [a, b] = [till.principal, await addMerchant(till)];
      ratesOf(till).rate = 2_000n;
      await deposit(till, a, ...same(40, 20_000n));
      await deposit(till, b, 500_000n);
      const [many, one] = [await withdraw(till, a, '0.008'), await withdraw(till, b, '0.001')];
      await till.payOut(till.btc);
      assert.deepEqual([await coinsOf(till, many), await coinsOf(till, one)], [40, 1]);
      assert.notEqual((await found(till, many)).payoutId, (await found(till, one)).payoutId);
    });

    money('fault 88: an account whose coins do not suffice keeps nobody else waiting', async (till) => {
      const [a, b] = [till.principal, await addMerchant(till)];
      ratesOf(till).rate = 2_000n;
      await deposit(till, a, 1_000_000n);
      await deposit(till, b, 500_000n);
      await withdraw(till, a, '0.001');
      await till.payOut(till.btc);
      const [waits, paid] = [await withdraw(till, a, '0.002'), await withdraw(till, b, '0.002')];
      await till.payOut(till.btc);
      assert.deepEqual(
        [(await found(till, waits)).status, (await found(till, paid)).status],
        ['REQUESTED', 'BROADCAST'],
      );
    });

    money(
      'fault 88: coins that are missing of an account’s own come from the others, who keep the rest',
      async (till) => {
        const [a, b] = [till.principal, await addMerchant(till)];
        ratesOf(till).rate = 2_000n;
        await deposit(till, a, 60_000n);
        await deposit(till, b, 900_000n);
        // A's coins are worth 40,000 less than its balance, as after fees that the till bears.
        const [id, at] = [till.ids.next() as EntryId, till.clock.now()];
        const available = ({ accountId }: Principal, units: bigint) =>
          ({ account: merchantAccount(accountId, 'available'), currency: 'BTC', units }) as const;
        const postings = [available(b, -40_000n), available(a, 40_000n)];
        await till.storage.transaction((tx) =>
          postEntry(tx, { id, at, kind: 'transfer-paid', reference: 'x', postings }),
        );
        const whole = await withdraw(till, a, '0.001');
        await till.payOut(till.btc);
        assert.equal(await coinsOf(till, whole), 2);
        await step(till, 10);
        const kept = await till.storage.transfers.freeCoins('BTC', 'BTC', 10, { of: b.accountId });
        assert.deepEqual(
          kept.map(({ units }) => units),
          [860_000n],
        );
      },
    );

    money('fault 88: 620 small coins: what goes now is said when it is asked for, and goes', async (till) => {
      const a = till.principal;
      ratesOf(till).rate = 2_000n;
      await deposit(till, a, ...same(620, 20_000n));
      assert.equal(await availableOf(till, a), 12_400_000n);
      await assert.rejects(
        withdraw(till, a, '0.124'),
        (error) =>
          isTillgateError(error, 'STATE_CONFLICT') && /at most 200\b.*at most 0\.04 BTC now/.test(error.message),
      );
      assert.equal(await availableOf(till, a), 12_400_000n);
      await assert.rejects(withdraw(till, a, '0.04000001'), (error) => isTillgateError(error, 'STATE_CONFLICT'));
      // Three simultaneous withdrawals each have their own coins.
      const asked = [];
      for (const amount of ['0.04', '0.04', '0.04']) asked.push(await withdraw(till, a, amount));
      await assert.rejects(withdraw(till, a, '0.01'), (error) => isTillgateError(error, 'INSUFFICIENT_BALANCE'));
      await till.payOut(till.btc);
      for (const each of asked) {
        const { status, reason } = await found(till, each);
        assert.deepEqual([status, reason, await coinsOf(till, each)], ['BROADCAST', null, 200]);
      }
      await step(till, 10);
      for (const each of asked) assert.equal((await found(till, each)).status, 'CONFIRMED');
      assert.equal(await availableOf(till, a), 400_000n);
    });

    held(
      'fault 88: a payment whose coins went elsewhere says so, and fails after three days with its reserve given back',
      async (till) => {
        const a = till.principal;
        ratesOf(till).rate = 2_000n;
        await deposit(till, a, 1_100_000n, ...same(260, 20_000n));
        const second = await withdraw(till, a, '0.05');
        const first = await withdraw(till, a, '0.01');
        await till.payOut(till.btc);
        assert.deepEqual([second.status, (await found(till, first)).status], ['HELD', 'BROADCAST']);
        await till.storage.transaction((tx) => approveTransfer(tx, second.id, till.clock.now()));
        await till.payOut(till.btc);
        const waiting = await found(till, second);
        assert.equal(waiting.status, 'REQUESTED');
        assert.match(waiting.reason ?? '', /at most 200 coins \(0\.0\d+ BTC\): it waits until coins are consolidated/);
        await step(till, 10);
        assert.equal((await found(till, second)).status, 'REQUESTED');
        till.clock.advance(73 * HOUR);
        await step(till);
        const failed = await found(till, second);
        assert.deepEqual([failed.status, failed.payoutId], ['FAILED', null]);
        assert.match(failed.reason ?? '', /72 hours/);
        assert.equal(await availableOf(till, a), 5_300_000n);
      },
    );

    money('fault 88: small coins are put together, while fees are low and the till can pay for it', async (till) => {
      const [a, b] = [till.principal, await addMerchant(till)];
      ratesOf(till).rate = 25_000n;
      await deposit(till, a, ...same(300, 20_000n));
      await deposit(till, b, 100_000n);
      await earn(till, 60_000n);
      await step(till);
      assert.deepEqual(await sweepsOf(till), []);
      ratesOf(till).rate = 2_000n;
      await step(till);
      const [sweep] = await sweepsOf(till);
      assert.ok(sweep !== undefined);
      assert.deepEqual([sweep.units, await coinsOf(till, sweep)], [4_000_000n, 200]);
      // The largest coins stay free for payments meanwhile.
      const meanwhile = await withdraw(till, a, '0.01');
      await till.payOut(till.btc);
      assert.equal((await found(till, meanwhile)).status, 'BROADCAST');
      const before = await availableOf(till, a);
      await step(till, 10);
      const { status, feeUnits } = await found(till, sweep);
      assert.equal(status, 'CONFIRMED');
      assert.equal(await availableOf(till, a), before);
      assert.deepEqual(await unitsOf(till, a), [4_000_000n - feeUnits, ...same(50, 20_000n)]);
      assert.deepEqual(await unitsOf(till, b), [100_000n]);
      const [earned] = await till.storage.ledger.balances('fees:network');
      assert.equal(earned?.units, 60_000n - feeUnits);
      await withdraw(till, a, '0.049');
      await step(till, 10);
      assert.equal(await availableOf(till, a), 100_000n);
    });

    money('fault 88: without money of its own the till puts nothing together', async (till) => {
      ratesOf(till).rate = 2_000n;
      await deposit(till, till.principal, ...same(120, 20_000n));
      await step(till, 2);
      assert.deepEqual(await sweepsOf(till), []);
    });

    money('fault 88: coins that change before the signature are chosen anew', async (till) => {
      const a = till.principal;
      ratesOf(till).rate = 2_000n;
      await deposit(till, a, ...same(120, 20_000n));
      const { hotAddress: hot } = till.btcPayments;
      const request = { kind: 'sweep', accountId: null, orderId: null, chain: 'BTC', currency: 'BTC' } as const;
      const from = { sourceAddress: hot, sourceIndex: null, toAddress: hot };
      const fee = { feeUnits: 100n, maxFeeUnits: 100_000n };
      const id = till.ids.next() as TransferId;
      const stale = newTransfer({ id, ...request, ...from, ...fee, units: 1_380_000n }, till.clock.now());
      await till.storage.transaction((tx) => tx.transfers.add(stale));
      await step(till);
      assert.match((await found(till, stale)).reason ?? '', /have changed/);
      await earn(till, 60_000n);
      await step(till);
      const planned = (await sweepsOf(till)).find(({ status }) => status === 'BROADCAST');
      assert.ok(planned !== undefined);
      assert.equal(await coinsOf(till, planned), 70);
      await step(till, 10);
      assert.equal((await unitsOf(till, a)).length, 51);
    });
  });
});
