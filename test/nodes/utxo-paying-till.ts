import assert from 'node:assert/strict';
import { PayoutFeeEstimator, PayoutRunner, readDecimal, RequestWithdrawal, SecondFactor } from '../../core/index.ts';
import type { ChainAdapter, PayingChain, Storage, Transfer, TransferId } from '../../core/index.ts';
import { CryptoDigest } from '../../adapters/crypto/index.ts';
import { FakeVault, SeededRandom } from '../support/fakes.ts';
import { buildTill } from './utxo-till.ts';
import type { UtxoTill } from './utxo-till.ts';

/** A {@link UtxoTill} that pays, and whose merchant may withdraw. */
export interface PayingTill extends UtxoTill {
  withdraw(amount: string): Promise<Transfer>;
  transfer(id: TransferId): Promise<Transfer>;
  /** Steps the payouts until they rest. */
  payOut(): Promise<void>;
}

/** Builds a {@link PayingTill} whose withdrawals go to this address. */
export async function buildPayingTill(storage: Storage, chain: ChainAdapter, address: string): Promise<PayingTill> {
  const till = await buildTill(storage, chain);
  const { accountId, clock, ids, events, logger, metrics, rates, assets, stateMachine } = till;
  const { code } = chain;
  await storage.accounts.update(accountId, { verifiedCurrencies: ['*'], modifiedAt: clock.now() });
  const record = {
    accountId,
    chain: code,
    formerAddress: null,
    address,
    activeFrom: clock.now(),
    updatedAt: clock.now(),
  };
  await storage.transaction((tx) => tx.wallets.saveWithdrawalAddress(record));
  const runner = new PayoutRunner(
    chain as PayingChain,
    { storage, assets, rates, stateMachine, clock, ids, events, logger, metrics },
    { maxFeeBps: 100, cold: new Map() },
  );
  const withdrawal = new RequestWithdrawal({
    storage,
    assets,
    chains: new Map([[code, chain]]),
    fees: new PayoutFeeEstimator({ storage, rates, clock }),
    secondFactor: new SecondFactor({
      storage,
      vault: new FakeVault(),
      random: new SeededRandom(),
      digest: new CryptoDigest(),
      clock,
      ids,
      issuer: 'Test',
    }),
    clock,
    ids,
    events,
    metrics,
    logger,
    settings: { min: new Map(), max: new Map(), approveAbove: new Map(), addressHoldMs: 0 },
  });
  return {
    ...till,
    async withdraw(amount) {
      const value = readDecimal(amount);
      assert(value !== null);
      const principal = { accountId, credentialId: null, via: 'api-key' } as const;
      const input = { chain: code, currency: chain.assets[0]?.currency ?? '', amount: value };
      return (await withdrawal.run(principal, input)).withdrawal;
    },
    async transfer(id) {
      const transfer = await storage.transfers.find(id);
      assert(transfer !== null);
      return transfer;
    },
    async payOut() {
      const lease = await storage.leases.acquire(`payout:${code}`, 'test', 60_000);
      assert(lease !== null);
      while ((await runner.step(lease)) === 'advanced');
    },
  };
}
