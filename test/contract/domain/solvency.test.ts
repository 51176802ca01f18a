import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  checkLedger,
  formatUnits,
  isTillgateError,
  ManageWithdrawals,
  obtainedUnits,
  OPERATOR,
  present,
  readSolvency,
  reconcile,
  resumePayouts,
  takeHotWallet,
} from '../../../core/index.ts';
import type { ErrorCode, PayingChain, Storage, TransferId } from '../../../core/index.ts';
import { bookFloat } from '../../../core/payouts/operator-float.ts';
import { beforeCall } from '../../support/before-call.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';
import { FakeVault } from '../../support/fakes.ts';

const ETHER = 10n ** 18n;
const FLOAT = ETHER / 10n;

/** One currency of the comparison of chain and ledger. */
async function compared(till: MoneyDomain, currency: string) {
  const lines = await reconcile(till.eth as PayingChain, till);
  return present(
    lines.find((line) => line.currency === currency),
    `a line of ${currency}`,
  );
}

/** The chain's balance beyond the ledger's. */
async function surplus(till: MoneyDomain, currency = 'ETH'): Promise<bigint> {
  const { onChain, expected } = await compared(till, currency);
  return onChain - expected;
}

async function booked(till: MoneyDomain, account: string, currency = 'ETH'): Promise<bigint> {
  const balances = await till.storage.ledger.balances(account);
  return balances.find((balance) => balance.account === account && balance.currency === currency)?.units ?? 0n;
}

/** The ledger's custody beyond what is owed, by currency. */
async function solvency(till: MoneyDomain): Promise<Readonly<Record<string, bigint>>> {
  const lines = await readSolvency(till.eth, till.storage);
  return Object.fromEntries(lines.map(({ currency, units }) => [currency, units]));
}

/** Rejects a transfer as an operator does. */
async function rejectByOperator(till: MoneyDomain, id: string): Promise<void> {
  const chains = new Map([[till.eth.code, till.eth]]);
  const manage = new ManageWithdrawals({
    ...till,
    chains,
    lightning: null,
    approverHoldMs: 0,
    vault: new FakeVault(),
    pageMax: 100,
  });
  await manage.reject(OPERATOR, id as TransferId, 'Not now.');
}

