import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLedger } from '../../../core/index.ts';
import type { AccountId, EntryId, LedgerEntry, Transfer } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import type { TestStorage } from '../../support/storage.ts';
import { deposit, nextId, NOW } from './fixtures.ts';
import {
  add,
  payout,
  merchant,
  open,
  paidOrder,
  refund,
  signed,
  stored,
  transfer,
  withdrawal,
} from './money-out-fixtures.ts';

/** Books an entry that moves units of the merchant's reserve. */
async function book(
  { storage }: TestStorage,
  accountId: AccountId,
  reference: string,
  units: bigint,
  currency = 'ETH',
): Promise<void> {
  const entry: LedgerEntry = {
    id: nextId() as EntryId,
    at: NOW,
    kind: units > 0n ? 'transfer-reserved' : 'transfer-paid',
    reference,
    postings: [
      { account: `merchant:${accountId}:reserved`, currency, units },
      { account: 'custody:ETH', currency, units: -units },
    ],
  };
  await storage.transaction((tx) => tx.ledger.append(entry));
}

const reserve = async (till: TestStorage, of: Transfer): Promise<void> => {
  assert.equal(await add(till.storage, of), true);
  await book(till, of.accountId!, `transfer:${of.id}:reserved`, of.units, of.currency);
};

/** Books the end of a transfer, which takes these units from the reserve; none if the test books without a reserve. */
const end = (till: TestStorage, of: Transfer, what: string, units = of.units): Promise<void> =>
  book(till, of.accountId!, `transfer:${of.id}:${what}`, -units, of.currency);

async function details({ storage }: TestStorage, limit = 100): Promise<readonly string[]> {
  return (await storage.ledger.mismatchedTransfers(limit)).map(({ detail }) => detail);
}

