import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { paymentObstacle } from '../../../core/payouts/payment-obstacle.ts';
import type { Transaction, Transfer } from '../../../core/index.ts';

const NOW = 1_000;
const WITHDRAWAL = { accountId: '7', chain: 'ETH', kind: 'withdrawal', toAddress: '0xshop' } as Transfer;
const DEPOSIT = { chain: 'ETH', currency: 'ETH', status: 'SPENDABLE', assignment: 'ORDER' };
const REGISTERED = { address: '0xshop', formerAddress: '0xold', activeFrom: NOW };

/** What the transaction reads; a chain and an account with nothing in the way unless given. */
interface Found {
  readonly stop?: string;
  readonly status?: string | null;
  readonly freeze?: string;
  readonly registered?: typeof REGISTERED | null;
  readonly refundAddress?: string;
  /** Who paid the order of a refund. */
  readonly sender?: string;
}

function obstacle(found: Found, transfer: Transfer = WITHDRAWAL): Promise<string | null> {
  const {
    stop = null,
    status = 'active',
    freeze,
    registered = REGISTERED,
    refundAddress = null,
    sender = null,
  } = found;
  const tx = {
    transfers: {
      findPayoutStop: async () => stop,
      findFreeze: async () => (freeze === undefined ? null : { reason: freeze }),
    },
    accounts: { lockShared: async () => (status === null ? null : { status }) },
    orders: { lock: async () => ({ id: '1', refundAddress, payment: { chain: 'ETH', currency: 'ETH' } }) },
    deposits: { byOrder: async () => [{ ...DEPOSIT, fromAddress: sender }] },
    wallets: { lockWithdrawalAddress: async () => registered },
  } as unknown as Transaction;
  return paymentObstacle(tx, transfer, NOW);
}

describe('what is in the way of a payment when it is signed', () => {
  test('nothing, while the account is active and its address is in force', async () => {
    assert.equal(await obstacle({}), null);
  });

  test('a stop of the chain’s payouts, also for the till’s own moves', async () => {
    const sweep = { ...WITHDRAWAL, accountId: null, kind: 'sweep' } as Transfer;
    assert.match((await obstacle({ stop: 'Money is missing.' }, sweep)) ?? '', /ETH are stopped: Money is missing/);
    assert.equal(await obstacle({ status: 'disabled' }, sweep), null);
  });

  test('an account that is not active, gone or frozen', async () => {
    assert.match((await obstacle({ status: 'disabled' })) ?? '', /account is disabled/);
    assert.match((await obstacle({ status: null })) ?? '', /account is unknown/);
    assert.match((await obstacle({ freeze: 'Looked at.' })) ?? '', /frozen: Looked at/);
  });

  test('another withdrawal address in force, by the hold of a changed one', async () => {
    assert.match((await obstacle({ registered: { ...REGISTERED, activeFrom: NOW + 1 } })) ?? '', /0xshop is not/);
    assert.match((await obstacle({ registered: { ...REGISTERED, address: '0xother' } })) ?? '', /0xshop is not/);
  });

  test('another address for the refund; where none is left, a receiver who did not pay the order', async () => {
    const refund = { ...WITHDRAWAL, kind: 'refund', orderId: '1', toAddress: '0xpayer' } as Transfer;
    const elsewhere = { ...REGISTERED, address: '0xother' };
    assert.equal(await obstacle({ registered: elsewhere, refundAddress: '0xpayer' }, refund), null);
    assert.equal(await obstacle({ sender: '0xpayer' }, refund), null);
    assert.match(
      (await obstacle({ sender: '0xpayer', refundAddress: '0xother' }, refund)) ?? '',
      /0xpayer is not the refund address/,
    );
    assert.match((await obstacle({ sender: '0xstranger' }, refund)) ?? '', /0xpayer is not the refund address/);
  });

  test('no registered address is no obstacle, nor is another one for an invoice', async () => {
    assert.equal(await obstacle({ registered: null }), null);
    const elsewhere = { registered: { ...REGISTERED, address: '0xother' } };
    assert.equal(await obstacle(elsewhere, { ...WITHDRAWAL, chain: 'BLN' }), null);
  });
});
