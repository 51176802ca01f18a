import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Transaction } from '@scure/btc-signer';
import { readSignedTerms } from '../../../adapters/chains/utxo/payment-terms.ts';
import { ANY_KIND, rivalPayment } from '../../../adapters/chains/utxo/rival-payment.ts';
import type { OwnAttempt } from '../../../adapters/chains/utxo/rival-payment.ts';

const script = (digit: string): string => `0014${digit.repeat(40)}`;
const [HOT, ALICE, BOB, EVE] = [script('1'), script('2'), script('3'), script('4')];
const COINS = ['aa', 'bb'].map((hex, index) => ({
  ref: `${hex.repeat(32)}:${index}`,
  units: 50_000n,
  address: 'ours',
  index,
}));

/** What the payout signed: Alice 30,000, Bob 20,000, change 49,000 and a fee of 1,000. */
const OWN: OwnAttempt = {
  outputs: [
    { script: ALICE, units: 30_000n },
    { script: BOB, units: 20_000n },
    { script: HOT, units: 49_000n },
  ],
  terms: { height: 7, feeUnits: 1_000n, coins: COINS, changeNumber: 2 },
};

function rival(outputs: readonly (readonly [string, bigint])[], coins = COINS): { readonly raw: Buffer } {
  const made = new Transaction(ANY_KIND);
  for (const { ref } of coins) {
    const [txid = '', index = ''] = ref.split(':');
    made.addInput({ txid, index: Number(index) });
  }
  for (const [to, amount] of outputs) made.addOutput({ script: Buffer.from(to, 'hex'), amount });
  return { raw: Buffer.from(made.unsignedTx) };
}

const seen = (outputs: readonly (readonly [string, bigint])[], coins = COINS): string => {
  const found = rivalPayment(rival(outputs, coins), OWN, Buffer.from(HOT, 'hex'));
  return found === null ? 'other' : found.pays;
};

describe('fault 82: a transaction that spent the coins of a payout', () => {
  test('is the payment when it pays the same: in any order, with less change, or with none', () => {
    const found = rivalPayment(
      rival([
        [HOT, 45_000n],
        [BOB, 20_000n],
        [ALICE, 30_000n],
      ]),
      OWN,
      Buffer.from(HOT, 'hex'),
    );
    assert.ok(found?.pays === 'same');
    assert.equal(found.attempt.feeUnits, 5_000n);
    assert.deepEqual(readSignedTerms(found.attempt.terms), {
      height: 7,
      feeUnits: 5_000n,
      coins: COINS,
      changeNumber: 0,
    });
    assert.equal(
      seen([
        [ALICE, 30_000n],
        [BOB, 20_000n],
      ]),
      'same',
    );
  });

  test('pays a receiver otherwise: another amount, one of two, somebody besides, other coins', () => {
    const paid: [string, bigint][] = [
      [ALICE, 30_000n],
      [BOB, 20_000n],
    ];
    assert.equal(seen([[ALICE, 30_001n], paid[1]!]), 'receiver');
    assert.equal(seen([[ALICE, 30_000n]]), 'receiver');
    assert.equal(seen([...paid, [EVE, 1_000n]]), 'receiver');
    assert.equal(seen([...paid, [HOT, 1_000n], [HOT, 1_000n]]), 'receiver');
    assert.equal(seen(paid, COINS.slice(0, 1)), 'receiver');
    assert.equal(seen(paid, [...COINS, { ...COINS[0]!, ref: `${'cc'.repeat(32)}:0` }]), 'receiver');
  });

  test('pays somebody else', () => {
    assert.equal(seen([[EVE, 90_000n]]), 'other');
    assert.equal(seen([[HOT, 90_000n]]), 'other');
  });
});
