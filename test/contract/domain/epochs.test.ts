import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  AddressPool,
  approveTransfer,
  beginEpochAfterRestore,
  beginRestoredEpoch,
  canPay,
  confirmRestore,
  dismissRestore,
  INDEX_STEP,
  OPERATOR,
  reconcile,
  recordLostWithdrawal,
  recoverCoins,
  rejectByOperator,
  rejectTransfer,
  settleHeldTransfer,
} from '../../../core/index.ts';
import type { ChainAdapter, ChainPayments, Epoch, EpochMarker, PayingChain, TransferId } from '../../../core/index.ts';
import { takeBackup } from '../../support/backup.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { lyingAbout } from '../../support/lying-node.ts';
import { again, latePayment, owed, refund } from './late-payment.ts';

const ETHER = 10n ** 18n;
const HOUR = 3_600_000;

/** The marker that a till keeps outside its database. */
async function markerOf({ storage }: MoneyDomain): Promise<EpochMarker> {
  const { tillId, number: epoch } = await storage.epochs.current();
  await storage.epochs.setMarked();
  return { tillId, epoch, ...(await storage.epochs.progress()) };
}

const start = (till: MoneyDomain, marker: EpochMarker | null): Promise<Epoch> =>
  beginEpochAfterRestore(
    { ...till, chains: new Map([till.eth, till.btc].map((chain) => [chain.code, chain])) },
    marker,
  );

/** Starts a process on the stored state, with its own follower and runner. */
async function restart(till: MoneyDomain, rounds = 1): Promise<void> {
  const [follower, runner] = [till.newFollower(), till.newRunner()];
  await follower.start();
  for (let round = 0; round < rounds; round++) {
    till.clock.advance(1_000);
    till.ethPayments.mine();
    while ((await follower.step(await till.lease())) === 'advanced');
    while ((await runner.step(await till.payoutLease())) === 'advanced');
  }
}

/** Gives a merchant one ether, and the hot wallet enough. */
async function funded(till: MoneyDomain): Promise<void> {
  await till.fund('ETH', '2000');
  till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', 3n * ETHER);
}

/** As on TRON, where transactions have no nonces. */
const withoutNonces = (till: MoneyDomain): void => void (till.ethPayments.nextNonce = async () => null);

const paid = (till: MoneyDomain): number => till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length;

