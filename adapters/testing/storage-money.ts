import assert from 'node:assert/strict';
import { checkLedger, CLAIM_KEPT_MS, merchantAccount, postEntry, present } from '../../core/index.ts';
import type {
  AccountId,
  Alert,
  AlertId,
  PayoutId,
  LedgerEntry,
  UnconfirmedPayment,
  UnconfirmedPaymentStatus,
  Storage,
  TransferId,
} from '../../core/index.ts';
import {
  LARGEST,
  NOW,
  payoutOf,
  depositOf,
  entryOf,
  newOrder,
  nextId,
  reservationOf,
  storeAccount,
  storeOrder,
} from './storage-samples.ts';
import type { StorageCase } from './storage-samples.ts';

/** The number of attempts that succeeded when they ran concurrently on two instances. */
async function winners(storages: readonly Storage[], attempt: (storage: Storage) => Promise<boolean>): Promise<number> {
  const tries = await Promise.all(
    Array.from({ length: 6 }, (_, at) => attempt(storages[at % storages.length] as Storage)),
  );
  return tries.filter(Boolean).length;
}

/** An entry from custody to a merchant's available balance. */
const availableEntry = (accountId: AccountId, units: bigint): LedgerEntry => {
  const entry = entryOf(accountId, nextId(), units);
  return {
    ...entry,
    postings: entry.postings.map((posting) =>
      posting.units < 0n ? posting : { ...posting, account: merchantAccount(accountId, 'available') },
    ),
  };
};

