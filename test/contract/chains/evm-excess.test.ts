import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHex } from 'viem';
import type { Address, Hex } from 'viem';
import { findExcesses, present, reconcile } from '../../../core/index.ts';
import type { Excess, PayingChain as ChainThatPays } from '../../../core/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import { deployContract, invoke, receipt } from '../../support/contracts.ts';
import { buildMoney } from '../../support/money.ts';
import { openTestStorage } from '../../support/storage.ts';
import { payingChain } from './evm-paying.ts';

const ETHER = 10n ** 18n;
const HOUR = 3_600_000;
const CONFIRMATIONS = { confirmations: 1, spendableConfirmations: 2, finalityBlocks: 8 };

test('fault 392: coins that the ledger lacks are named, in the hot wallet and at a deposit address, until they are recorded', async (t) => {
  const anvil = await startAnvil();
  t.after(() => anvil.stop());
  const [payer] = (await anvil.rpc<Address[]>('eth_accounts')) as [Address];
  const forwarder = await deployContract(anvil, 'Forwarder');
  const { chain, hot } = await payingChain([anvil.url], {}, CONFIRMATIONS);
  t.after(() => chain.close());
  const { storage } = await openTestStorage('memory', t);
  const till = await buildMoney(storage, { eth: chain });
  const paying = chain as ChainThatPays;
  const excesses = async (): Promise<readonly Excess[]> =>
    findExcesses(paying, await reconcile(paying, { storage }), { storage });
  const send = (to: string, value: bigint) =>
    anvil.rpc('eth_sendTransaction', [{ from: payer, to, value: toHex(value) }]);
  const forward = async (to: string, value: bigint) =>
    receipt(anvil, await invoke(anvil, forwarder, 'forward', [to], { value }));
  const block = async (): Promise<void> => {
    till.clock.advance(12_000);
    await anvil.mine();
    await till.follow();
    await till.payOut();
  };

  const { timestamp } = await anvil.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false]);
  till.clock.set(Number(timestamp) * 1_000);
  const follower = till.newFollower(chain);
  await follower.start();
  const lease = await till.lease(chain as never);
  const read = async (): Promise<void> => {
    await anvil.mine(2);
    while ((await follower.step(lease)) === 'advanced');
  };
  const { id, payment } = await till.newOrder({ currency: 'ETH' });
  const { address, units } = present(payment, 'a payment');
  // After its watch window the address is not read with each block any more.
  await read();
  await anvil.rpc('evm_increaseTime', [100 * 24 * 3_600]);
  till.clock.advance(100 * 24 * HOUR);
  await till.expire();
  await read();
  await read();
  assert.deepEqual(await excesses(), []);
  await send(hot.address, ETHER);
  await forward(hot.address, 2n * ETHER);
  await forward(address, units);
  // By the clock, which stands still, the next comparison of balances is not due.
  await read();
  assert.deepEqual(await storage.deposits.byOrder(id), []);
  assert.deepEqual(
    new Set(await excesses()),
    new Set([
      { address: hot.address, currency: 'ETH', units: 3n * ETHER },
      { address, currency: 'ETH', units },
    ]),
  );

  for (let count = 0; count < 12; count++) await block();
  assert.deepEqual(await excesses(), []);
  const [booked] = await storage.ledger.balances('operator:ETH');
  assert.ok(booked !== undefined && booked.units > 2n * ETHER, 'the coins in the hot wallet are the operator’s');
  const items = await storage.deposits.unassigned({ before: null, limit: 10 });
  assert.deepEqual(
    items.map((deposit) => [deposit.toAddress, deposit.units, deposit.unassignedReason]),
    [[address, units, 'late']],
  );
  await till.checkBooks();
});
