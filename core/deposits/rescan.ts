import type { ChainAdapter, ChainRegistry, Deposit, ObservedTransfer, ScannedRange } from '../chain/index.ts';
import { invalidField, TillgateError } from '../kernel/index.ts';
import { requireChain } from '../chain/index.ts';
import type { AlsoRecord, BlockRef, OrderId } from '../kernel/index.ts';
import type { RecordDeps } from './owned-transfers.ts';
import { recordAgain } from './reread-blocks.ts';
import { NO_ADDRESS, scanBlocks } from './scan-blocks.ts';
import type { ComparedAddress } from './comparison-store.ts';
import { addressPages, comparedBlock } from './address-pages.ts';
import { canCompare, compareAddresses } from './compare-addresses.ts';
import type { ComparableChain, ComparisonScene } from './compare-addresses.ts';

/** The addresses whose balances are compared. */
export type BalancesInput = { readonly address: string } | { readonly orderId: string } | { readonly balances: true };

/**
 * The scope of a rescan: a range of blocks, the block of a transaction, or the present balance of an address, of an
 * order's address, or of every address of the chain.
 */
export type RescanInput = { readonly from: number; readonly to: number } | { readonly txid: string } | BalancesInput;

/** The result of a rescan. */
export interface Rescan {
  /** The first and last block that were read; for balances, the block at which they were compared. */
  readonly from: number;
  readonly to: number;
  readonly found: readonly Deposit[];
}

export interface RescanDeps extends RecordDeps {
  readonly chains: ChainRegistry;
}

/** The most blocks of one rescan: each is read completely, and a request must end in time. */
export const MAX_RESCAN_BLOCKS = 1_000;

/**
 * Reads blocks again for payments to every assigned address, and records unknown ones. It needs no lease: a deposit is
 * unique by (chain, txid, index), so it may be repeated and run beside the follower, which credits the deposits.
 * Payments that only balances show (coins that a contract sends) are found by comparing balances with the ledger.
 */
export class RescanDeposits {
  readonly #deps: RescanDeps;

  constructor(deps: RescanDeps) {
    this.#deps = deps;
  }

  /**
   * @param also - records the request in the transaction that records the deposits
   * @throws TillgateError `UNSUPPORTED` for a chain that is not configured; `INVALID_FIELDS` for an invalid or too long
   *   range, and for a transaction that is in no block; `STATE_CONFLICT` for blocks that the follower has not read yet,
   *   when the node or the chain changed meanwhile, and when balances could not be compared now; `NODE_FAILED`
   */
  async run(code: string, input: RescanInput, also: AlsoRecord<Rescan> = () => undefined): Promise<Rescan> {
    const chain = requireChain(this.#deps.chains, code);
    if ('address' in input || 'orderId' in input || 'balances' in input)
      return new RescanBalances(chain, this.#deps).run(input, also);
    const { from, to } = 'txid' in input ? await this.#blockOf(chain, input.txid) : input;
    await this.#requireRead(chain, from, to);
    const scanned = await this.#scan(chain, from, to);
    if (!(await this.#isFollowed(chain))) throw changed(chain, from, to);
    const found = await recordAgain(chain, scanned, this.#deps, {
      also: (tx, added) => also(tx, { from, to, found: added }),
    });
    if (found === null) throw changed(chain, from, to);
    return { from, to, found };
  }

  async #requireRead({ code }: ChainAdapter, from: number, to: number): Promise<void> {
    if (from < 1) throw invalidField('from', 'must be 1 or more');
    if (to < from) throw invalidField('to', 'must not be lower than from');
    if (to - from >= MAX_RESCAN_BLOCKS)
      throw invalidField(
        'to',
        `must be at most ${from + MAX_RESCAN_BLOCKS - 1}: ${MAX_RESCAN_BLOCKS} blocks are read at a time`,
      );
    const height = (await this.#deps.storage.chains.state(code))?.cursor?.height ?? 0;
    if (to > height)
      throw new TillgateError(
        'STATE_CONFLICT',
        `Blocks up to ${height} of ${code} can be read again; later ones have not been read yet.`,
      );
  }

  /** Old blocks are not stored for a comparison; a node that has the followed head has them below it. */
  async #isFollowed(chain: ChainAdapter): Promise<boolean> {
    const cursor = (await this.#deps.storage.chains.state(chain.code))?.cursor ?? null;
    return cursor !== null && (await chain.blockAt(cursor.height))?.hash === cursor.hash;
  }

  /** Reads the whole range before anything is stored, so that it is recorded completely or not at all. */
  async #scan(chain: ChainAdapter, from: number, to: number): Promise<ScannedRange> {
    const { deposits } = this.#deps.storage;
    const blocks: BlockRef[] = [];
    const transfers: ObservedTransfer[] = [];
    const step = chain.policy.maxScanBlocks;
    for (let first = from; first <= to; first += step) {
      const last = Math.min(to, first + step - 1);
      const part = await scanBlocks(chain, deposits, [first, last], NO_ADDRESS, { thorough: true });
      const former = blocks.at(-1);
      // The last block is compared with the followed chain; the ones before it are linked to it by their hashes.
      if (part === null || (former !== undefined && part.blocks[0]?.parentHash !== former.hash))
        throw changed(chain, from, to);
      blocks.push(...part.blocks);
      transfers.push(...part.transfers);
    }
    return { blocks, transfers };
  }

  async #blockOf(chain: ChainAdapter, txid: string): Promise<{ readonly from: number; readonly to: number }> {
    if (chain.heightOf === undefined)
      throw invalidField('tx', `cannot be looked up on ${chain.code}: give the block in from and to`);
    const height = await chain.heightOf(txid);
    if (height === null)
      throw invalidField(
        'tx',
        `was not found in any block by the node of ${chain.code}: give the block in from and to`,
      );
    return { from: height, to: height };
  }
}

function changed({ code }: ChainAdapter, from: number, to: number): TillgateError {
  return new TillgateError(
    'STATE_CONFLICT',
    `The node of ${code} has other blocks from ${from} to ${to} than those that were followed: check the node, or try again.`,
  );
}

/** Compares present balances with the ledger at an operator's request, as the follower does regularly. */
class RescanBalances {
  readonly #chain: ChainAdapter;
  readonly #deps: RecordDeps;