/** Test cases for what must be written exactly once. */
export const storageMoney: readonly StorageCase[] = [
  {
    title: 'fault 401: a change of status is recorded in its transaction, and nothing that did not change',
    run: async (storage, second, dispatcher) => {
      const order = await storeOrder(storage);
      const [one, another] = [{ ...depositOf(order, 5n), assignment: 'UNASSIGNED' as const }, depositOf(order, 6n)];
      const alert: Alert = {
        ...{ id: nextId() as AlertId, kind: 'transfer', subject: order.id, reason: 'once', status: 'OPEN' },
        ...{ firstAt: NOW, lastAt: NOW, count: 1, acknowledgedAt: null, acknowledgedBy: null },
      };
      const reservation = reservationOf(order.accountId, 3n);
      const { transfer, row } = reservation;
      await storage.transaction((tx) => postEntry(tx, availableEntry(order.accountId, 3n)));
      const queued = { ...transfer, id: nextId() as TransferId };
      dispatcher.recorded.splice(0);
      assert.equal((await storage.transfers.reserve(reservation)).kind, 'reserved');
      dispatcher.failing = true;
      const changed = storage.transaction(async (tx) => {
        await tx.deposits.addAll([one, another]);
        assert.equal(await tx.deposits.add(one), false);
        await tx.deposits.move(one.id, 'SEEN', 'CREDITED', { creditedAt: NOW });
        assert.equal(await tx.deposits.move(one.id, 'SEEN', 'CREDITED', { creditedAt: NOW }), false);
        await tx.deposits.moveAll([another.id], 'SEEN', 'ORPHANED');
        await tx.deposits.reassign(one.id, 'UNASSIGNED', 'RETURNING', {});
        assert.equal(await tx.deposits.reassign(one.id, 'UNASSIGNED', 'RETURNING', {}), false);
        await tx.transfers.add(queued);
        await tx.transfers.move(queued.id, 'REQUESTED', 'HELD', { updatedAt: NOW });
        assert.equal(await tx.transfers.move(queued.id, 'REQUESTED', 'HELD', { updatedAt: NOW }), false);
        await tx.alerts.raise(alert);
        await tx.alerts.raise({ ...alert, id: nextId() as AlertId, reason: 'again' });
      });
      await assert.rejects(changed, /cannot report/);
      dispatcher.failing = false;
      assert.deepEqual(dispatcher.recorded, [
        { type: 'transfer.added', transfer, row },
        { type: 'deposit.added', deposit: one },
        { type: 'deposit.added', deposit: another },
        { type: 'deposit.moved', id: one.id, to: 'CREDITED' },
        { type: 'deposit.moved', id: another.id, to: 'ORPHANED' },
        { type: 'deposit.reassigned', id: one.id, to: 'RETURNING' },
        { type: 'transfer.added', transfer: queued, row: null },
        { type: 'transfer.moved', id: queued.id, to: 'HELD' },
        { type: 'alert.raised', alert },
      ]);
      assert.equal(await second.deposits.find(one.id), null, 'what cannot be reported is not committed');
    },
  },
  {
    title: 'a transaction that fails leaves nothing of what it wrote, and its error is what the caller gets',
    run: async (storage, second) => {
      const order = await storeOrder(storage);
      const failure = new Error('at the very end');
      const work = storage.transaction(async (tx) => {
        await tx.deposits.add(depositOf(order, 5n));
        await postEntry(tx, entryOf(order.accountId, nextId(), 5n));
        assert.equal(await tx.orders.move(order.id, 'PENDING', 'SUCCESS', { received: 5n, updatedAt: NOW }), true);
        throw failure;
      });
      await assert.rejects(work, (error) => error === failure);
      assert.deepEqual(await second.orders.find(order.id), order);
      assert.deepEqual(await second.deposits.byOrder(order.id), []);
      assert.deepEqual(await second.ledger.balances(`merchant:${order.accountId}:`), []);
    },
  },
  {
    title: 'fault 46: amounts of 256 bits come back as they went in, and are summed exactly',
    run: async (storage, second) => {
      const order = await storeOrder(storage, LARGEST);
      assert.equal((await second.orders.find(order.id))?.payment?.units, LARGEST);
      const half = LARGEST / 2n;
      await storage.transaction(async (tx) => {
        await tx.deposits.add(depositOf(order, LARGEST));
        for (const units of [half, half]) await postEntry(tx, entryOf(order.accountId, nextId(), units));
      });
      assert.deepEqual(
        (await second.deposits.byOrder(order.id)).map(({ units }) => units),
        [LARGEST],
      );
      const [balance] = await second.ledger.balances(merchantAccount(order.accountId, 'pending'));
      assert.equal(balance?.units, LARGEST - 1n);
    },
  },
  {
    title: 'fault 53: what waits to be mined is stored once, is live until it is gone, and is taken once',
    run: async (storage, second) => {
      const order = await storeOrder(storage, 5n);
      const { chain, currency } = present(order.payment, 'the order’s payment');
      const unconfirmed: UnconfirmedPayment = {
        chain,
        txid: nextId(),
        index: '0',
        orderId: order.id,
        key: 'k',
        currency,
        units: 5n,
        seenAt: NOW,
        status: 'WAITING',
        since: NOW,
        rate: null,
      };
      const added = await Promise.all(
        [storage, second].map((one) => one.transaction((tx) => tx.unconfirmedPayments.add(unconfirmed))),
      );
      assert.deepEqual(added.sort(), [false, true]);
      assert.deepEqual(await second.unconfirmedPayments.live([order.id]), [unconfirmed]);
      const live = async (): Promise<boolean> => (await second.unconfirmedPayments.live([order.id])).length > 0;
      const move = (from: UnconfirmedPaymentStatus, to: UnconfirmedPaymentStatus): Promise<boolean> =>
        storage.transaction((tx) => tx.unconfirmedPayments.move(unconfirmed, from, to, NOW + 1));
      assert.deepEqual(
        [await move('MISSING', 'GONE'), await move('WAITING', 'MISSING'), await live()],
        [false, true, true],
      );
      assert.deepEqual([await move('MISSING', 'GONE'), await live()], [true, false]);
      const taken = await Promise.all(
        [storage, second].map((one) => one.transaction((tx) => tx.unconfirmedPayments.take(unconfirmed))),
      );
      assert.deepEqual(
        taken.filter((one) => one !== null),
        [{ ...unconfirmed, status: 'GONE', since: NOW + 1 }],
      );
    },
  },
  {
    title: 'fault 44: a status moves once from what it was, also with concurrent writers',
    run: async (storage, second) => {
      const { id } = await storeOrder(storage);
      const won = await winners([storage, second], (one) =>
        one.transaction((tx) => tx.orders.move(id, 'PENDING', 'SUCCESS', { updatedAt: NOW + 1 })),
      );
      assert.equal(won, 1);
      assert.equal(
        await storage.transaction((tx) => tx.orders.move(id, 'PENDING', 'OVERDUE', { updatedAt: NOW + 2 })),
        false,
      );
      assert.equal((await second.orders.find(id))?.status, 'SUCCESS');
    },
  },
  {
    title: 'fault 52: a deposit is known by its chain, transaction and index, and an entry by its reference: once each',
    run: async (storage, second) => {
      const order = await storeOrder(storage);
      const deposit = depositOf(order, 7n);
      const reference = nextId();
      const add = (one: Storage): Promise<boolean> =>
        one.transaction((tx) => tx.deposits.add({ ...deposit, id: nextId() as typeof deposit.id }));
      assert.equal(await winners([storage, second], add), 1);
      assert.equal(
        await winners([storage, second], (one) =>
          one.transaction((tx) => postEntry(tx, entryOf(order.accountId, reference, 7n))),
        ),
        1,
      );
      const [balance] = await second.ledger.balances(merchantAccount(order.accountId, 'pending'));
      assert.equal(balance?.units, 7n);
      assert.deepEqual(
        [...(await storage.ledger.unbalancedEntries(9)), ...(await storage.ledger.driftedBalances(9))],
        [],
      );
    },
  },
  {
    title: 'fault 39: an idempotency key makes one order, and names it to all others with the hash of its body',
    run: async (storage, second) => {
      const { id } = await storeAccount(storage);
      const claim = {
        route: '/api/order/pay-info',
        key: nextId(),
        bodyHash: 'the first body',
        expiresAt: NOW + 86_400_000,
      };
      const results = await Promise.all(
        [storage, second, storage, second].map((one) => one.orders.create(newOrder(id, 5n, claim))),
      );
      const created = results.flatMap((result) => (result.kind === 'created' ? [result.order.id] : []));
      assert.equal(created.length, 1);
      for (const result of results)
        if (result.kind === 'repeated')
          assert.deepEqual([result.orderId, result.bodyHash], [created[0], 'the first body']);
      assert.equal((await second.orders.list(id, { page: 1, size: 10 })).total, 1);
    },
  },
  {
    title:
      'fault 38: of any number of withdrawals at once only as many are reserved as the balance covers, each with all of its rows',
    run: async (storage, second) => {
      const [{ id }, poor] = [await storeAccount(storage), await storeAccount(storage)];
      await storage.transaction((tx) => postEntry(tx, availableEntry(id, 10n)));
      const asked = Array.from({ length: 12 }, (_, at) =>
        (at % 2 === 0 ? storage : second).transfers.reserve(reservationOf(at % 3 === 2 ? poor.id : id, 3n)),
      );
      const outcomes = await Promise.all(asked);
      assert.equal(outcomes.filter(({ kind }) => kind === 'reserved').length, 3);
      assert.deepEqual(outcomes.flatMap((outcome) => (outcome.kind === 'reserved' ? [outcome.left] : [])).sort(), [
        1n,
        4n,
        7n,
      ]);
      assert(outcomes.every(({ kind }) => kind === 'reserved' || kind === 'lacking'));
      const { total, items } = await second.deposits.transactions(id, { page: 1, size: 10 });
      assert.deepEqual([total, items.map(({ number }) => number)], [3, [3, 2, 1]]);
      for (const row of items) assert.equal((await second.transfers.find(row.id as TransferId))?.status, 'REQUESTED');
      assert.equal((await second.deposits.transactions(poor.id, { page: 1, size: 10 })).total, 0);
      assert.deepEqual(await checkLedger(second), []);
    },
  },
  {
    title:
      'fault 39: a key reserves once, also with concurrent requests; after a refusal or its expiry it is free again',
    run: async (storage, second) => {
      const { id } = await storeAccount(storage);
      const claim = {
        route: '/api/withdraw',
        key: nextId(),
        bodyHash: 'the first body',
        expiresAt: NOW + CLAIM_KEPT_MS,
      };
      assert.deepEqual(await storage.transfers.reserve(reservationOf(id, 3n, claim)), { kind: 'lacking' });
      await storage.transaction((tx) => postEntry(tx, availableEntry(id, 10n)));
      const outcomes = await Promise.all(
        [storage, second, storage, second].map((one) => one.transfers.reserve(reservationOf(id, 3n, claim))),
      );
      assert.equal(outcomes.filter(({ kind }) => kind === 'reserved').length, 1);
      const [row] = (await second.deposits.transactions(id, { page: 1, size: 10 })).items;
      for (const outcome of outcomes)
        if (outcome.kind === 'repeated')
          assert.deepEqual([outcome.transferId, outcome.bodyHash], [row?.id, 'the first body']);
      assert.equal(outcomes.filter(({ kind }) => kind === 'repeated').length, 3);
      assert.equal(
        (
          await second.transfers.reserve(
            reservationOf(id, 3n, { ...claim, expiresAt: claim.expiresAt + CLAIM_KEPT_MS }),
          )
        ).kind,
        'reserved',
      );
    },
  },
  {
    title: 'a frozen account reserves nothing, and an account next to it is not held up',
    run: async (storage, second) => {
      const [frozen, free] = [await storeAccount(storage), await storeAccount(storage)];
      for (const { id } of [frozen, free]) await storage.transaction((tx) => postEntry(tx, availableEntry(id, 10n)));
      await second.transaction((tx) =>
        tx.transfers.freeze({ accountId: frozen.id, reason: 'a deposit was lost', at: NOW }),
      );
      const outcomes = await Promise.all(
        [frozen, free, frozen].map(({ id }) => storage.transfers.reserve(reservationOf(id, 3n))),
      );
      assert.deepEqual(outcomes, [
        { kind: 'frozen', reason: 'a deposit was lost' },
        { kind: 'reserved', left: 7n },
        { kind: 'frozen', reason: 'a deposit was lost' },
      ]);
    },
  },
  {
    title: 'fault 59: a Lightning payment hash belongs to one withdrawal, on whichever instance',
    run: async (storage, second) => {
      const { id } = await storeAccount(storage);
      await storage.transaction((tx) => postEntry(tx, availableEntry(id, 10n)));
      const paymentHash = nextId().padStart(64, '0');
      const add = async (one: Storage): Promise<boolean> => {
        const reservation = reservationOf(id, 1n);
        await one.transfers.reserve(reservation);
        const { transfer } = reservation;
        return one.transaction((tx) =>
          tx.lightning.addPayment({
            paymentHash,
            transferId: transfer.id,
            paymentRequest: 'lnbc1',
            msat: null,
            expiresAt: NOW,
          }),
        );
      };
      assert.equal(await winners([storage, second], add), 1);
    },
  },
  {
    title: 'fault 41: a nonce belongs to one payout, and coins to one: all of them or none',
    run: async (storage, second) => {
      const source = `0x${nextId()}`;
      assert.equal(
        await winners([storage, second], (one) =>
          one.transaction((tx) => tx.transfers.openPayout(payoutOf(4, source))),
        ),
        1,
      );
      assert.equal(await second.transfers.nonce('ETH', source), 5);
      const [one, two] = [payoutOf(null, source), payoutOf(null, source)];
      const refs = [`${nextId()}:0`, `${nextId()}:0`] as const;
      await storage.transaction(async (tx) => {
        for (const payout of [one, two]) await tx.transfers.openPayout(payout);
        for (const ref of refs)
          await tx.transfers.addHolding({
            chain: 'ETH',
            ref,
            address: source,
            index: null,
            currency: 'ETH',
            units: 1n,
          });
      });
      const take = (ids: readonly string[], payoutId: PayoutId): Promise<boolean> =>
        second.transaction((tx) => tx.transfers.takeHoldings('ETH', ids, payoutId));
      assert.deepEqual(
        [await take([refs[1]], one.id), await take(refs, two.id), await take([refs[0]], two.id)],
        [true, false, true],
      );
    },
  },
  {
    title: 'fault 1: a signature is used once, on whichever instance',
    run: async (storage, second) => {
      const replayKey = `signature ${nextId()}`;
      assert.equal(await winners([storage, second], (one) => one.accounts.useSignature(replayKey, NOW + 600_000)), 1);
    },
  },
];
