import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { approveTransfer, cancelTransfer, isTillgateError, TillgateError } from '../../../core/index.ts';
import type { TransferId } from '../../../core/index.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const ETHER = 10n ** 18n;

/** A hot wallet with a float, and a merchant with three ether. */
async function funded(till: MoneyDomain): Promise<void> {
  await till.fund('ETH', '6000');
  till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', 10n * ETHER);
}

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);

  describe(`one payment's trouble is its own, on ${engine}`, () => {
    money(
      'fault 89: one payment whose status cannot be read keeps no other from being signed and paid',
      async (till) => {
        await funded(till);
        const first = await till.withdraw('0.5');
        await till.payOut();
        const troubled = (await till.storage.transfers.payoutOf(first.tx_id as TransferId))?.attempts[0]?.txid;
        till.ethPayments.unreadable = ({ attempts }) => attempts.some(({ txid }) => txid === troubled);
        const second = await till.withdraw('0.4');
        await till.settle();
        assert.equal((await till.transfer(second.tx_id)).status, 'CONFIRMED');
        assert.equal((await till.transfer(first.tx_id)).status, 'BROADCAST');
        const alerts = till.events.of('alert').filter(({ subject }) => subject === `transfer ${first.tx_id}`);
        assert.equal(alerts.length, 1, 'one alert, however often it fails');
        till.ethPayments.unreadable = () => false;
        await till.settle();
        assert.equal((await till.transfer(first.tx_id)).status, 'CONFIRMED');
        assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 2);
      },
    );
  });

  describe(`a receiver that cannot be paid, on ${engine}`, () => {
    const unpayable = (till: MoneyDomain, to: string) => {
      const error = new TillgateError('DESTINATION_UNPAYABLE', 'It needs too much gas.');
      for (const payments of [till.ethPayments, till.btcPayments])
        payments.objection = (line) => (line.to === to ? error : null);
    };

    money('fault 80: is refused when the withdrawal is asked for, and nothing is reserved', async (till) => {
      await funded(till);
      unpayable(till, PAYEE.ETH);
      await assert.rejects(till.withdraw('0.5'), (error) => isTillgateError(error, 'DESTINATION_UNPAYABLE'));
      assert.equal(await till.balance('reserved', 'ETH'), 0n);
    });

    money(
      'fault 80: is refused for a refund; another address can be left once the merchant removed that one',
      async (till) => {
        await funded(till);
        const order = await till.fund('ETH', '2000');
        unpayable(till, 'eth-payer');
        await assert.rejects(
          till.refund.run(till.principal, order.id),
          (error) =>
            isTillgateError(error, 'DESTINATION_UNPAYABLE') &&
            /needs too much gas/.test(error.message) &&
            !/checkout/.test(error.message),
        );
        await till.orderAdminActions.removeRefundAddress(order.id, 'shop');
        await till.choosePayment.setRefundAddress(order.checkoutToken, 'eth-customer');
        await till.refund.run(till.principal, order.id);
        await till.settle();
        assert.equal((await till.order(order.id)).status, 'REFUNDED');
      },
    );

    for (const { chain, currency, price, amount } of [
      { chain: 'ETH', currency: 'ETH', price: '6000', amount: '0.5' },
      { chain: 'BTC', currency: 'BTC', price: '150000', amount: '0.5' },
    ] as const) {
      money(
        `fault 80: that is found on ${chain} when it is signed fails with the reserve given back, and the others are paid`,
        async (till) => {
          const on = chain === 'ETH' ? till.eth : till.btc;
          const payments = chain === 'ETH' ? till.ethPayments : till.btcPayments;
          if (chain === 'ETH') await funded(till);
          else await till.fund(currency, price);
          const bad = await till.withdraw(amount, currency);
          const { accountId } = till.principal;
          const now = till.clock.now();
          const record = { accountId, chain, formerAddress: null, address: `${chain.toLowerCase()}-other` };
          await till.storage.transaction((tx) =>
            tx.wallets.saveWithdrawalAddress({ ...record, activeFrom: now, updatedAt: now }),
          );
          const good = [await till.withdraw(amount, currency), await till.withdraw(amount, currency)];
          unpayable(till, PAYEE[chain]);
          await till.settle(on);
          const failed = await till.transfer(bad.tx_id);
          assert.deepEqual([failed.status, failed.payoutId, failed.reason], ['FAILED', null, 'It needs too much gas.']);
          for (const { tx_id } of good) assert.equal((await till.transfer(tx_id)).status, 'CONFIRMED');
          assert.equal(payments.paidTo(record.address, currency).length, 2);
          assert.equal(await till.balance('reserved', currency), 0n);
        },
      );
    }

    money('fault 80: whose trial makes every call fail waits alone; the payments behind it are made', async (till) => {
      await funded(till);
      const bad = await till.withdraw('0.5');
      const { accountId } = till.principal;
      const now = till.clock.now();
      const record = { accountId, chain: 'ETH', formerAddress: null, address: 'eth-other' };
      await till.storage.transaction((tx) =>
        tx.wallets.saveWithdrawalAddress({ ...record, activeFrom: now, updatedAt: now }),
      );
      const good = await till.withdraw('0.4');
      const failure = new TillgateError('NODE_FAILED', 'The node gave up.');
      till.ethPayments.objection = ({ to }) => (to === PAYEE.ETH ? failure : null);
      await till.settle();
      assert.equal((await till.transfer(good.tx_id)).status, 'CONFIRMED');
      assert.equal((await till.transfer(bad.tx_id)).status, 'REQUESTED');
    });
  });

  describe(`a signed payment has a way out, on ${engine}`, () => {
    const MINUTE = 60_000;
    const hours = (count: number) => count * 60 * MINUTE;

    /** Follows and pays block by block, with this time between blocks. */
    async function blocks(till: MoneyDomain, count: number, everyMs: number, chain = till.eth): Promise<void> {
      for (let block = 0; block < count; block++) {
        till.clock.advance(everyMs);
        (chain === till.eth ? till.ethPayments : till.btcPayments).mine();
        await till.follow(chain);
        await till.payOut(chain);
      }
    }
    const toPayee = (content: { readonly lines: readonly { readonly to: string; readonly units: string }[] }) =>
      content.lines.some(({ to }) => to === PAYEE.ETH);
    const viewOf = async (till: MoneyDomain, id: string) => {
      const view = await till.storage.transfers.payoutOf(id as TransferId);
      assert(view !== null);
      return view;
    };
    const cancel = (till: MoneyDomain, id: string) =>
      till.storage.transaction((tx) => cancelTransfer(tx, id as TransferId, 'Nobody takes it.'));
    /** Changes the withdrawal address of the merchant. */
    async function moveTo(till: MoneyDomain, address: string): Promise<void> {
      const now = till.clock.now();
      const record = { accountId: till.principal.accountId, chain: 'ETH', formerAddress: null, address };
      await till.storage.transaction((tx) =>
        tx.wallets.saveWithdrawalAddress({ ...record, activeFrom: now, updatedAt: now }),
      );
    }
    /** A payment that is not mined, with two others behind it. */
    async function blocked(till: MoneyDomain): Promise<{ readonly first: string; readonly behind: readonly string[] }> {
      await funded(till);
      till.ethPayments.unminable = toPayee;
      const first = (await till.withdraw('0.5')).tx_id;
      await till.payOut();
      await moveTo(till, 'eth-other');
      const behind = [(await till.withdraw('0.3')).tx_id, (await till.withdraw('0.2')).tx_id];
      await till.payOut();
      await blocks(till, 3, 1_000);
      for (const id of behind) assert.equal((await till.transfer(id)).status, 'BROADCAST');
      assert.deepEqual(till.ethPayments.paidTo('eth-other', 'ETH'), []);
      return { first, behind };
    }

    money(
      'fault 81: what no block takes is cancelled by itself after a time, and those behind it are paid',
      async (till) => {
        const { first, behind } = await blocked(till);
        const before = await till.balance('available', 'ETH');
        await blocks(till, 20, 10 * MINUTE);
        assert.equal((await viewOf(till, first)).payout.cancelReason, null, 'it may still be mined');
        await blocks(till, 20, 10 * MINUTE);
        const { cancelReason } = (await viewOf(till, first)).payout;
        assert.match(cancelReason ?? '', /not mined for too long/);
        assert.ok(
          till.events.of('alert').some(({ reason }) => reason === cancelReason),
          'the operator is told',
        );
        await blocks(till, 30, MINUTE);
        const failed = await till.transfer(first);
        assert.equal(failed.status, 'FAILED');
        assert.match(failed.reason ?? '', /not mined for too long/);
        assert.equal((await viewOf(till, first)).payout.status, 'VOID');
        for (const id of behind) {
          assert.equal((await till.transfer(id)).status, 'CONFIRMED');
          assert.equal((await viewOf(till, id)).attempts.filter(({ kind }) => kind === 'cancel').length, 0);
        }
        assert.equal(till.ethPayments.paidTo('eth-other', 'ETH').length, 2);
        assert.deepEqual(till.ethPayments.paidTo(PAYEE.ETH, 'ETH'), []);
        assert.equal(await till.balance('available', 'ETH'), before + ETHER / 2n - failed.feeUnits);
        assert.ok(failed.feeUnits <= 6n * till.ethPayments.fee, 'what the cancel cost');
        assert.equal(await till.balance('reserved', 'ETH'), 0n);
      },
    );

    money('fault 81: what expires each time that it is signed is given up after a time', async (till) => {
      await till.fund('ETH', '6000');
      // It pays for the rising fees.
      await till.float(ETHER);
      const before = await till.balance('available', 'ETH');
      till.ethPayments.nextNonce = async () => null;
      till.ethPayments.unminable = toPayee;
      const asked = await till.withdraw('0.5');
      await till.payOut();
      till.ethPayments.lie = { kind: 'expired' };
      for (let hour = 1; hour <= 3; hour++) {
        // Real transactions without nonces contain their time, so that no two are the same.
        till.ethPayments.fee += 1n;
        await blocks(till, 1, hours(1));
      }
      const view = await viewOf(till, asked.tx_id);
      assert.deepEqual([view.payout.status, view.attempts.length], ['LIVE', 4], 'it is signed again until then');
      await blocks(till, 1, hours(1));
      const failed = await till.transfer(asked.tx_id);
      assert.deepEqual([failed.status, (await viewOf(till, asked.tx_id)).payout.status], ['FAILED', 'VOID']);
      assert.match(failed.reason ?? '', /expired unmined/);
      assert.equal(await till.balance('reserved', 'ETH'), 0n);
      assert.equal(await till.balance('available', 'ETH'), before);
    });

    money('fault 81: an operator cancels it at once; it is void only when the cancel is final', async (till) => {
      const { first, behind } = await blocked(till);
      await cancel(till, first);
      await blocks(till, till.eth.policy.finalityBlocks, 1_000);
      const view = await viewOf(till, first);
      assert.deepEqual(
        view.attempts.map(({ kind }) => kind),
        ['payment', 'cancel'],
      );
      assert.equal(view.payout.status, 'LIVE', 'one block before it is final');
      await blocks(till, 2, 1_000);
      assert.deepEqual(
        [(await till.transfer(first)).status, (await till.transfer(first)).reason],
        ['FAILED', 'Nobody takes it.'],
      );
      await till.settle();
      for (const id of behind) assert.equal((await till.transfer(id)).status, 'CONFIRMED');
      await assert.rejects(cancel(till, first), (error) => isTillgateError(error, 'STATE_CONFLICT'));
    });

    money('fault 81: a payment that is mined before its cancel is paid, once', async (till) => {
      const { first } = await blocked(till);
      till.ethPayments.unminable = () => false;
      await cancel(till, first);
      await till.settle();
      assert.equal((await till.transfer(first)).status, 'CONFIRMED');
      assert.equal((await viewOf(till, first)).payout.status, 'DONE');
      assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 1);
    });

    money('fault 81: a refund that is cancelled can be asked for again', async (till) => {
      await funded(till);
      const order = await till.fund('ETH', '2000');
      till.ethPayments.unminable = ({ lines }) => lines.some(({ to }) => to === 'eth-payer');
      await till.refund.run(till.principal, order.id);
      await till.settle();
      const refund = await till.storage.transfers.refundOf(order.id);
      await cancel(till, refund?.id ?? '');
      await till.settle();
      assert.equal((await till.storage.transfers.refundOf(order.id))?.status, 'FAILED');
      await till.orderAdminActions.removeRefundAddress(order.id, 'shop');
      await till.choosePayment.setRefundAddress(order.checkoutToken, 'eth-customer');
      await till.refund.run(till.principal, order.id);
      await till.settle();
      assert.equal((await till.order(order.id)).status, 'REFUNDED');
    });

    money('fault 81: coins come back to the till, less the fee of taking them back', async (till) => {
      await till.fund('BTC', '50000');
      till.btcPayments.unminable = ({ lines }) => lines.some(({ to }) => to === PAYEE.BTC);
      const asked = [await till.withdraw('0.1', 'BTC'), await till.withdraw('0.2', 'BTC')];
      await till.payOut(till.btc);
      await cancel(till, asked[0]?.tx_id ?? '');
      await till.settle(till.btc);
      for (const { tx_id } of asked) assert.equal((await till.transfer(tx_id)).status, 'FAILED');
      const coins = await till.storage.transfers.freeCoins('BTC', 'BTC', 10);
      const fee = 2n * till.btcPayments.fee;
      assert.equal(await till.balance('available', 'BTC'), 100_000_000n - fee);
      assert.deepEqual(
        coins.map(({ units, address }) => [units, address]),
        [[100_000_000n - fee, till.btcPayments.hotAddress]],
      );
      till.btcPayments.unminable = () => false;
      await till.withdraw('0.5', 'BTC');
      await till.settle(till.btc);
      assert.equal(till.btcPayments.paidTo(PAYEE.BTC, 'BTC').length, 1);
    });

    money('only a signed payment that is not mined is cancelled', async (till) => {
      await funded(till);
      const asked = await till.withdraw('0.5');
      const refused = (words: RegExp) =>
        assert.rejects(
          cancel(till, asked.tx_id),
          (error) => isTillgateError(error, 'STATE_CONFLICT') && words.test(error.message),
        );
      await refused(/REQUESTED: nothing is signed/);
      await till.payOut();
      await blocks(till, 2, 1_000);
      await refused(/is in block/);
      await till.settle();
      await refused(/CONFIRMED/);
    });

    money('fault 81: a payment whose fee stays above its maximum fails after a bounded time', async (till) => {
      await funded(till);
      const asked = await till.withdraw('0.5');
      till.ethPayments.fee *= 3n;
      await blocks(till, 23, hours(1));
      assert.equal((await till.transfer(asked.tx_id)).status, 'REQUESTED');
      await blocks(till, 2, hours(1));
      const failed = await till.transfer(asked.tx_id);
      assert.equal(failed.status, 'FAILED');
      assert.match(failed.reason ?? '', /waited too long.*above the most/);
      assert.equal(await till.balance('reserved', 'ETH'), 0n);
    });
  });

  describe(`a payment is booked when it is final, on ${engine}`, () => {
    money('not one confirmation earlier', async (till) => {
      await funded(till);
      const asked = await till.withdraw('0.5');
      await till.payOut();
      const step = async () => {
        till.ethPayments.mine();
        await till.follow();
        await till.payOut();
      };
      for (let block = 1; block < till.eth.policy.spendableConfirmations; block++) await step();
      assert.equal((await till.transfer(asked.tx_id)).status, 'BROADCAST');
      await step();
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
    });

    money(
      'fault 42: not by a block that the till has not read, however deep the node says that it is',
      async (till) => {
        await funded(till);
        const asked = await till.withdraw('0.5');
        await till.payOut();
        till.ethPayments.mine();
        await till.follow();
        const sent = [...till.ethPayments.sent.values()].find(({ content }) => content.lines[0]?.to === PAYEE.ETH);
        assert(sent?.block);
        till.ethPayments.lie = {
          kind: 'mined',
          txid: sent.txid,
          block: { ...sent.block, hash: 'f'.repeat(64) },
          confirmations: 100,
          succeeded: true,
          feeUnits: 1n,
          change: null,
        };
        await till.payOut();
        assert.equal((await till.transfer(asked.tx_id)).status, 'BROADCAST');
        till.ethPayments.lie = null;
        await till.settle();
        assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
      },
    );
  });

  describe(`signing looks again, on ${engine}`, () => {
    const freezing = (till: MoneyDomain) => () =>
      till.storage.transaction((tx) =>
        tx.transfers.freeze({ accountId: till.principal.accountId, reason: 'A loss.', at: till.clock.now() }),
      );
    const closing = (status: 'disabled' | 'archived') => (till: MoneyDomain) => async () => {
      await till.storage.accounts.update(till.principal.accountId, { status, modifiedAt: till.clock.now() });
    };
    const readdressing = (till: MoneyDomain) => () =>
      till.storage.transaction((tx) =>
        tx.wallets.saveWithdrawalAddress({
          accountId: till.principal.accountId,
          chain: 'ETH',
          formerAddress: null,
          address: 'eth-other',
          activeFrom: till.clock.now(),
          updatedAt: till.clock.now(),
        }),
      );
    const stopping = (till: MoneyDomain) => () =>
      till.storage.transaction((tx) => tx.transfers.setPayoutStop('ETH', 'An operator looks.'));

    for (const { what, change, reason } of [
      { what: 'its account is frozen', change: freezing, reason: /frozen: A loss/ },
      { what: 'its account is disabled', change: closing('disabled'), reason: /account is disabled/ },
      { what: 'its account is archived', change: closing('archived'), reason: /account is archived/ },
      { what: 'another withdrawal address is in force', change: readdressing, reason: /not the withdrawal address/ },
      { what: 'the payouts of its chain are stopped', change: stopping, reason: /stopped: An operator looks/ },
    ]) {
      money(`fault 84: a withdrawal is HELD when ${what} between reading and committing it`, async (till) => {
        await funded(till);
        const asked = await till.withdraw('0.5');
        till.ethPayments.beforeSign = change(till);
        await till.payOut();
        till.ethPayments.beforeSign = () => undefined;
        const held = await till.transfer(asked.tx_id);
        assert.equal(held.status, 'HELD');
        assert.match(held.reason ?? '', reason);
        assert.equal(await till.balance('reserved', 'ETH'), ETHER / 2n);
        await till.settle();
        assert.deepEqual(till.ethPayments.paidTo(PAYEE.ETH, 'ETH'), []);
        const approve = () => till.storage.transaction((tx) => approveTransfer(tx, held.id, till.clock.now()));
        await assert.rejects(
          approve(),
          (error) => isTillgateError(error, 'STATE_CONFLICT') && reason.test(error.message),
        );
        assert.equal((await till.transfer(asked.tx_id)).status, 'HELD');
      });
    }

    money('fault 84: a refund of a frozen account is HELD, and paid once approved after the freeze', async (till) => {
      await funded(till);
      const order = await till.fund('ETH', '2000');
      await till.refund.run(till.principal, order.id);
      await freezing(till)();
      await till.settle();
      const refund = await till.storage.transfers.refundOf(order.id);
      assert.equal(refund?.status, 'HELD');
      await till.storage.transaction(async (tx) => {
        await tx.transfers.unfreeze(till.principal.accountId);
        await approveTransfer(tx, refund?.id, till.clock.now());
      });
      await till.settle();
      assert.equal((await till.order(order.id)).status, 'REFUNDED');
      assert.equal(till.ethPayments.paidTo('eth-payer', 'ETH').length, 1);
    });

    money('fault 84: of several payments in one transaction only the obstructed one is held', async (till) => {
      await till.fund('BTC', '50000');
      const first = await till.withdraw('0.1', 'BTC');
      const address = { accountId: till.principal.accountId, chain: 'BTC', formerAddress: null };
      const times = { activeFrom: till.clock.now(), updatedAt: till.clock.now() };
      await till.storage.transaction((tx) =>
        tx.wallets.saveWithdrawalAddress({ ...address, address: 'btc-other', ...times }),
      );
      const second = await till.withdraw('0.2', 'BTC');
      await till.settle(till.btc);
      assert.equal((await till.transfer(first.tx_id)).status, 'HELD');
      assert.equal((await till.transfer(second.tx_id)).status, 'CONFIRMED');
      assert.deepEqual(till.btcPayments.paidTo(PAYEE.BTC, 'BTC'), []);
      assert.equal(till.btcPayments.paidTo('btc-other', 'BTC').length, 1);
    });

    // SQLite has one transaction at a time.
    if (engine === 'pg') {
      money('fault 84: a freeze that is not committed yet makes the signature wait for it', async (till) => {
        await funded(till);
        const asked = await till.withdraw('0.5');
        const { promise: freezeMade, resolve: made } = deferred();
        const { promise: mayCommit, resolve: commit } = deferred();
        const frozen = till.storage.transaction(async (tx) => {
          await tx.transfers.freeze({ accountId: till.principal.accountId, reason: 'A loss.', at: 1 });
          made();
          await mayCommit;
        });
        await freezeMade;
        const paid = till.payOut();
        const overtook = await Promise.race([paid.then(() => true), longer(till).then(() => false)]);
        commit();
        await Promise.all([frozen, paid]);
        assert.equal(overtook, false);
        assert.equal((await till.transfer(asked.tx_id)).status, 'HELD');
        await till.settle();
        assert.deepEqual(till.ethPayments.paidTo(PAYEE.ETH, 'ETH'), []);
      });
    }
  });
});

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** Takes longer than a payment that waits for nothing. */
async function longer(till: MoneyDomain): Promise<void> {
  for (let read = 0; read < 500; read++) await till.storage.transfers.list(null, { before: null, limit: 10 });
}
