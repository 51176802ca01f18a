import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { checkLedger, ManageWithdrawals, OPERATOR, reconcile } from '../../../core/index.ts';
import type { MinedPayout, PayingChain, PayoutOutcome, SignedPayout, TransferId } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { testsOf } from '../../support/storage.ts';
import { FakeVault } from '../../support/fakes.ts';

const ETHER = 10n ** 18n;
const USDT = 10n ** 6n;
const TOKEN = 'USDT-ERC20';
/** Units that the token's contract kept of the payment. */
const KEPT = 5n * USDT;

/** From now on, receipts of mined payments show another movement than was signed. */
function logOtherwise({ ethPayments }: MoneyDomain): () => MinedPayout | null {
  const { outcome } = ethPayments;
  let last: MinedPayout | null = null;
  ethPayments.outcome = async (payout: SignedPayout): Promise<PayoutOutcome> => {
    const real = await outcome.call(ethPayments, payout);
    if (real.kind !== 'mined') return real;
    const { txid, block, confirmations, feeUnits } = real;
    last = { txid, block, confirmations, feeUnits };
    return { kind: 'unclear', reason: `the contract logged another movement in ${txid}`, mined: last };
  };
  return () => last;
}

/** Gives the merchant tokens to withdraw. */
async function funded(till: MoneyDomain): Promise<ManageWithdrawals> {
  await till.float(10n * ETHER);
  await till.fund(TOKEN, '5000');
  await till.settle();
  const chains = new Map([['ETH', till.eth]]);
  return new ManageWithdrawals({
    ...till,
    chains,
    lightning: null,
    approverHoldMs: 0,
    vault: new FakeVault(),
    pageMax: 100,
  });
}

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);

  describe(`a mined payment with another effect than was signed, on ${engine}`, () => {
    money('fault 395: an operator books what arrived, once it is deep and as the node shows it', async (till) => {
      const manage = await funded(till);
      const mined = logOtherwise(till);
      const { tx_id } = await till.withdraw('1000', TOKEN);
      const id = tx_id as TransferId;
      await till.payOut();
      till.ethPayments.mine();
      await till.follow();
      await till.payOut();
      const shown = mined();
      assert.ok(shown !== null, 'the payment is mined');
      const { units, feeUnits, status } = await till.transfer(tx_id);
      assert.equal(status, 'BROADCAST');
      const found = { txHash: shown.txid, feeUnits: shown.feeUnits, obtainedUnits: units - feeUnits - KEPT };
      const refused = (changes: Partial<typeof found>, message: RegExp) =>
        assert.rejects(manage.settle(OPERATOR, id, { ...found, ...changes }), { code: 'STATE_CONFLICT', message });
      await refused({}, /1 of \d+ confirmations/);
      for (let block = 0; block < 10; block++) {
        till.ethPayments.mine();
        await till.follow();
        await till.payOut();
      }
      assert.equal((await till.transfer(tx_id)).status, 'BROADCAST', 'nothing ends it by itself');
      const alert = till.events.of('alert').find(({ kind, subject }) => kind === 'transfer' && subject.includes(tx_id));
      assert.match(alert?.reason ?? '', /withdrawal settle/);
      await refused({ txHash: 'another' }, /The transaction of this transfer is/);
      await refused({ feeUnits: found.feeUnits + 1n }, /fee was/);
      await refused({ obtainedUnits: 0n }, /more than nothing/);
      await refused({ obtainedUnits: units - feeUnits + 1n }, /no more than was signed/);
      assert.equal((await manage.settle(OPERATOR, id, found)).status, 'CONFIRMED');
      const [row] = (await till.storage.deposits.transactions(till.principal.accountId, { page: 1, size: 1 })).items;
      assert.deepEqual([row?.id, row?.status, row?.obtained], [tx_id, 'SUCCESS', units - feeUnits - KEPT]);
      await assert.rejects(manage.settle(OPERATOR, id, found), { code: 'STATE_CONFLICT' });
      assert.equal(await till.balance('reserved', TOKEN), 0n);
      assert.equal(await till.balance('available', TOKEN), 4_000n * USDT);
      await till.settle();
      for (const { currency, shortfall } of await reconcile(till.eth as PayingChain, till))
        assert.equal(shortfall, 0n, currency);
      assert.deepEqual(await checkLedger(till.storage), []);
    });

    money('fault 395: a payment that ends by itself is not settled by an operator', async (till) => {
      const manage = await funded(till);
      const { tx_id } = await till.withdraw('1000', TOKEN);
      await till.payOut();
      const found = { txHash: 'any', feeUnits: 1n, obtainedUnits: USDT };
      await assert.rejects(manage.settle(OPERATOR, tx_id as TransferId, found), {
        code: 'STATE_CONFLICT',
        message: /moved otherwise than was signed/,
      });
      await till.settle();
      assert.equal((await till.transfer(tx_id)).status, 'CONFIRMED');
      assert.deepEqual(await checkLedger(till.storage), []);
    });
  });
});