eachStorage((_name, opened) => {
  test('the books of transfers that are requested, paid, released and failed hold', async (t) => {
    const till = await opened(t);
    const { storage } = till;
    const order = await paidOrder(storage);
    await storage.transaction((tx) => tx.deposits.add(deposit(order, { currency: 'ETH', units: 3n, credits: 1 })));
    const make = (units = 10n): Transfer => withdrawal(order.accountId, { units });
    const [waiting, paid, released, failed, back] = [
      make(2n ** 200n),
      make(),
      make(),
      make(),
      refund(order, { units: 3n }),
    ];
    for (const each of [waiting, paid, released, failed, back]) await reserve(till, each);
    await signed(storage, [paid], { nonce: 0 }, 'CONFIRMED');
    await end(till, paid, 'paid');
    await signed(storage, [failed], { nonce: 1 });
    await storage.transaction(async (tx) => {
      await tx.transfers.move(released.id, 'REQUESTED', 'FAILED', { updatedAt: NOW });
      await tx.transfers.move(failed.id, 'SIGNED', 'FAILED', { updatedAt: NOW });
    });
    await end(till, released, 'released');
    await end(till, failed, 'failed');
    for (const status of ['REQUESTED', 'SIGNED', 'CONFIRMED', 'FAILED'] as const)
      await add(storage, transfer({ status }));
    assert.deepEqual(await checkLedger(storage), []);
  });

  test('a reserve that is not the sum of what is under way is found, by account and currency', async (t) => {
    const till = await opened(t);
    const [one, two] = [await merchant(till.storage), await merchant(till.storage)];
    await reserve(till, withdrawal(one, { units: 2n ** 100n }));
    await stored(till.storage, withdrawal(two, { units: 7n, status: 'HELD' }));
    await book(till, one, 'lost', 5n, 'BTC');
    assert.deepEqual(await details(till), [
      `merchant:${one}:reserved in BTC is 5 units above their sum`,
      `merchant:${two}:reserved in ETH is -7 units above their sum`,
    ]);
    assert.equal((await details(till, 1)).length, 1);
    assert.equal((await checkLedger(till.storage)).length, 2);
  });

  test('fault 40: a transfer with another end in the ledger than its own is found', async (t) => {
    const till = await opened(t);
    const accountId = await merchant(till.storage);
    const expected: string[] = [];
    const cases: readonly [Transfer['status'], readonly string[], boolean][] = [
      ['CONFIRMED', ['paid'], true],
      ['CONFIRMED', [], false],
      ['CONFIRMED', ['released'], false],
      ['CONFIRMED', ['paid', 'failed'], false],
      ['FAILED', ['released'], true],
      ['FAILED', ['failed'], true],
      ['FAILED', [], false],
      ['FAILED', ['released', 'failed'], false],
      ['FAILED', ['paid'], false],
      ['REQUESTED', [], true],
      ['HELD', ['released'], false],
      ['SIGNED', ['paid'], false],
      ['BROADCAST', ['failed'], false],
    ];
    for (const [status, booked, sound] of cases) {
      const made = withdrawal(accountId, { status, units: 0n });
      await add(till.storage, made);
      for (const what of booked) {
        await book(till, accountId, `transfer:${made.id}:${what}`, 1n);
        await book(till, accountId, `undo:${made.id}:${what}`, -1n);
      }
      if (!sound)
        expected.push(
          `withdrawal ${made.id} is ${status} and has the entries: ${booked.length === 0 ? 'none' : booked.join(', ')}`,
        );
    }
    assert.deepEqual(await details(till), expected);
    assert.equal((await details(till, 3)).length, 3);
  });

  test('the till’s own moves have at most one entry, and none before their end', async (t) => {
    const till = await opened(t);
    const accountId = await merchant(till.storage);
    const cases: readonly [Transfer['status'], readonly string[], boolean][] = [
      ['CONFIRMED', [], true],
      ['CONFIRMED', ['paid'], true],
      ['FAILED', [], true],
      ['FAILED', ['failed'], true],
      ['FAILED', ['failed', 'released'], false],
      ['SIGNED', ['paid'], false],
    ];
    const bad: string[] = [];
    for (const kind of ['sweep', 'gas', 'cold'] as const) {
      for (const [n, [status, booked, sound]] of cases.entries()) {
        const made = transfer({ kind, status, toAddress: `0x${kind}${n}`, currency: `C${n}` });
        await add(till.storage, made);
        for (const what of booked) {
          await book(till, accountId, `transfer:${made.id}:${what}`, 1n);
          await book(till, accountId, `undo:${made.id}:${what}`, -1n);
        }
        if (!sound) bad.push(made.id);
      }
    }
    assert.deepEqual(
      (await details(till)).map((detail) => / (\d+) is /.exec(detail)?.[1]),
      bad,
    );
  });

  test('a payout that can be mined or was, and that no transfer names, is found', async (t) => {
    const till = await opened(t);
    const [live, done, gone] = [payout(), payout(), payout()];
    for (const each of [live, done, gone]) await open(till.storage, each);
    await till.storage.transaction(async (tx) => {
      await tx.transfers.closePayout(done.id, 'DONE', {});
      await tx.transfers.closePayout(gone.id, 'VOID', {});
    });
    await signed(till.storage, [await stored(till.storage, transfer())]);
    const words = (id: string, status: string): string => `payout ${id} is ${status} and no transfer names it`;
    assert.deepEqual(await details(till), [words(live.id, 'LIVE'), words(done.id, 'DONE')]);
  });

  test('fault 47: refunds of an order that are more than what came for it are found', async (t) => {
    const till = await opened(t);
    const cases: readonly { refunds: readonly Partial<Transfer>[]; more: bigint }[] = [
      { refunds: [{ units: 10n }], more: 0n },
      { refunds: [{ units: 11n }], more: 1n },
      { refunds: [{ units: 4n }, { units: 6n }], more: 0n },
      { refunds: [{ units: 4n }, { units: 2n ** 100n }], more: 2n ** 100n - 6n },
      { refunds: [{ units: 10n }, { units: 10n, status: 'FAILED' }], more: 0n },
    ];
    const expected: string[] = [];
    for (const { refunds, more } of cases) {
      const order = await paidOrder(till.storage);
      const came = [{ units: 7n }, { units: 3n }, { units: 100n, credits: 0 }].map((each) =>
        deposit(order, { currency: 'ETH', credits: 1, ...each }),
      );
      await till.storage.transaction((tx) => tx.deposits.addAll(came));
      for (const given of refunds) {
        const made = refund(order, { status: 'CONFIRMED', ...given });
        await reserve(till, made);
        await end(till, made, made.status === 'FAILED' ? 'failed' : 'paid');
      }
      if (more > 0n) expected.push(`order ${order.id} in ETH: ${more} units more than came go back`);
    }
    assert.deepEqual(await details(till), expected);
    assert.deepEqual(await details(till, 1), expected.slice(0, 1));
  });

  test('fault 47: a refund of what nothing came for, or in another currency, is found', async (t) => {
    const till = await opened(t);
    const order = await paidOrder(till.storage);
    await till.storage.transaction((tx) => tx.deposits.add(deposit(order, { currency: 'BTC', units: 9n, credits: 1 })));
    await reserve(till, refund(order, { units: 9n }));
    const nothing = await paidOrder(till.storage);
    await reserve(till, refund(nothing, { units: 1n }));
    assert.deepEqual(await details(till), [
      `order ${order.id} in ETH: 9 units more than came go back`,
      `order ${nothing.id} in ETH: 1 units more than came go back`,
    ]);
  });
});
