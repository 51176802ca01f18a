import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { checkLedger, ManageChains, OPERATOR, readSolvency } from '../../../core/index.ts';
import { LIGHTNING_ASSET } from '../../../core/kernel/asset.ts';
import { beforeCall } from '../../support/before-call.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { requestOf } from '../../support/fake-lightning.ts';
import { buildLightning } from '../../support/lightning.ts';
import type { LightningDomain } from '../../support/lightning.ts';
import { testsOf } from '../../support/storage.ts';

const MINUTE = 60_000;
const OWN = 5_000_000n;
const PAID = 1_000_000n;

async function floatOf({ storage }: LightningDomain): Promise<bigint> {
  return (await storage.ledger.balances('operator:BLN'))[0]?.units ?? 0n;
}

async function solvencyOf({ storage }: LightningDomain): Promise<bigint> {
  return (await readSolvency({ code: 'BLN', assets: [LIGHTNING_ASSET] }, storage))[0]?.units ?? 0n;
}

const stopOf = ({ storage }: LightningDomain): Promise<string | null> => storage.transfers.payoutStop('BLN');

/** Passes of the payer over more than ten minutes, so that every due check is made twice. */
async function looks(till: LightningDomain, pass = (): Promise<void> => till.payInvoices()): Promise<void> {
  for (let passes = 0; passes < 12; passes++) {
    till.clock.advance(MINUTE);
    await pass();
  }
}

/** The payer continues to work while a call of the node fails. */
async function failing(till: LightningDomain): Promise<void> {
  await assert.rejects(till.payInvoices(), /did not answer/);
}

