import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readPayableRequest, readPaymentRequest } from '../../../../adapters/lightning/index.ts';
import { isTillgateError } from '../../../../core/index.ts';
import { encodeBolt11 } from '../../../support/lightning/bolt11.ts';
import type { Bolt11Fields } from '../../../support/lightning/bolt11.ts';

const FIELDS: Bolt11Fields = {
  prefix: 'bcrt',
  msat: 1_000n,
  timestamp: 1_700_000_000,
  paymentHash: '01'.repeat(32),
  paymentSecret: '11'.repeat(32),
  description: 'tea',
  expirySeconds: 60,
  key: Buffer.alloc(32, 5),
};
const ORDINARY = [8, 14, 17];
const BLINDED_PATH = 20;

const read = (more: Partial<Bolt11Fields>): string =>
  readPayableRequest(encodeBolt11({ ...FIELDS, ...more }), 'regtest').paymentHash;
const refused = (more: Partial<Bolt11Fields>, message: RegExp): void => {
  const text = encodeBolt11({ ...FIELDS, ...more });
  assert.throws(
    () => readPayableRequest(text, 'regtest'),
    (error: unknown) => isTillgateError(error, 'INVOICE_INVALID') && message.test(error.message),
  );
  // It can be read for all that: only paying it is refused.
  assert.equal(readPaymentRequest(text, 'regtest').paymentHash, FIELDS.paymentHash);
};

describe('payment requests that no node pays', () => {
  test('fault 340: an AMP invoice is refused, be AMP required or offered', () => {
    refused({ features: [9, 14, 30] }, /AMP/);
    refused({ features: [...ORDINARY, 31] }, /AMP/);
  });

  test('fault 340: a final CLTV delta beyond what lnd gives is refused, the last that it gives is not', () => {
    assert.equal(read({ finalCltv: 2_012 }), FIELDS.paymentHash);
    refused({ finalCltv: 2_013 }, /CLTV delta of 2013 blocks; at most 2012/);
    // lnd keeps 16 bits of it, so that it would begin this one with a delta of 80.
    refused({ finalCltv: 65_536 + 80 }, /65616/);
  });

  test('fault 340: an unknown required feature is refused and named; one that is only offered is not', () => {
    for (const bit of [0, 26, 56, 100, 2_022]) refused({ features: [...ORDINARY, bit] }, new RegExp(`feature ${bit} `));
    assert.equal(read({ features: [...ORDINARY, 57, 101, 149, 2_023] }), FIELDS.paymentHash);
    assert.equal(read({ features: [8, 14, 16, 24, 48] }), FIELDS.paymentHash);
  });

  test('fault 340: neither a payment secret nor a blinded path is refused', () => {
    refused({ withoutSecret: true }, /neither a payment secret nor a blinded path/);
    refused({ withoutSecret: true, further: [[16, [1, 2, 3]]] }, /neither a payment secret nor a blinded path/);
    assert.equal(read({ withoutSecret: true, further: [[BLINDED_PATH, [1, 2, 3]]] }), FIELDS.paymentHash);
  });

  test('of repeated fields the first counts, as for every node', () => {
    assert.equal(read({ further: [[24, [31, 31, 31]]] }), FIELDS.paymentHash);
  });
});
