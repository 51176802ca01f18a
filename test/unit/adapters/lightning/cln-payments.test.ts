import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ClnClient } from '../../../../adapters/lightning/cln/cln-client.ts';
import { ClnPayments } from '../../../../adapters/lightning/cln/cln-payments.ts';
import { FakeClock } from '../../../support/fakes.ts';
import { serveFake } from '../../../support/lightning/fake-server.ts';

const HASH = 'ab'.repeat(32);

describe('payments of Core Lightning after a restart of the till', () => {
  test('a failed attempt is final after three minutes of this process, whatever the clock of the node says', async (t) => {
    const clock = new FakeClock();
    // Of a node whose clock is an hour behind: by the difference of two clocks the attempt would be an old one.
    const created_at = Math.floor(clock.now() / 1_000) - 3_600;
    let status = 'failed';
    const pays = () => ({
      status: 201,
      body: { pays: [{ payment_hash: HASH, status, created_at, amount_sent_msat: 0 }] },
    });
    const server = await serveFake(false, pays, () => false);
    const client = new ClnClient({ restUrl: server.url, rune: 'rune', certificate: null });
    t.after(async () => {
      await client.close();
      await server.close();
    });
    const payments = new ClnPayments(client, clock, () => undefined);
    const state = async () => (await payments.find(HASH))?.state;
    assert.equal(await state(), 'in-flight');
    clock.advance(170_000);
    assert.equal(await state(), 'in-flight');
    status = 'pending';
    clock.advance(20_000);
    assert.equal(await state(), 'in-flight');
    status = 'failed';
    assert.equal(await state(), 'in-flight', 'another attempt began: the time is counted anew');
    clock.advance(180_001);
    assert.equal(await state(), 'failed');
  });
});