eachStorage((engine, open) => {
  const lightning = testsOf(open, buildLightning);

  describe(`the operator's float on Lightning, on ${engine}`, () => {
    lightning('what the node holds beyond the ledger is booked once two looks have shown it', async (till) => {
      till.node.ownMsat = OWN;
      await till.fund('10');
      await till.payInvoices();
      assert.equal(await floatOf(till), 0n, 'one look is not enough');
      await looks(till);
      assert.deepEqual([await floatOf(till), await solvencyOf(till)], [OWN, OWN]);
      till.node.settleForeign();
      await till.followInvoices();
      await looks(till);
      assert.equal(await floatOf(till), OWN + 1n, 'what others pay to the node is the operator’s too');
    });

    lightning('what one look shows and the next does not is not booked', async (till) => {
      await till.fund('10');
      const balance = till.node.balance.bind(till.node);
      let asked = 0;
      till.node.balance = async () => {
        const { localMsat, ...others } = await balance();
        return { ...others, localMsat: localMsat + (asked++ % 2 === 0 ? OWN : 0n) };
      };
      await looks(till);
      assert.ok(asked > 2);
      assert.equal(await floatOf(till), 0n);
    });

    for (const [paid, asked] of [
      [25_000n, PAID],
      [PAID, 25_000n],
    ] as const)
      lightning(
        `fault 400: an invoice asks for ${asked} msat, and the operator paid ${paid} to its payment hash`,
        async (till) => {
          till.node.ownMsat = OWN;
          await till.fund('10');
          await looks(till);
          const before = await till.balance('available', 'BTC-LN');
          const { paymentHash, text } = till.foreignInvoice(paid);
          await till.node.pay({ paymentHash, paymentRequest: text, msat: null, maxFeeMsat: 0n });
          const expiresAt = till.clock.now() + 3_600_000;
          const { tx_id: id } = await till.withdraw(requestOf({ paymentHash, msat: asked, expiresAt }));
          await till.payInvoices();
          const least = paid < asked ? paid : asked;
          const { status, units } = await till.transfer(id);
          assert.deepEqual([status, units], ['CONFIRMED', least]);
          assert.equal(await till.balance('available', 'BTC-LN'), before - least);
          assert.equal(await till.balance('reserved', 'BTC-LN'), 0n);
          assert.deepEqual(
            till.events.of('alert').map(({ reason }) => reason),
            [
              `The node had paid ${paid} msat under the payment hash of its invoice, so it does not pay the invoice; the account is charged no more than that.`,
            ],
          );
          await looks(till);
          assert.deepEqual([await floatOf(till), await stopOf(till)], [OWN - paid + least, null]);
        },
      );

    lightning('fault 109: a payment that was settled and is not booked yet is not the operator’s', async (till) => {
      const order = await till.invoiceOrder('10');
      till.node.cut = true;
      till.node.settle(order.payment?.address ?? '');
      await looks(till);
      assert.equal(await floatOf(till), 0n);
      till.node.lost.set('hasSettledAfter', 'before');
      await looks(till);
      assert.equal(await floatOf(till), 0n, 'nor while the node does not say');
      till.node.lost.clear();
      till.node.cut = false;
      await till.followInvoices();
      await looks(till);
      assert.equal(await floatOf(till), 0n);
    });

    lightning('fault 109: a payment that is booked while the node is asked is not the operator’s', async (till) => {
      const balance = till.node.balance.bind(till.node);
      till.node.balance = async () => {
        await till.fund('10');
        return balance();
      };
      await looks(till);
      assert.equal(await floatOf(till), 0n);
    });

    lightning('fault 109: nothing is booked while the outcome of a payment is not known', async (till) => {
      await till.fund('10');
      till.node.route = { kind: 'in-flight' };
      const { paymentHash, text } = till.foreignInvoice(PAID);
      await till.withdraw(text);
      await till.payInvoices();
      till.node.ownMsat = OWN;
      await looks(till);
      assert.equal(await floatOf(till), 0n);
      till.node.finish(paymentHash, { state: 'settled', feeMsat: 7n });
      till.node.lost.set('payment', 'before');
      await looks(till, () => failing(till));
      assert.equal(await floatOf(till), 0n, 'settled, and not booked');
      till.node.lost.clear();
      await looks(till);
      assert.equal(await floatOf(till), OWN);
    });

    lightning(
      'fault 109: what is taken out while a payment is under way is booked once that has ended',
      async (till) => {
        await till.fund('10');
        till.node.ownMsat = OWN;
        await looks(till);
        till.node.route = { kind: 'in-flight' };
        const { paymentHash, text } = till.foreignInvoice(PAID);
        await till.withdraw(text);
        await till.payInvoices();
        till.node.ownMsat = 0n;
        await looks(till);
        assert.equal(await floatOf(till), OWN);
        till.node.finish(paymentHash, { state: 'settled', feeMsat: 7n });
        await looks(till);
        assert.equal(await floatOf(till), 0n);
      },
    );

    lightning('a payment under way, or settled and not booked yet, is not missing', async (till) => {
      await till.fund('10');
      till.node.route = { kind: 'in-flight' };
      const { paymentHash, text } = till.foreignInvoice(PAID);
      await till.withdraw(text);
      await till.payInvoices();
      await looks(till);
      till.node.finish(paymentHash, { state: 'settled', feeMsat: 7n });
      till.node.lost.set('payment', 'before');
      await looks(till, () => failing(till));
      till.node.lost.clear();
      await looks(till);
      assert.deepEqual([await stopOf(till), await floatOf(till), till.events.of('alert')], [null, 0n, []]);
    });

    lightning('what payments of others hold in the channels is neither found nor missing', async (till) => {
      await till.fund('10');
      till.node.ownMsat = OWN;
      await looks(till);
      const balance = till.node.balance.bind(till.node);
      till.node.balance = async () => {
        const { localMsat, ...others } = await balance();
        return { ...others, localMsat: localMsat - 2n * OWN, unsettledMsat: 2n * OWN };
      };
      await looks(till);
      assert.deepEqual([await floatOf(till), await stopOf(till)], [OWN, null]);
    });

    lightning('what the operator takes out of the node leaves his float, and payments go on', async (till) => {
      await till.fund('10');
      till.node.ownMsat = OWN;
      await looks(till);
      till.node.ownMsat = PAID;
      await looks(till);
      assert.deepEqual([await floatOf(till), await stopOf(till)], [PAID, null]);
      const { tx_id } = await till.withdraw(till.foreignInvoice(PAID).text);
      await till.payInvoices();
      assert.equal((await till.transfer(tx_id)).status, 'CONFIRMED');
    });
  });

  describe(`less on the Lightning node than is owed, on ${engine}`, () => {
    lightning('fault 109: stops payments until the operator has brought what is missing', async (till) => {
      await till.fund('10');
      till.node.ownMsat = -3_000_000n;
      // The maximum routing fee in the reserve is not owed to the merchant.
      const { tx_id } = await till.withdraw(till.foreignInvoice(PAID).text);
      await till.payInvoices();
      assert.deepEqual([await stopOf(till), till.node.sent], [null, []], 'one look keeps payments back');
      await looks(till);
      assert.match((await stopOf(till)) ?? '', /send at least 0\.0000299 BTC-LN to the channels of the Lightning node/);
      assert.equal(till.events.of('alert').filter(({ subject }) => subject === 'chain BLN').length, 1);
      const gauges = [...till.metrics.gauges].filter(([name]) => /solvency_units.*BTC-LN/.test(name));
      assert.deepEqual(
        gauges.map(([, value]) => value),
        [-2_990_000],
      );
      assert.equal((await till.transfer(tx_id)).status, 'REQUESTED');
      till.node.ownMsat = 0n;
      await looks(till);
      assert.equal(await stopOf(till), null, 'the stop ends by itself');
      assert.equal((await till.transfer(tx_id)).status, 'CONFIRMED');
    });

    lightning('fault 103: payments that were stopped anew meanwhile are not resumed', async (till) => {
      await till.storage.transfers.replacePayoutStop('BLN', null, 'the first');
      const change = (): Promise<unknown> => till.storage.transfers.replacePayoutStop('BLN', 'the first', 'the second');
      const storage = beforeCall(till.storage, 'epochs', 'current', change);
      const manage = new ManageChains({ ...till, storage, chains: new Map(), lightning: till.node });
      await assert.rejects(manage.resumePayouts(OPERATOR, 'BLN'), { code: 'STATE_CONFLICT' });
      assert.equal(await stopOf(till), 'the second');
    });

    lightning('an operator who resumes while a payment is under way takes nothing from his float', async (till) => {
      await till.fund('10');
      till.node.ownMsat = OWN;
      await looks(till);
      till.node.route = { kind: 'in-flight' };
      const { paymentHash, text } = till.foreignInvoice(PAID);
      await till.withdraw(text);
      await till.payInvoices();
      till.node.ownMsat = 0n;
      const manage = new ManageChains({ ...till, chains: new Map(), lightning: till.node });
      const resume = async (): Promise<void> => {
        await till.storage.transfers.replacePayoutStop('BLN', null, 'A test.');
        await manage.resumePayouts(OPERATOR, 'BLN');
      };
      await resume();
      assert.equal(await floatOf(till), OWN);
      till.node.finish(paymentHash, { state: 'failed', reason: 'no route' });
      await till.payInvoices();
      await resume();
      assert.equal(await floatOf(till), 0n);
    });

    lightning('what one look misses and the next finds stops nobody for long', async (till) => {
      await till.fund('10');
      till.node.ownMsat = -PAID;
      const { tx_id } = await till.withdraw(till.foreignInvoice(PAID).text);
      await till.payInvoices();
      assert.deepEqual(till.node.sent, []);
      till.node.ownMsat = 0n;
      till.clock.advance(15_000);
      await till.payInvoices();
      assert.equal((await till.transfer(tx_id)).status, 'CONFIRMED');
      assert.deepEqual(till.events.of('alert'), []);
    });

    lightning('fault 109: a settlement of the node that moved no money is noticed', async (till) => {
      await till.fund('10');
      const order = await till.invoiceOrder('250');
      const { msat } = till.node.settle(order.payment?.address ?? '');
      till.node.ownMsat = -msat;
      await till.followInvoices();
      await till.withdraw(till.foreignInvoice(PAID).text);
      await looks(till);
      assert.deepEqual(till.node.sent, []);
      assert.match((await stopOf(till)) ?? '', /send at least 0\.0049999 BTC-LN/);
    });

    lightning('fault 103: an operator who stops payments in that moment keeps his stop', async (till) => {
      await till.fund('10');
      till.node.ownMsat = -1n;
      const byOperator = 'Stopped by an operator: he looks.';
      const storage = beforeCall(till.storage, 'transfers', 'replacePayoutStop', () =>
        till.storage.transaction((tx) => tx.transfers.setPayoutStop('BLN', byOperator)),
      );
      const { payer } = till.newWork({ storage });
      await looks(till, async () => {
        await payer.step(await till.workLease('payout'));
      });
      assert.equal(await stopOf(till), byOperator);
    });

    lightning(
      'fault 58: a route beyond its limit is paid by the float; without one it stops payments',
      async (till) => {
        await till.fund('10');
        till.node.route = { kind: 'in-flight' };
        const { paymentHash, text } = till.foreignInvoice(PAID);
        await till.withdraw(text);
        await till.payInvoices();
        till.node.finish(paymentHash, { state: 'settled', feeMsat: 25_000n });
        await till.payInvoices();
        assert.equal(await solvencyOf(till), -15_000n);
        assert.deepEqual(
          (await checkLedger(till.storage)).map(({ invariant }) => invariant),
          ['a chain holds what is owed'],
        );
        await till.payInvoices();
        assert.match((await stopOf(till)) ?? '', /send at least 0\.00000015 BTC-LN/);
        till.node.ownMsat = 15_000n;
        await looks(till);
        assert.deepEqual([await stopOf(till), await floatOf(till)], [null, 15_000n]);
      },
    );

    lightning('a node that does not say what it holds is given nothing new; what is under way ends', async (till) => {
      await till.fund('10');
      till.node.route = { kind: 'in-flight' };
      const { paymentHash, text } = till.foreignInvoice(PAID);
      const [first, second] = [await till.withdraw(text), till.foreignInvoice(PAID)];
      await till.payInvoices();
      const { payer } = till.newWork();
      till.node.lost.set('balance', 'before');
      const waiting = await till.withdraw(second.text);
      till.node.finish(paymentHash, { state: 'settled', feeMsat: 7n });
      await assert.rejects(payer.step(await till.workLease('payout')), /did not answer to balance/);
      assert.equal((await till.transfer(first.tx_id)).status, 'CONFIRMED');
      assert.equal((await till.transfer(waiting.tx_id)).status, 'REQUESTED');
      till.node.lost.clear();
      till.node.route = { kind: 'settled', feeMsat: 0n };
      await payer.step(await till.workLease('payout'));
      assert.equal((await till.transfer(waiting.tx_id)).status, 'CONFIRMED');
    });
  });
});