eachStorage((engine, open) => {
  const money = (
    name: string,
    body: (till: MoneyDomain, backup: () => Promise<() => Promise<void>>) => Promise<void>,
  ): void => {
    test(name, async () => {
      const opened = await open();
      try {
        const till = await buildMoney(opened.storage);
        await body(till, () => takeBackup(opened));
        await till.checkBooks();
      } finally {
        await opened.close();
      }
    });
  };

  describe(`fault 82: a restored backup on ${engine}`, () => {
    money('gives out no address twice', async (till, backup) => {
      const pool = (): AddressPool => new AddressPool({ chains: new Map([['ETH', till.eth]]), storage: till.storage });
      await till.addresses.refill('ETH');
      await till.newOrder();
      await till.addresses.release();
      const restore = await backup();
      const since = new Set<number>();
      const lost = pool();
      for (let i = 0; i < 30; i++) since.add((await lost.take('ETH')).index);
      const marker = await markerOf(till);
      await restore();
      const epoch = await start(till, marker);
      assert.deepEqual([epoch.number, epoch.status], [2, 'pending']);
      const next = pool();
      for (let i = 0; i < 30; i++) {
        const { index } = await next.take('ETH');
        assert.ok(!since.has(index) && index >= INDEX_STEP, `index ${index} was given out again`);
      }
      assert.deepEqual(
        (await till.storage.epochs.ranges(till.eth.walletId)).map(({ first }) => first),
        [0, (marker.indexes[till.eth.walletId] ?? 0) + INDEX_STEP],
      );
    });

    money(
      'fault 504: one that a command restored begins an epoch at once, with or without a marker, and each time again',
      async (till, backup) => {
        await funded(till);
        const asked = await till.withdraw('0.9');
        const restore = await backup();
        await restart(till, 40);
        const marker = await markerOf(till);
        await restore();
        // A minute old and on a machine without the marker: nothing else shows that it is a backup.
        assert.equal((await start(till, null)).status, 'dismissed');
        const epoch = await beginRestoredEpoch(till, null, 'restored by a test');
        assert.deepEqual([epoch.number, epoch.status, epoch.reason], [2, 'pending', 'restored by a test']);
        assert.deepEqual([(await start(till, marker)).number, (await start(till, null)).number], [2, 2]);
        await restart(till, 10);
        assert.equal((await till.transfer(asked.tx_id)).status, 'REQUESTED');
        const again = await beginRestoredEpoch(till, { ...marker, epoch: 7 }, 'restored once more');
        assert.deepEqual([again.number, again.status], [8, 'pending']);
        const alerts = await till.storage.alerts.list('OPEN', { limit: 10, before: null });
        assert.deepEqual(
          alerts.map(({ kind, subject, reason }) => [kind, subject, reason]),
          [
            ['restored', 'epoch 8', 'restored once more'],
            ['restored', 'epoch 2', 'restored by a test'],
          ],
        );
        assert.equal((await confirmRestore(till, OPERATOR, marker)).held, 1);
      },
    );

    money('pays nothing that waits before an operator has looked, also without nonces', async (till, backup) => {
      withoutNonces(till);
      await funded(till);
      const asked = await till.withdraw('0.9');
      const restore = await backup();
      await restart(till, 40);
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
      const marker = await markerOf(till);
      await restore();
      assert.equal((await start(till, marker)).status, 'pending');
      await restart(till, 10);
      assert.equal((await till.transfer(asked.tx_id)).status, 'REQUESTED');
      const { held } = await confirmRestore(till, OPERATOR, marker);
      assert.equal(held, 1);
      await restart(till, 10);
      assert.equal((await till.transfer(asked.tx_id)).status, 'HELD');
      assert.equal(paid(till), 1);
      const context = {
        stateMachine: till.stateMachine,
        ids: till.ids,
        now: till.clock.now(),
      };
      const found = {
        txHash: 'found',
        cost: { currency: 'ETH', units: 1_000n },
        obtainedUnits: (ETHER / 10n) * 9n - 1_000n,
      };
      await till.storage.transaction((tx) => settleHeldTransfer(tx, asked.tx_id as TransferId, found, context));
      assert.deepEqual(
        [await till.balance('reserved', 'ETH'), await till.balance('available', 'ETH')],
        [0n, ETHER / 10n],
      );
      await assert.rejects(
        till.storage.transaction((tx) => settleHeldTransfer(tx, asked.tx_id as TransferId, found, context)),
        { code: 'STATE_CONFLICT' },
      );
      // Orders and payments continue.
      const next = await till.withdraw('0.05');
      await restart(till, 40);
      assert.equal((await till.transfer(next.tx_id)).status, 'CONFIRMED');
      assert.equal(paid(till), 2);
    });

    money('pays what the operator approves, once the chain was read to its head', async (till, backup) => {
      await funded(till);
      const asked = await till.withdraw('0.5');
      const restore = await backup();
      await till.newOrder();
      const marker = await markerOf(till);
      await restore();
      await start(till, marker);
      await confirmRestore(till, OPERATOR, marker);
      await till.storage.transaction((tx) => approveTransfer(tx, asked.tx_id as TransferId, till.clock.now()));
      // The follower has not reached the head since.
      const runner = till.newRunner();
      assert.equal(await runner.step(await till.payoutLease()), 'stopped');
      assert.equal(paid(till), 0);
      await restart(till, 40);
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
      assert.equal(paid(till), 1);
    });

    money(
      'signs nothing again that expired before it, without nonces, until an operator has approved',
      async (till, backup) => {
        withoutNonces(till);
        await funded(till);
        const asked = await till.withdraw('0.5');
        await till.payOut();
        const restore = await backup();
        await till.newOrder();
        const marker = await markerOf(till);
        await restore();
        await start(till, marker);
        till.ethPayments.dropMempool();
        till.ethPayments.lie = { kind: 'expired' };
        await restart(till, 3);
        assert.equal((await till.transfer(asked.tx_id)).status, 'BROADCAST');
        // Real transactions without nonces contain their time, so that no two are the same.
        till.ethPayments.fee = 2_000n;
        await confirmRestore(till, OPERATOR, marker);
        await restart(till, 3);
        const transfer = await till.transfer(asked.tx_id);
        assert.equal(transfer.status, 'HELD');
        assert.equal(await till.balance('reserved', 'ETH'), ETHER / 2n);
        const view = await till.storage.transfers.payoutOf(transfer.id);
        assert.deepEqual([view?.payout.status, view?.attempts.length], ['VOID', 1]);
        till.ethPayments.lie = null;
        await till.storage.transaction((tx) => approveTransfer(tx, transfer.id, till.clock.now()));
        await restart(till, 40);
        assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
        assert.equal(paid(till), 1);
      },
    );

    money(
      'gives nothing back of what waits before it is decided: it may have been paid since',
      async (till, backup) => {
        await till.fund('ETH', '2000');
        const { tx_id } = await till.withdraw('0.5');
        const restore = await backup();
        await restart(till, 40);
        const marker = await markerOf(till);
        await restore();
        await start(till, marker);
        const reject = (): Promise<unknown> =>
          till.storage.transaction((tx) =>
            rejectByOperator(tx, tx_id as TransferId, 'no', { now: till.clock.now(), ids: till.ids }),
          );
        await assert.rejects(reject(), { code: 'STATE_CONFLICT', message: /restore confirm/ });
        assert.equal((await till.transfer(tx_id)).status, 'REQUESTED');
        await confirmRestore(till, OPERATOR, marker);
        await reject();
        assert.equal((await till.transfer(tx_id)).status, 'FAILED');
      },
    );

    money('holds a return that waits: its deposit can be decided about once it is rejected', async (till) => {
      await funded(till);
      const { deposit } = await latePayment(till);
      const { id } = await refund(till, deposit);
      await confirmRestore(till, OPERATOR, null);
      assert.equal((await till.transfer(id)).status, 'HELD');
      await till.storage.transaction((tx) =>
        rejectTransfer(tx, id, 'not paid', { now: till.clock.now(), ids: till.ids }),
      );
      assert.deepEqual([(await again(till, deposit)).assignment, await owed(till)], ['UNASSIGNED', ETHER]);
    });

    money('holds a return that expired before it: it may have been paid since', async (till, backup) => {
      withoutNonces(till);
      await funded(till);
      const { deposit } = await latePayment(till);
      const { id } = await refund(till, deposit);
      await till.payOut();
      const restore = await backup();
      await till.newOrder();
      const marker = await markerOf(till);
      await restore();
      await start(till, marker);
      till.ethPayments.dropMempool();
      till.ethPayments.lie = { kind: 'expired' };
      await confirmRestore(till, OPERATOR, marker);
      await restart(till, 3);
      assert.equal((await till.transfer(id)).status, 'HELD');
      assert.equal((await again(till, deposit)).assignment, 'RETURNING');
      await till.checkBooks();
      await till.storage.transaction((tx) =>
        rejectTransfer(tx, id, 'not paid', { now: till.clock.now(), ids: till.ids }),
      );
      assert.equal((await again(till, deposit)).assignment, 'UNASSIGNED');
      assert.equal(await owed(till), ETHER);
    });

    money('has a withdrawal recorded that was requested and paid since, once', async (till, backup) => {
      await funded(till);
      const restore = await backup();
      const lost = await till.withdraw('0.5');
      await restart(till, 40);
      const { units, feeUnits, toAddress } = await till.transfer(lost.tx_id);
      const marker = await markerOf(till);
      await restore();
      await start(till, marker);
      await confirmRestore(till, OPERATOR, marker);
      assert.equal(await till.balance('available', 'ETH'), ETHER);
      const context = {
        ...{ stateMachine: till.stateMachine, ids: till.ids, now: till.clock.now() },
      };
      const record = (more = 0n): Promise<unknown> =>
        till.storage.transaction((tx) =>
          recordLostWithdrawal(
            tx,
            {
              ...{ accountId: till.principal.accountId, asset: till.assets.require('ETH', 'ETH'), units: units + more },
              ...{ sourceAddress: till.ethPayments.hotAddress, toAddress, txHash: `lost${more}` },
              ...{ obtainedUnits: units - feeUnits, cost: { currency: 'ETH', units: feeUnits } },
            },
            context,
          ),
        );
      await record();
      assert.equal(await till.balance('available', 'ETH'), ETHER / 2n);
      await assert.rejects(record(), { code: 'STATE_CONFLICT' });
      await assert.rejects(record(ETHER), { code: 'INSUFFICIENT_BALANCE' });
      assert.equal(await till.balance('available', 'ETH'), ETHER / 2n);
    });

    money(
      'has its coins brought in line with the chain, so that payments go on where coins are spent',
      async (till, backup) => {
        await till.fund('BTC', '50000');
        const restore = await backup();
        const lost = await till.withdraw('0.3', 'BTC');
        await till.settle(till.btc);
        const { units, feeUnits, toAddress, accountId } = await till.transfer(lost.tx_id);
        const marker = await markerOf(till);
        await restore();
        till.clock.advance(1_000);
        await start(till, marker);
        await confirmRestore(till, OPERATOR, marker);
        assert.ok(canPay(till.btc) && accountId !== null);
        await assert.rejects(recoverCoins(till.btc, till.storage), { code: 'STATE_CONFLICT' });
        const payments = lyingAbout<ChainPayments>(till.btcPayments, { unspent: undefined as never });
        const withoutCoins = lyingAbout<ChainAdapter>(till.btc, { payments }) as PayingChain;
        await assert.rejects(recoverCoins(withoutCoins, till.storage), { code: 'UNSUPPORTED' });
        till.clock.advance(1_000);
        const follower = till.newFollower(till.btc);
        await follower.start();
        while ((await follower.step(await till.lease(till.btc))) === 'advanced');
        const context = { stateMachine: till.stateMachine, ids: till.ids, now: till.clock.now() };
        await till.storage.transaction((tx) =>
          recordLostWithdrawal(
            tx,
            {
              ...{
                accountId,
                asset: till.assets.require('BTC', 'BTC'),
                units,
                obtainedUnits: units - feeUnits,
                toAddress,
              },
              ...{
                sourceAddress: till.btcPayments.hotAddress,
                txHash: 'lost',
                cost: { currency: 'BTC', units: feeUnits },
              },
            },
            context,
          ),
        );
        assert.deepEqual(await recoverCoins(till.btc, till.storage), { found: 1, gone: 1 });
        assert.deepEqual(await recoverCoins(till.btc, till.storage), { found: 0, gone: 0 });
        assert.deepEqual(
          (await reconcile(till.btc, till)).map(({ shortfall }) => shortfall),
          [0n],
        );
        const next = await till.withdraw('0.2', 'BTC');
        const runner = till.newRunner(till.btc);
        for (let block = 0; block < 40; block++) {
          till.btcPayments.mine();
          while ((await follower.step(await till.lease(till.btc))) === 'advanced');
          while ((await runner.step(await till.payoutLease(till.btc))) === 'advanced');
        }
        assert.equal((await till.transfer(next.tx_id)).status, 'CONFIRMED');
        assert.equal(till.btcPayments.paidTo(PAYEE.BTC, 'BTC').length, 2);
      },
    );

    money('is restored by an operator who says so, even where nothing shows it', async (till) => {
      await funded(till);
      const asked = await till.withdraw('0.5');
      const marker = await markerOf(till);
      assert.equal((await start(till, marker)).number, 1);
      const { epoch, held } = await confirmRestore(till, OPERATOR, marker);
      assert.deepEqual([epoch.number, epoch.status, held], [2, 'confirmed', 1]);
      assert.equal((await till.transfer(asked.tx_id)).status, 'HELD');
      assert.ok((await till.addresses.take('ETH')).index >= 0);
      const change = { now: till.clock.now(), ids: till.ids };
      await till.storage.transaction((tx) => rejectTransfer(tx, asked.tx_id as TransferId, 'asked again', change));
      assert.equal(await till.balance('available', 'ETH'), ETHER);
    });

    money('a till that was off for a day goes on by itself; without its marker an operator says so', async (till) => {
      await funded(till);
      const asked = await till.withdraw('0.5');
      const marker = await markerOf(till);
      till.clock.advance(24 * HOUR);
      assert.deepEqual([(await start(till, marker)).number, (await start(till, marker)).status], [1, 'dismissed']);
      const suspected = await start(till, null);
      assert.deepEqual([suspected.number, suspected.status], [2, 'pending']);
      await restart(till, 3);
      assert.equal((await till.transfer(asked.tx_id)).status, 'REQUESTED');
      await dismissRestore(till, OPERATOR);
      await assert.rejects(dismissRestore(till, OPERATOR), { code: 'STATE_CONFLICT' });
      await restart(till, 40);
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
      assert.equal(paid(till), 1);
    });

    money('a marker that is gone says nothing while the till was up to date until just now', async (till) => {
      await funded(till);
      await markerOf(till);
      await till.follow();
      till.clock.advance(60_000);
      assert.equal((await start(till, null)).number, 1);
    });

    money('begins one epoch, however many instances start at once', async (till, backup) => {
      await till.addresses.refill('ETH');
      const restore = await backup();
      await till.newOrder();
      const marker = await markerOf(till);
      await restore();
      const begun = await Promise.all([1, 2, 3].map(() => start(till, marker)));
      assert.deepEqual(
        begun.map(({ number }) => number),
        [2, 2, 2],
      );
    });
  });
});
