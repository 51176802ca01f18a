import { TillgateError } from '../kernel/index.ts';
import type { Storage } from '../kernel/index.ts';
import type { PayingChain } from './payout-deps.ts';
import { allHoldings, isUnspent } from './holdings.ts';
import type { Holding } from './transfer.ts';

/** The differences between the chain and the restored database. */
export interface RecoveredCoins {
  /** Coins of the hot wallet that were missing from the database: change of payments made since the backup. */
  readonly found: number;
  /** Coins of the database that are spent on the chain. */
  readonly gone: number;
}

/**
 * Corrects the coins of a restored database on UTXO chains: coins that were spent since the backup are removed, and
 * unknown ones of the hot wallet are added. The ledger is not changed.
 *
 * @throws TillgateError `UNSUPPORTED` on account chains; `STATE_CONFLICT` unless a backup was restored and the chain
 *   was read to its head since; `NODE_FAILED`
 */
export async function recoverCoins(
  chain: PayingChain,
  storage: Pick<Storage, 'chains' | 'epochs' | 'transfers' | 'transaction'>,
): Promise<RecoveredCoins> {
  const { code, payments } = chain;
  if (payments.unspent === undefined)
    throw new TillgateError(
      'UNSUPPORTED',
      `The balances of ${code} are read from its addresses; there are no coins to recover.`,
    );
  const { number, startedAt } = await storage.epochs.current();
  if (number === 1 || ((await storage.chains.state(code))?.caughtUpAt ?? 0) <= startedAt)
    throw new TillgateError('STATE_CONFLICT', `No backup was restored, or ${code} was not read to its head since.`);
  const held = await allHoldings(storage, code);
  const known = new Set(held.map(({ ref }) => ref));
  const gone: Holding[] = [];
  for (const holding of held) if (holding.status === 'FREE' && !(await isUnspent(chain, holding))) gone.push(holding);
  const currency = payments.feeAsset.currency;
  const found = (await payments.unspent(payments.hotAddress)).filter(({ ref }) => !known.has(ref));
  return storage.transaction(async (tx) => {
    for (const { ref } of gone) await tx.transfers.dropHolding(code, ref);
    let added = 0;
    for (const coin of found) if (await tx.transfers.addHolding({ ...coin, chain: code, currency })) added += 1;
    return { found: added, gone: gone.length };
  });
}
