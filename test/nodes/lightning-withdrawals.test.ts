import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { FakeLightningNode } from '../support/lightning/fake-node.ts';
import { LightningTill } from './lightning-till.ts';
import { readUnits, writeUnits } from './lightning-units.ts';
import type { ListedPayment, MadeInvoice } from './lightning-fixture.ts';

const AMOUNT = 1_234_567n;
/** The most that routing may cost: 1 %, at least 10 sat. */
const RESERVE = 12_346n;
const LONG_AGO_MS = 7_200_000;
/** Where the till is killed: what lnd knows of the payment then, and what the till has heard. */
const STOPS = [
  { where: 'before', what: 'before lnd has heard of the payment' },
  { where: 'after', what: 'with the payment at lnd and its answer lost' },
] as const;

describe('Lightning withdrawals on two real lnd nodes', { concurrency: 1 }, () => {
  let till: LightningTill;
  before(async () => {
    till = await LightningTill.start();
    await till.earn('250');
  });
  after(() => till.close());

  /** Everything that the till's node ever did about an invoice. */
  const paymentsOf = async ({ paymentHash }: MadeInvoice): Promise<readonly ListedPayment[]> =>
    (await till.fixture.payments()).filter((one) => one.paymentHash === paymentHash);
  const paidOnce = async (invoice: MadeInvoice, msat: bigint): Promise<void> => {
    await till.fixture.invoiceIs(invoice.paymentHash, 'SETTLED');
    assert.deepEqual(
      (await paymentsOf(invoice)).map((one) => [one.status, one.msat]),
      [['SUCCEEDED', msat]],
    );
    await till.booksHold();
  };

  test('pays an invoice with an amount, to the millisatoshi; what routing did not take comes back', async () => {
    const [before, invoice] = [await till.wallet(), await till.fixture.invoice(AMOUNT)];
    const asked = await till.withdraw(invoice.paymentRequest);
    assert.deepEqual(
      [asked['type'], asked['chain'], asked['currency'], readUnits(asked['amount'])],
      ['WITHDRAW', 'BLN', 'BTC-LN', AMOUNT],
    );
    const row = await till.ends(asked['tx_id'], 'SUCCESS');
    assert.equal(row['tx_hash'], invoice.paymentHash);
    await paidOnce(invoice, AMOUNT);
    const after = await till.wallet();
    assert.deepEqual([before.available - after.available, after.locked], [AMOUNT, 0n], 'nobody charged for the way');
  });

  test('fault 60: pays an invoice without an amount what the body says, and only that', async () => {
    const [before, invoice] = [await till.wallet(), await till.fixture.invoice(null)];
    assert.equal((await till.ask('POST', '/api/bln/withdraw', { ln_invoices: invoice.paymentRequest })).code, 40_001);
    const asked = await till.withdraw(invoice.paymentRequest, { amount: writeUnits(777_001n) });
    await till.ends(asked['tx_id'], 'SUCCESS');
    await paidOnce(invoice, 777_001n);
    assert.equal(before.available - (await till.wallet()).available, 777_001n);
  });

  test('fault 60: another amount than the invoice’s, an expired one, one of another network, an LNURL: 40007, and nothing is reserved', async () => {
    const before = await till.wallet();
    const fixed = await till.fixture.invoice(AMOUNT);
    const expired = new FakeLightningNode(new Map()).addInvoice({
      msat: AMOUNT,
      expirySeconds: 60,
      ageMs: LONG_AGO_MS,
    });
    const foreign = new FakeLightningNode(new Map(), 'mainnet').addInvoice({ msat: AMOUNT });
    const own = await till.order('2');
    const bodies = [
      { ln_invoices: fixed.paymentRequest, amount: writeUnits(AMOUNT + 1n) },
      ...[
        expired.paymentRequest,
        foreign.paymentRequest,
        own.paymentRequest,
        `${fixed.paymentRequest}q`,
        'lnurl1dp68gurn8ghj7um9wfmxjcm99e3k7mf0',
        'somebody@example.org',
      ].map((text) => ({ ln_invoices: text })),
    ];
    for (const body of bodies) {
      const { code, message } = await till.ask('POST', '/api/bln/withdraw', body);
      assert.equal(code, 40_007, `${JSON.stringify(body)}: ${message}`);
    }
    assert.deepEqual(await till.wallet(), before);
    assert.deepEqual(await paymentsOf(fixed), []);
  });

  test('a payment without a route fails and gives the whole reserve back', async () => {
    const before = await till.wallet();
    const nowhere = new FakeLightningNode(new Map()).addInvoice({ msat: AMOUNT });
    const asked = await till.withdraw(nowhere.paymentRequest);
    await till.ends(asked['tx_id'], 'FAILED');
    assert.deepEqual(await till.wallet(), before);
    assert.equal(
      (await till.ask('POST', '/api/bln/withdraw', { ln_invoices: nowhere.paymentRequest })).code,
      40_900,
      'an invoice is withdrawn to once',
    );
    await till.booksHold();
  });

  test('fault 59: the same invoice twice in parallel is paid once, and reserved once', async () => {
    const [before, invoice] = [await till.wallet(), await till.fixture.invoice(AMOUNT)];
    const answers = await Promise.all(
      [{}, { amount: writeUnits(AMOUNT) }].map((more) =>
        till.ask('POST', '/api/bln/withdraw', { ln_invoices: invoice.paymentRequest, ...more }),
      ),
    );
    assert.deepEqual(
      answers.map(({ code }) => code).sort((a, b) => a - b),
      [0, 40_900],
    );
    await till.ends(answers.find(({ code }) => code === 0)?.data['tx_id'], 'SUCCESS');
    await paidOnce(invoice, AMOUNT);
    assert.equal(before.available - (await till.wallet()).available, AMOUNT);
  });

  test('fault 57: what its receiver holds stays reserved over restarts of till and node, and is paid when it is taken', async () => {
    const [before, held] = [await till.wallet(), await till.fixture.holdInvoice(AMOUNT)];
    const { tx_id: id, status } = await till.withdraw(held.paymentRequest);
    assert.equal(status, 'PENDING');
    await till.fixture.invoiceIs(held.paymentHash, 'ACCEPTED');
    await till.kill();
    await till.fixture.till.restart();
    await till.startServer();
    await till.fixture.connected();
    assert.deepEqual([(await till.row(id))['status'], (await till.wallet()).locked], ['PENDING', AMOUNT + RESERVE]);
    await till.booksHold();
    await till.fixture.takeHeld(held.preimage);
    await till.ends(id, 'SUCCESS');
    await paidOnce(held, AMOUNT);
    const after = await till.wallet();
    assert.deepEqual([before.available - after.available, after.locked], [AMOUNT, 0n]);
  });

  test('fault 57: a held payment that goes back has failed, and gives the reserve back', async () => {
    const [before, held] = [await till.wallet(), await till.fixture.holdInvoice(AMOUNT)];
    const { tx_id: id } = await till.withdraw(held.paymentRequest);
    await till.fixture.invoiceIs(held.paymentHash, 'ACCEPTED');
    await till.fixture.cancelInvoice(held.paymentHash);
    await till.ends(id, 'FAILED');
    assert.deepEqual(await till.wallet(), before);
    await till.booksHold();
  });

  for (const { where, what } of STOPS) {
    test(`faults 39, 40: kill -9 of the till ${what}, and a restart: one payment`, async () => {
      const [before, invoice] = [await till.wallet(), await till.fixture.invoice(AMOUNT)];
      const reached = till.door.stop(where);
      // Its answer goes down with the till.
      const asked = till.ask('POST', '/api/bln/withdraw', { ln_invoices: invoice.paymentRequest }).then(
        () => null,
        () => null,
      );
      await reached;
      await till.kill();
      await asked;
      if (where === 'before') assert.deepEqual(await paymentsOf(invoice), []);
      else await till.fixture.invoiceIs(invoice.paymentHash, 'SETTLED');
      till.door.open();
      await till.startServer();
      await till.until(async () => (await till.wallet()).locked === 0n, 'the payment to end');
      await paidOnce(invoice, AMOUNT);
      assert.equal(before.available - (await till.wallet()).available, AMOUNT);
      assert.equal((await till.ask('POST', '/api/bln/withdraw', { ln_invoices: invoice.paymentRequest })).code, 40_900);
    });
  }

  test('fault 57: a lost answer is no failure: the till that lives on finds its payment, and makes no other', async () => {
    const [before, invoice] = [await till.wallet(), await till.fixture.invoice(AMOUNT)];
    const reached = till.door.stop('lost');
    const [{ tx_id: id }] = await Promise.all([
      till.withdraw(invoice.paymentRequest),
      reached.then(() => till.door.open()),
    ]);
    await till.ends(id, 'SUCCESS');
    await paidOnce(invoice, AMOUNT);
    assert.equal(before.available - (await till.wallet()).available, AMOUNT);
  });
});
