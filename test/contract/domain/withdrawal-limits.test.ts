import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { approveTransfer, isTillgateError, present, rejectTransfer } from '../../../core/index.ts';
import type { AccountId, Transaction, Transfer, TransferId, WithdrawalLimit } from '../../../core/index.ts';
import { withdrawal } from '../storage/money-out-fixtures.ts';
import { buildLightning } from '../../support/lightning.ts';
import type { LightningDomain } from '../../support/lightning.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { decisionsOf, latePayment, nothing, PAYER } from './late-payment.ts';
import { testsOf } from '../../support/storage.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ETHER = 10n ** 18n;
const limit = (currency: string, bounds: Omit<WithdrawalLimit, 'currency' | 'windowMs'>): WithdrawalLimit => ({
  currency,
  windowMs: DAY,
  ...bounds,
});

const rejected = (tx: Transaction, id: TransferId, { clock, ids }: MoneyDomain): Promise<Transfer> =>
  rejectTransfer(tx, id, 'No.', { now: clock.now(), ids });

eachStorage((engine, open) => {
  /** The statuses of withdrawals, in the order of their requests. */
  const asking = async (
    till: MoneyDomain,
    amounts: readonly string[],
    currency = 'ETH',
  ): Promise<readonly string[]> => {
    const statuses: string[] = [];
    for (const amount of amounts)
      statuses.push((await till.transfer((await till.withdraw(amount, currency)).tx_id)).status);
    return statuses;
  };
  const money = (name: string, limits: readonly WithdrawalLimit[], body: (till: MoneyDomain) => Promise<void>): void =>
    testsOf(open, buildMoney)(name, body, { withdrawals: { limits } });

  describe(`limits of withdrawals on ${engine}`, () => {
    money(
      'fault 110: what is split into small withdrawals is held once together they go beyond the limit',
      [limit('ETH', { perAccount: '0.5' })],
      async (till) => {
        await till.fund('ETH', '4000');
        assert.deepEqual(await asking(till, ['0.1', '0.1', '0.1', '0.1', '0.1', '0.1']), [
          ...Array<string>(5).fill('REQUESTED'),
          'HELD',
        ]);
        const [held] = await till.storage.transfers.list('HELD', { before: null, limit: 1 });
        assert.match(held?.reason ?? '', /0\.5 ETH in 24 hours/);
        // Another currency is counted separately, and paid amounts count like unpaid ones.
        await till.settle();
        assert.deepEqual(await asking(till, ['0.01']), ['HELD']);
        till.clock.advance(DAY);
        assert.deepEqual(await asking(till, ['0.5', '0.1']), ['REQUESTED', 'HELD']);
      },
    );

    money(
      'the window moves on, and what failed does not count',
      [limit('ETH', { perAccount: '0.5' })],
      async (till) => {
        await till.fund('ETH', '4000');
        const first = await till.withdraw('0.5');
        till.clock.advance(DAY - 1);
        assert.deepEqual(await asking(till, ['0.1']), ['HELD']);
        for (const { id } of await till.storage.transfers.list('HELD', { before: null, limit: 10 }))
          await till.storage.transaction((tx) => rejected(tx, id, till));
        till.clock.advance(1);
        assert.deepEqual(await asking(till, ['0.5', '0.1']), ['REQUESTED', 'HELD']);
        assert.equal((await till.transfer(first.tx_id)).status, 'REQUESTED');
      },
    );

    money(
      'fault 388: returns of unassigned deposits are held beyond the limit, and count for it',
      [limit('ETH', { total: '1.2' })],
      async (till) => {
        await till.fund('ETH', '4000');
        const admin = '7000000000000000001' as AccountId;
        for (let payments = 0; payments < 4; payments++) await latePayment(till);
        const deposits = [...(await till.storage.deposits.unassigned({ before: null, limit: 10 }))];
        const returned = (perAccount: string, by: AccountId | null): Promise<Transfer> =>
          decisionsOf(till, undefined, { limits: [limit('ETH', { perAccount })] }).refund(
            present(deposits.pop(), 'a deposit').id,
            PAYER,
            nothing,
            by,
          );
        const held = await returned('0.9', admin);
        assert.deepEqual([held.status, held.requestedBy], ['HELD', admin]);
        assert.match(held.reason ?? '', /limit of one account: 0\.9 ETH in 24 hours/);
        assert.deepEqual(await asking(till, ['0.1']), ['REQUESTED'], 'what is held counts for returns alone');
        assert.equal((await returned('2', admin)).status, 'REQUESTED');
        assert.deepEqual(await asking(till, ['0.2']), ['HELD'], 'what is returned counts for all accounts together');
        assert.equal((await returned('2', admin)).status, 'HELD', 'returns are those of one account');
        assert.equal(
          (await returned('0.1', null)).status,
          'REQUESTED',
          'the operator at the command line decides at once',
        );
      },
    );

    test('fault 110: of requests at the same time, on two instances, exactly those pass that fit together', async (t) => {
      const store = await open(t);
      const limits = [limit('ETH', { perAccount: '0.5', total: '100' })];
      const till = await buildMoney(store.storage, { withdrawals: { limits } });
      const instances = [till.withdrawal, till.newWithdrawal(await store.another())];
      await till.fund('ETH', '40000');
      const amount = { digits: 1n, scale: 1 };
      const asked = await Promise.all(
        Array.from({ length: 16 }, (_, at) =>
          present(instances[at % 2], 'instance').run(till.principal, { chain: 'ETH', currency: 'ETH', amount }),
        ),
      );
      const statuses = asked.map(({ withdrawal: { status } }) => status);
      assert.equal(statuses.filter((status) => status === 'REQUESTED').length, 5);
      assert.equal(statuses.filter((status) => status === 'HELD').length, 11);
      await till.checkBooks();
    });

    // Rows of another account stand for its requests here, without any ledger entries.
    test('fault 110: the total counts all accounts, but for what others have waiting for an approval', async (t) => {
      const { storage } = await open(t);
      const till = await buildMoney(storage, { withdrawals: { limits: [limit('ETH', { total: '1' })] } });
      await till.fund('ETH', '4000');
      const account = present(await storage.accounts.find(till.principal.accountId), 'account');
      const other = '1530217733410816055' as AccountId;
      await storage.accounts.create({ ...account, id: other, email: 'other@example.com' });
      const createdAt = till.clock.now();
      const ofOther = (status: Transfer['status'], units: bigint): Promise<boolean> =>
        storage.transaction((tx) => tx.transfers.add(withdrawal(other, { status, units, createdAt })));
      await ofOther('HELD', 50n * ETHER);
      assert.deepEqual(await asking(till, ['0.4']), ['REQUESTED']);
      await ofOther('FAILED', 50n * ETHER);
      assert.deepEqual(await asking(till, ['0.4']), ['REQUESTED']);
      await ofOther('SIGNED', (2n * ETHER) / 10n);
      assert.deepEqual(await asking(till, ['0.01']), ['HELD']);
    });

    money(
      'fault 110: a limit in USD counts all currencies at their present worth; without a price everything is held',
      [limit('USD', { perAccount: '1500' })],
      async (till) => {
        await till.fund('ETH', '4000');
        await till.fund('BTC', '4000');
        assert.deepEqual(await asking(till, ['0.5']), ['REQUESTED']);
        // 0.5 ETH is worth 1000, 0.01 BTC 500.
        assert.deepEqual(await asking(till, ['0.01', '0.0001'], 'BTC'), ['REQUESTED', 'HELD']);
        till.clock.advance(DAY);
        assert.deepEqual(await asking(till, ['0.1']), ['REQUESTED']);
        till.rates.fail = new Error('away');
        till.clock.advance(HOUR);
        assert.deepEqual(await asking(till, ['0.01']), ['HELD']);
        const [held] = await till.storage.transfers.list('HELD', { before: null, limit: 1 });
        assert.match(held?.reason ?? '', /no usable price of ETH/);
      },
    );

    money(
      'fault 110: refunds count as withdrawals do, and are held beyond the limit until they are approved',
      [limit('ETH', { perAccount: '1.5' })],
      async (till) => {
        const [first, second] = [await till.fund('ETH', '2000'), await till.fund('ETH', '2000')];
        await till.refund.run(till.principal, first.id);
        assert.deepEqual(await asking(till, ['0.6']), ['HELD']);
        assert.deepEqual(await asking(till, ['0.1']), ['HELD']);
        for (const { id } of await till.storage.transfers.list('HELD', { before: null, limit: 10 }))
          await till.storage.transaction((tx) => rejected(tx, id, till));
        const view = await till.refund.run(till.principal, second.id);
        assert.equal(view.refund_status, 'PENDING');
        const held = await till.storage.transfers.refundOf(second.id);
        assert(held !== null);
        assert.equal(held.status, 'HELD');
        await till.settle();
        assert.equal((await till.transfer(held.id)).status, 'HELD');
        await till.storage.transaction((tx) => approveTransfer(tx, held.id, till.clock.now()));
        await till.settle();
        assert.equal((await till.transfer(held.id)).status, 'CONFIRMED');
        assert.equal((await till.order(second.id)).status, 'REFUNDED');
      },
    );

    money(
      'a repeated Idempotency-Key gives the first outcome and counts once; without enough balance nothing counts',
      [limit('ETH', { perAccount: '0.5' })],
      async (till) => {
        await till.fund('ETH', '2000');
        const claim = { route: 'withdraw', key: 'k', bodyHash: 'b', expiresAt: till.clock.now() + DAY };
        const copies = await Promise.all(Array.from({ length: 4 }, () => till.withdraw('0.3', 'ETH', claim)));
        assert.equal(new Set(copies.map(({ tx_id: id }) => id)).size, 1);
        await assert.rejects(till.withdraw('5'), (error) => isTillgateError(error, 'INSUFFICIENT_BALANCE'));
        assert.deepEqual(await asking(till, ['0.2', '0.1']), ['REQUESTED', 'HELD']);
        assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 0);
      },
    );
  });

  const lightning = (name: string, body: (till: LightningDomain) => Promise<void>): void =>
    testsOf(open, buildLightning)(name, body, { withdrawals: { limits: [limit('BTC-LN', { perAccount: '0.0001' })] } });

  describe(`limits of Lightning withdrawals on ${engine}`, () => {
    /** Two withdrawals of 0.00005 BTC each, or 0.000001 more with the reserve for the routing fee. */
    const twice = async (till: LightningDomain, seconds = 3600): Promise<readonly Transfer[]> => {
      await till.fund('100');
      const asked = [];
      for (let count = 0; count < 2; count++)
        asked.push(await till.withdraw(till.foreignInvoice(5_000_000n, seconds).text));
      assert.deepEqual(
        asked.map(({ status }) => status),
        ['PENDING', 'PENDING'],
      );
      await till.payInvoices();
      const transfers = await Promise.all(asked.map(({ tx_id: id }) => till.transfer(id)));
      assert.deepEqual(
        transfers.map(({ status }) => status),
        ['CONFIRMED', 'HELD'],
      );
      return transfers;
    };

    lightning(
      'fault 110: beyond the limit it is held and not given to the node; approved, it is paid',
      async (till) => {
        const [, held] = await twice(till);
        assert(held !== undefined);
        assert.equal(till.node.sent.length, 1);
        await till.storage.transaction((tx) => approveTransfer(tx, held.id, till.clock.now()));
        await till.payInvoices();
        assert.equal((await till.transfer(held.id)).status, 'CONFIRMED');
        assert.equal(till.node.sent.length, 2);
      },
    );

    for (const when of ['before', 'after'] as const) {
      lightning(
        `an invoice that expires ${when} the approval of a held withdrawal gives its reserve back`,
        async (till) => {
          const [, held] = await twice(till, 600);
          assert(held !== undefined);
          const [available, reserved] = [
            await till.balance('available', 'BTC-LN'),
            await till.balance('reserved', 'BTC-LN'),
          ];
          assert.equal(reserved, held.units);
          if (when === 'after') await till.storage.transaction((tx) => approveTransfer(tx, held.id, till.clock.now()));
          till.clock.advance(600_001);
          await till.payInvoices();
          const ended = await till.transfer(held.id);
          assert.deepEqual([ended.status, till.node.sent.length], ['FAILED', 1]);
          assert.match(ended.reason ?? '', /expired/);
          assert.equal(await till.balance('available', 'BTC-LN'), available + reserved);
          assert.equal(await till.balance('reserved', 'BTC-LN'), 0n);
        },
      );
    }

    lightning('a held withdrawal whose expired invoice the node has paid keeps its reserve', async (till) => {
      const [, held] = await twice(till, 600);
      assert(held !== undefined);
      const payment = await till.storage.lightning.paymentOf(held.id);
      assert(payment !== null);
      await till.node.pay({ ...payment, msat: null, maxFeeMsat: 0n });
      till.clock.advance(600_001);
      await till.payInvoices();
      assert.equal((await till.transfer(held.id)).status, 'HELD');
      assert.equal(await till.balance('reserved', 'BTC-LN'), held.units);
      await till.storage.transaction((tx) => approveTransfer(tx, held.id, till.clock.now()));
    });
  });
});
