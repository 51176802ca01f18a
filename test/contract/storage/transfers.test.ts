import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationKey, TRANSFER_KINDS, TRANSFER_STATUSES, TRANSFER_TRANSITIONS } from '../../../core/index.ts';
import type {
  Authorization,
  ClaimId,
  OrderId,
  PayoutBatchId,
  TransactionChanges,
  Transfer,
  TransferEvent,
  TransferId,
  TransferStatus,
} from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { claim, deposit, nextId, NOW, transactionRow } from './fixtures.ts';
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

const MAX = 2n ** 256n - 1n;
const EVENTS = Object.keys(TRANSFER_TRANSITIONS) as TransferEvent[];
/** The status changes of all events: the database cannot tell which event caused one. */
const LEGAL = new Set(
  Object.values(TRANSFER_TRANSITIONS).flatMap(({ from, to }) => from.map((status) => `${status} ${to}`)),
);
const FINAL: readonly TransferStatus[] = ['CONFIRMED', 'FAILED'];

function authorization(given: Partial<Authorization> = {}): Authorization {
  return {
    currency: 'USDT-ERC20',
    units: MAX,
    from: '0xAbC0000000000000000000000000000000000001',
    validAfter: 0n,
    validBefore: MAX,
    nonce: `0x${'1'.repeat(64)}`,
    signature: `0x${'2'.repeat(130)}`,
    ...given,
  };
}

