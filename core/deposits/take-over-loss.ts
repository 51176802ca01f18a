import type { Transaction } from '../kernel/index.ts';
import type { Deposit } from '../chain/index.ts';

/**
 * The part of earlier losses that a deposit repays: losses from other effects of its transaction, in blocks that a
 * reorganisation removed, because a merchant who has withdrawn that money gets the same payment only once. It is booked
 * when the deposit is credited; the others repay that much less if they are mined again.
 *
 * @param others - orphaned deposits of the same transfer
 * @returns the deposit's own loss with what it takes over
 */
export async function takeOverLoss(tx: Transaction, deposit: Deposit, others: readonly Deposit[]): Promise<bigint> {
  let { lossUnits } = deposit;
  if (deposit.assignment !== 'ORDER') return lossUnits;
  for (const other of others) {
    const isSame = other.accountId === deposit.accountId && other.currency === deposit.currency;
    if (other.id === deposit.id || other.assignment !== 'ORDER' || !isSame) continue;
    // The cost of failed returns is not repaid by a merchant.
    const left = other.lossUnits - other.returnCostUnits;
    const room = deposit.units - lossUnits;
    const taken = left < room ? left : room;
    if (taken <= 0n) continue;
    await tx.deposits.setLoss(other.id, other.lossUnits - taken);
    lossUnits += taken;
  }
  return lossUnits;
}
