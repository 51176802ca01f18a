import { present } from '../../../core/index.ts';
import type { BlockRef, CurrencyCode, ObservedTransfer } from '../../../core/index.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import { fetchBlock } from './blocks.ts';
import { sumOf } from './coin-balances.ts';
import type { UnexplainedChange } from './coin-balances.ts';
import { creditsOf } from './coin-traces.ts';
import { inconsistent } from './rpc-values.ts';
import type { StateReader } from './state-reader.ts';

/** A point of the bisection, with the unexplained part of the balance there. */
interface Point {
  readonly height: number;
  readonly unexplained: bigint;
}

/** Turns unexplained balance increases into transfers: finds their blocks, and their transactions where possible. */
export class InternalCoins {
  readonly #client: JsonRpcClient;
  readonly #state: StateReader;
  readonly #currency: CurrencyCode;

  constructor(client: JsonRpcClient, state: StateReader, currency: CurrencyCode) {
    this.#client = client;
    this.#state = state;
    this.#currency = currency;
  }

  /**
   * @param blocks - the blocks of the scan. An earlier increase, at an address that was checked late, is reported in
   *   the first of them: later than it happened, never earlier
   * @returns transfers with index `internal:<key>`; their txid is the block's hash where no transaction can be named
   */
  async locate(rises: readonly UnexplainedChange[], blocks: readonly BlockRef[]): Promise<readonly ObservedTransfer[]> {
    const known = new Map(blocks.map((block) => [block.height, block]));
    const transfers: ObservedTransfer[] = [];
    for (const rise of rises) {
      const low = { height: rise.from.height, unexplained: rise.fromUnits };
      const high = { height: rise.to.height, unexplained: rise.toUnits - sumOf(rise.moves, 0n) };
      for (const { height, units } of await this.#bisect(rise, low, high, known)) {
        const block = await this.#blockAt(height, known);
        const reported = known.get(height) ?? present(blocks[0], 'a block');
        transfers.push(...(await this.#attribute(rise, units, block, reported)));
      }
    }
    return transfers;
  }

  /** Each arrival costs a number of balance reads that is logarithmic in the length of the range. */
  async #bisect(
    rise: UnexplainedChange,
    low: Point,
    high: Point,
    known: ReadonlyMap<number, BlockRef>,
  ): Promise<readonly { readonly height: number; readonly units: bigint }[]> {
    if (high.unexplained <= low.unexplained) return [];
    if (high.height - low.height === 1) return [{ height: high.height, units: high.unexplained - low.unexplained }];
    const height = (low.height + high.height) >> 1;
    const [balance] = await this.#state.coins([{ key: rise.key, at: await this.#blockAt(height, known) }]);
    // The state of both ends was available. Without that of the middle, the increase is reported at the end.
    if (balance === undefined || balance === 'gone')
      return [{ height: high.height, units: high.unexplained - low.unexplained }];
    const explained = sumOf(
      rise.moves.filter((move) => move.height <= height),
      0n,
    );
    const middle = { height, unexplained: balance - explained };
    return [...(await this.#bisect(rise, low, middle, known)), ...(await this.#bisect(rise, middle, high, known))];
  }

  async #blockAt(height: number, known: ReadonlyMap<number, BlockRef>): Promise<BlockRef> {
    const block = known.get(height) ?? (await fetchBlock(this.#client, height));
    if (block === null) throw inconsistent(`the block at height ${height} is missing`);
    return block;
  }

  async #attribute(
    { key, from }: UnexplainedChange,
    units: bigint,
    at: BlockRef,
    block: BlockRef,
  ): Promise<readonly ObservedTransfer[]> {
    let left = units;
    const transfers: ObservedTransfer[] = [];
    const push = (txid: string, part: bigint): void => {
      left -= part;
      // The sender is a contract, which may be unable to receive a refund, so no sender is named.
      transfers.push({
        txid,
        index: `internal:${key}`,
        block,
        currency: this.#currency,
        units: part,
        from: null,
        toKey: key,
        notBefore: from.height + 1,
      });
    };
    for (const credit of await creditsOf(this.#client, at.hash, key, units)) {
      const part = credit.units < left ? credit.units : left;
      if (part > 0n) push(credit.txid, part);
    }
    // Rewards, withdrawals, and increases without a known transaction.
    if (left > 0n) push(at.hash, left);
    return transfers;
  }
}