eachStorage((_name, opened) => {
  test('an authorization is stored once for ever, and an order has one charge that is not finished', async (t) => {
    const { storage } = await opened(t);
    const [order, other] = [await paidOrder(storage), await paidOrder(storage)];
    const charge = (orderId: OrderId, given: Partial<Authorization> = {}): Transfer => ({
      ...transfer({ kind: 'charge', orderId, units: 0n }),
      authorization: authorization(given),
    });
    const first = charge(order.id);
    const nonces = [`0x${'3'.repeat(64)}`, `0x${'4'.repeat(64)}`] as const;
    const added = await Promise.all([first, charge(order.id)].map((one) => add(storage, one)));
    assert.deepEqual(added.toSorted(), [false, true]);
    assert.equal(await add(storage, charge(order.id, { nonce: nonces[0] })), false, 'one of the order is under way');
    assert.equal(await add(storage, charge(other.id)), false, 'another order');
    const found = await storage.transfers.chargeOf(first.chain, authorizationKey(authorization()));
    assert.deepEqual([found?.orderId, found?.authorization], [order.id, authorization()]);
    assert.equal(await storage.transfers.chargeOf('BSC', authorizationKey(authorization())), null);
    assert(found !== null);
    const over = { reason: 'refused', updatedAt: NOW, finishedAt: NOW };
    assert(await storage.transaction((tx) => tx.transfers.move(found.id, found.status, 'FAILED', over)));
    assert.equal(await add(storage, charge(order.id)), false, 'a finished one is not sent again');
    const next = charge(order.id, { nonce: nonces[1] });
    assert.equal(await add(storage, next), true);
    const failed = (id: OrderId): Promise<number> => storage.transaction((tx) => tx.transfers.failedCharges(id));
    assert.equal(await failed(order.id), 0, 'one that was not signed does not count');
    await signed(storage, [next]);
    assert.equal(await failed(order.id), 0, 'one that is under way does not count');
    assert(await storage.transaction((tx) => tx.transfers.move(next.id, 'SIGNED', 'FAILED', over)));
    assert.deepEqual([await failed(order.id), await failed(other.id)], [1, 0]);
  });

  test('a transfer comes back as it was added, of every kind, with 2^256−1 units', async (t) => {
    const { storage } = await opened(t);
    const order = await paidOrder(storage);
    const unassigned = deposit(order, { assignment: 'UNASSIGNED', unassignedReason: 'late' });
    await storage.transaction((tx) => tx.deposits.add(unassigned));
    for (const kind of TRANSFER_KINDS) {
      const base =
        kind === 'refund' ? refund(order) : kind === 'withdrawal' ? withdrawal(order.accountId) : transfer({ kind });
      const made: Transfer = {
        ...base,
        ...(kind === 'return' ? { depositId: unassigned.id } : {}),
        ...(kind === 'charge' ? { authorization: authorization() } : {}),
        ...(kind === 'payout' ? { batchId: 'batch' as PayoutBatchId, notBefore: NOW } : {}),
        units: MAX,
        feeUnits: 2n ** 53n + 1n,
        maxFeeUnits: MAX,
        reason: 'waits — “gas”',
        status: 'HELD',
      };
      assert.equal(await add(storage, made), true);
      assert.deepEqual(await storage.transfers.find(made.id), made);
      assert.deepEqual(await storage.transaction((tx) => tx.transfers.lock(made.id)), made);
    }
    for (const unknown of ['1', 'x\0y'] as TransferId[]) assert.equal(await storage.transfers.find(unknown), null);
    assert.equal(await storage.transaction((tx) => tx.transfers.lock('1' as TransferId)), null);
  });

  test('fault 44: every (status, event) pair moves a transfer where the table allows it, and the database refuses every other move', async (t) => {
    const { storage, sql } = await opened(t);
    for (const status of TRANSFER_STATUSES) {
      for (const event of EVENTS) {
        const { to } = TRANSFER_TRANSITIONS[event];
        const made = await stored(storage, transfer({ status }));
        const moved = storage.transaction((tx) => tx.transfers.move(made.id, status, to, { updatedAt: NOW + 1 }));
        if (LEGAL.has(`${status} ${to}`) || status === to) {
          assert.equal(await moved, true, `${event} from ${status}`);
          assert.deepEqual(await storage.transfers.find(made.id), { ...made, status: to, updatedAt: NOW + 1 });
        } else {
          await assert.rejects(moved, /illegal change of status/, `${event} from ${status}`);
          await assert.rejects(
            sql('UPDATE transfers SET status = ? WHERE id = ?', [to, made.id]),
            /illegal change of status/,
          );
          assert.deepEqual(await storage.transfers.find(made.id), made);
        }
      }
    }
    const signing = await stored(storage, transfer());
    await assert.rejects(sql("UPDATE transfers SET status = 'PAID' WHERE id = ?", [signing.id]));
  });

  test('a move is a compare-and-set: of two at once one wins, and a stale one changes nothing', async (t) => {
    const { storage, another } = await opened(t);
    const second = await another();
    const made = await stored(storage, transfer());
    const abandon = (n: number): Promise<boolean> =>
      (n % 2 === 0 ? storage : second).transaction((tx) =>
        tx.transfers.move(made.id, 'REQUESTED', 'FAILED', { updatedAt: n, finishedAt: n, reason: `by ${n}` }),
      );
    const won = await Promise.all([1, 2, 3, 4].map(abandon));
    assert.equal(won.filter(Boolean).length, 1);
    const winner = won.indexOf(true) + 1;
    const expected: Transfer = {
      ...made,
      status: 'FAILED',
      updatedAt: winner,
      finishedAt: winner,
      reason: `by ${winner}`,
    };
    assert.deepEqual(await storage.transfers.find(made.id), expected);
    assert.equal(await storage.transaction((tx) => tx.transfers.update(made.id, 'REQUESTED', { updatedAt: 9 })), false);
    assert.deepEqual(await storage.transfers.find(made.id), expected);
  });

  test('changes touch what they name and nothing else, and a reason can be taken away', async (t) => {
    const { storage } = await opened(t);
    const made = await stored(storage, transfer({ reason: 'waits for gas' }));
    const own = payout();
    await open(storage, own);
    const changes = {
      feeUnits: MAX,
      maxFeeUnits: 2n ** 255n,
      payoutId: own.id,
      reason: null,
      updatedAt: NOW + 5,
      finishedAt: NOW + 6,
    };
    assert.equal(await storage.transaction((tx) => tx.transfers.update(made.id, 'REQUESTED', changes)), true);
    assert.deepEqual(await storage.transfers.find(made.id), { ...made, ...changes });
    assert.equal(
      await storage.transaction((tx) => tx.transfers.update('1' as TransferId, 'REQUESTED', { updatedAt: 1 })),
      false,
    );
  });

  test('what stands in the way of what: refunds by order, gas by receiver, sweeps by source and currency, cold by currency', async (t) => {
    const { storage } = await opened(t);
    const [order, other] = [await paidOrder(storage), await paidOrder(storage)];
    const rules: readonly { first: Transfer; refused: Transfer; taken: readonly Transfer[] }[] = [
      { first: refund(order), refused: refund(order, { chain: 'BSC', currency: 'BNB' }), taken: [refund(other)] },
      {
        first: transfer({ kind: 'gas', toAddress: '0xa' }),
        refused: transfer({ kind: 'gas', toAddress: '0xa', currency: 'X' }),
        taken: [
          transfer({ kind: 'gas', toAddress: '0xb' }),
          transfer({ kind: 'gas', toAddress: '0xa', chain: 'BSC' }),
          transfer({ toAddress: '0xa' }),
        ],
      },
      {
        first: transfer({ sourceAddress: '0xs' }),
        refused: transfer({ sourceAddress: '0xs', toAddress: '0xother' }),
        taken: [
          transfer({ sourceAddress: '0xs', currency: 'USDT-ERC20' }),
          transfer({ sourceAddress: '0xs', chain: 'BSC' }),
          transfer({ sourceAddress: '0xt' }),
        ],
      },
      {
        first: transfer({ kind: 'cold' }),
        refused: transfer({ kind: 'cold', toAddress: '0xvault' }),
        taken: [transfer({ kind: 'cold', currency: 'USDT-ERC20' }), transfer({ kind: 'cold', chain: 'BSC' })],
      },
    ];
    for (const { first, refused, taken } of rules) {
      assert.equal(await add(storage, first), true, first.kind);
      // The refused transaction continues as if nothing had been tried.
      const both = await storage.transaction(async (tx) => [
        await tx.transfers.add(refused),
        await tx.transfers.add(withdrawal(order.accountId)),
      ]);
      assert.deepEqual(both, [false, true], first.kind);
      assert.equal(await storage.transfers.find(refused.id), null);
      for (const each of taken) assert.equal(await add(storage, each), true, `${each.kind} beside ${first.kind}`);
    }
    const [mine, again] = [withdrawal(order.accountId), withdrawal(order.accountId)];
    assert.deepEqual([await add(storage, mine), await add(storage, again)], [true, true], 'withdrawals do not');
    assert.equal(await add(storage, mine), false, 'a known id adds nothing');
  });

  test('a live transfer stands in the way in each of its statuses, a finished one does not', async (t) => {
    const { storage } = await opened(t);
    for (const status of TRANSFER_STATUSES) {
      await add(storage, transfer({ status, sourceAddress: `0x${status}` }));
      await add(storage, transfer({ kind: 'gas', status, toAddress: `0x${status}` }));
      await add(storage, transfer({ kind: 'cold', status, currency: status }));
      const seconds = [
        transfer({ sourceAddress: `0x${status}` }),
        transfer({ kind: 'gas', toAddress: `0x${status}` }),
        transfer({ kind: 'cold', currency: status }),
      ];
      for (const each of seconds)
        assert.equal(await add(storage, each), FINAL.includes(status), `${each.kind} beside one that is ${status}`);
    }
  });

  test('fault 47: of many refunds of one order one is made at a time, and another only after it has ended', async (t) => {
    const { storage, another } = await opened(t);
    const second = await another();
    const order = await paidOrder(storage);
    assert.equal(await storage.transfers.refundOf(order.id), null);
    const asked = await Promise.all(
      Array.from({ length: 8 }, (_, n) => add(n % 2 === 0 ? storage : second, refund(order))),
    );
    assert.equal(asked.filter(Boolean).length, 1);
    const first = (await storage.transfers.refundOf(order.id))!;
    await storage.transaction((tx) => tx.transfers.move(first.id, 'REQUESTED', 'FAILED', { updatedAt: NOW }));
    const failed = await stored(storage, refund(order, { status: 'FAILED' }));
    assert.deepEqual(await storage.transfers.refundOf(order.id), failed, 'the newest that failed');
    const paid = await stored(storage, refund(order));
    await signed(storage, [paid], {}, 'CONFIRMED');
    await stored(storage, refund(order, { status: 'FAILED' }));
    assert.deepEqual((await storage.transfers.refundOf(order.id))?.id, paid.id, 'what was paid, whatever failed since');
    const later = await stored(storage, refund(order));
    assert.equal(await add(storage, refund(order)), false);
    assert.equal((await storage.transfers.refundOf(order.id))?.id, later.id);
    const all = await storage.transaction((tx) => tx.transfers.refundsOf(order.id));
    assert.deepEqual(all, await storage.transfers.refundsOf([order.id]));
    assert.deepEqual(
      all.filter(({ status }) => status !== 'FAILED').map(({ id }) => id),
      [paid.id, later.id],
    );
    assert.equal(await storage.transfers.refundOf('x\0' as OrderId), null);
  });

  test('refunds of several orders come at once, the oldest first', async (t) => {
    const { storage } = await opened(t);
    const accountId = await merchant(storage);
    const orders = [
      await paidOrder(storage, accountId),
      await paidOrder(storage, accountId),
      await paidOrder(storage, accountId),
    ];
    const [live, failed] = [refund(orders[0]!), refund(orders[1]!, { status: 'FAILED' })];
    const other = refund(orders[0]!, { status: 'FAILED' });
    for (const each of [other, failed, live]) await add(storage, each);
    const found = await storage.transfers.refundsOf(orders.map(({ id }) => id));
    assert.deepEqual(
      found.map(({ id }) => id),
      [live, failed, other].map(({ id }) => id).sort(),
    );
    assert.deepEqual(await storage.transfers.refundsOf([]), []);
  });

  test('transfers that wait are paged by id, oldest first, of one chain alone', async (t) => {
    const { storage } = await opened(t);
    const made: Transfer[] = [];
    for (let n = 0; n < 5; n++) made.push(await stored(storage, transfer()));
    await add(storage, transfer({ chain: 'BSC' }));
    for (const status of ['HELD', 'SIGNED', 'BROADCAST', 'CONFIRMED', 'FAILED'] as const)
      await add(storage, transfer({ status }));
    const ids = (rows: readonly Transfer[]): readonly string[] => rows.map(({ id }) => id);
    assert.deepEqual(await storage.transfers.waiting('ETH', Number.MAX_SAFE_INTEGER, null, 2), made.slice(0, 2));
    assert.deepEqual(
      ids(await storage.transfers.waiting('ETH', Number.MAX_SAFE_INTEGER, made[1]!.id, 10)),
      ids(made.slice(2)),
    );
    assert.deepEqual(await storage.transfers.waiting('ETH', Number.MAX_SAFE_INTEGER, made[4]!.id, 10), []);
  });

  test('a payout keeps its claim or batch, and waits for its time', async (t) => {
    const { storage } = await opened(t);
    const due = 1_000;
    const claimed = await stored(storage, transfer({ kind: 'payout', claimId: 'claim' as ClaimId, notBefore: due }));
    const batched = await stored(storage, transfer({ kind: 'payout', batchId: 'batch' as PayoutBatchId }));
    assert.deepEqual(await storage.transfers.find(claimed.id), claimed);
    assert.deepEqual(await storage.transfers.waiting('ETH', due - 1, null, 5), [batched]);
    assert.deepEqual(await storage.transfers.waiting('ETH', due, null, 5), [claimed, batched]);
    const again = transfer({ kind: 'payout', claimId: 'claim' as ClaimId });
    assert.equal(await add(storage, again), false, 'a claim is paid by one transfer, for ever');
  });

  test('lists are newest first, of all or of one status, from any of them on, and counted by status', async (t) => {
    const { storage } = await opened(t);
    const made: Transfer[] = [];
    for (const status of ['HELD', 'REQUESTED', 'HELD', 'FAILED', 'HELD'] as const)
      made.push(await stored(storage, transfer({ status })));
    const all = await storage.transfers.list(null, { before: null, limit: 3 });
    assert.deepEqual(all, [...made].reverse().slice(0, 3));
    assert.deepEqual(await storage.transfers.list('HELD', { before: made[2]!.id, limit: 2 }), [made[0]]);
    assert.deepEqual(await storage.transfers.list('SIGNED', { before: null, limit: 2 }), []);
    assert.deepEqual([await storage.transfers.countOf('HELD'), await storage.transfers.countOf('SIGNED')], [3, 0]);
  });

  test('the list of an account has its own transfers alone, of all or of one status, with their hashes', async (t) => {
    const { storage } = await opened(t);
    const order = await paidOrder(storage);
    const [own, other] = [order.accountId, await merchant(storage)];
    const made = await stored(storage, withdrawal(own, { status: 'HELD' }));
    const back = await stored(storage, refund(order));
    await stored(storage, withdrawal(other, { status: 'HELD' }));
    await stored(storage, transfer({ status: 'HELD' }));
    const sent = transactionRow(deposit(order), { id: back.id, type: 'REFUND', txHash: '0xrefund' });
    const waiting = transactionRow(deposit(order), { id: made.id, type: 'WITHDRAW', txHash: null });
    for (const row of [sent, waiting]) await storage.transaction((tx) => tx.deposits.addTransaction(row));
    const all = await storage.transfers.list(null, { before: null, limit: 10 }, own);
    assert.deepEqual(all, [back, made]);
    const held = await storage.transfers.list('HELD', { before: null, limit: 10 }, own);
    assert.deepEqual(held, [made]);
    assert.equal((await storage.transfers.list('HELD', { before: null, limit: 10 }, null)).length, 3);
    const hashes = await storage.transfers.txHashes([made.id, back.id, '1' as TransferId]);
    assert.deepEqual([...hashes], [[back.id, '0xrefund']]);
    assert.equal((await storage.transfers.txHashes([])).size, 0);
  });

  test('fault 39: a key is claimed once, also by two at the same time, and says what it was claimed for', async (t) => {
    const { storage, another } = await opened(t);
    const second = await another();
    const accountId = await merchant(storage);
    const route = '/api/withdraw';
    const ids = Array.from({ length: 6 }, () => nextId() as TransferId);
    const results = await Promise.all(
      ids.map((id, n) =>
        (n % 2 === 0 ? storage : second).transaction((tx) =>
          tx.transfers.claim(accountId, claim('k', { route, bodyHash: `body-${n}` }), id),
        ),
      ),
    );
    const winner = results.indexOf(null);
    const former = { transferId: ids[winner]!, bodyHash: `body-${winner}` };
    assert.deepEqual(
      results.filter((result) => result !== null),
      Array.from({ length: 5 }, () => former),
    );
    assert.deepEqual(await storage.transfers.claimed(accountId, claim('k', { route })), former);
    const others = [
      [accountId, claim('k', { route: '/api/order/pay-info' })],
      [accountId, claim('K', { route })],
      [await merchant(storage), claim('k', { route })],
    ] as const;
    for (const [account, of] of others) {
      assert.equal(await storage.transfers.claimed(account, of), null);
      assert.equal(await storage.transaction((tx) => tx.transfers.claim(account, of, nextId() as TransferId)), null);
    }
    assert.equal(await storage.transfers.claimed(accountId, claim('x\0y', { route })), null);
  });

  test('a claim ends after its time and is made anew; one that was rolled back was never made', async (t) => {
    const { storage } = await opened(t);
    const accountId = await merchant(storage);
    const at = (later: number) => claim('k', { expiresAt: NOW + 86_400_000 + later });
    const make = (later: number): Promise<unknown> =>
      storage.transaction((tx) => tx.transfers.claim(accountId, at(later), nextId() as TransferId));
    const broken = storage.transaction(async (tx) => {
      await tx.transfers.claim(accountId, at(0), nextId() as TransferId);
      throw new Error('no');
    });
    await assert.rejects(broken, /no/);
    assert.equal(await make(0), null);
    assert.notEqual(await storage.transfers.claimed(accountId, at(86_399_999)), null);
    assert.notEqual(await make(86_399_999), null);
    assert.equal(await storage.transfers.claimed(accountId, at(86_400_000)), null);
    assert.equal(await make(86_400_000), null);
  });

  test('an account is frozen with its newest reason until it is unfrozen', async (t) => {
    const { storage } = await opened(t);
    const accountId = await merchant(storage);
    assert.equal(await storage.transfers.freeze(accountId), null);
    await storage.transaction((tx) => tx.transfers.freeze({ accountId, reason: 'reorganisation', at: NOW }));
    const later = { accountId, reason: 'operator', at: NOW + 1 };
    const seen = await storage.transaction(async (tx) => {
      await tx.transfers.freeze(later);
      return tx.transfers.findFreeze(accountId);
    });
    assert.deepEqual(seen, later);
    assert.deepEqual(await storage.transfers.freeze(accountId), later);
    const lift = (): Promise<boolean> => storage.transaction((tx) => tx.transfers.unfreeze(accountId));
    assert.deepEqual([await lift(), await lift()], [true, false]);
    assert.equal(await storage.transaction((tx) => tx.transfers.findFreeze(accountId)), null);
  });

  test('payments of a chain are stopped with a reason until they are not, by compare-and-set', async (t) => {
    const { storage } = await opened(t);
    const reason = (): Promise<string | null> => storage.transfers.payoutStop('ETH');
    await storage.transfers.replacePayoutStop('BSC', null, 'another chain');
    assert.equal(await reason(), null);
    for (const words of ['nonces differ', 'custody differs', null, null]) {
      const former = await reason();
      assert.equal(await storage.transfers.replacePayoutStop('ETH', 'some other stop', 'nothing'), false);
      assert.equal(await storage.transfers.replacePayoutStop('ETH', 'some other stop', null), false);
      if (former !== null) assert.equal(await storage.transfers.replacePayoutStop('ETH', null, 'nothing'), false);
      assert.equal(await reason(), former);
      if (former === null && words === null) break;
      assert.equal(await storage.transfers.replacePayoutStop('ETH', former, words), true);
      assert.equal(await reason(), words);
    }
    await storage.transaction((tx) => tx.transfers.setPayoutStop('ETH', 'an operator'));
    await storage.transaction((tx) => tx.transfers.setPayoutStop('ETH', 'another operator'));
    assert.equal(await reason(), 'another operator');
    assert.equal(
      await storage.transaction((tx) => tx.transfers.replacePayoutStop('ETH', 'another operator', null)),
      true,
    );
    assert.equal(await reason(), null);
    assert.equal(await storage.transfers.payoutStop('BSC'), 'another chain');
  });

  test('a transaction row changes as told, exactly, and only if there is one', async (t) => {
    const { storage } = await opened(t);
    const order = await paidOrder(storage);
    const row = transactionRow(deposit(order), { type: 'REFUND', status: 'PENDING', txHash: null });
    await storage.transaction((tx) => tx.deposits.addTransaction(row));
    const update = (id: string, changes: TransactionChanges): Promise<boolean> =>
      storage.transaction((tx) => tx.deposits.updateTransaction(id, changes));
    assert.equal(await update(row.id, {}), true);
    assert.equal(
      await update(row.id, { status: 'SUCCESS', obtained: MAX, fee: 2n ** 53n + 1n, txHash: '0xpaid' }),
      true,
    );
    const [found] = (await storage.deposits.transactions(order.accountId, { page: 1, size: 1 })).items;
    assert.deepEqual(found, {
      ...row,
      number: 1,
      status: 'SUCCESS',
      obtained: MAX,
      fee: 2n ** 53n + 1n,
      txHash: '0xpaid',
    });
    assert.deepEqual([await update('1', {}), await update('1', { status: 'FAILED' })], [false, false]);
  });

  test('all that a transaction did around transfers is undone with it', async (t) => {
    const { storage } = await opened(t);
    const accountId = await merchant(storage);
    const [made, opening] = [withdrawal(accountId), payout({ nonce: 3 })];
    const work = storage.transaction(async (tx) => {
      await tx.transfers.add(made);
      await tx.transfers.openPayout(opening);
      await tx.transfers.move(made.id, 'REQUESTED', 'SIGNED', { payoutId: opening.id, updatedAt: NOW });
      await tx.transfers.freeze({ accountId, reason: 'x', at: NOW });
      await tx.transfers.addHolding({ chain: 'ETH', ref: 'r:0', address: '0xd', index: 1, currency: 'ETH', units: 1n });
      throw new Error('no');
    });
    await assert.rejects(work, /no/);
    assert.deepEqual(
      [await storage.transfers.find(made.id), await storage.transfers.nonce('ETH', opening.sourceAddress)],
      [null, null],
    );
    assert.deepEqual(
      [await storage.transfers.freeze(accountId), await storage.transfers.payoutOf(made.id)],
      [null, null],
    );
    assert.deepEqual(await storage.transfers.holdings('ETH', null, 10), []);
    assert.equal(await storage.transaction((tx) => tx.transfers.lockPayout(opening.id)), null);
  });
});
