import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  beginEpochAfterRestore,
  confirmRestore,
  findPayments,
  OPERATOR,
  settleHeldTransfer,
} from '../../../core/index.ts';
import type { EpochMarker, PaymentFinding, PaymentReport, Transfer, TransferId } from '../../../core/index.ts';
import { takeBackup } from '../../support/backup.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildLightning } from '../../support/lightning.ts';
import type { LightningDomain } from '../../support/lightning.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain, MoneyOptions } from '../../support/money.ts';

const ETHER = 10n ** 18n;
const MSAT = 1_000_000n;

async function markerOf({ storage }: MoneyDomain | LightningDomain): Promise<EpochMarker> {
  const { tillId, number: epoch } = await storage.epochs.current();
  return { tillId, epoch, ...(await storage.epochs.progress()) };
}

const chainsOf = (till: MoneyDomain): ReadonlyMap<string, MoneyDomain['eth']> =>
  new Map([till.eth, till.btc].map((chain) => [chain.code, chain]));

const look = (till: MoneyDomain): Promise<readonly PaymentReport[]> =>
  findPayments({ storage: till.storage, chains: chainsOf(till), lightning: null });

async function findingOf(till: MoneyDomain, id: string): Promise<PaymentFinding> {
  const found = (await look(till)).find(({ transfer }) => transfer.id === id);
  assert.ok(found !== undefined, `transfer ${id} is listed`);
  return found.finding;
}

/** A process on the stored state, which follows and pays block by block. */
async function goOn(till: MoneyDomain, rounds = 12): Promise<void> {
  const [follower, runner] = [till.newFollower(), till.newRunner()];
  await follower.start();
  for (let round = 0; round < rounds; round++) {
    till.clock.advance(1_000);
    till.ethPayments.mine();
    while ((await follower.step(await till.lease())) === 'advanced');
    while ((await runner.step(await till.payoutLease())) === 'advanced');
  }
}

/** Restores the backup, and confirms it as an operator. */
async function restored(till: MoneyDomain, restore: () => Promise<void>): Promise<void> {
  const marker = await markerOf(till);
  await restore();
  till.clock.advance(1_000);
  await beginEpochAfterRestore({ ...till, chains: chainsOf(till) }, { ...marker, epoch: marker.epoch + 1 });
  await confirmRestore(till, OPERATOR, marker);
}

async function funded(till: MoneyDomain): Promise<void> {
  await till.fund('ETH', '4000');
  till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', 3n * ETHER);
}

/** A withdrawal that waits for an approval, and is not paid. */
async function held(till: MoneyDomain, amount: string): Promise<string> {
  const id = (await till.withdraw(amount)).tx_id as TransferId;
  const changes = { reason: 'It waits for an approval.', updatedAt: till.clock.now() };
  assert.ok(await till.storage.transaction((tx) => tx.transfers.move(id, 'REQUESTED', 'HELD', changes)));
  return id;
}

/** An amount that could be the payment of a transfer. */
const obtained = ({ units, feeUnits }: Transfer): bigint => units - feeUnits;

