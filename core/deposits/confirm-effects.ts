import { isTillgateError } from '../kernel/index.ts';
import type { ChainAdapter, ChainEffects, Deposit, DepositStore, ObservedTransfer } from '../chain/index.ts';
import type { Logger } from '../kernel/index.ts';
import { isByBalance } from './balance-deposit.ts';
import { placeOf } from '../chain/index.ts';
import { groupsOf } from './note-deposits.ts';
import type { DepositGroup } from './note-deposits.ts';
import { hasFacts } from './same-facts.ts';
import { effectsOf } from './scanned-effects.ts';

/** The result of reading the blocks of deposits a second time. */
export interface ConfirmedEffects {
  /** Deposits that the chain confirms; these may be credited or spent. */
  readonly confirmed: readonly Deposit[];
  /** Deposits that their block contradicts, and its transfers in their place, by block. */
  readonly differing: readonly DifferingBlock[];
  /** True when a block could not be read; its deposits wait. */
  readonly unread: boolean;
}

export interface DifferingBlock {
  readonly deposits: readonly Deposit[];
  /** Transfers to addresses of the till. */
  readonly transfers: readonly ObservedTransfer[];
}

/**
 * Reads once more what deposits brought, where their transactions' ids do not commit to it. Each block is read once,
 * however many deposits it has. A block that cannot be read delays only its own deposits.
 */
export async function confirmEffects(
  chain: ChainAdapter,
  {
    storage,
    logger,
  }: { readonly storage: { readonly deposits: Pick<DepositStore, 'owners'> }; readonly logger: Logger },
  deposits: readonly Deposit[],
): Promise<ConfirmedEffects> {
  const effects = effectsOf(chain);
  // A deposit found by a balance has no transaction to read again; its balance is compared instead.
  const isOpen = (deposit: Deposit): boolean =>
    !isByBalance(deposit) && (effects?.dependsOnBlock(deposit.index) ?? false);
  const confirmed: Deposit[] = deposits.filter((deposit) => !isOpen(deposit));
  const differing: DifferingBlock[] = [];
  let unread = false;
  for (const group of groupsOf(deposits.filter(isOpen), ({ blockHash }) => blockHash)) {
    try {
      const found = await compare(chain, effects, storage.deposits, group);
      confirmed.push(...(found?.same ?? []));
      if (found !== null && found.differing.deposits.length > 0) differing.push(found.differing);
    } catch (error) {
      if (!isTillgateError(error, 'NODE_FAILED') && !isTillgateError(error, 'NOT_READY')) throw error;
      unread = true;
      const { blockHeight: height } = group[0];
      logger.warn('a block could not be read again before its deposits are credited; they wait', { height, error });
    }
  }
  return { confirmed, differing, unread };
}

/** `null` when the chain now has another block there, which the follower will notice. */
async function compare(
  { code }: ChainAdapter,
  effects: ChainEffects | null,
  store: Pick<DepositStore, 'owners'>,
  group: DepositGroup,
): Promise<{ readonly same: readonly Deposit[]; readonly differing: DifferingBlock } | null> {
  const [{ blockHeight: height, blockHash: hash }] = group;
  const recorded = group.map(({ txid, index, currency, units, fromAddress: from, toAddress: address }) => {
    return { txid, index, currency, units, from, address };
  });
  const read = (await effects?.read({ height, hash }, recorded)) ?? null;
  if (read === null) return null;
  const places = new Set(group.map(placeOf));
  const there = read.filter((transfer) => places.has(placeOf(transfer)));
  const keys = [...new Set(there.map(({ toKey }) => toKey))];
  const owners = new Map((await store.owners(code, keys)).map(({ key, address }) => [key, address]));
  const byPlace = new Map(there.map((transfer) => [placeOf(transfer), transfer]));
  const isSame = (deposit: Deposit): boolean => {
    const transfer = byPlace.get(placeOf(deposit));
    const address = owners.get(transfer?.toKey ?? '');
    return transfer !== undefined && address !== undefined && hasFacts(deposit, { ...transfer, address });
  };
  const deposits = group.filter((deposit) => !isSame(deposit));
  const changed = new Set(deposits.map(placeOf));
  const transfers = there.filter((transfer) => changed.has(placeOf(transfer)) && owners.has(transfer.toKey));
  return { same: group.filter(isSame), differing: { deposits, transfers } };
}
