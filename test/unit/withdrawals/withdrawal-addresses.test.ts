import { beforeEach, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { addressInForce, isTillgateError, WithdrawalAddresses } from '../../../core/index.ts';
import type { AccountId, ChainPayments, DepositStore, WatchedAddress, WithdrawalAddress } from '../../../core/index.ts';
import { FakeChain } from '../../support/fake-chain.ts';
import { FakeClock } from '../../support/fakes.ts';
import { accountOf, MemoryWallets } from '../wallets/memory-wallets.ts';

const SHOP = '1530217733410816000' as AccountId;
const HOLD_MS = 86_400_000;

describe('withdrawal addresses', () => {
  let clock: FakeClock;
  let wallets: MemoryWallets;
  let chain: FakeChain;
  let owned: string[];
  beforeEach(() => {
    clock = new FakeClock();
    wallets = new MemoryWallets();
    wallets.accounts.set(SHOP, accountOf(SHOP));
    chain = new FakeChain([], () => clock.now(), { code: 'ETH' });
    owned = [];
  });

  const addresses = (addressHoldMs = HOLD_MS): WithdrawalAddresses => {
    const owners: DepositStore['owners'] = async (_chain, keys) =>
      keys.filter((key) => owned.includes(key)).map((key) => ({ key }) as WatchedAddress);
    return new WithdrawalAddresses({
      storage: { deposits: { owners } as DepositStore },
      chains: new Map([['ETH', chain]]),
      clock,
      addressHoldMs,
    });
  };
  const set = async (address: string, { atOnce = false, holdMs = HOLD_MS } = {}): Promise<WithdrawalAddress> =>
    (await addresses(holdMs).set(wallets.tx, SHOP, 'ETH', address, atOnce)).record;
  const inForce = (): string | null => addressInForce(wallets.addresses.get(`${SHOP}:ETH`) ?? null, clock.now());

  describe('the hold', () => {
    test('holds the first address back too, to the millisecond', async () => {
      await set('eth-a');
      assert.equal(inForce(), null);
      clock.advance(HOLD_MS - 1);
      assert.equal(inForce(), null);
      clock.advance(1);
      assert.equal(inForce(), 'eth-a');
    });

    test('a change keeps the former address in force until its time', async () => {
      await set('eth-a', { holdMs: 0 });
      assert.equal(inForce(), 'eth-a');
      await set('eth-b');
      clock.advance(HOLD_MS - 1);
      assert.equal(inForce(), 'eth-a');
      clock.advance(1);
      assert.equal(inForce(), 'eth-b');
    });

    test('a second change during a hold begins a hold of its own, and the address in force stays', async () => {
      await set('eth-a', { holdMs: 0 });
      await set('eth-b');
      clock.advance(HOLD_MS / 2);
      await set('eth-c');
      clock.advance(HOLD_MS / 2);
      assert.equal(inForce(), 'eth-a');
      clock.advance(HOLD_MS / 2);
      assert.equal(inForce(), 'eth-c');
    });

    test('the same address at once ends its hold, and changes nothing when it is in force', async () => {
      await set('eth-a');
      clock.advance(1);
      const sooner = await set('eth-a', { atOnce: true });
      assert.deepEqual([sooner.activeFrom, inForce(), wallets.saves], [clock.now(), 'eth-a', 2]);
      assert.deepEqual(await set('eth-a', { atOnce: true }), sooner);
      clock.advance(1);
      assert.deepEqual(await set('eth-a', { atOnce: true }), sooner);
      assert.equal(wallets.saves, 2);
    });

    test('the same address again changes nothing: its hold does not begin anew', async () => {
      const first = await set('eth-a');
      clock.advance(HOLD_MS / 2);
      assert.deepEqual(await set('eth-a'), first);
      assert.equal(wallets.saves, 1);
      clock.advance(HOLD_MS / 2);
      assert.equal(inForce(), 'eth-a');
      clock.advance(HOLD_MS);
      assert.deepEqual(await set('eth-a'), first);
    });

    test('taking a change back waits for nothing', async () => {
      await set('eth-a', { holdMs: 0 });
      await set('eth-b');
      const back = await set('eth-a');
      assert.equal(back.activeFrom, clock.now());
      assert.equal(inForce(), 'eth-a');
      clock.advance(HOLD_MS);
      assert.equal(inForce(), 'eth-a');
    });

    test('an operator at the machine needs no hold, for an address that waits neither', async () => {
      await set('eth-a', { atOnce: true });
      assert.equal(inForce(), 'eth-a');
      await set('eth-b');
      assert.equal(inForce(), 'eth-a');
      const sooner = await set('eth-b', { atOnce: true });
      assert.equal(inForce(), 'eth-b');
      assert.deepEqual(await set('eth-b', { atOnce: true }), sooner);
    });
  });

  describe('what is refused', () => {
    const refused = (
      code: 'UNSUPPORTED' | 'INVALID_FIELDS' | 'DESTINATION_UNPAYABLE',
      chainCode: string,
      text: string,
    ) =>
      assert.rejects(
        addresses().read(chainCode, text),
        (error) => isTillgateError(error, code),
        `${chainCode} ${text}`,
      );

    test('a chain that is not here, and what is not an address of a chain', async () => {
      await refused('UNSUPPORTED', 'DOGE', 'doge-a');
      await refused('INVALID_FIELDS', 'ETH', 'doge-a');
      assert.equal(await addresses().read('ETH', 'eth-a'), 'eth-a');
    });

    test("the till's own hot address, and every deposit address it gave out", async () => {
      chain.payments = { hotAddress: 'eth-hot' } as ChainPayments;
      owned.push('eth-deposit');
      await refused('DESTINATION_UNPAYABLE', 'ETH', 'eth-hot');
      await refused('DESTINATION_UNPAYABLE', 'ETH', 'eth-deposit');
      assert.equal(await addresses().read('ETH', 'eth-other'), 'eth-other');
    });

    test('fault 80: what the chain knows to lose every payment', async () => {
      Object.assign(chain, { destinationProblem: (a: string) => (a === 'eth-zero' ? 'is the zero address' : null) });
      await refused('DESTINATION_UNPAYABLE', 'ETH', 'eth-zero');
      assert.equal(await addresses().read('ETH', 'eth-other'), 'eth-other');
    });

    test('an account that is unknown or archived', async () => {
      const register = (id: string) => addresses().set(wallets.tx, id as AccountId, 'ETH', 'eth-a', false);
      await assert.rejects(register('1530217733410816001'), (error) => isTillgateError(error, 'NOT_FOUND'));
      wallets.accounts.set(SHOP, accountOf(SHOP, 'archived'));
      await assert.rejects(register(SHOP), (error) => isTillgateError(error, 'STATE_CONFLICT'));
      assert.equal(wallets.saves, 0);
    });
  });
});
