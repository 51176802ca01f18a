import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  approveTransfer,
  beginEpochAfterRestore,
  confirmRestore,
  isTillgateError,
  lostPayment,
  ManageChains,
  ManageWithdrawals,
  OPERATOR,
} from '../../../core/index.ts';
import type { EpochMarker, TransferId } from '../../../core/index.ts';
import { takeBackup } from '../../support/backup.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { requestOf } from '../../support/fake-lightning.ts';
import { buildLightning } from '../../support/lightning.ts';
import type { LightningDomain } from '../../support/lightning.ts';
import { FakeVault } from '../../support/fakes.ts';

const MSAT = 1_000_000n;

/** Further orders are made, then the backup is restored and the till starts on it. */
async function restored(till: LightningDomain, restore: () => Promise<void>): Promise<EpochMarker> {
  await till.invoiceOrder();
  const { tillId, number: epoch } = await till.storage.epochs.current();
  const marker = { tillId, epoch, ...(await till.storage.epochs.progress()) };
  await restore();
  till.clock.advance(1_000);
  assert.equal((await beginEpochAfterRestore({ ...till, chains: new Map() }, marker)).status, 'pending');
  till.clock.advance(1_000);
  return marker;
}

interface Claim {
  readonly paymentHash: string;
  readonly text: string;
  readonly obtainedUnits: bigint;
  readonly feeUnits: bigint;
}

const managing = (till: LightningDomain): ManageWithdrawals =>
  new ManageWithdrawals({
    ...till,
    chains: new Map(),
    lightning: till.node,
    approverHoldMs: 0,
    vault: new FakeVault(),
    pageMax: 100,
  });

const chainsOf = (till: LightningDomain): ManageChains =>
  new ManageChains({ ...till, chains: new Map(), lightning: till.node });

/** Records a lost withdrawal of the merchant as an operator does. */
function recorder(
  till: LightningDomain,
): (claim: Pick<Claim, 'paymentHash' | 'text'> & Partial<Claim>) => Promise<unknown> {
  return async ({ paymentHash, text, obtainedUnits = MSAT, feeUnits = 7n }) =>
    managing(till).record(
      OPERATOR,
      await lostPayment(till.node, {
        ...{ accountId: till.principal.accountId, paymentRequest: text, paymentHash, obtainedUnits, feeUnits },
        units: obtainedUnits + feeUnits,
      }),
    );
}

async function floatOf({ storage }: LightningDomain): Promise<bigint> {
  return (await storage.ledger.balances('operator:BLN'))[0]?.units ?? 0n;
}

/** Passes of the payer over more than ten minutes. */
async function looks(till: LightningDomain): Promise<void> {
  for (let passes = 0; passes < 12; passes++) {
    till.clock.advance(60_000);
    await till.payInvoices();
  }
}

