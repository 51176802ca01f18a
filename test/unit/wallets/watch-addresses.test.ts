import { beforeEach, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { isTillgateError, MAX_WATCHED, WatchAddresses } from '../../../core/index.ts';
import type { AccountId, ChainBalances, ErrorCode, WatchAddress } from '../../../core/index.ts';
import { FakeChain } from '../../support/fake-chain.ts';
import { FakeClock, FakeIds } from '../../support/fakes.ts';
import { accountOf, MemoryWallets } from './memory-wallets.ts';

const SHOP = '1530217733410816000' as AccountId;

describe('watched addresses', () => {
  let wallets: MemoryWallets;
  let watches: WatchAddresses;
  beforeEach(() => {
    const clock = new FakeClock();
    wallets = new MemoryWallets();
    wallets.accounts.set(SHOP, accountOf(SHOP));
    const [eth, btc] = ['ETH', 'BTC'].map((code) => new FakeChain([], () => clock.now(), { code })) as [
      FakeChain,
      FakeChain,
    ];
    eth.balances = {
      assets: [],
      readExtendedKey: (text: string) => (text.startsWith('xpub') ? text.trim() : null),
    } as unknown as ChainBalances;
    const chains = new Map([eth, btc].map((chain) => [chain.code, chain]));
    watches = new WatchAddresses({ storage: { wallets: wallets.store }, chains, ids: new FakeIds(clock), clock });
  });

  const add = async (value: string, chain = 'ETH'): Promise<WatchAddress> => {
    const record = await watches.prepare(SHOP, { chain, value, label: 'Treasury' });
    await watches.add(wallets.tx, record);
    return record;
  };
  const refused = (code: ErrorCode, value: string, chain?: string) =>
    assert.rejects(
      add(value, chain),
      (error) => isTillgateError(error, code) && !error.message.includes(value),
      `${code} for ${value}`,
    );

  test('are addresses or extended public keys, told apart by the chain', async () => {
    const [address, key] = [await add('eth-a'), await add('xpub-b')];
    assert.deepEqual([address.kind, address.value, address.label], ['address', 'eth-a', 'Treasury']);
    assert.deepEqual([key.kind, key.value], ['extended-key', 'xpub-b']);
    assert.notEqual(address.id, key.id);
  });

  test('fault 73: a private key is refused, and stands in no error', async () => {
    await refused('INVALID_FIELDS', 'xprv-secret');
    await refused('INVALID_FIELDS', '0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
  });

  test('are refused where nothing can tell balances', async () => {
    await refused('UNSUPPORTED', 'btc-a', 'BTC');
    await refused('UNSUPPORTED', 'doge-a', 'DOGE');
  });

  test('are registered once, and so many on one chain at most', async () => {
    await add('eth-a');
    await refused('STATE_CONFLICT', 'eth-a');
    for (let count = 1; count < MAX_WATCHED; count++) await add(`eth-${count}`);
    await refused('STATE_CONFLICT', 'eth-x');
    assert.equal(wallets.watches.length, MAX_WATCHED);
  });

  test('belong to an account that exists and is not archived', async () => {
    wallets.accounts.set(SHOP, accountOf(SHOP, 'archived'));
    await refused('STATE_CONFLICT', 'eth-a');
    wallets.accounts.clear();
    await refused('NOT_FOUND', 'eth-a');
  });
});
