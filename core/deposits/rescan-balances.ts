import { invalidField, TillgateError } from '../kernel/index.ts';
import type { AlsoWrite, OrderId } from '../kernel/index.ts';
import type { ChainAdapter, Deposit } from '../chain/index.ts';
import type { ComparedAddress } from './comparison-store.ts';
import { addressPages, comparedBlock } from './address-pages.ts';
import { canCompare, compareAddresses } from './compare-addresses.ts';
import type { ComparableChain, ComparisonScene } from './compare-addresses.ts';
import type { RecordDeps } from './owned-transfers.ts';
import type { BalancesInput, Rescan } from './rescan.ts';

/** Compares present balances with the ledger at an operator's request, as the follower does regularly. */
export class RescanBalances {
  readonly #chain: ChainAdapter;
  readonly #deps: RecordDeps;

  constructor(chain: ChainAdapter, deps: RecordDeps) {
    this.#chain = chain;
    this.#deps = deps;
  }

  /** @throws TillgateError as {@link RescanDeposits.run} */
  async run(input: BalancesInput, also: AlsoWrite<Rescan>): Promise<Rescan> {
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
    await this.#deps.storage.transaction((tx) => also(tx, result));
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