eachStorage((engine, open) => {
  const lightning = (
    name: string,
    body: (till: LightningDomain, backup: () => Promise<() => Promise<void>>) => Promise<void>,
  ): void => {
    test(name, async () => {
      const opened = await open();
      try {
        const till = await buildLightning(opened.storage);
        await till.fund('100');
        await body(till, () => takeBackup(opened));
        await till.checkBooks();
      } finally {
        await opened.close();
      }
    });
  };

  describe(`fault 82: Lightning payments of a restored backup on ${engine}`, () => {
    lightning('paid since are booked as paid, and not paid again', async (till, backup) => {
      const invoice = till.foreignInvoice(MSAT);
      const asked = await till.withdraw(invoice.text);
      const restore = await backup();
      await till.payInvoices();
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
      const left = await till.balance('available', 'BTC-LN');
      await restored(till, restore);
      assert.equal((await till.transfer(asked.tx_id)).status, 'REQUESTED');
      await till.payInvoices();
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
      assert.equal(await till.balance('available', 'BTC-LN'), left);
      assert.equal(await till.balance('reserved', 'BTC-LN'), 0n);
    });

    lightning('that wait are not paid before an operator has approved each', async (till, backup) => {
      const invoice = till.foreignInvoice(MSAT);
      const asked = await till.withdraw(invoice.text);
      const marker = await restored(till, await backup());
      await till.followInvoices();
      await till.payInvoices();
      assert.equal(await till.node.payment(invoice.paymentHash), null);
      assert.equal((await confirmRestore(till, OPERATOR, marker)).held, 1);
      await till.payInvoices();
      const held = await till.transfer(asked.tx_id);
      assert.equal(held.status, 'HELD');
      await till.storage.transaction((tx) => approveTransfer(tx, held.id, till.clock.now()));
      await till.payInvoices();
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
    });

    lightning('given to a node that does not know them are held, never given again or back', async (till, backup) => {
      till.node.route = { kind: 'in-flight' };
      const invoice = till.foreignInvoice(MSAT);
      const asked = await till.withdraw(invoice.text);
      await till.payInvoices();
      const marker = await restored(till, await backup());
      const reserved = await till.balance('reserved', 'BTC-LN');
      // The node's record of payments was deleted, and the receiver would refuse another one.
      till.node.forget(invoice.paymentHash);
      till.node.route = { kind: 'no-route' };
      await till.followInvoices();
      await till.payInvoices();
      assert.equal((await till.transfer(asked.tx_id)).status, 'BROADCAST');
      await confirmRestore(till, OPERATOR, marker);
      await till.payInvoices();
      assert.equal((await till.transfer(asked.tx_id)).status, 'HELD');
      assert.equal(await till.balance('reserved', 'BTC-LN'), reserved);
      assert.equal(await till.node.payment(invoice.paymentHash), null);
    });

    lightning('nothing is booked to the operator before what was waiting is decided', async (till, backup) => {
      const asked = await till.withdraw(till.foreignInvoice(MSAT).text);
      const marker = await restored(till, await backup());
      till.node.ownMsat = 5n * MSAT;
      await till.followInvoices();
      await looks(till);
      assert.equal(await floatOf(till), 0n, 'nor while it waits for the operator');
      await confirmRestore(till, OPERATOR, marker);
      await looks(till);
      assert.deepEqual([await floatOf(till), await till.storage.transfers.payoutStop('BLN')], [0n, null]);
      await till.storage.transaction((tx) => approveTransfer(tx, asked.tx_id as TransferId, till.clock.now()));
      await looks(till);
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
      assert.equal(await floatOf(till), 5n * MSAT);
    });

    lightning(
      'requested and paid since are missing at the node until they are recorded, once',
      async (till, backup) => {
        const restore = await backup();
        const before = await till.balance('available', 'BTC-LN');
        till.node.route = { kind: 'settled', feeMsat: 7n };
        const invoice = till.foreignInvoice(MSAT);
        await till.withdraw(invoice.text);
        await till.payInvoices();
        const marker = await restored(till, restore);
        await till.followInvoices();
        await confirmRestore(till, OPERATOR, marker);
        assert.equal(await till.balance('available', 'BTC-LN'), before, 'the account has it again');
        await looks(till);
        assert.match(
          (await till.storage.transfers.payoutStop('BLN')) ?? '',
          /holds 1000007 msat less .* record each withdrawal/,
        );

        const record = recorder(till);
        const refuses = (code: string, change: Partial<Claim>): Promise<void> =>
          assert.rejects(
            record({ ...invoice, ...change }),
            (error: unknown) => isTillgateError(error) && error.code === code,
          );
        await refuses('INVALID_FIELDS', { paymentHash: till.foreignInvoice(MSAT).paymentHash });
        await refuses('INVALID_FIELDS', { obtainedUnits: MSAT - 1n });
        await refuses('STATE_CONFLICT', { feeUnits: 6n });
        await record(invoice);
        assert.equal(await till.balance('available', 'BTC-LN'), before - MSAT - 7n);
        await refuses('STATE_CONFLICT', {});
        await assert.rejects(till.withdraw(invoice.text), /paid only once/);
        assert.equal(await till.balance('available', 'BTC-LN'), before - MSAT - 7n);
        await chainsOf(till).resumePayouts(OPERATOR, 'BLN');
        await looks(till);
        assert.deepEqual([await till.storage.transfers.payoutStop('BLN'), await floatOf(till)], [null, 0n]);
      },
    );

    for (const [name, asks, charged] of [
      ['less than its invoice asks for, is settled with that amount', 9_000_000n, 25_000n],
      ['more than its invoice asks for, costs its account no more than that', 20_000n, 20_000n],
    ] as const)
      lightning(`fault 400: a held one, whose hash the node paid with ${name}`, async (till, backup) => {
        const restore = await backup();
        const { paymentHash, text } = till.foreignInvoice(25_000n);
        await till.withdraw(text);
        await till.payInvoices();
        const marker = await restored(till, restore);
        await till.followInvoices();
        await confirmRestore(till, OPERATOR, marker);
        const before = await till.balance('available', 'BTC-LN');
        const expiresAt = till.clock.now() + 3_600_000;
        const { tx_id: id } = await till.withdraw(requestOf({ paymentHash, msat: asks, expiresAt }));
        const transfer = await till.transfer(id);
        await till.storage.transaction((tx) =>
          tx.transfers.move(transfer.id, 'REQUESTED', 'HELD', { reason: 'checked', updatedAt: till.clock.now() }),
        );
        const settle = (obtainedUnits: bigint): Promise<unknown> =>
          managing(till).settle(OPERATOR, transfer.id, { txHash: paymentHash, obtainedUnits, feeUnits: 0n });
        await assert.rejects(settle(asks), new RegExp(`The node paid 25000 msat under .*, not ${asks}`));
        await settle(25_000n);
        assert.equal((await till.transfer(id)).units, charged);
        assert.equal(await till.balance('available', 'BTC-LN'), before - charged);
      });

    lightning('paid since are not taken from the float before the operator says so', async (till, backup) => {
      till.node.ownMsat = 5n * MSAT;
      await looks(till);
      const restore = await backup();
      till.node.route = { kind: 'settled', feeMsat: 7n };
      await till.withdraw(till.foreignInvoice(MSAT).text);
      await till.payInvoices();
      const marker = await restored(till, restore);
      await till.followInvoices();
      await confirmRestore(till, OPERATOR, marker);
      const again = await till.withdraw(till.foreignInvoice(MSAT).text);
      await looks(till);
      assert.equal((await till.transfer(again.tx_id)).status, 'REQUESTED');
      assert.match((await till.storage.transfers.payoutStop('BLN')) ?? '', /holds 1000007 msat less/);
      assert.equal(till.events.of('alert').filter(({ subject }) => subject === 'chain BLN').length, 1);
      assert.equal(await floatOf(till), 5n * MSAT);
      await chainsOf(till).resumePayouts(OPERATOR, 'BLN');
      assert.equal(await floatOf(till), 4n * MSAT - 7n, 'on the operator’s word');
      await looks(till);
      assert.equal((await till.transfer(again.tx_id)).status, 'CONFIRMED');
      till.node.ownMsat -= MSAT;
      await looks(till);
      assert.deepEqual([await till.storage.transfers.payoutStop('BLN'), await floatOf(till)], [null, 3n * MSAT - 7n]);
    });

    lightning('paid since are not hidden by what was settled since and is not booked yet', async (till, backup) => {
      till.node.ownMsat = 5n * MSAT;
      await looks(till);
      const order = await till.invoiceOrder('10');
      const restore = await backup();
      await till.withdraw(till.foreignInvoice(MSAT).text);
      await till.payInvoices();
      const marker = await restored(till, restore);
      await till.followInvoices();
      await confirmRestore(till, OPERATOR, marker);
      till.node.cut = true;
      till.node.settle(order.payment?.address ?? '');
      await looks(till);
      till.node.cut = false;
      await till.followInvoices();
      await looks(till);
      assert.match((await till.storage.transfers.payoutStop('BLN')) ?? '', /holds 1000000 msat less/);
      assert.equal(await floatOf(till), 5n * MSAT);
    });

    lightning('that the node has not paid are not recorded as paid', async (till) => {
      const before = await till.balance('available', 'BTC-LN');
      for (const [kind, words] of [
        ['in-flight', /still paying/],
        ['no-route', /could not pay/],
      ] as const) {
        const invoice = till.foreignInvoice(MSAT);
        till.node.route = { kind };
        await till.node.pay({ ...invoice, paymentRequest: invoice.text, msat: null, maxFeeMsat: 0n });
        await assert.rejects(recorder(till)(invoice), { code: 'STATE_CONFLICT', message: words });
      }
      assert.equal(await till.balance('available', 'BTC-LN'), before);
    });

    lightning('that wait in the backup are not recorded a second time', async (till) => {
      const invoice = till.foreignInvoice(MSAT);
      await till.withdraw(invoice.text);
      await till.node.pay({ ...invoice, paymentRequest: invoice.text, msat: null, maxFeeMsat: 0n });
      await assert.rejects(recorder(till)({ ...invoice, feeUnits: 0n }), { code: 'STATE_CONFLICT' });
      await till.payInvoices();
    });

    lightning('fault 400: held, and forgotten by the node, are settled by the operator’s word alone', async (till) => {
      const invoice = till.foreignInvoice(MSAT);
      const { tx_id } = await till.withdraw(invoice.text);
      const id = tx_id as TransferId;
      const before = await till.balance('available', 'BTC-LN');
      const manage = managing(till);
      const settle = (change: { obtainedUnits?: bigint; txHash?: string } = {}): Promise<unknown> =>
        manage.settle(OPERATOR, id, { txHash: invoice.paymentHash, feeUnits: 7n, obtainedUnits: MSAT, ...change });
      await assert.rejects(settle(), { code: 'STATE_CONFLICT' }, 'it is not held');
      await till.storage.transaction((tx) =>
        tx.transfers.move(id, 'REQUESTED', 'HELD', { reason: 'It may be paid.', updatedAt: till.clock.now() }),
      );
      for (const obtainedUnits of [MSAT + 1n, MSAT - 1n, 0n])
        await assert.rejects(settle({ obtainedUnits }), /^TillgateError: Its invoice gets \d+ msat/);
      await assert.rejects(settle({ txHash: till.foreignInvoice(MSAT).paymentHash }), { code: 'STATE_CONFLICT' });
      till.node.route = { kind: 'no-route' };
      await till.node.pay({ ...invoice, paymentRequest: invoice.text, msat: null, maxFeeMsat: 0n });
      await assert.rejects(settle(), { code: 'STATE_CONFLICT' }, 'the node says that it failed');
      till.node.forget(invoice.paymentHash);
      till.node.ownMsat = -MSAT - 7n;
      await settle();
      assert.equal((await till.transfer(tx_id)).status, 'CONFIRMED');
      assert.equal(await till.balance('reserved', 'BTC-LN'), 0n);
      assert.equal(await till.balance('available', 'BTC-LN'), before + 10_000n - 7n);
      await looks(till);
      assert.equal(await till.storage.transfers.payoutStop('BLN'), null);
    });
  });
});
