import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  approveTransfer,
  checkLedger,
  DRAFT_LIFE_MS,
  isTillgateError,
  MAX_DRAFTS,
  OPERATOR,
  present,
  rejectTransfer,
} from '../../../core/index.ts';
import type { Actor, BatchRowInput, PayoutBatchId, TransferId } from '../../../core/index.ts';
import { batchesOf } from '../../support/batches.ts';
import type { Batches } from '../../support/batches.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildLightning } from '../../support/lightning.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain, MoneyOptions } from '../../support/money.ts';
import { anAdmin } from '../../support/persons.ts';

const MILLI = 10n ** 15n;
const CENT = 10n * MILLI;
const HOUR = 3_600_000;

/** The fields that an error names, with their messages. */
async function refused(done: Promise<unknown>): Promise<Readonly<Record<string, string>>> {
  const error: unknown = await done.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert(isTillgateError(error, 'INVALID_FIELDS'), `it was refused: ${String(error)}`);
  return Object.fromEntries((error.details.fields ?? []).map(({ path, message }) => [path, message]));
}

eachStorage((engine, open) => {
  const money = (
    name: string,
    body: (till: MoneyDomain, batches: Batches) => Promise<void>,
    options: MoneyOptions = {},
  ): void => {
    test(name, async (t) => {
      const till = await buildMoney((await open(t)).storage, options);
      await body(till, batchesOf(till, options.withdrawals === undefined ? {} : { withdrawals: options.withdrawals }));
      await till.checkBooks();
    });
  };
  const transferOf = async (batches: Batches, id: PayoutBatchId, at = 0): Promise<TransferId> =>
    present((await batches.rows(id))[at]?.transferId, 'the transfer of a row');

  describe(`payout batches on ${engine}`, () => {
    money('a batch is previewed, approved and paid, each row once', async (till, batches) => {
      await till.fund('ETH', '400');
      const before = await till.balance('available', 'ETH');
      const { batch } = await batches.create(['a', 'b', 'c'].map((name) => batches.row(name)));
      assert.deepEqual(
        batch.sums.map(({ currency, rows, units }) => ({ currency, rows, units })),
        [{ currency: 'ETH', rows: 3, units: 3n * CENT }],
      );
      assert.equal(await till.balance('claims', 'ETH'), 0n, 'a draft sets nothing aside');
      await batches.manage.approve(OPERATOR, batch.id);
      assert.equal(await till.balance('claims', 'ETH'), 3n * CENT);
      assert.equal(before - (await till.balance('available', 'ETH')), 3n * CENT);
      await till.checkBooks();
      await batches.work();
      assert.equal(await till.balance('claims', 'ETH'), 0n);
      assert.equal(await till.balance('reserved', 'ETH'), 3n * CENT);
      await till.settle();
      await batches.work();
      const { batch: done, progress } = await batches.manage.find(batches.owner, batch.id);
      assert.deepEqual([done.status, progress.paid, progress.waiting], ['DONE', 3, 0]);
      for (const name of ['a', 'b', 'c']) assert.equal(till.ethPayments.paidTo(`eth-${name}`, 'ETH').length, 1);
      for (const { units, transfer } of await batches.rows(batch.id)) {
        assert.equal(units, CENT);
        assert.equal(transfer?.status, 'CONFIRMED');
        assert.notEqual(transfer?.txHash, null);
      }
    });

    money('every bad row is reported with its line, and nothing is stored', async (till, batches) => {
      await till.fund('ETH', '400');
      const rows: readonly BatchRowInput[] = [
        batches.row('good'),
        batches.row('', {}),
        batches.row('x'.repeat(65)),
        batches.row('good'),
        batches.row('no-address', { address: '' }),
        batches.row('foreign', { address: 'btc-somebody' }),
        batches.row('own', { address: till.ethPayments.hotAddress }),
        batches.row('lightning', { address: 'name@host.example' }),
        batches.row('coin', { coin: 'DOGE' }),
        batches.row('disabled', { coin: 'LTC' }),
        batches.row('negative', { amount: '-1' }),
        batches.row('zero', { amount: '0' }),
        batches.row('fine', { amount: '0.0000000000000000001' }),
        batches.row('none', { amount: '' }),
        batches.row('both', { fiatAmount: '1', fiatCurrency: 'EUR' }),
        batches.row('fiat', { amount: '', fiatAmount: '1' }),
        batches.row('unknown-fiat', { amount: '', fiatAmount: '1', fiatCurrency: 'XXX' }),
        batches.row('no-rate', { amount: '', fiatAmount: '1', fiatCurrency: 'CHF' }),
        batches.row('fee', { amount: '0.0000000000000005' }),
      ];
      const found = await refused(batches.manage.create(batches.owner, { rows }, { firstLine: 2 }));
      const lines = Object.entries(found).map(([path, message]) => `${path} ${/^line (\d+)/.exec(message)?.[1]}`);
      assert.deepEqual(lines, [
        'rows.1.reference 3',
        'rows.2.reference 4',
        'rows.3.reference 5',
        'rows.4.address 6',
        'rows.5.address 7',
        'rows.6.address 8',
        'rows.7.address 9',
        'rows.8.coin 10',
        'rows.9.coin 11',
        'rows.10.amount 12',
        'rows.11.amount 13',
        'rows.12.amount 14',
        'rows.13.amount 15',
        'rows.14.fiatAmount 16',
        'rows.15.fiatCurrency 17',
        'rows.16.fiatCurrency 18',
        'rows.17.fiatAmount 19',
        'rows.18.amount 20',
      ]);
      assert.match(found['rows.7.address'] ?? '', /name@host/);
      assert.deepEqual((await batches.manage.list(batches.owner, { limit: 10 })).items, []);
    });

    money('a long list of problems is cut, and their number is told', async (till, batches) => {
      await till.fund('ETH', '400');
      const rows = Array.from({ length: 300 }, (_, at) => batches.row(`row-${at}`, { amount: 'much' }));
      const error: unknown = await batches.create(rows).catch((reason: unknown) => reason);
      assert(isTillgateError(error, 'INVALID_FIELDS'));
      assert.equal(error.details.fields?.length, 100);
      assert.match(error.message, /300 rows are invalid/);
    });

    money('more than there is, or more rows than a batch has, is refused', async (till, batches) => {
      await till.fund('ETH', '40');
      await assert.rejects(batches.create([batches.row('a'), batches.row('b', { amount: '0.015' })]), (error) =>
        isTillgateError(error, 'INSUFFICIENT_BALANCE'),
      );
      assert.deepEqual(Object.keys(await refused(batches.create([]))), ['rows']);
      const many = Array.from({ length: 10_001 }, (_, at) => batches.row(`row-${at}`));
      assert.match((await refused(batches.create(many)))['rows'] ?? '', /at most 10000/);
    });

    money(
      'an amount in a fiat currency is converted when the batch is created, rounded down and without the spread',
      async (till, batches) => {
        await till.fund('ETH', '400');
        const fiat = batches.row('euro', { amount: '', fiatAmount: '10', fiatCurrency: 'EUR' });
        const { batch } = await batches.create([
          fiat,
          batches.row('yen', { ...fiat, reference: 'yen', address: 'eth-yen' }),
        ]);
        till.rates.prices.set('ETH', '4000');
        await till.rateBook.refresh();
        const [row] = await batches.rows(batch.id);
        // 10 EUR at 1.1 USD, and 2,000 USD for one ETH.
        assert.equal(row?.units, 5_500_000_000_000_000n);
        assert.deepEqual(row?.fiat, { amount: '10', currency: 'EUR', rate: '1818.18' });
      },
      { orders: { spreadBps: 250 } },
    );

    money(
      'a reference is paid once for ever, and is free again after a failure or a cancellation (fault 490)',
      async (till, batches) => {
        await till.fund('ETH', '400');
        const id = await batches.approved([batches.row('a'), batches.row('b')]);
        const taken = await refused(batches.create([batches.row('a')]));
        assert.match(taken['rows.0.reference'] ?? '', /each is paid once/);
        await batches.work();
        const rejected = await transferOf(batches, id);
        await till.storage.transaction((tx) =>
          rejectTransfer(tx, rejected, 'No.', { now: till.clock.now(), ids: till.ids }),
        );
        await till.settle();
        await batches.work();
        const { batch, progress } = await batches.manage.find(batches.owner, id);
        assert.deepEqual([batch.status, progress.paid, progress.failed], ['DONE', 1, 1]);
        assert.match(
          (await refused(batches.create([batches.row('b')])))['rows.0.reference'] ?? '',
          /each is paid once/,
        );
        const { batch: again } = await batches.create([batches.row('a')]);
        await batches.manage.cancel(batches.owner, again.id);
        const third = await batches.approved([batches.row('a')]);
        await batches.work();
        await till.settle();
        assert.equal(till.ethPayments.paidTo('eth-a', 'ETH').length, 1);
        assert.equal((await batches.manage.find(batches.owner, third)).progress.paid, 1);
      },
    );

    money('two batches with one reference: the database stores one of them', async (till, batches) => {
      await till.fund('ETH', '400');
      const made = await Promise.allSettled([1, 2, 3].map(() => batches.create([batches.row('same')])));
      assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1);
      const [first] = (await batches.manage.list(batches.owner, { limit: 1 })).items;
      assert(first !== undefined);
      const twice = till.storage.transaction(async (tx) => {
        const batchId = till.ids.next() as PayoutBatchId;
        const row = {
          ...{ batchId, line: 1, reference: 'same', chain: 'ETH', currency: 'ETH', toAddress: 'eth-same', units: CENT },
          ...{ fiat: null, feeUnits: 1n, maxFeeUnits: 1n, transferId: null, problem: null },
        };
        await tx.batches.add({ ...first, id: batchId }, [row]);
      });
      await assert.rejects(twice, 'the unique index of references');
    });

    money(
      'a draft and an approved batch can be cancelled, and what is a payout already is paid',
      async (till, batches) => {
        await till.fund('ETH', '4000');
        const available = await till.balance('available', 'ETH');
        const rows = Array.from({ length: 60 }, (_, at) => batches.row(`row-${at}`));
        const id = await batches.approved(rows);
        await batches.newWorker().step(await batches.workLease());
        const { batch, progress } = await batches.manage.cancel(batches.owner, id);
        assert.deepEqual([batch.status, progress.dropped], ['CANCELLED', 10]);
        assert.equal(await till.balance('claims', 'ETH'), 0n);
        assert.equal(await till.balance('available', 'ETH'), available - 50n * CENT);
        await till.checkBooks();
        await batches.work();
        await till.settle();
        assert.equal(till.ethPayments.paidTo('eth-row-49', 'ETH').length, 1);
        assert.equal(till.ethPayments.paidTo('eth-row-50', 'ETH').length, 0);
        await batches.create([batches.row('row-50')]);
        await assert.rejects(batches.create([batches.row('row-49')]), /each is paid once/);
        await assert.rejects(batches.manage.cancel(batches.owner, id), /CANCELLED/);
      },
    );

    money('a batch whose chain cannot pay any more waits, and delays no other', async (till, batches) => {
      await till.fund('ETH', '400');
      await till.fund('BTC', '400');
      const row = batches.row('b', { address: 'btc-b', coin: 'BTC', amount: '0.001' });
      const [first, second] = [await batches.approved([row]), await batches.approved([batches.row('a')])];
      till.btc.payments = null;
      await batches.work();
      assert.equal((await batches.manage.find(OPERATOR, first)).progress.waiting, 1);
      assert.equal((await batches.manage.find(OPERATOR, second)).progress.underway, 1);
      till.btc.payments = till.btcPayments;
      await batches.work();
      assert.equal((await batches.manage.find(OPERATOR, first)).progress.underway, 1);
    });

    money('drafts are few, and too old a draft is not approved', async (till, batches) => {
      await till.fund('ETH', '400');
      const ids: PayoutBatchId[] = [];
      for (let at = 0; at < MAX_DRAFTS; at++) ids.push((await batches.create([batches.row(`d-${at}`)])).batch.id);
      await assert.rejects(batches.create([batches.row('more')]), /at most 20 drafts/);
      till.clock.advance(DRAFT_LIFE_MS + 1);
      const [first] = ids;
      assert(first !== undefined);
      await assert.rejects(batches.manage.approve(OPERATOR, first), /older than 7 days/);
      await batches.manage.cancel(batches.owner, first);
      await batches.create([batches.row('more')]);
    });

    money('a repeated key creates one draft', async (till, batches) => {
      await till.fund('ETH', '400');
      const idempotency = { route: 'batches', key: 'k', bodyHash: 'h', expiresAt: till.clock.now() + HOUR };
      const ask = (): Promise<PayoutBatchId> =>
        batches.manage
          .create(batches.owner, { rows: [batches.row('a')] }, { idempotency })
          .then(({ batch }) => batch.id);
      assert.equal(await ask(), await ask());
      const other = batches.manage.create(
        batches.owner,
        { rows: [batches.row('b')] },
        { idempotency: { ...idempotency, bodyHash: 'other' } },
      );
      await assert.rejects(other, (error) => isTillgateError(error, 'IDEMPOTENCY_MISMATCH'));
    });
  });

  describe(`who approves a payout batch, on ${engine}`, () => {
    money(
      'money to addresses that nobody registered wants another person (fault 491)',
      async (till, batches) => {
        await till.fund('ETH', '400');
        const { batch } = await batches.create([batches.row('a')]);
        await assert.rejects(batches.manage.approve(batches.owner, batch.id), /Another person must approve/);
        const asAdmin: Actor = { ...batches.owner, role: 'admin' };
        await assert.rejects(batches.manage.approve(asAdmin, batch.id), /Another person must approve/);
        const stranger: Actor = { ...batches.owner, accountId: (await anAdmin(till)).accountId, role: 'user' };
        await assert.rejects(batches.manage.approve(stranger, batch.id), (error) =>
          isTillgateError(error, 'NOT_FOUND'),
        );
        const admin = await anAdmin(till);
        await assert.rejects(batches.manage.approve(admin, batch.id), /after this was asked for/);
        assert.equal(await till.balance('claims', 'ETH'), 0n);
        const longAdmin = await anAdmin(till, till.clock.now() - 2 * HOUR);
        const { batch: approved } = await batches.manage.approve(longAdmin, batch.id);
        assert.deepEqual([approved.status, approved.listed], ['APPROVED', false]);
      },
      { withdrawals: { addressHoldMs: HOUR } },
    );

    money(
      'as many persons approve as the settings say, each once, and not who created it',
      async (till, batches) => {
        await till.fund('ETH', '400');
        const first = await anAdmin(till, till.clock.now() - HOUR);
        const second = await anAdmin(till, till.clock.now() - HOUR);
        const two = batchesOf(till, { withdrawals: { approvals: 2 } });
        const { batch } = await two.create([batches.row('a')]);
        assert.equal((await two.manage.approve(first, batch.id)).batch.status, 'DRAFT');
        await assert.rejects(two.manage.approve(first, batch.id), /approved it already/);
        assert.equal((await two.manage.approve(second, batch.id)).batch.status, 'APPROVED');
        assert.equal(await till.balance('claims', 'ETH'), CENT);
        await assert.rejects(two.manage.approve(second, batch.id), /APPROVED/);
      },
      {},
    );

    money(
      'the owner approves what goes to listed addresses in force, and a credential needs a code',
      async (till, batches) => {
        await till.fund('ETH', '400');
        const payee = await batches.payees.create(batches.owner, { chain: 'ETH', address: 'eth-a', label: 'A' });
        const rows = [batches.row('a'), batches.row('home', { address: PAYEE.ETH })];
        const { batch } = await batches.create(rows);
        await assert.rejects(batches.manage.approve(batches.owner, batch.id), /whose hold is not over/);
        till.clock.advance(HOUR);
        const credential: Actor = { ...batches.owner, program: { credentialId: null, via: 'api-key' } };
        await assert.rejects(batches.manage.approve(credential, batch.id), /the code/);
        const { batch: approved } = await batches.manage.approve(credential, batch.id, '123456');
        assert.deepEqual([approved.status, approved.listed], ['APPROVED', true]);
        await batches.work();
        // A payee that was removed before the payment is signed: it is held (fault 492).
        await batches.payees.remove(batches.owner, payee.id);
        await till.settle();
        const [held, paid] = await batches.rows(batch.id);
        assert.deepEqual([held?.transfer?.status, paid?.transfer?.status], ['HELD', 'CONFIRMED']);
        assert.match(held?.transfer?.reason ?? '', /not listed by the account any more/);
        const id = await transferOf(batches, batch.id);
        await assert.rejects(
          till.storage.transaction((tx) => approveTransfer(tx, id, till.clock.now())),
          /not listed/,
        );
        await till.storage.transaction((tx) =>
          rejectTransfer(tx, id, 'Removed.', { now: till.clock.now(), ids: till.ids }),
        );
        assert.equal(till.ethPayments.paidTo('eth-a', 'ETH').length, 0);
      },
      { withdrawals: { addressHoldMs: HOUR } },
    );

    money('a frozen account approves nothing, and its rows wait', async (till, batches) => {
      await till.fund('ETH', '400');
      const { accountId } = till.principal;
      const freeze = (): Promise<void> =>
        till.storage.transaction((tx) => tx.transfers.freeze({ accountId, reason: 'Look.', at: till.clock.now() }));
      const { batch } = await batches.create([batches.row('a')]);
      await freeze();
      await assert.rejects(batches.manage.approve(OPERATOR, batch.id), /frozen/);
      await till.storage.transaction((tx) => tx.transfers.unfreeze(accountId));
      await batches.manage.approve(OPERATOR, batch.id);
      await freeze();
      await batches.work();
      assert.equal((await batches.manage.find(OPERATOR, batch.id)).progress.waiting, 1);
      await till.storage.transaction((tx) => tx.transfers.unfreeze(accountId));
      await batches.work();
      assert.equal((await batches.manage.find(OPERATOR, batch.id)).progress.underway, 1);
    });

    money(
      'a row above the amount that needs approval, or beyond a limit, is held',
      async (till, batches) => {
        await till.fund('ETH', '400');
        const rows = [
          batches.row('small'),
          batches.row('large', { amount: '0.05' }),
          batches.row('beyond', { amount: '0.04' }),
        ];
        const id = await batches.approved(rows);
        await batches.work();
        const found = (await batches.rows(id)).map(({ transfer }) => [transfer?.status, transfer?.reason]);
        assert.deepEqual(found[0], ['REQUESTED', null]);
        assert.equal(found[1]?.[0], 'HELD');
        assert.match(String(found[2]?.[1]), /exceeds the limit/);
      },
      {
        withdrawals: {
          approveAbove: new Map([['ETH', '0.045']]),
          limits: [{ currency: 'ETH', windowMs: HOUR, perAccount: '0.09' }],
        },
      },
    );

    money(
      'rows of a restored backup are held, because they may have been paid since (fault 493)',
      async (till, batches) => {
        await till.fund('ETH', '400');
        const id = await batches.approved([batches.row('a')]);
        till.clock.advance(1_000);
        const begin = (status: 'pending' | 'confirmed') => async () => {
          const epoch = await till.storage.epochs.current();
          if (status === 'pending')
            return till.storage.transaction((tx) =>
              tx.epochs.begin({ ...epoch, number: 2, status, reason: 'Restored.', startedAt: till.clock.now() }, {}),
            );
          return till.storage.transaction((tx) => tx.epochs.decide(2, 'confirmed'));
        };
        await begin('pending')();
        await batches.work();
        assert.equal((await batches.manage.find(OPERATOR, id)).progress.waiting, 1, 'nothing before a decision');
        await begin('confirmed')();
        await batches.work();
        const [row] = await batches.rows(id);
        assert.equal(row?.transfer?.status, 'HELD');
        assert.match(row?.transfer?.reason ?? '', /restored backup/);
      },
    );
  });

  test(`the database and the check of the ledger notice rows that were changed, on ${engine}`, async (t) => {
    const store = await open(t);
    const till = await buildMoney(store.storage);
    const batches = batchesOf(till);
    await till.fund('ETH', '400');
    const id = await batches.approved([batches.row('a'), batches.row('b')]);
    await store.sql('UPDATE payout_batch_rows SET units = ? WHERE batch_id = ? AND line = 1', ['7', id]);
    const [breach] = await checkLedger(store.storage);
    assert.match(breach?.invariant ?? '', /what is set aside/);
    await store.sql('UPDATE payout_batch_rows SET units = ? WHERE batch_id = ? AND line = 1', [CENT.toString(), id]);
    assert.deepEqual(await checkLedger(store.storage), []);
    await batches.work();
    await assert.rejects(
      store.sql('UPDATE payout_batch_rows SET transfer_id = NULL WHERE batch_id = ? AND line = 1', [id]),
      /is a transfer already/,
    );
    await assert.rejects(
      store.sql("UPDATE payout_batches SET status = 'DRAFT' WHERE id = ?", [id]),
      /illegal change|status/,
    );
    await store.sql("UPDATE payout_batch_rows SET reference = 'a', held_reference = NULL WHERE batch_id = ?", [id]);
    const found = await checkLedger(store.storage);
    assert.deepEqual(
      found.map(({ invariant }) => invariant),
      ['a reference of a batch is paid once'],
    );
  });

  test(`rows in Bitcoin share transactions and their fees, on ${engine}`, async (t) => {
    const till = await buildMoney((await open(t)).storage);
    const batches = batchesOf(till);
    await till.fund('BTC', '4000');
    const row = (name: string): BatchRowInput =>
      batches.row(name, { address: `btc-${name}`, coin: 'BTC', amount: '0.001' });
    const { batch } = await batches.create(['a', 'b', 'c', 'd'].map(row));
    // One transaction of all four costs 1,000 units.
    assert.equal(batch.sums[0]?.feeUnits, 1_000n);
    await batches.manage.approve(OPERATOR, batch.id);
    await batches.work();
    await till.settle(till.btc);
    await batches.work();
    const rows = await batches.rows(batch.id);
    assert.deepEqual(new Set(rows.map(({ transfer }) => transfer?.txHash)).size, 1);
    assert.ok(rows.every(({ transfer }) => transfer?.status === 'CONFIRMED' && transfer.feeUnits === 250n));
    await till.checkBooks();
  });

  test(`a batch pays Lightning invoices, on ${engine}`, async (t) => {
    const till = await buildLightning((await open(t)).storage);
    const batches = batchesOf(till, { lightning: till.node });
    await till.fund('10');
    const invoice = till.foreignInvoice(1_000_000n).text;
    const row = (reference: string, address: string): BatchRowInput =>
      batches.row(reference, { address, coin: 'BTC-LN', amount: '' });
    const found = await refused(batches.create([row('a', invoice), row('b', invoice), row('c', 'lnbc-nothing')]));
    assert.deepEqual(Object.keys(found), ['rows.1.address', 'rows.2.address']);
    const id = await batches.approved([row('a', invoice)]);
    await batches.work();
    await till.payInvoices();
    await batches.work();
    const { batch, progress } = await batches.manage.find(batches.owner, id);
    assert.deepEqual([batch.status, progress.paid], ['DONE', 1]);
    await till.checkBooks();
  });
});