const refusal =
  (code: ErrorCode, message: RegExp) =>
  (error: unknown): boolean =>
    isTillgateError(error, code) && message.test(error.message);

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);

  describe(`gas at deposit addresses on ${engine}`, () => {
    money('fault 79: what a token sweep leaves is booked, compared and used by the next one', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = 10n ** 13n;
      await till.float(FLOAT);
      await till.fund('ETH', '2000');
      const addresses: string[] = [];
      for (let order = 0; order < 3; order++)
        addresses.push(present((await till.fund('USDT-ERC20', '500')).payment, 'a payment').address);
      await till.settle();
      assert.deepEqual(ethPayments.paidTo(ethPayments.hotAddress, 'USDT-ERC20').length, 3);
      const left = await Promise.all(addresses.map((address) => ethPayments.balance(address, 'ETH')));
      assert.deepEqual(left, Array(3).fill(ethPayments.fee / 4n), 'a quarter of the gas is not used');
      assert.equal(await booked(till, 'gas:ETH'), -left.reduce((sum, units) => sum + units, 0n));
      assert.equal(await surplus(till), 0n, 'every wei on chain is in the ledger');
      assert.equal((await compared(till, 'ETH')).shortfall, 0n);
      const [address] = addresses;
      assert(address !== undefined);
      till.eth.mine({ to: address, currency: 'USDT-ERC20', units: 10n ** 9n, txid: 'paid-again', from: 'eth-payer' });
      till.eth.mineEmpty(till.eth.policy.spendableConfirmations + 4);
      await till.follow();
      await till.settle();
      assert.deepEqual(ethPayments.paidTo(address, 'ETH'), [(ethPayments.fee * 5n) / 4n, ethPayments.fee]);
      assert.equal(await ethPayments.balance(address, 'ETH'), ethPayments.fee / 4n, 'only what was missing was sent');
      assert.equal(await surplus(till), 0n);
      assert.equal(await till.storage.transfers.payoutStop('ETH'), null);
    });

    money('fault 79: gas that is gone from its address is missing money', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = 10n ** 13n;
      await till.float(FLOAT);
      const { payment } = await till.fund('USDT-ERC20', '500');
      await till.settle();
      assert(payment !== null);
      ethPayments.fund(ethPayments.hotAddress, 'ETH', -FLOAT);
      const before = (await compared(till, 'ETH')).shortfall;
      ethPayments.fund(payment.address, 'ETH', -1n);
      assert.equal((await compared(till, 'ETH')).shortfall, before + 1n);
    });

    money('coins of a payer that are not spendable yet are no gas for the tokens beside them', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = 10n ** 13n;
      await till.float(FLOAT);
      const { payment } = await till.fund('USDT-ERC20', '500');
      assert(payment !== null);
      till.eth.mine({ to: payment.address, currency: 'ETH', units: ETHER, txid: 'paid-coins', from: 'eth-payer' });
      await till.follow();
      await till.payOut();
      assert.deepEqual(
        [...ethPayments.sent.values()].map(({ content }) => content.source),
        [ethPayments.hotAddress],
        'gas is sent before anything leaves the address',
      );
      await till.settle();
      assert.deepEqual(ethPayments.paidTo(ethPayments.hotAddress, 'ETH'), [ETHER - ethPayments.fee]);
      assert.equal(await surplus(till), 0n);
      // There is some gas now, but not enough: the difference is sent, even if a payer sends coins too.
      const before = ethPayments.sent.size;
      till.eth.mine({
        to: payment.address,
        currency: 'USDT-ERC20',
        units: 10n ** 9n,
        txid: 'again',
        from: 'eth-payer',
      });
      till.eth.mineEmpty(till.eth.policy.spendableConfirmations);
      till.eth.mine({ to: payment.address, currency: 'ETH', units: ETHER, txid: 'beside', from: 'eth-payer' });
      await till.follow();
      await till.payOut();
      assert.deepEqual(
        [...ethPayments.sent.values()].slice(before).map(({ content }) => content.source),
        [ethPayments.hotAddress],
      );
    });
  });

  describe(`the comparison of chain and ledger on ${engine}`, () => {
    money('every payment leaves the books as the chain is, to the unit', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = 7n * 10n ** 12n;
      await till.float(FLOAT);
      await till.fund('ETH', '2000');
      await till.fund('USDT-ERC20', '100');
      const coins = await till.withdraw('0.25');
      const tokens = await till.withdraw('60', 'USDT-ERC20');
      await till.settle();
      assert.equal((await till.transfer(tokens.tx_id)).status, 'CONFIRMED');
      const paid = await till.transfer(coins.tx_id);
      assert.deepEqual(ethPayments.paidTo(PAYEE.ETH, 'ETH'), [obtainedUnits(paid)]);
      assert.equal(await surplus(till), 0n);
      assert.equal(await surplus(till, 'USDT-ERC20'), 0n);
      const spent = [...ethPayments.sent.values()].reduce((sum, { content }) => sum + BigInt(content.fee), 0n);
      assert.equal(await booked(till, 'fees:network'), paid.feeUnits - spent, 'each fee lowers what is left of them');
    });

    money('a sweep that is signed and not mined hides no missing money', async (till) => {
      const { ethPayments } = till;
      await till.fund('ETH', '2000');
      await till.fund('ETH', '2000');
      const asked = await till.withdraw('1.5');
      await till.payOut();
      till.eth.mineEmpty(1);
      await till.follow();
      await till.payOut();
      const taken = await till.storage.transfers.inFlight('ETH');
      assert.ok(taken.some(({ sourceAddress, units }) => sourceAddress !== ethPayments.hotAddress && units > 0n));
      assert.equal((await compared(till, 'ETH')).shortfall, 0n);
      ethPayments.fund(ethPayments.hotAddress, 'ETH', -ETHER / 2n);
      const { shortfall, inFlight } = await compared(till, 'ETH');
      assert.equal(shortfall, ETHER / 2n - inFlight);
      assert.ok(inFlight < ETHER / 100n, 'only the fees of sweeps may have gone');
      assert.equal((await till.transfer(asked.tx_id)).status, 'REQUESTED');
    });
  });

  describe(`payments that fail on chain, on ${engine}`, () => {
    money('fault 80: a receiver that fails on purpose pays for each of its failures', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = ETHER / 1_000n;
      await till.fund('ETH', '2000');
      await till.fund('ETH', '2000');
      ethPayments.reverts = ({ to }) => to === PAYEE.ETH;
      for (let attempt = 0; attempt < 6; attempt++) {
        const asked = await till.withdraw('0.4');
        await till.settle();
        const failed = await till.transfer(asked.tx_id);
        assert.equal(failed.status, 'FAILED', failed.reason ?? '');
        const rows = await till.queries.transactions(till.principal.accountId, { page: 1, size: 1 });
        const [row] = rows.items;
        assert.deepEqual(
          [row?.status, row?.fee, row?.obtained],
          ['FAILED', formatUnits(failed.feeUnits, 18), '0'],
          'the merchant sees what it was charged',
        );
      }
      assert.ok(
        (await booked(till, 'fees:network')) >= -2n * ethPayments.fee,
        'the till paid for its two sweeps alone',
      );
      assert.equal(await surplus(till), 0n);
      assert.equal(
        await till.balance('available', 'ETH'),
        2n * ETHER - BigInt(ethPayments.sent.size) * ethPayments.fee - (await booked(till, 'fees:network')),
      );
    });

    money('fault 80: a failed token payment is charged in the token, at the rate of its fee', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = 10n ** 13n;
      await till.float(FLOAT);
      await till.fund('USDT-ERC20', '100');
      await till.withdraw('10', 'USDT-ERC20');
      await till.settle();
      ethPayments.reverts = ({ to }) => to === PAYEE.ETH;
      const asked = await till.withdraw('60', 'USDT-ERC20');
      await till.settle();
      const failed = await till.transfer(asked.tx_id);
      assert.equal(failed.status, 'FAILED');
      // 0.00001 ETH at 2000 is 0.02 USDT.
      assert.equal(failed.feeUnits, 20_000n);
      assert.equal(await till.balance('available', 'USDT-ERC20'), 89_980_000n);
      assert.equal(await booked(till, 'fees:network', 'USDT-ERC20'), 40_000n);
      assert.equal(await surplus(till, 'USDT-ERC20'), 0n);
    });
  });

  describe(`solvency on ${engine}`, () => {
    money('without a float each merchant pays for the sweeps that its withdrawal needs', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = ETHER / 1_000n;
      for (let order = 0; order < 3; order++) await till.fund('ETH', '2000');
      await till.settle();
      assert.equal(ethPayments.sent.size, 0, 'nothing is moved that nobody pays for');
      const asked = await till.withdraw('2.5');
      assert.equal(asked.fee, '0.004', 'its own fee and three sweeps');
      for (let block = 0; block < 60; block++) {
        till.clock.advance(1_000);
        ethPayments.mine();
        await till.follow();
        await till.payOut();
        await till.checkBooks();
      }
      const paid = await till.transfer(asked.tx_id);
      assert.equal(paid.status, 'CONFIRMED', paid.reason ?? '');
      assert.equal(paid.feeUnits, 4n * ethPayments.fee);
      assert.deepEqual(await solvency(till), { ETH: 0n, 'USDT-ERC20': 0n });
      await till.withdraw('0.5');
      await till.settle();
      assert.equal(await till.storage.transfers.payoutStop('ETH'), null);
      assert.deepEqual(await solvency(till), { ETH: 0n, 'USDT-ERC20': 0n });
      assert.equal(await surplus(till), 0n);
    });

    money('what sweeps for one withdrawal cost is not charged to another', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = ETHER / 1_000n;
      await till.fund('ETH', '2000');
      const first = await till.withdraw('0.2');
      await till.settle();
      await till.fund('ETH', '2000');
      const [small, large] = [await till.withdraw('0.1'), await till.withdraw('1.5')];
      await till.settle();
      const fees = await Promise.all(
        [first, small, large].map(async ({ tx_id }) => (await till.transfer(tx_id)).feeUnits),
      );
      assert.deepEqual(
        fees,
        [2n, 1n, 2n].map((count) => count * ethPayments.fee),
      );
    });

    money('a payment that its receiver refuses after the sweeps for it pays for them', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = ETHER / 1_000n;
      await till.fund('ETH', '2000');
      const asked = await till.withdraw('0.9');
      await till.payOut();
      for (let block = 0; block < 10 && ethPayments.sent.size === 0; block++) {
        ethPayments.mine();
        await till.follow();
        await till.payOut();
      }
      ethPayments.refusal = 'The receiver takes nothing any more.';
      await till.settle();
      await rejectByOperator(till, asked.tx_id);
      assert.equal(await till.balance('available', 'ETH'), ETHER - ethPayments.fee);
      await till.checkBooks();
      assert.equal((await solvency(till))['ETH'], 0n);
    });

    money('a payment that is held after the sweeps for it, and rejected, pays for them', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = ETHER / 1_000n;
      await till.fund('ETH', '2000');
      const asked = await till.withdraw('0.9');
      await till.payOut();
      await till.storage.transaction((tx) =>
        tx.transfers.freeze({ accountId: till.principal.accountId, reason: 'Looked at.', at: till.clock.now() }),
      );
      await till.settle();
      assert.equal((await till.transfer(asked.tx_id)).status, 'HELD');
      await rejectByOperator(till, asked.tx_id);
      assert.equal(await till.balance('available', 'ETH'), ETHER - ethPayments.fee);
      await till.checkBooks();
      assert.equal((await solvency(till))['ETH'], 0n);
    });

    /** Pays out until the sweep for a waiting payment is sent. */
    async function sweep(till: MoneyDomain): Promise<void> {
      const { sent } = till.ethPayments;
      for (let block = 0; block < 10 && sent.size === 0; block++) {
        till.eth.mineEmpty(1);
        await till.follow();
        await till.payOut();
      }
      assert.equal(sent.size, 1, 'the sweep');
    }

    money('fault 127: a payment whose own fee has risen waits while it cannot pay its sweeps, too', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = ETHER / 1_000n;
      await till.fund('ETH', '2000');
      const asked = await till.withdraw('0.9');
      await sweep(till);
      ethPayments.fee = (ethPayments.fee * 7n) / 2n;
      await till.settle();
      const waiting = await till.transfer(asked.tx_id);
      assert.equal(waiting.status, 'REQUESTED');
      assert.match(waiting.reason ?? '', /with that of the sweeps made for it, is above the most/);
      assert.equal(await till.storage.transfers.payoutStop('ETH'), null);
      await till.checkBooks();
      ethPayments.fee = ETHER / 1_000n;
      await till.settle();
      const paid = await till.transfer(asked.tx_id);
      assert.deepEqual([paid.status, paid.feeUnits], ['CONFIRMED', 2n * ethPayments.fee]);
      assert.equal((await solvency(till))['ETH'], 0n);
    });

    money('fault 127: a payment that its fee keeps waiting too long pays for its sweeps', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = ETHER / 1_000n;
      await till.fund('ETH', '2000');
      const asked = await till.withdraw('0.9');
      await sweep(till);
      const swept = ethPayments.fee;
      ethPayments.fee = (ethPayments.fee * 7n) / 2n;
      await till.settle();
      till.clock.advance(25 * 3_600_000);
      await till.settle();
      assert.equal((await till.transfer(asked.tx_id)).status, 'FAILED');
      assert.equal(await till.balance('available', 'ETH'), ETHER - swept);
      assert.equal((await solvency(till))['ETH'], 0n);
      await till.checkBooks();
    });

    money('a payment that is rejected before anything was made for it pays for nothing', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = ETHER / 1_000n;
      await till.fund('ETH', '2000');
      const asked = await till.withdraw('0.9');
      await rejectByOperator(till, asked.tx_id);
      assert.equal(await till.balance('available', 'ETH'), ETHER);
    });

    money('a payment whose nonce was used elsewhere keeps back what sweeps for it cost', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = ETHER / 1_000n;
      await till.fund('ETH', '2000');
      const asked = await till.withdraw('0.9');
      for (let block = 0; block < 40 && (await till.transfer(asked.tx_id)).status === 'REQUESTED'; block++) {
        ethPayments.mine();
        await till.follow();
        await till.payOut();
      }
      const view = await till.storage.transfers.payoutOf(asked.tx_id as TransferId);
      ethPayments.dropMempool();
      ethPayments.steal(view?.payout.nonce ?? -1);
      ethPayments.mine();
      till.eth.mineEmpty(30);
      await till.follow();
      await till.payOut();
      const voided = await till.transfer(asked.tx_id);
      assert.equal(voided.status, 'FAILED');
      assert.equal(await till.balance('available', 'ETH'), ETHER - ethPayments.fee);
      await till.checkBooks();
    });

    money('without a float a token payment is refused with what the operator has to do', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = ETHER / 1_000n;
      await till.fund('ETH', '2000');
      const order = await till.fund('USDT-ERC20', '100');
      const words = /at least 0\.003 ETH to eth-hot/;
      await assert.rejects(till.withdraw('60', 'USDT-ERC20'), refusal('NOT_READY', words));
      await assert.rejects(till.refund.run(till.principal, order.id), refusal('NOT_READY', words));
      assert.equal(await till.balance('reserved', 'USDT-ERC20'), 0n);
      const coins = await till.withdraw('0.9');
      await till.settle();
      assert.equal((await till.transfer(coins.tx_id)).status, 'CONFIRMED', 'other payments continue');
      assert.equal(await till.ethPayments.balance(order.payment?.address ?? '', 'ETH'), 0n, 'no gas of merchants');
      const alerts = till.logger.lines.filter(({ fields }) => fields['alert'] === 'float');
      assert.equal(alerts.length, 1, 'one alert for the sweep that waits');
      ethPayments.fund(ethPayments.hotAddress, 'ETH', ETHER / 100n);
      till.clock.advance(10_000);
      const tokens = await till.withdraw('60', 'USDT-ERC20');
      await till.settle();
      assert.equal((await till.transfer(tokens.tx_id)).status, 'CONFIRMED');
      assert.equal(await surplus(till), 0n);
    });

    money(
      'a token payment that was accepted waits, with the amount, when its fee has outgrown the float',
      async (till) => {
        const { ethPayments } = till;
        ethPayments.fee = 10n ** 13n;
        await till.float(ETHER / 1_000n);
        await till.fund('ETH', '2000');
        await till.fund('USDT-ERC20', '100');
        await till.settle();
        const asked = await till.withdraw('60', 'USDT-ERC20');
        ethPayments.fee = ETHER / 100n;
        await till.settle();
        const waiting = await till.transfer(asked.tx_id);
        assert.equal(waiting.status, 'REQUESTED');
        assert.match(waiting.reason ?? '', /of its own .* send at least 0\.00\d+ ETH to eth-hot/);
        assert.equal(await till.storage.transfers.payoutStop('ETH'), null);
        ethPayments.fee = 10n ** 13n;
        await till.settle();
        assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
      },
    );

    money(
      'network fees stop at their limit, and go on when the operator raises it',
      async (till) => {
        const { ethPayments } = till;
        ethPayments.fee = ETHER / 1_000n;
        await till.float(ETHER);
        await till.fund('USDT-ERC20', '100');
        await till.settle();
        assert.equal(ethPayments.sent.size, 2, 'the gas and the sweep');
        const asked = await till.withdraw('60', 'USDT-ERC20').catch((error: unknown) => error);
        assert.ok(refusal('NOT_READY', /sweeps\.feeBudget\.ETH/)(asked), String(asked));
        const runner = till.newRunner();
        await till.fund('USDT-ERC20', '50');
        await runner.step(await till.payoutLease());
        assert.equal(ethPayments.sent.size, 2);
      },
      { sweeps: { feeBudget: new Map([['ETH', '0.0025']]) } },
    );

    money('a loss that the float does not cover stops payouts until enough was sent', async (till) => {
      const { ethPayments } = till;
      await till.fund('ETH', '2000');
      ethPayments.fund(ethPayments.hotAddress, 'ETH', ETHER);
      const asked = await till.withdraw('0.9');
      await till.payOut();
      assert.equal((await till.transfer(asked.tx_id)).status, 'BROADCAST');
      till.eth.drop(11);
      till.eth.mineEmpty(3);
      await till.follow();
      await till.payOut();
      assert.match((await till.storage.transfers.payoutStop('ETH')) ?? '', /send at least 0\.8999\d* ETH to eth-hot/);
      assert.ok(((await solvency(till))['ETH'] ?? 0n) < 0n);
      assert.deepEqual(
        (await checkLedger(till.storage)).map(({ invariant }) => invariant),
        ['a chain holds what is owed'],
      );
      assert.ok(
        [...till.metrics.gauges].some(([key, value]) => key.startsWith('tillgate_solvency_units') && value < 0),
      );
      // The operator's ether was there all the time; two checks that see it book it.
      await till.settle();
      assert.equal(await till.storage.transfers.payoutStop('ETH'), null, 'the stop ends by itself');
      await till.checkBooks();
    });

    /** A merchant is owed ether that a reorganisation has removed. */
    async function lose(till: MoneyDomain): Promise<void> {
      await till.fund('ETH', '2000');
      await till.withdraw('0.9');
      await till.payOut();
      till.eth.drop(11);
      till.eth.mineEmpty(3);
      await till.follow();
    }
    /** Posts the missing amount. */
    async function cover(till: MoneyDomain): Promise<void> {
      const held = await till.storage.ledger.balances('custody:ETH');
      const change = { currency: 'ETH', units: ETHER };
      assert.ok(await till.storage.transaction((tx) => bookFloat(tx, 'ETH', change, held, till)));
    }

    const byOperator = 'Stopped by an operator: he looks.';
    /** The till's storage, with an operator who stops payouts just before a check does. */
    const withOperator = (till: MoneyDomain): Storage =>
      beforeCall(till.storage, 'transfers', 'replacePayoutStop', () =>
        till.storage.transaction((tx) => tx.transfers.setPayoutStop('ETH', byOperator)),
      );
    const stopOf = (till: MoneyDomain): Promise<string | null> => till.storage.transfers.payoutStop('ETH');

    money('fault 103: an operator who stops payouts while a loss is stored keeps his stop', async (till) => {
      await lose(till);
      await till.newRunner(till.eth, withOperator(till)).step(await till.payoutLease());
      assert.equal(await stopOf(till), byOperator);
      await cover(till);
    });

    money('fault 103: an operator who stops payouts while a loss ends keeps his stop', async (till) => {
      await lose(till);
      await till.newRunner().step(await till.payoutLease());
      assert.match((await stopOf(till)) ?? '', /send at least/);
      await cover(till);
      await till.newRunner(till.eth, withOperator(till)).step(await till.payoutLease());
      assert.equal(await stopOf(till), byOperator);
    });

    money('fault 103: a stop that came after the one that an operator resumes stays', async (till) => {
      await till.storage.transfers.replacePayoutStop('ETH', null, 'the first');
      await till.storage.transfers.replacePayoutStop('ETH', 'the first', 'the second');
      assert.equal(await resumePayouts(till.eth, till.storage, 'the first'), false);
      assert.equal(await stopOf(till), 'the second');
    });

    money('fault 103: coins that are missing are named before the stop of an operator', async (till) => {
      await till.fund('ETH', '2000');
      await till.withdraw('0.2');
      await till.settle();
      till.ethPayments.steal(1);
      till.ethPayments.mine();
      await till.withdraw('0.3');
      const runner = till.newRunner(till.eth, withOperator(till));
      for (let round = 0; round < 4; round++) await runner.step(await till.payoutLease());
      assert.match(
        (await stopOf(till)) ?? '',
        /^The chain ETH holds less .* by 0\.0{17}2 ETH\..*Stopped by an operator/,
      );
    });

    money('payouts that an operator resumes while less is held than owed stop in the same block', async (till) => {
      await lose(till);
      const runner = till.newRunner();
      await runner.step(await till.payoutLease());
      assert.equal(await resumePayouts(till.eth, till.storage), true);
      await runner.step(await till.payoutLease());
      assert.match((await stopOf(till)) ?? '', /send at least/);
      await cover(till);
    });

    money('coins that the operator takes out are missing until he says so', async (till) => {
      const { ethPayments } = till;
      await till.float(ETHER);
      await till.fund('ETH', '2000');
      ethPayments.fund(ethPayments.hotAddress, 'ETH', -ETHER / 4n);
      till.clock.advance(600_000);
      for (let round = 0; round < 4; round++) await till.payOut();
      assert.match((await till.storage.transfers.payoutStop('ETH')) ?? '', /less than the ledger says, by 0\.25 ETH\./);
      const audited: unknown[] = [];
      const take = (): Promise<void> => takeHotWallet(till.eth, till, (_, booked) => void audited.push(...booked));
      await Promise.all([take(), take()]);
      assert.deepEqual(audited, [{ currency: 'ETH', units: -ETHER / 4n }], 'two operators at once take it out once');
      assert.equal(await booked(till, 'operator:ETH'), (ETHER * 3n) / 4n);
      await resumePayouts(till.eth, till.storage);
      assert.equal(await till.payOut(), 'idle');
      ethPayments.fund(ethPayments.hotAddress, 'ETH', -ETHER);
      await take();
      assert.equal(audited.length, 1, 'more than the float is never accepted');
    });

    money('fault 82: coins that a restored backup does not know as swept never become the operator’s', async (till) => {
      const { ethPayments } = till;
      await till.float(ETHER);
      const { payment } = await till.fund('ETH', '2000');
      const { address } = present(payment, 'a payment');
      // A sweep after the backup.
      const swept = await ethPayments.balance(address, 'ETH');
      assert.ok(swept > 0n);
      ethPayments.fund(address, 'ETH', -swept);
      ethPayments.fund(ethPayments.hotAddress, 'ETH', swept);
      for (let times = 0; times < 2; times++) {
        await takeHotWallet(till.eth, till, (_, changes) => assert.deepEqual(changes, []));
        assert.equal(await booked(till, 'operator:ETH'), ETHER);
        assert.equal(await surplus(till), 0n);
      }
      // The excess in the hot wallet is the operator's, and the shortfall was withdrawn by the operator.
      ethPayments.fund(ethPayments.hotAddress, 'ETH', FLOAT);
      await takeHotWallet(till.eth, till, () => undefined);
      assert.equal(await booked(till, 'operator:ETH'), ETHER + FLOAT);
      ethPayments.fund(ethPayments.hotAddress, 'ETH', -3n * FLOAT);
      await takeHotWallet(till.eth, till, () => undefined);
      assert.equal(await booked(till, 'operator:ETH'), ETHER - 2n * FLOAT);
      assert.equal(await surplus(till), 0n);
    });

    money('a deposit that is moved by a reorganisation is not taken for coins of the operator', async (till) => {
      await till.fund('ETH', '2000');
      await till.withdraw('0.5');
      await till.settle();
      const { payment } = await till.fund('ETH', '2000');
      assert(payment !== null);
      // A second deposit at an address that is swept already is not spendable for some blocks.
      till.eth.mine({ to: payment.address, currency: 'ETH', units: ETHER, txid: 'paid-twice', from: 'eth-payer' });
      for (let block = 0; block < 40; block++) {
        till.eth.mineEmpty(1);
        await till.follow();
        await till.payOut();
        assert.equal(await booked(till, 'operator:ETH'), 0n);
      }
    });
  });
});
