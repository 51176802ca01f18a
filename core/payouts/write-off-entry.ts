import type { ChainCode, EntryId, Millis } from '../kernel/index.ts';
import type { FrozenCoin } from './transfer-store.ts';
import { custodyAccount, merchantAccount, operatorAccount } from '../ledger/index.ts';
import type { LedgerEntry, Posting } from '../ledger/index.ts';

/**
 * Writes off a coin that cannot be moved: its owner's available balance pays what it can, the operator's float the
 * rest. Each coin is written off at most once.
 *
 * @param borne - the part that its owner pays; 0 for a deposit that belongs to no order, which is still owed to its
 *   payer
 */
export function writeOffEntry(
  id: EntryId,
  at: Millis,
  chain: ChainCode,
  { ref, accountId, currency, units }: FrozenCoin,
  borne: bigint,
): LedgerEntry {
  const postings: Posting[] = [
    { account: custodyAccount(chain), currency, units },
    { account: operatorAccount(chain), currency, units: borne - units },
  ];
  if (accountId !== null) postings.push({ account: merchantAccount(accountId, 'available'), currency, units: -borne });
  return {
    id,
    at,
    kind: 'coin-written-off',
    reference: `coin:${chain}:${ref}:written-off`,
    postings: postings.filter(({ units: each }) => each !== 0n),
  };
}
