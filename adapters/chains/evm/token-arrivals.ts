import type { Logger, ObservedTransfer } from '../../../core/index.ts';
import { evmAddress } from './evm-address.ts';
import { receiptIn } from './receipts.ts';
import type { Receipt } from './receipts.ts';
import { contradictory, inconsistent } from './rpc-values.ts';
import type { StateReader } from './state-reader.ts';
import type { TokenHit, TokenMovements } from './token-logs.ts';

/** The logs of one token to one address in one block, which share one balance. */
interface Bundle {
  readonly hits: readonly TokenHit[];
  readonly claimed: bigint;
  /** The amount that the recipient itself sent in the block (a sweep), by which its balance rose less. */
  readonly sent: bigint;
}

/**
 * Determines what arrived: at most the logged amount, and at most the increase of the recipient's balance in that
 * block. So a fee on the transfer is deducted, and a log without a movement counts nothing. Several logs to one address
 * in one block share the increase in their order. What a deposit address sends in the same block, with a transaction of
 * its own, is added to the increase; others cannot fake such a departure.
 *
 * Where the node no longer keeps the state of the block (a pruned node that catches up), the logs are trusted and a
 * warning is logged: the operator chose the contracts.
 *
 * @param unproved - collects `key:currency` of each receiver for which the logs were trusted
 */
export async function verifyArrivals(
  { hits, departures }: Pick<TokenMovements, 'hits' | 'departures'>,
  receipts: ReadonlyMap<string, Receipt>,
  state: StateReader,
  logger: Logger,
  unproved = new Set<string>(),
): Promise<readonly ObservedTransfer[]> {
  const took = (hit: TokenHit): boolean =>
    hit.fromKey !== hit.toKey && receiptIn(receipts, hit.txid, hit.block.hash).success;
  const sent = departures.filter(
    (hit) => took(hit) && receiptIn(receipts, hit.txid, hit.block.hash).fromKey === hit.fromKey,
  );
  const bundles = bundle(hits.filter(took), sent);
  const rises = await readRises(bundles, state, logger, unproved);
  return bundles.flatMap((one, at) => share(one, rises[at] as bigint, receipts));
}

function bundle(hits: readonly TokenHit[], departures: readonly TokenHit[]): readonly Bundle[] {
  const nameOf = ({ block, tokenKey }: TokenHit, key: string): string => `${block.height}:${tokenKey}:${key}`;
  const groups = new Map<string, TokenHit[]>();
  const sent = new Map<string, bigint>();
  for (const one of departures) {
    const name = nameOf(one, one.fromKey);
    sent.set(name, (sent.get(name) ?? 0n) + one.units);
  }
  for (const hit of hits) {
    const name = nameOf(hit, hit.toKey);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [hit]);
    else group.push(hit);
  }
  return [...groups].map(([name, group]) => ({
    hits: group,
    claimed: group.reduce((sum, { units }) => sum + units, 0n),
    sent: sent.get(name) ?? 0n,
  }));
}

async function readRises(
  bundles: readonly Bundle[],
  state: StateReader,
  logger: Logger,
  unproved: Set<string>,
): Promise<readonly bigint[]> {
  const rises = await readArrived(bundles, state);
  await confirmOdd(bundles, rises, state);
  return bundles.map(({ hits, claimed }, at) => {
    const arrived = rises[at] ?? null;
    const first = hits[0] as TokenHit;
    if (arrived === null) {
      unproved.add(`${first.toKey}:${first.currency}`);
      logger.warn('the node does not keep the state of this block: the amount is taken from the log', {
        height: first.block.height,
        txid: first.txid,
      });
      return claimed;
    }
    if (arrived < claimed) {
      logger.warn('less of a token arrived than its logs say', {
        txid: first.txid,
        claimed: String(claimed),
        arrived: String(arrived),
      });
    }
    return arrived;
  });
}

/** The increases of the balances; `null` where the node keeps no state of the block. */
async function readArrived(bundles: readonly Bundle[], state: StateReader): Promise<readonly (bigint | null)[]> {
  const questions = bundles.flatMap(({ hits }) => {
    const { block, tokenKey, toKey } = hits[0] as TokenHit;
    const before = { height: block.height - 1, hash: block.parentHash };
    return [before, block].map((at) => ({ key: toKey, tokenKey, at }));
  });
  const balances = await state.tokens(questions);
  return bundles.map(({ sent }, at) => {
    const before = balances[2 * at];
    const after = balances[2 * at + 1];
    if (before === undefined || after === undefined) throw inconsistent('a balance is missing');
    return before === 'gone' || after === 'gone' ? null : after - before + sent;
  });
}

/** Reads mismatching balances again, since the node may have answered with the state of the next block. */
async function confirmOdd(
  bundles: readonly Bundle[],
  rises: readonly (bigint | null)[],
  state: StateReader,
): Promise<void> {
  const odd = bundles
    .map((bundle, at) => ({ bundle, arrived: rises[at] ?? null }))
    .filter(({ bundle, arrived }) => arrived !== null && arrived !== bundle.claimed);
  const again = await readArrived(
    odd.map(({ bundle }) => bundle),
    state,
  );
  const misread = odd.find(({ arrived }, at) => again[at] !== null && again[at] !== arrived);
  if (misread !== undefined)
    throw contradictory(
      `the token balance of 0x${(misread.bundle.hits[0] as TokenHit).toKey} was reported in two ways`,
    );
}

function share({ hits }: Bundle, rise: bigint, receipts: ReadonlyMap<string, Receipt>): ObservedTransfer[] {
  let left = rise;
  const transfers: ObservedTransfer[] = [];
  for (const hit of hits) {
    const units = hit.units < left ? hit.units : left;
    if (units <= 0n) continue;
    left -= units;
    transfers.push({
      txid: hit.txid,
      index: placeInTransaction(hit, receiptIn(receipts, hit.txid, hit.block.hash)),
      block: hit.block,
      currency: hit.currency,
      units,
      from: senderOf(hit, receiptIn(receipts, hit.txid, hit.block.hash)),
      toKey: hit.toKey,
    });
  }
  return transfers;
}

/**
 * The only sender that can certainly receive a refund: the account that signed the transaction. For payments through a
 * contract no sender is named, since the address in the log may have no key: a contract, even one that no longer
 * exists, or the zero address of a mint.
 */
function senderOf({ fromKey }: TokenHit, receipt: Receipt): string | null {
  return fromKey === receipt.fromKey ? evmAddress(fromKey) : null;
}

/**
 * The log's position among the logs of its transaction. Unlike its number in the block, it stays the same when the
 * transaction is mined again elsewhere, so that one payment remains one deposit.
 */
function placeInTransaction(hit: TokenHit, receipt: Receipt): string {
  const place = receipt.logNumbers.indexOf(hit.logNumber);
  if (place < 0) throw inconsistent(`the receipt of ${hit.txid} lacks a log`);
  return String(place);
}
