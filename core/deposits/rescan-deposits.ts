import { TillgateError } from '../kernel/errors.ts';
import { requireChain } from '../kernel/require-chain.ts';
import type { ChainAdapter, ChainRegistry } from '../ports/chain-adapter.ts';
import type { Deposit } from './deposit.ts';
import type { RecordDeps } from './owned-transfers.ts';
import { recordAgain } from './record-again.ts';
import { NO_ADDRESS, scanBlocks } from './scan-blocks.ts';

export interface RescanDeps extends RecordDeps {
  readonly chains: ChainRegistry;
}

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
   * @throws TillgateError `UNSUPPORTED` for a chain that is not configured; `INVALID_FIELDS` for blocks that the follower has
   * not read yet; `NOT_FOUND` for a transaction that is in no block; `STATE_CONFLICT` where the node or the chain changed;
   * `NODE_FAILED`
   */
  async run(code: string, input: RescanInput): Promise<Rescan> {
    const chain = requireChain(this.#deps.chains, code);
    const { from, to } = 'txid' in input ? await this.#blockOf(chain, input.txid) : input;
    const cursor = (await this.#deps.storage.chains.state(code))?.cursor ?? null;
    if (cursor === null || to > cursor.height || from > to || from < 1) {
      throw new TillgateError(
        'STATE_CONFLICT',
        `Blocks from 1 to ${cursor?.height ?? 0} of ${code} can be read again; later ones have not been read yet.`,
      );
    }
    const found: Deposit[] = [];
    const step = chain.policy.maxScanBlocks;
    for (let first = from; first <= to; first += step)
      found.push(...(await this.#range(chain, first, Math.min(to, first + step - 1))));
    return { from, to, found };
  }

  async #range(chain: ChainAdapter, from: number, to: number): Promise<readonly Deposit[]> {
    const { storage } = this.#deps;
    const scanned = await scanBlocks(chain, storage.deposits, [from, to], NO_ADDRESS, { thorough: true });
    const found = scanned === null ? null : await recordAgain(chain, scanned, this.#deps);
    if (found === null) {
      throw new TillgateError(
        'STATE_CONFLICT',
        `The node's blocks ${from} to ${to} of ${chain.code} are not those that were followed: check the node, or try again.`,
      );
    }
    return found;
  }

  async #blockOf(chain: ChainAdapter, txid: string): Promise<{ readonly from: number; readonly to: number }> {
    if (chain.heightOf === undefined)
      throw new TillgateError(
        'STATE_CONFLICT',
        `A transaction on ${chain.code} cannot be looked up: name the block's height.`,
      );
    const height = await chain.heightOf(txid);
    if (height === null)
      throw new TillgateError(
        'NOT_FOUND',
        `The node of ${chain.code} knows no such transaction in a block; name the block's height.`,
      );
    return { from: height, to: height };
  }
}