eachStorage((engine, open) => {
  const money = (
    name: string,
    body: (till: MoneyDomain, backup: () => Promise<() => Promise<void>>) => Promise<void>,
    options: MoneyOptions = {},
  ): void => {
    test(name, async () => {
      const opened = await open();
      try {
        const till = await buildMoney(opened.storage, options);
        await body(till, () => takeBackup(opened));
        await till.checkBooks();
      } finally {
        await opened.close();
      }
    });
  };

  describe(`fault 82: what a chain says of the payments of a restored backup, on ${engine}`, () => {
    money(
      'paid since: the transaction, its block and what the receiver got, until it is settled',
      async (till, backup) => {
        await funded(till);
        const [one, other] = [(await till.withdraw('0.3')).tx_id, (await till.withdraw('0.4')).tx_id];
        const restore = await backup();
        await goOn(till);
        const paid = await Promise.all([one, other].map((id) => till.transfer(id)));
        assert.deepEqual(await look(till), [], 'nothing is listed while no backup was restored');
        await restored(till, restore);
        for (const transfer of paid) {
          const { kind, transactions, reason } = await findingOf(till, transfer.id);
          assert.equal(kind, 'paid', reason);
          assert.deepEqual(
            transactions.map(({ obtainedUnits }) => obtainedUnits),
            [obtained(transfer)],
          );
          const [found] = transactions;
          assert.ok(found?.height !== null && till.ethPayments.sent.has(found?.txHash ?? ''), reason);
        }
        const { transactions } = await findingOf(till, one);
        const cost = { currency: 'ETH', units: till.ethPayments.fee };
        const { payments } = { payments: till.ethPayments };
        const context = { payments, ids: till.ids, now: till.clock.now(), stateMachine: till.stateMachine };
        const found = {
          txHash: transactions[0]?.txHash ?? '',
          cost,
          obtainedUnits: transactions[0]?.obtainedUnits ?? 0n,
        };
        await till.storage.transaction((tx) => settleHeldTransfer(tx, one as TransferId, found, context));
        assert.deepEqual(
          (await look(till)).map(({ transfer }) => transfer.id),
          [other],
        );
      },
    );

    money('not paid: no block from the request on holds a payment of it', async (till, backup) => {
      await funded(till);
      const asked = (await till.withdraw('0.3')).tx_id;
      await restored(till, await backup());
      till.eth.mineEmpty(10);
      const { kind, reason } = await findingOf(till, asked);
      assert.equal(kind, 'unpaid', reason);
      assert.match(reason, new RegExp(`to ${till.eth.height} `));
    });

    money('what another payment of the database was made by, or booked with, is none of it', async (till, backup) => {
      await funded(till);
      const asked = await held(till, '0.3');
      const twin = (await till.withdraw('0.3')).tx_id;
      await goOn(till);
      assert.equal((await till.transfer(twin)).status, 'CONFIRMED');
      await restored(till, await backup());
      assert.equal((await findingOf(till, asked)).kind, 'unpaid');
    });

    money('what somebody else has paid its receiver is none of it, nor another amount', async (till, backup) => {
      await funded(till);
      const asked = (await till.withdraw('0.3')).tx_id;
      await restored(till, await backup());
      const units = obtained(await till.transfer(asked));
      const [to, currency, from] = [PAYEE.ETH, 'ETH', till.ethPayments.hotAddress];
      till.eth.mine(
        { to, currency, units, txid: 'stranger', from: 'eth-stranger' },
        { to, currency, units: ETHER, txid: 'more', from },
        { to, currency, units: 1n, txid: 'less', from },
      );
      till.eth.mineEmpty(20);
      assert.equal((await findingOf(till, asked)).kind, 'unpaid');
    });

    money('one transaction that could pay either of two is for an operator to judge', async (till, backup) => {
      await funded(till);
      const asked = [await held(till, '0.3'), await held(till, '0.3')];
      await restored(till, await backup());
      const units = obtained(await till.transfer(asked[0] ?? ''));
      const from = till.ethPayments.hotAddress;
      till.eth.mine({ to: PAYEE.ETH, currency: 'ETH', units, txid: 'either', from });
      till.eth.mineEmpty(20);
      for (const [at, id] of asked.entries()) {
        const { kind, reason, transactions } = await findingOf(till, id);
        assert.equal(kind, 'unclear', reason);
        assert.ok(reason.includes(asked[1 - at] ?? ''), reason);
        assert.equal(transactions.length, 1);
      }
    });

    money('mined and not deep enough: it may still go away', async (till, backup) => {
      await funded(till);
      const asked = (await till.withdraw('0.3')).tx_id;
      await restored(till, await backup());
      const units = obtained(await till.transfer(asked));
      till.eth.mine({ to: PAYEE.ETH, currency: 'ETH', units, txid: 'late', from: till.ethPayments.hotAddress });
      assert.equal((await findingOf(till, asked)).kind, 'open');
      till.eth.mineEmpty(till.eth.policy.spendableConfirmations - 1);
      assert.equal((await findingOf(till, asked)).kind, 'paid');
    });

    money('the node omits it from its index: its blocks have it', async (till, backup) => {
      await funded(till);
      const asked = (await till.withdraw('0.3')).tx_id;
      await restored(till, await backup());
      const units = obtained(await till.transfer(asked));
      till.eth.omitted.add('omitted');
      till.eth.mine({ to: PAYEE.ETH, currency: 'ETH', units, txid: 'omitted', from: till.ethPayments.hotAddress });
      till.eth.mineEmpty(20);
      assert.equal((await findingOf(till, asked)).kind, 'paid');
    });

    money('it waits to be mined: it is not to be paid again', async (till, backup) => {
      await till.fund('BTC', '50000');
      const asked = (await till.withdraw('0.5', 'BTC')).tx_id;
      await restored(till, await backup());
      const units = obtained(await till.transfer(asked));
      till.btc.waiting = [{ to: PAYEE.BTC, currency: 'BTC', units, txid: 'waits', from: null }];
      till.btc.mempool = {
        pending: async (watch) => {
          const watched = await watch();
          const seen = till.btc.waiting.filter(({ to }) => watched.has(to));
          return {
            complete: true,
            transfers: seen.map(({ to: toKey, ...rest }) => ({ ...rest, toKey, index: '0', from: null, seenAt: null })),
          };
        },
      };
      const { kind, transactions } = await findingOf(till, asked);
      assert.equal(kind, 'open');
      assert.deepEqual(
        transactions.map(({ txHash, height }) => [txHash, height]),
        [['waits', null]],
      );
    });

    money('a raised fee that the database does not know is the payment', async (till, backup) => {
      await funded(till);
      const asked = (await till.withdraw('0.3')).tx_id;
      await till.payOut();
      const view = await till.storage.transfers.payoutOf(asked as TransferId);
      const restore = await backup();
      await restored(till, restore);
      assert.equal((await findingOf(till, asked)).kind, 'open');
      const bump = till.ethPayments.bumpElsewhere(view?.attempts[0]?.txid ?? '');
      till.ethPayments.bury();
      const { kind, transactions } = await findingOf(till, asked);
      assert.equal(kind, 'paid');
      assert.equal(transactions[0]?.txHash, bump);
    });

    money('a node that fails proves nothing', async (till, backup) => {
      await funded(till);
      const asked = (await till.withdraw('0.3')).tx_id;
      await restored(till, await backup());
      till.eth.beforeScan = () => {
        till.eth.refusesDeep = true;
      };
      const { kind, reason } = await findingOf(till, asked);
      assert.equal(kind, 'unclear');
      assert.match(reason, /ETH could not be asked/);
    });
  });

  describe(`fault 82: what the Lightning node says of the payments of a restored backup, on ${engine}`, () => {
    test('paid, under way, or not known to it', async () => {
      const opened = await open();
      try {
        const till = await buildLightning(opened.storage);
        await till.fund('100');
        const asked: string[] = [];
        for (let made = 0; made < 3; made++) asked.push((await till.withdraw(till.foreignInvoice(MSAT).text)).tx_id);
        const [paid, running] = await Promise.all(
          asked.map(async (id) => (await till.storage.lightning.paymentOf(id as TransferId))?.paymentRequest ?? ''),
        );
        const restore = await takeBackup(opened);
        await till.invoiceOrder();
        const marker = await markerOf(till);
        const pay = async (text = ''): Promise<void> => {
          const { paymentHash } = await till.node.decode(text);
          await till.node.pay({ paymentHash, paymentRequest: text, msat: null, maxFeeMsat: MSAT });
        };
        await pay(paid);
        till.node.route = { kind: 'in-flight' };
        await pay(running);
        await restore();
        till.clock.advance(1_000);
        await beginEpochAfterRestore({ ...till, chains: new Map() }, marker);
        const reports = await findPayments({ storage: till.storage, chains: new Map(), lightning: till.node });
        assert.deepEqual(
          reports.map(({ transfer, finding: { kind } }) => [transfer.id, kind]),
          [
            [asked[0], 'paid'],
            [asked[1], 'open'],
            [asked[2], 'unpaid'],
          ],
        );
      } finally {
        await opened.close();
      }
    });
  });
});
