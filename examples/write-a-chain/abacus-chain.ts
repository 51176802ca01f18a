import { z } from 'zod';
import { AccountKey, assert, formatUnits, TillgateError } from 'tillgate/plugin';
import type {
  Asset,
  BlockRef,
  ChainAdapter,
  ChainPayments,
  ChainPolicy,
  DerivedAddress,
  PaymentTarget,
  ScannedRange,
  WatchList,
} from 'tillgate/plugin';
import type { AbacusClient } from './abacus-client.ts';
import { blockSchema, keyHash, readAddress, writeAddress } from './abacus-wire.ts';
import type { WireBlock } from './abacus-wire.ts';

/** The one coin of the chain. */
export const ABC: Asset = { chain: 'ABC', currency: 'ABC', symbol: 'ABC', decimals: 8, kind: 'native', stable: false };

/** Options and dependencies of an {@link AbacusChain}. */
export interface AbacusChainOptions {
  readonly client: AbacusClient;
  /** The hash of the first block, which identifies the network; `null` for the network of the node. */
  readonly genesis: string | null;
  /** The extended public key of the account from which deposit addresses are derived. */
  readonly xpub: string;
  readonly confirmations: number;
  readonly pollIntervalMs: number;
  /** `null` for a watch-only chain. */
  readonly payments: ChainPayments | null;
}

/** The chain adapter of Abacus. */
export class AbacusChain implements ChainAdapter {
  readonly code = 'ABC';
  readonly name = 'Abacus';
  readonly assets = [ABC];
  readonly startHeight = null;
  readonly balances = null;
  readonly simulator = null;
  readonly policy: ChainPolicy;
  readonly walletId: string;
  readonly payments: ChainPayments | null;
  readonly #options: AbacusChainOptions;
  readonly #account: AccountKey;
  /** The longest chain wins here, so its height never decreases: a lower head means that the node lags. */
  #top = 0;

  constructor(options: AbacusChainOptions) {
    const { confirmations, pollIntervalMs } = options;
    this.#options = options;
    this.#account = new AccountKey(options.xpub);
    this.walletId = this.#account.walletId;
    this.payments = options.payments;
    this.policy = {
      confirmations: () => confirmations,
      spendableConfirmations: confirmations,
      finalityBlocks: 64,
      pollIntervalMs,
      maxScanBlocks: 50,
    };
  }

  async identify(): Promise<string> {
    const { hash } = await this.#options.client.get('genesis', z.object({ hash: z.string() }));
    const { genesis } = this.#options;
    if (genesis !== null && genesis !== hash)
      throw new TillgateError('CHAIN_HALTED', `The Abacus node is on the network ${hash}, configured is ${genesis}.`);
    return `abacus:${hash}`;
  }

  async head(): Promise<BlockRef> {
    const head = refOf(await this.#options.client.get('head', blockSchema));
    if (head.height < this.#top)
      throw new TillgateError(
        'NODE_FAILED',
        `The Abacus node went back from block ${this.#top} to ${head.height}: it lags.`,
      );
    this.#top = head.height;
    return head;
  }

  async blockAt(height: number): Promise<BlockRef | null> {
    const block = await this.#options.client.find(`blocks/${height}`, blockSchema);
    if (block !== null) return refOf(block);
    if (height <= this.#top) throw new TillgateError('NODE_FAILED', `The Abacus node lacks block ${height}: it lags.`);
    return null;
  }

  async scan(from: number, to: number, watch: WatchList): Promise<ScannedRange> {
    const blocks: WireBlock[] = [];
    for (let height = from; height <= to; height++) {
      const block = await this.#options.client.get(`blocks/${height}`, blockSchema);
      const parent = blocks.at(-1);
      if (block.height !== height || (parent !== undefined && parent.hash !== block.parent)) {
        throw new TillgateError('NODE_FAILED', `The Abacus node's block ${height} does not follow the one before it.`);
      }
      blocks.push(block);
    }
    return { blocks: blocks.map(refOf), transfers: blocks.flatMap((block) => transfersOf(block, watch)) };
  }

  async deriveAddresses(first: number, count: number): Promise<readonly DerivedAddress[]> {
    return Array.from({ length: count }, (_, offset) => {
      const key = keyHash(this.#account.publicKey(first + offset));
      return { index: first + offset, address: writeAddress(key), key };
    });
  }

  normaliseAddress(text: string): string | null {
    const key = readAddress(text);
    return key === null ? null : writeAddress(key);
  }

  keyOf(address: string): string {
    const key = readAddress(address);
    assert(key !== null, `${address} is not an address of Abacus`);
    return key;
  }

  contractAddress(): string {
    return '';
  }

  paymentUri({ address, units }: PaymentTarget): string {
    return `abacus:${address}?amount=${formatUnits(units, ABC.decimals)}`;
  }

  async close(): Promise<void> {
    // There is nothing to close.
  }
}

export function refOf({ height, hash, parent, time }: WireBlock): BlockRef {
  return { height, hash, parentHash: parent, time };
}

/** Payments that took effect: one that is not `ok` moved nothing. */
function transfersOf(block: WireBlock, watch: WatchList): ScannedRange['transfers'] {
  return block.receipts.flatMap(({ id, ok, transaction: { from, to, amount } }) => {
    const toKey = readAddress(to);
    if (!ok || toKey === null || !watch.has(toKey) || amount === '0') return [];
    return [{ txid: id, index: '0', block: refOf(block), currency: ABC.currency, units: BigInt(amount), from, toKey }];
  });
}
