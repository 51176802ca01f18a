import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OPERATOR, present, rejectTransfer } from '../../../core/index.ts';
import type { PayoutBatchId, Storage } from '../../../core/index.ts';
import { batchesOf } from '../../support/batches.ts';
import type { Batches } from '../../support/batches.ts';
import { Crash, CrashPoint } from '../../support/crashing.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';

/** More calls than approving, and making the rows of one batch transfers, take. */
const MOST_CALLS = 60;
const FEWEST_CALLS = 12;
/** More than one part of a batch. */
const ROWS = 52;
const CENT = 10n ** 16n;

eachStorage((engine, open) => {
  describe(`a payout batch whose process is killed between any two calls, on ${engine}`, () => {
    for (const when of ['before', 'after'] as const)
      test(`killed ${when} a call's effect: each row is one transfer (fault 494)`, async (t) => {
        const till = await buildMoney((await open(t)).storage);
        const batches = batchesOf(till);
        await till.fund('ETH', '200000');
        let at = 1;
        while (await crashAt(till, batches, at, when === 'after')) {
          at += 1;
          assert.ok(at < MOST_CALLS, 'the run never ends');
        }
        assert.ok(at > FEWEST_CALLS, `only ${at} calls were seen`);
      });
  });
});

/** @returns false when every row was a transfer before the crash point */
async function crashAt(till: MoneyDomain, batches: Batches, at: number, after: boolean): Promise<boolean> {
  const rows = Array.from({ length: ROWS }, (_, row) => batches.row(`${at}-${after}-${row}`, { amount: '0.01' }));
  const { batch } = await batches.create(rows);
  const before = await till.balance('reserved', 'ETH');
  const point = new CrashPoint(at, after);
  await run(batches, batch.id, point.watch(till.storage, 'storage'));
  await till.checkBooks();
  await run(batches, batch.id, till.storage);
  const found = await batches.rows(batch.id);
  assert.equal(new Set(found.map(({ transferId }) => transferId)).size, ROWS, `killed at call ${at}`);
  assert.ok(found.every(({ transfer }) => transfer?.status === 'REQUESTED'));
  assert.equal(await till.balance('claims', 'ETH'), 0n);
  assert.equal((await till.balance('reserved', 'ETH')) - before, BigInt(ROWS) * CENT);
  await till.checkBooks();
  await till.storage.transaction(async (tx) => {
    const context = { now: till.clock.now(), ids: till.ids };
    for (const { transferId } of found) await rejectTransfer(tx, present(transferId, 'a transfer'), 'No.', context);
  });
  await batches.work();
  return point.crashed;
}

/** One process, which approves the batch and makes its rows transfers until it is killed. */
async function run(batches: Batches, id: PayoutBatchId, storage: Storage): Promise<void> {
  const lease = await batches.workLease();
  const manage = batches.newManage(storage);
  const worker = batches.newWorker(storage);
  try {
    if ((await manage.find(OPERATOR, id)).batch.status === 'DRAFT') await manage.approve(OPERATOR, id);
    while (await worker.step(lease));
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
  }
}
