import { invalidField, TillgateError } from '../kernel/errors.ts';
import { requireChain } from '../kernel/require-chain.ts';
import type { BlockRef } from '../ports/block-ref.ts';
import type { ChainAdapter, ChainRegistry, ObservedTransfer, ScannedRange } from '../ports/chain-adapter.ts';
import type { AlsoWrite } from '../ports/storage.ts';
import type { Deposit } from './deposit.ts';
import type { RecordDeps } from './owned-transfers.ts';
import { recordAgain } from './record-again.ts';
import { NO_ADDRESS, scanBlocks } from './scan-blocks.ts';

export interface RescanDeps extends RecordDeps {
  readonly chains: ChainRegistry;
}

/** Blocks that one rescan reads at most: each is read whole, and a request must end in time. */
export const MAX_RESCAN_BLOCKS = 1_000;

/** Blocks to read again: a range, or the block of a transaction. */
export type RescanInput = { readonly from: number; readonly to: number } | { readonly txid: string };

/** What a rescan found. */
export interface Rescan {
  readonly from: number;
  readonly to: number;
  /** Deposits that were not known before. */
  readonly found: readonly Deposit[];
}

/**
 * Reads blocks again for payments to every address that was ever given out, and records those that are not known. It needs no
 * lease: a deposit is unique by (chain, txid, index), so it may be repeated and run beside the follower, which credits what
 * it finds. What only balances show (coins that a contract sends) is not found.
 */
export class RescanDeposits {
  readonly #deps: RescanDeps;

  constructor(deps: RescanDeps) {
    this.#deps = deps;
  }

  /**
   * @param also - more writes of the transaction that records what was found
   * @throws TillgateError `UNSUPPORTED` for a chain that is not configured; `INVALID_FIELDS` for a range that is none or is too
   * long, and for a transaction that is in no block; `STATE_CONFLICT` for blocks that the follower has not read yet, and where
   * the node or the chain changed; `NODE_FAILED`
   */
  async run(code: string, input: RescanInput, also: AlsoWrite<Rescan> = () => Promise.resolve()): Promise<Rescan> {
    const chain = requireChain(this.#deps.chains, code);
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

  /** Old blocks are not stored to compare with: a node whose head is ours has them below it. */
  async #isFollowed(chain: ChainAdapter): Promise<boolean> {
    const cursor = (await this.#deps.storage.chains.state(chain.code))?.cursor ?? null;
    return cursor !== null && (await chain.blockAt(cursor.height))?.hash === cursor.hash;
  }

  /** All of the range before anything is stored, so that it is recorded whole or not at all. */
  async #scan(chain: ChainAdapter, from: number, to: number): Promise<ScannedRange> {
    const { deposits } = this.#deps.storage;
    const blocks: BlockRef[] = [];
    const transfers: ObservedTransfer[] = [];
    const step = chain.policy.maxScanBlocks;
    for (let first = from; first <= to; first += step) {
      const last = Math.min(to, first + step - 1);
      const part = await scanBlocks(chain, deposits, [first, last], NO_ADDRESS, { thorough: true });
      const former = blocks.at(-1);
      // The last block is held against the followed chain: it vouches for those before it by their hashes.
      if (part === null || (former !== undefined && part.blocks[0]?.parentHash !== former.hash))
        throw changed(chain, from, to);
      blocks.push(...part.blocks);
      transfers.push(...part.transfers);
    }
    return { blocks, transfers };
  }

  async #blockOf(chain: ChainAdapter, txid: string): Promise<{ readonly from: number; readonly to: number }> {
    if (chain.heightOf === undefined)
      throw invalidField('tx', `cannot be looked up on ${chain.code}; name the block: from and to`);
    const height = await chain.heightOf(txid);
    if (height === null)
      throw invalidField(
        'tx',
        `is in no block that the node of ${chain.code} finds by it; name the block: from and to`,
      );
    return { from: height, to: height };
  }
}

function changed({ code }: ChainAdapter, from: number, to: number): TillgateError {
  return new TillgateError(
    'STATE_CONFLICT',
    `The node's blocks ${from} to ${to} of ${code} are not those that were followed: check the node, or try again.`,
  );
}