  constructor(chain: ChainAdapter, deps: RecordDeps) {
    this.#chain = chain;
    this.#deps = deps;
  }

  /** @throws TillgateError as {@link RescanDeposits.run} */
  async run(input: BalancesInput, also: AlsoRecord<Rescan>): Promise<Rescan> {
    const chain = this.#chain;
    if (!canCompare(chain))
      throw new TillgateError(
        'UNSUPPORTED',
        `The blocks of ${chain.code} show every payment to an address: read blocks again instead of balances.`,
      );
    const scene = await this.#scene(chain);
    const found: Deposit[] = [];
    let open = 0;
    for await (const addresses of this.#addresses(chain, input)) {
      const compared = await compareAddresses(chain, addresses, scene, this.#deps);
      found.push(...compared.found);
      open += compared.open;
    }
    const { height } = scene.at;
    const result = { from: height, to: height, found };
    await this.#deps.storage.transaction(async (tx) => also(tx, result));
    if (open > 0 && found.length === 0)
      throw new TillgateError(
        'STATE_CONFLICT',
        `${open} addresses of ${chain.code} could not be compared at block ${height}: try again, or check the node.`,
      );
    return result;
  }

  async #scene(chain: ComparableChain): Promise<ComparisonScene> {
    const { storage } = this.#deps;
    const at = await comparedBlock(chain, storage);
    const epoch = await storage.epochs.current();
    if (at === null || epoch.status === 'pending')
      throw new TillgateError(
        'STATE_CONFLICT',
        `Balances of ${chain.code} cannot be compared before the chain was followed, nor while the database may be a restored backup ("restore status").`,
      );
    const { unseen } = await storage.comparisons.state(chain.code);
    return { at, unseen, epoch };
  }

  async *#addresses(chain: ComparableChain, input: BalancesInput): AsyncIterable<readonly ComparedAddress[]> {
    const { comparisons } = this.#deps.storage;
    if ('orderId' in input) {
      yield required('order', await comparisons.byOrder(chain.code, input.orderId as OrderId));
      return;
    }
    if ('address' in input) {
      const address = chain.normaliseAddress(input.address);
      yield required('address', address === null ? [] : await comparisons.byKeys(chain.code, [chain.keyOf(address)]));
      return;
    }
    yield* addressPages(comparisons, chain.code, { turn: 'all', now: 0, size: chain.present.perCall });
  }
}

function required(field: string, addresses: readonly ComparedAddress[]): readonly ComparedAddress[] {
  if (addresses.length === 0) throw invalidField(field, 'has no deposit address of the till on this chain');
  return addresses;
}
