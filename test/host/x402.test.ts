import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestCharge, TillgateError } from '../../core/index.ts';
import type { ChargeOutcome } from '../../core/index.ts';
import { x402Operations } from '../../host/x402/x402.ts';
import type { X402Deps } from '../../host/x402/x402.ts';

const PAID: ChargeOutcome = { status: 'CONFIRMED', txHash: `0x${'7'.repeat(64)}`, mined: true, reason: null };
const hex = (bytes: number): string => `0x${'1'.repeat(bytes * 2)}`;
const PAYMENT = {
  x402Version: 2,
  accepted: { scheme: 'exact', network: 'eip155:1', asset: hex(20) },
  payload: {
    signature: hex(65),
    authorization: {
      ...{ from: hex(20), to: hex(20), nonce: hex(32) },
      ...{ value: '1', validAfter: '0', validBefore: '1' },
    },
  },
};

/** Sends the payment to a till that finds these, one after the other, and whose order takes no payment any more. */
async function pays(...found: readonly (ChargeOutcome | null)[]): Promise<{ readonly status: number }> {
  const rest = [...found];
  const closed = () => Promise.reject(new TillgateError('STATE_CONFLICT', 'The order is paid.'));
  const charges: X402Deps['charges'] = Object.assign(Object.create(RequestCharge.prototype) as RequestCharge, {
    find: () => Promise.resolve(rest.shift() ?? null),
    offer: closed,
  });
  const [operation] = x402Operations({ charges, payerWritesPerMinute: () => 10 });
  assert(operation !== undefined);
  const signature = Buffer.from(JSON.stringify(PAYMENT)).toString('base64');
  const headers = new Map([['payment-signature', [signature]]]);
  const call = { params: { token: 'order' }, request: { headers }, client: '127.0.0.1', traceId: 'trace' };
  return operation.run(call as never, {} as never);
}

test('fault 264: a payment that came to another instance at the same time and has paid the order is answered by its outcome', async () => {
  assert.equal((await pays(null, PAID, PAID)).status, 200);
});

test('a payment that never came for an order that takes none any more is refused', async () => {
  await assert.rejects(pays(null, null), /The order is paid/);
});
