import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { part } from '../../adapters/lightning/replies.ts';
import { encodeBolt11 } from '../support/lightning/bolt11.ts';
import type { Bolt11Fields } from '../support/lightning/bolt11.ts';
import { LightningTill } from './lightning-till.ts';

const MSAT = 1_000_000n;
/** The highest final CLTV delta that the till takes. */
const HIGHEST_CLTV = 2_012;
const BLINDED_PATH = 20;

describe('invoices that a real lnd refuses', { concurrency: 1 }, () => {
  let till: LightningTill;
  before(async () => {
    till = await LightningTill.start();
    await till.earn('250');
  });
  after(() => till.close());

  const made = async (terms: Readonly<Record<string, unknown>>): Promise<string> =>
    String(
      part(
        await till.fixture.customer.rest('POST', '/v1/invoices', { value_msat: String(MSAT), ...terms }),
        'payment_request',
      ),
    );
  const signed = (more: Partial<Bolt11Fields>): string =>
    encodeBolt11({
      prefix: 'bcrt',
      msat: MSAT,
      timestamp: Math.floor(Date.now() / 1_000),
      paymentHash: randomBytes(32).toString('hex'),
      paymentSecret: randomBytes(32).toString('hex'),
      description: 'tea',
      expirySeconds: 86_400,
      key: randomBytes(32),
      ...more,
    });
  /** What lnd itself says of it, asked beside the till. */
  const lndRefuses = async (paymentRequest: string, words: RegExp): Promise<void> => {
    await assert.rejects(till.fixture.pay(paymentRequest, null, till.fixture.till), words);
  };
  const unreadable = (): string => signed({ withoutSecret: true, further: [[BLINDED_PATH, [1, 2, 3]]] });

  test('fault 340: AMP, a final CLTV delta of 3000, a feature that nobody knows, no payment secret, a broken blinded path: 40007, and nothing is reserved', async () => {
    const before = await till.wallet();
    const cases = [
      [await made({ is_amp: true, expiry: '31536000' }), /AMP/, /amp/i],
      [await made({ cltv_expiry: '3000' }), /CLTV delta of 3000 blocks/, /cltv|time ?lock/i],
      [await made({ cltv_expiry: String(HIGHEST_CLTV + 1) }), /at most 2012/, /cltv|time ?lock/i],
      [signed({ withoutSecret: true }), /payment secret/, /payment (?:secret|addr)/i],
      [unreadable(), /cannot be read/, /incomplete group/],
      // lnd begins this payment and finds no route.
      [signed({ features: [8, 14, 100] }), /feature 100/, null],
    ] as const;
    for (const [paymentRequest, ours, theirs] of cases) {
      const { code, message } = await till.ask('POST', '/api/bln/withdraw', { ln_invoices: paymentRequest });
      assert.equal(code, 40_007, message);
      assert.match(message, ours);
      if (theirs !== null) await lndRefuses(paymentRequest, theirs);
    }
    assert.deepEqual(await till.wallet(), before);
    assert.equal((await till.fixture.payments()).length, 0, 'lnd has no payment');
  });

  test('fault 340: the highest final CLTV delta that the till takes is one that lnd pays', async () => {
    const asked = await till.withdraw(await made({ cltv_expiry: String(HIGHEST_CLTV) }));
    await till.ends(asked['tx_id'], 'SUCCESS');
    await till.booksHold();
  });

  test('fault 342: a payment that lnd has is not given up', async () => {
    const held = await till.fixture.holdInvoice(MSAT);
    const { tx_id: id } = await till.withdraw(held.paymentRequest);
    await till.fixture.invoiceIs(held.paymentHash, 'ACCEPTED');
    const { code, out, err } = await till.run('transfer', 'cancel', String(id), '--reason', 'late');
    assert.equal(code, 1, out);
    assert.match(`${out}${err}`, /ends when the node reports its outcome/);
    await till.fixture.takeHeld(held.preimage);
    await till.ends(id, 'SUCCESS');
    await till.booksHold();
  });
});
