import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { checkLedger, ManageChains, OPERATOR, readSolvency, reconcile } from '../../../core/index.ts';
import type { PayingChain, Storage } from '../../../core/index.ts';
import { Crash, CrashPoint } from '../../support/crashing.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { testsOf } from '../../support/storage.ts';
import { TokenIssuer } from '../../support/token-issuer.ts';

const ETHER = 10n ** 18n;
const USDT = 10n ** 6n;
const TOKEN = 'USDT-ERC20';
const WORDS = 'The issuer keeps them.';
const MOST_CALLS = 60;

const manageOf = (till: MoneyDomain, storage: Storage = till.storage): ManageChains =>
  new ManageChains({ ...till, storage, chains: new Map([['ETH', till.eth]]), lightning: null });

/** A merchant with 5000 that are frozen and final, and 100 more that are swept. @returns the frozen address */
async function frozen(till: MoneyDomain, blocks = 70): Promise<string> {
  await till.float(10n * ETHER);
  const issuer = new TokenIssuer(till);
  await till.fund(TOKEN, '100');
  await till.settle();
  const order = await till.fund(TOKEN, '5000');
  const address = order.payment?.address ?? '';
  issuer.frozen.add(address);
  await till.payOut();
  till.eth.mineEmpty(blocks);
  await till.follow();
  return address;
}

async function floatOf(till: MoneyDomain): Promise<bigint> {
  const balances = await till.storage.ledger.balances('operator:ETH');
  return balances.find(({ currency }) => currency === TOKEN)?.units ?? 0n;
}

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);

  describe(`frozen coins that are written off, on ${engine}`, () => {
    money('fault 356: are borne by their account, once, with a reason', async (till) => {
      const address = await frozen(till);
      const [line] = await manageOf(till).writeOffFrozen(OPERATOR, 'ETH', address, WORDS);
      assert.equal(line?.borne, 5_000n * USDT);
      assert.deepEqual(
        [await till.balance('available', TOKEN), await till.storage.transfers.frozenCoins('ETH')],
        [100n * USDT, []],
      );
      await assert.rejects(manageOf(till).writeOffFrozen(OPERATOR, 'ETH', address, WORDS), {
        code: 'STATE_CONFLICT',
        message: /No coin at .* is frozen/,
      });
      const asked = await till.withdraw('90', TOKEN);
      await till.settle();
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
      const lines = await reconcile(till.eth as unknown as PayingChain, till);
      assert.ok(lines.every(({ shortfall }) => shortfall === 0n));
      assert.ok((await readSolvency(till.eth, till.storage)).every(({ units }) => units >= 0n));
      assert.deepEqual(await checkLedger(till.storage), []);
    });

    money(
      'fault 356: take from the operator’s float what their account has not, and no more than is there',
      async (till) => {
        const address = await frozen(till);
        const { accountId } = till.principal;
        // The account's share of them was paid before they were frozen.
        await till.storage.transaction((tx) =>
          tx.ledger.append({
            id: till.ids.next() as never,
            at: till.clock.now(),
            kind: 'float-found',
            reference: 'paid-before',
            postings: [
              { account: `merchant:${accountId}:available`, currency: TOKEN, units: -2_100n * USDT },
              { account: 'custody:ETH', currency: TOKEN, units: 2_100n * USDT },
            ],
          }),
        );
        await assert.rejects(manageOf(till).writeOffFrozen(OPERATOR, 'ETH', address, WORDS), {
          code: 'INSUFFICIENT_BALANCE',
          message: /send at least 2000 USDT-ERC20/,
        });
        assert.equal((await till.storage.transfers.frozenCoins('ETH')).length, 1, 'nothing is written');
        await till.storage.transaction((tx) =>
          tx.ledger.append({
            id: till.ids.next() as never,
            at: till.clock.now(),
            kind: 'float-found',
            reference: 'sent-by-the-operator',
            postings: [
              { account: 'operator:ETH', currency: TOKEN, units: 2_500n * USDT },
              { account: 'custody:ETH', currency: TOKEN, units: -2_500n * USDT },
            ],
          }),
        );
        const [line] = await manageOf(till).writeOffFrozen(OPERATOR, 'ETH', address, WORDS);
        assert.deepEqual([line?.borne, await floatOf(till)], [3_000n * USDT, 500n * USDT]);
        assert.equal(await till.balance('available', TOKEN), 0n);
      },
    );

    money('fault 356: wait until no reorganisation can take their deposit away', async (till) => {
      const address = await frozen(till, 5);
      await assert.rejects(manageOf(till).writeOffFrozen(OPERATOR, 'ETH', address, WORDS), {
        code: 'STATE_CONFLICT',
        message: /can still be taken away/,
      });
    });

    money('fault 356: are written off once, wherever the process is killed', async (till) => {
      const address = await frozen(till);
      for (const after of [false, true])
        for (let at = 1; at < MOST_CALLS; at++) {
          const point = new CrashPoint(at, after);
          const before = await till.storage.transfers.frozenCoins('ETH');
          try {
            await manageOf(till, point.watch(till.storage, 'storage')).writeOffFrozen(OPERATOR, 'ETH', address, WORDS);
          } catch (error) {
            if (!(error instanceof Crash) && before.length > 0) throw error;
          }
          const left = await till.storage.transfers.frozenCoins('ETH');
          assert.equal(await till.balance('available', TOKEN), left.length === 0 ? 100n * USDT : 5_100n * USDT);
          assert.deepEqual(await checkLedger(till.storage), []);
          if (left.length === 0) return;
        }
      assert.fail('it was never written off');
    });
  });
});
