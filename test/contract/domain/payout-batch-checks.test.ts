import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isTillgateError, OPERATOR, present, TillgateError } from '../../../core/index.ts';
import type { AccountId, Actor, BatchRowInput, PayoutBatchId } from '../../../core/index.ts';
import { batchesOf } from '../../support/batches.ts';
import type { Batches } from '../../support/batches.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildLightning } from '../../support/lightning.ts';
import type { LightningDomain, LightningOptions } from '../../support/lightning.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain, MoneyOptions } from '../../support/money.ts';
import { refusal } from '../../support/refusal.ts';

const CENT = 10n ** 16n;

/** Every refused field with its message, in the order of the answer. */
async function problems(done: Promise<unknown>): Promise<readonly (readonly [path: string, message: string])[]> {
  const error: unknown = await done.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert(isTillgateError(error, 'INVALID_FIELDS'), `it was refused: ${String(error)}`);
  return (error.details.fields ?? []).map(({ path, message }) => [path, message] as const);
}

eachStorage((engine, open) => {
  const money = (
    name: string,
    body: (till: MoneyDomain, batches: Batches) => Promise<void>,
    options: MoneyOptions = {},
  ): void => {
    test(name, async (t) => {
      const till = await buildMoney((await open(t)).storage, options);
      await till.fund('ETH', '400');
      await body(till, batchesOf(till, options.withdrawals === undefined ? {} : { withdrawals: options.withdrawals }));
      await till.checkBooks();
    });
  };

  /** The problems of one row; none when it is accepted. */
  const oneRow = async (batches: Batches, fields: Partial<BatchRowInput>): Promise<readonly string[]> => {
    const row = batches.row('row', fields);
    return (await problems(batches.create([row, batches.row('bad', { coin: 'NONE' })])))
      .filter(([path]) => path.startsWith('rows.0.'))
      .map(([path, message]) => `${path.slice('rows.0.'.length)} ${message.replace('line 1: ', '')}`);
  };

  describe(`the checks of a row of a batch, on ${engine}`, () => {
    money('a bad field is one problem, and what is not wrong is none', async (_till, batches) => {
      const fiat = { amount: '', fiatAmount: '1', fiatCurrency: 'EUR' };
      const cases: readonly (readonly [fields: Partial<BatchRowInput>, found: readonly RegExp[]])[] = [
        [{}, []],
        [{ amount: '0.000000000000005' }, []],
        [{ reference: 'x'.repeat(64) }, []],
        [{ reference: 'a\nb' }, [/^reference must have 1 to 64/]],
        [{ address: `eth-${'x'.repeat(2_044)}` }, []],
        [{ address: `eth-${'x'.repeat(2_045)}` }, [/^address must have at most 2048/]],
        [{ address: '' }, [/^address is required/]],
        [{ coin: 'LTC' }, [/^coin must be a coin that is enabled/]],
        [{ coin: 'BTC-LN', address: 'lnbc1' }, [/^coin must be a coin that is enabled/]],
        [{ amount: '' }, [/^amount is required, or/]],
        [{ amount: '1e3' }, [/^amount must be a number above 0 with at most 18/]],
        [{ amount: ' 1' }, [/^amount must be a number/]],
        [{ amount: '1 ' }, [/^amount must be a number/]],
        [{ amount: '.5' }, [/^amount must be a number/]],
        [{ amount: '0.00' }, [/^amount must be a number/]],
        [fiat, []],
        [{ ...fiat, amount: '1' }, [/^fiatAmount must be empty where there is an amount in the coin/]],
        [{ ...fiat, fiatCurrency: '' }, [/^fiatCurrency is required/]],
        [{ ...fiat, fiatAmount: '' }, [/^fiatAmount is required/, /^amount is required/]],
        [{ ...fiat, fiatAmount: '1.001' }, [/^fiatAmount must be a number above 0 with at most 2/]],
        [{ ...fiat, fiatAmount: '0' }, [/^fiatAmount must be a number above 0/]],
        [{ ...fiat, fiatCurrency: 'XXX' }, [/^fiatCurrency must be the code/]],
        [{ ...fiat, fiatCurrency: 'CHF' }, [/^fiatAmount .*no usable price of CHF/]],
      ];
      for (const [fields, expected] of cases) {
        const found = await oneRow(batches, fields);
        assert.equal(found.length, expected.length, `${JSON.stringify(fields)}: ${found.join('; ')}`);
        for (const [at, message] of expected.entries()) assert.match(found[at] ?? '', message);
      }
    });

    money('a coin must be paid here, and by an account that has passed verification for it', async (till, batches) => {
      till.btc.payments = null;
      const bitcoin = { coin: 'BTC', address: 'btc-a', amount: '0.001' };
      assert.match((await oneRow(batches, bitcoin))[0] ?? '', /^coin cannot be paid out: its chain is watch-only/);
      const { accountId } = till.principal;
      await till.storage.accounts.update(accountId, { verifiedCurrencies: ['BTC'], modifiedAt: 0 });
      assert.match((await oneRow(batches, {}))[0] ?? '', /^coin .*business verification/);
      till.btc.payments = till.btcPayments;
      assert.deepEqual(await oneRow(batches, bitcoin), []);
    });

    money('a fiat amount below the smallest unit of the coin is refused', async (till, batches) => {
      till.rates.prices.set('BTC', '100000000000');
      await till.rateBook.refresh();
      const row = { coin: 'BTC', address: 'btc-a', amount: '', fiatAmount: '0.01', fiatCurrency: 'EUR' };
      assert.match((await oneRow(batches, row))[0] ?? '', /^fiatAmount is worth less than the smallest unit of BTC/);
    });

    money('an error of the prices is not taken for a missing price', async (till, batches) => {
      const failure = new TillgateError('NODE_FAILED', 'Out of order.');
      till.rateBook.payoutRate = () => Promise.reject(failure);
      const row = batches.row('row', { amount: '', fiatAmount: '1', fiatCurrency: 'EUR' });
      await assert.rejects(batches.create([row]), refusal('NODE_FAILED'));
    });

    money(
      'the bounds of withdrawals are told at the amount that was given',
      async (_till, batches) => {
        assert.match((await oneRow(batches, { amount: '0.001' }))[0] ?? '', /^amount /);
        const fiat = { amount: '', fiatAmount: '1', fiatCurrency: 'EUR' };
        assert.match((await oneRow(batches, fiat))[0] ?? '', /^fiatAmount /);
        assert.deepEqual(await oneRow(batches, { amount: '0.005' }), []);
      },
      { withdrawals: { min: new Map([['ETH', '0.005']]) } },
    );

    money('a receiver that the network refuses is named, beside rows that are too small', async (till, batches) => {
      till.ethPayments.objection = ({ to }) =>
        to === 'eth-contract' ? new TillgateError('DESTINATION_UNPAYABLE', 'The contract refuses payments.') : null;
      const rows = [
        batches.row('a'),
        batches.row('b', { address: 'eth-contract', amount: '0.02' }),
        batches.row('c', { amount: '0.0000000000000005' }),
      ];
      const found = await problems(batches.create(rows));
      assert.deepEqual(
        found.map(([path]) => path),
        ['rows.1.address', 'rows.2.amount'],
      );
      assert.match(found[0]?.[1] ?? '', /line 2: The contract refuses payments/);
      const alone = await problems(batches.create([rows[1] as BatchRowInput]));
      assert.deepEqual(
        alone.map(([path]) => path),
        ['rows.0.address'],
      );
      const small = await problems(batches.create([rows[2] as BatchRowInput]));
      assert.deepEqual(small, [['rows.0.amount', "line 1: does not cover the network's fee; use a larger amount"]]);
      till.ethPayments.refusal = 'Not now.';
      await assert.rejects(batches.create([batches.row('d')]), refusal('STATE_CONFLICT', /Not now/));
    });

    money('all of the balance can be paid, but for what is frozen, each coin by itself', async (till, batches) => {
      await till.fund('BTC', '500');
      await till.float(CENT);
      const bitcoin = (reference: string, amount: string): BatchRowInput =>
        batches.row(reference, { coin: 'BTC', address: `btc-${reference}`, amount });
      // 0.2 ether and 0.01 bitcoin.
      const all = [batches.row('a', { amount: '0.15' }), batches.row('b', { amount: '0.05' }), bitcoin('c', '0.01')];
      const { batch } = await batches.create(all);
      assert.deepEqual(
        batch.sums.map(({ currency, rows, units }) => [currency, rows, units]),
        [
          ['BTC', 1, 1_000_000n],
          ['ETH', 2, 20n * CENT],
        ],
      );
      await batches.manage.cancel(batches.owner, batch.id);
      await assert.rejects(
        batches.create([batches.row('a', { amount: '0.2000001' })]),
        refusal('INSUFFICIENT_BALANCE', /ETH/),
      );
      await assert.rejects(batches.create([bitcoin('a', '0.0100001')]), refusal('INSUFFICIENT_BALANCE', /BTC/));
      await assert.rejects(
        batches.create([batches.row('usdt', { coin: 'USDT-ERC20', amount: '5' })]),
        refusal('INSUFFICIENT_BALANCE', /USDT/),
      );
    });

    money('an address of an order of this till is not paid', async (till, batches) => {
      const order = await till.newOrder({ chain: 'ETH', currency: 'ETH' });
      const { address } = present(order.payment, 'payment');
      assert.match((await oneRow(batches, { address }))[0] ?? '', /^address .*belongs to this till/);
    });

    money('problems are listed by their lines, whichever check found them', async (_till, batches) => {
      const rows = [
        batches.row('a', { amount: 'x' }),
        batches.row('b', { address: '' }),
        batches.row('b', { coin: 'USDT-ERC20', amount: '' }),
        batches.row('d', { coin: 'NONE' }),
      ];
      const found = await problems(batches.create(rows));
      assert.deepEqual(
        found.map(([path]) => path),
        ['rows.0.amount', 'rows.1.address', 'rows.2.reference', 'rows.2.amount', 'rows.3.coin'],
      );
      const error: unknown = await batches.create([rows[3] as BatchRowInput]).catch((reason: unknown) => reason);
      assert.match(String(error), /1 row is invalid/);
    });
  });

  describe(`Lightning invoices in a batch, on ${engine}`, () => {
    const lightning = (
      name: string,
      body: (till: LightningDomain, batches: Batches) => Promise<void>,
      options: LightningOptions = {},
    ): void => {
      test(name, async (t) => {
        const till = await buildLightning((await open(t)).storage, options);
        await till.fund('10');
        const { withdrawals } = options;
        await body(
          till,
          batchesOf(till, { lightning: till.node, ...(withdrawals === undefined ? {} : { withdrawals }) }),
        );
        await till.checkBooks();
      });
    };
    const row = (batches: Batches, reference: string, address: string, amount = ''): BatchRowInput =>
      batches.row(reference, { address, coin: 'BTC-LN', amount });

    lightning('an invoice has its own amount, or takes that of its row', async (till, batches) => {
      const invoice = (msat: bigint | null): string => till.foreignInvoice(msat).text;
      const found = await problems(
        batches.create([
          row(batches, 'none', invoice(null)),
          row(batches, 'differs', invoice(1_000_000n), '0.00000999'),
          row(batches, 'address', 'name@host.example'),
        ]),
      );
      assert.deepEqual(
        found.map(([path]) => path),
        ['rows.0.amount', 'rows.1.amount', 'rows.2.address'],
      );
      assert.match(found[0]?.[1] ?? '', /the invoice has no amount/);
      assert.match(found[1]?.[1] ?? '', /differs from that of the invoice/);
      const { batch } = await batches.create([
        row(batches, 'same', invoice(1_000_000n), '0.00001'),
        row(batches, 'open', invoice(null), '0.00002'),
        row(batches, 'own', invoice(3_000_000n)),
      ]);
      const rows = await batches.rows(batch.id);
      // What leaves the balance is the amount and the most that routing may cost.
      assert.deepEqual(
        rows.map(({ units, feeUnits, maxFeeUnits }) => [units - feeUnits, feeUnits === maxFeeUnits, feeUnits > 0n]),
        [
          [1_000_000n, true, true],
          [2_000_000n, true, true],
          [3_000_000n, true, true],
        ],
      );
      await batches.manage.approve(OPERATOR, batch.id);
      await batches.work();
      await till.payInvoices();
      await batches.work();
      const { progress } = await batches.manage.find(OPERATOR, batch.id);
      assert.deepEqual([progress.paid, progress.failed], [3, 0]);
    });

    lightning(
      'the bounds are those of the amount without its routing',
      async (till, batches) => {
        const { batch } = await batches.create([row(batches, 'fits', till.foreignInvoice(1_000_000n).text)]);
        assert.equal(batch.status, 'DRAFT');
        const found = await problems(batches.create([row(batches, 'more', till.foreignInvoice(1_001_000n).text)]));
        assert.deepEqual(
          found.map(([path]) => path),
          ['rows.0.amount'],
        );
      },
      { withdrawals: { max: new Map([['BTC-LN', '0.00001']]) } },
    );

    lightning('an invoice that has expired since is given up, and its amount given back', async (till, batches) => {
      const before = await till.balance('available', 'BTC-LN');
      const lasting = till.foreignInvoice(2_000_000n);
      const id = await batches.approved([
        row(batches, 'short', till.foreignInvoice(1_000_000n, 60).text),
        row(batches, 'lasting', lasting.text),
      ]);
      till.clock.advance(61_000);
      await batches.work();
      const [short, other] = await batches.rows(id);
      assert.match(short?.problem ?? '', /expired/);
      assert.equal(short?.transfer ?? null, null);
      assert.equal(other?.transfer?.status, 'REQUESTED');
      assert.equal(await till.balance('claims', 'BTC-LN'), 0n);
      assert.equal(await till.balance('available', 'BTC-LN'), before - (other?.units ?? 0n));
      assert.equal((await batches.manage.find(OPERATOR, id)).progress.dropped, 1);
    });

    lightning('an invoice that another payment has taken is given up', async (till, batches) => {
      const { text } = till.foreignInvoice(1_000_000n);
      const id = await batches.approved([row(batches, 'a', text)]);
      await till.withdraw(text);
      await batches.work();
      const [taken] = await batches.rows(id);
      assert.match(taken?.problem ?? '', /paid only once|payment of this till/);
      assert.equal(await till.balance('claims', 'BTC-LN'), 0n);
    });

    lightning('two batches with one invoice pay it once', async (till, batches) => {
      const { text } = till.foreignInvoice(1_000_000n);
      const ids = [
        await batches.approved([row(batches, 'a', text)]),
        await batches.approved([row(batches, 'b', text)]),
      ];
      await batches.work();
      const rows = (await Promise.all(ids.map((id) => batches.rows(id)))).flat();
      assert.equal(rows.filter(({ transfer }) => transfer !== null).length, 1);
      assert.equal(rows.filter(({ problem }) => problem !== null).length, 1);
      assert.equal(await till.balance('claims', 'BTC-LN'), 0n);
    });

    lightning('a node that is gone gives the rows up', async (till, batches) => {
      const id = await batches.approved([row(batches, 'a', till.foreignInvoice(1_000_000n).text)]);
      const without = batchesOf(till);
      await without.work();
      const [gone] = await batches.rows(id);
      assert.match(gone?.problem ?? '', /no Lightning node any more/);
      assert.equal(await till.balance('claims', 'BTC-LN'), 0n);
    });

    lightning('a till without a node has no such coin', async (till) => {
      const without = batchesOf(till);
      const found = await problems(without.create([row(without, 'a', till.foreignInvoice(1_000_000n).text)]));
      assert.match(found[0]?.[1] ?? '', /watch-only/);
    });
  });

  describe(`what is kept of a batch, on ${engine}`, () => {
    money('rows are listed by their lines in pages, and exported whole', async (_till, batches) => {
      const { batch } = await batches.create(
        ['a', 'b', 'c', 'd', 'e'].map((name) => batches.row(name, { amount: '0.001' })),
      );
      const names: string[] = [];
      const sizes: number[] = [];
      let cursor: string | undefined;
      do {
        const page = await batches.manage.rows(batches.owner, batch.id, {
          limit: 2,
          ...(cursor === undefined ? {} : { cursor }),
        });
        names.push(...page.items.map(({ reference }) => reference));
        sizes.push(page.items.length);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      assert.deepEqual(
        [names, sizes],
        [
          ['a', 'b', 'c', 'd', 'e'],
          [2, 2, 1],
        ],
      );
      const exported: string[] = [];
      for await (const part of await batches.manage.exportRows(batches.owner, batch.id))
        exported.push(...part.map(({ reference }) => reference));
      assert.deepEqual(exported, names);
    });

    money('batches are listed newest first, by status, and only one’s own', async (till, batches) => {
      const first = (await batches.create([batches.row('a')])).batch.id;
      const second = await batches.approved([batches.row('b')]);
      const listed = async (actor: Actor, status?: 'DRAFT' | 'APPROVED'): Promise<readonly PayoutBatchId[]> =>
        (await batches.manage.list(actor, { limit: 10, ...(status === undefined ? {} : { status }) })).items.map(
          ({ id }) => id,
        );
      assert.deepEqual(await listed(batches.owner), [second, first]);
      assert.deepEqual(await listed(batches.owner, 'DRAFT'), [first]);
      assert.deepEqual(await listed(batches.owner, 'APPROVED'), [second]);
      const page = await batches.manage.list(batches.owner, { limit: 1 });
      const next = await batches.manage.list(batches.owner, { limit: 1, cursor: present(page.nextCursor, 'a cursor') });
      assert.deepEqual([page.items[0]?.id, next.items[0]?.id], [second, first]);
      const stranger: Actor = { ...batches.owner, accountId: '7000000000000000009' as AccountId };
      assert.deepEqual(await listed(stranger), []);
      for (const denied of [
        () => batches.manage.find(stranger, first),
        () => batches.manage.rows(stranger, first, { limit: 1 }),
        () => batches.manage.exportRows(stranger, first),
        () => batches.manage.cancel(stranger, first),
        () => batches.create([batches.row('z')], stranger),
        () => batches.manage.find(batches.owner, 'no id' as PayoutBatchId),
      ])
        await assert.rejects(denied, refusal('NOT_FOUND'));
      const admin: Actor = { ...stranger, role: 'admin' };
      await assert.rejects(
        batches.create([batches.row('z')], admin),
        refusal('NOT_FOUND'),
        'an admin creates none for another account',
      );
      const byOperator = await batches.create([batches.row('z')], OPERATOR);
      assert.deepEqual([byOperator.batch.accountId, byOperator.batch.createdBy], [till.principal.accountId, null]);
    });

    money('what is done is in the audit log and told to the worker', async (till, batches) => {
      const credential: Actor = { ...batches.owner, program: { credentialId: null, via: 'api-key' } };
      const made = await batches.create([batches.row('a')]);
      assert.equal(made.batch.createdBy, till.principal.accountId);
      const byProgram = await batches.create([batches.row('b')], credential);
      assert.equal(byProgram.batch.createdBy, null);
      await batches.manage.approve(OPERATOR, made.batch.id);
      await batches.manage.cancel(batches.owner, byProgram.batch.id);
      assert.deepEqual(till.events.of('batch.approved'), [{ batchId: made.batch.id }]);
      const rows = await till.storage.audit.list(till.principal.accountId, { before: null, limit: 10 });
      assert.deepEqual(
        rows.map(({ action, subjectId }) => [action, subjectId]),
        [
          ['payout_batch.cancel', byProgram.batch.id],
          ['payout_batch.approve', made.batch.id],
          ['payout_batch.create', byProgram.batch.id],
          ['payout_batch.create', made.batch.id],
        ],
      );
      assert.deepEqual(rows[0]?.changes, { status: { from: 'DRAFT', to: 'CANCELLED' } });
      assert.deepEqual(rows[1]?.changes, {
        status: { from: 'DRAFT', to: 'APPROVED' },
        listed: { from: null, to: false },
      });
      const { batch } = await batches.manage.find(OPERATOR, made.batch.id);
      assert.deepEqual([batch.approvedAt, batch.finishedAt, batch.listed], [till.clock.now(), null, false]);
      const { batch: cancelled } = await batches.manage.find(OPERATOR, byProgram.batch.id);
      assert.deepEqual([cancelled.finishedAt, cancelled.approvedAt], [till.clock.now(), null]);
    });

    money('payments are counted and queued with the fees of now', async (till, batches) => {
      const id = await batches.approved([batches.row('a'), batches.row('b', { amount: '0.02' })]);
      const [previewed] = await batches.rows(id);
      till.ethPayments.fee = 3_000n;
      await batches.work();
      const rows = await batches.rows(id);
      const transfers = await Promise.all(
        rows.map(({ transferId }) => till.transfer(present(transferId, 'a transfer'))),
      );
      assert.notEqual(transfers[0]?.feeUnits, previewed?.feeUnits);
      assert.equal(transfers[0]?.feeUnits, 3n * (previewed?.feeUnits ?? 0n));
      assert.deepEqual(
        transfers.map(({ kind, batchId, requestedBy, notBefore = null }) => [kind, batchId, requestedBy, notBefore]),
        [
          ['payout', id, till.principal.accountId, null],
          ['payout', id, till.principal.accountId, null],
        ],
      );
      const labels = { chain: 'ETH', kind: 'payout', status: 'REQUESTED' };
      assert.equal(till.metrics.counted('tillgate_transfers_total', labels), 2);
      assert.deepEqual(till.events.of('transfer.queued').filter(({ chain }) => chain === 'ETH').length, 1);
    });

    money(
      'a held payment is reported, and not paid',
      async (till, batches) => {
        const id = await batches.approved([batches.row('a'), batches.row('b', { amount: '0.02' })]);
        await batches.work();
        const labels = (status: string) => ({ chain: 'ETH', kind: 'payout', status });
        assert.equal(till.metrics.counted('tillgate_transfers_total', labels('HELD')), 1);
        assert.equal(till.metrics.counted('tillgate_transfers_total', labels('REQUESTED')), 1);
        await till.settle();
        const { batch, progress } = await batches.manage.find(OPERATOR, id);
        assert.deepEqual([batch.status, progress.paid, progress.held], ['APPROVED', 1, 1]);
      },
      { withdrawals: { approveAbove: new Map([['ETH', '0.015']]) } },
    );

    money('without present fees those of the preview are used', async (till, batches) => {
      const id = await batches.approved([batches.row('a')]);
      const [row] = await batches.rows(id);
      till.ethPayments.refusal = 'The node is busy.';
      await batches.work();
      const transfer = await till.transfer(present((await batches.rows(id))[0]?.transferId, 'a transfer'));
      assert.deepEqual([transfer.feeUnits, transfer.maxFeeUnits], [row?.feeUnits, row?.maxFeeUnits]);
    });

    money('more batches than the worker reads at once are all paid', async (_till, batches) => {
      const ids: PayoutBatchId[] = [];
      for (let at = 0; at < 41; at++) ids.push(await batches.approved([batches.row(`r-${at}`, { amount: '0.001' })]));
      const lease = await batches.workLease();
      assert.equal(await batches.newWorker().step(lease), true);
      for (const id of ids) assert.equal((await batches.manage.find(OPERATOR, id)).progress.underway, 1);
      assert.equal(await batches.newWorker().step(lease), false);
    });

    money('a worker that lost its lease does nothing', async (_till, batches) => {
      const id = await batches.approved([batches.row('a')]);
      const lease = await batches.workLease();
      await assert.rejects(batches.newWorker().step({ ...lease, fence: lease.fence - 1 }), refusal('LEASE_LOST'));
      assert.equal((await batches.manage.find(OPERATOR, id)).progress.waiting, 1);
    });

    money(
      'the owner, who is asked for a code, is told of what nobody lists before it is used up',
      async (_till, batches) => {
        const credential: Actor = { ...batches.owner, program: { credentialId: null, via: 'api-key' } };
        const { batch } = await batches.create([batches.row('a')]);
        await assert.rejects(
          batches.manage.approve(credential, batch.id),
          refusal('FORBIDDEN', /1 row pays an address/),
        );
        const two = await batches.create([batches.row('b'), batches.row('c')]);
        await assert.rejects(
          batches.manage.approve(batches.owner, two.batch.id),
          refusal('FORBIDDEN', /2 rows pay addresses/),
        );
      },
    );

    money('a disabled account approves nothing', async (till, batches) => {
      const { batch } = await batches.create([batches.row('a')]);
      await till.storage.accounts.update(till.principal.accountId, { status: 'disabled', modifiedAt: 0 });
      await assert.rejects(batches.manage.approve(OPERATOR, batch.id), refusal('STATE_CONFLICT', /is disabled/));
      assert.equal(await till.balance('claims', 'ETH'), 0n);
    });

    money('an approval that the balance does not cover any more sets nothing aside', async (till, batches) => {
      const { batch } = await batches.create([batches.row('a', { amount: '0.15' })]);
      await till.withdraw('0.1');
      await assert.rejects(batches.manage.approve(OPERATOR, batch.id), refusal('INSUFFICIENT_BALANCE', /ETH/));
      assert.deepEqual(
        [await till.balance('claims', 'ETH'), (await batches.manage.find(OPERATOR, batch.id)).batch.status],
        [0n, 'DRAFT'],
      );
    });

    money('a batch of which every row is a payout can be cancelled no more', async (_till, batches) => {
      const id = await batches.approved([batches.row('a')]);
      await batches.work();
      await assert.rejects(batches.manage.cancel(batches.owner, id), refusal('STATE_CONFLICT', /a payout already/));
    });
  });
});
