import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { approveTransfer, beginEpochAfterRestore, confirmRestore, OPERATOR } from '../../../core/index.ts';
import type { EpochMarker } from '../../../core/index.ts';
import { takeBackup } from '../../support/backup.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildLightning } from '../../support/lightning.ts';
import type { LightningDomain } from '../../support/lightning.ts';

const MSAT = 1_000_000n;

/** Orders go on, then the backup is restored and the till starts on it. */
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
      // The node's payments were deleted, and the receiver would refuse another one.
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
  });
});
