import { setTimeout as pause } from 'node:timers/promises';
import { TillgateError, assert, invalidField, present } from '../../core/index.ts';
import type {
  Asset,
  BlockRef,
  ChainAdapter,
  ChainEffects,
  ChainCode,
  ChainPayments,
  ChainPolicy,
  ChainSimulator,
  Clock,
  CurrencyCode,
  DerivedAddress,
  DocumentStore,
  ObservedTransfer,
  PaymentTarget,
  ScannedRange,
  WatchList,
} from '../../core/index.ts';
import { AccountKey } from '../../adapters/chains/account-key.ts';
import { deriveInTurns } from '../../adapters/chains/derive-addresses.ts';
import { SequentialQueue } from '../../adapters/chains/sequential-queue.ts';
import type { Addressing } from './addressing.ts';
import { append, blocksOf, coinIndex, cut, genesisState, sandboxHash } from './sandbox-blocks.ts';
import type { SandboxBlock, SandboxState, SandboxTransfer } from './sandbox-blocks.ts';
import { SandboxPayments } from './sandbox-payments.ts';

/** Options and dependencies of a simulated chain. */
export interface SandboxChainOptions {
  readonly code: ChainCode;
  readonly name: string;
  readonly assets: readonly Asset[];
  readonly addressing: Addressing;
  /** The extended public key of the addressing's account. */
  readonly xpub: string;
  /** The coin that fees are paid in. */
  readonly feeAsset: Asset;
  /** The extended public key of the hot wallet's account; `null` for a watch-only chain. */
  readonly hotXpub: string | null;
  readonly documents: DocumentStore;
  readonly clock: Clock;
  readonly confirmations: number;
  readonly spendableConfirmations: number;
  readonly pollIntervalMs: number;
}

/** The stored state, read and expanded. */
interface View {
  readonly version: number;
  readonly state: SandboxState;
  readonly blocks: readonly SandboxBlock[];
}

/** The result of a change. */
interface Change<T> {
  readonly state: SandboxState;
  readonly result: T;
}

const FINALITY_BLOCKS = 64;
const MAX_MINED = 10_000;
const WRITE_ATTEMPTS = 100;

/**
 * A chain without a network: one document holds its blocks, changed by compare-and-set, so that it outlives a restart and
 * instances on one database see the same chain.
 */
export class SandboxChain implements ChainAdapter {
  readonly code: ChainCode;
  readonly name: string;
  readonly assets: readonly Asset[];
  readonly policy: ChainPolicy;
  readonly walletId: string;
  readonly startHeight = null;
  readonly payments: ChainPayments | null;
  readonly balances = null;
  readonly simulator: ChainSimulator;
  readonly #options: SandboxChainOptions;
  readonly #account: AccountKey;
  /** Each reply to a merchant names one; making it takes a hash and a checksum. */
  readonly #contracts: ReadonlyMap<CurrencyCode, string>;
  #view: View | null = null;
  #scannedTo = -1;
  readonly #listeners = new Set<() => void>();
  /** Changes of this instance go one after another; only other instances can come between. */
  readonly #queue = new SequentialQueue();

  constructor(options: SandboxChainOptions) {
    const { code, name, assets, xpub, confirmations, spendableConfirmations, pollIntervalMs } = options;
    this.code = code;
    this.name = name;
    this.assets = assets;
    this.policy = {
      confirmations: () => confirmations,
      spendableConfirmations,
      finalityBlocks: FINALITY_BLOCKS,
      pollIntervalMs,
      maxScanBlocks: 1_000,
    };
    this.#options = options;
    this.#account = new AccountKey(xpub);
    this.#contracts = new Map(assets.map((asset) => [asset.currency, options.addressing.contract(asset)]));
    this.walletId = this.#account.walletId;
    this.simulator = {
      pay: (address, currency, units) => this.#pay(address, currency, units),
      mine: (count) => this.#mine(count),
      watch: (listener) => {
        const own = (): void => listener();
        this.#listeners.add(own);
        return () => void this.#listeners.delete(own);
      },
    };
    this.payments = options.hotXpub === null ? null : this.#payingSide(options.hotXpub);
  }

  async identify(): Promise<string> {
    return `sandbox:${this.code}/${(await this.#read()).state.genesis}`;
  }

  async head(): Promise<BlockRef> {
    return headOf(await this.#read());
  }

  async blockAt(height: number): Promise<BlockRef | null> {
    const { blocks, state } = await this.#read();
    if (height < state.base.height) throw this.#forgotten(height);
    return blocks[height - state.base.height]?.ref ?? null;
  }

  async heightOf(txid: string): Promise<number | null> {
    const { blocks } = await this.#read();
    return blocks.find(({ transfers }) => transfers.some((one) => one.txid === txid))?.ref.height ?? null;
  }

  async scan(from: number, to: number, watch: WatchList): Promise<ScannedRange> {
    const { blocks, state } = await this.#read();
    if (from < state.base.height) throw this.#forgotten(from);
    const scanned = blocks.slice(from - state.base.height, to - state.base.height + 1);
    if (scanned.length !== to - from + 1)
      throw new TillgateError('NODE_FAILED', `The simulated chain ${this.code} has no block ${to} yet.`);
    this.#scannedTo = to;
    return {
      blocks: scanned.map(({ ref }) => ref),
      transfers: scanned.flatMap((block) => this.#transfersOf(block, watch)),
    };
  }

  deriveAddresses(first: number, count: number): Promise<readonly DerivedAddress[]> {
    const { addressing } = this.#options;
    return deriveInTurns(this.code, [first, count], (index) => addressing.derive(this.#account, index));
  }

  normaliseAddress(text: string): string | null {
    return this.#options.addressing.read(text)?.address ?? null;
  }

  keyOf(address: string): string {
    return present(this.#options.addressing.read(address), `the address ${address}`).key;
  }

  contractAddress(currency: CurrencyCode): string {
    return this.#contracts.get(currency) ?? '';
  }

  paymentUri(target: PaymentTarget): string {
    return this.#options.addressing.uri(target, this.#asset(target.currency), this.contractAddress(target.currency));
  }

  /** A payment may bring something else in another branch, as what a contract pays may. */
  readonly effects: ChainEffects = {
    dependsOnBlock: () => true,
    read: async ({ height, hash }) => {
      const { blocks, state } = await this.#read();
      if (height < state.base.height) throw this.#forgotten(height);
      const block = blocks[height - state.base.height];
      return block?.ref.hash === hash ? this.#transfersOf(block, { has: () => true }) : null;
    },
  };

  /**
   * Replaces the top `depth` blocks by `depth + 1` new ones, as a stronger branch would.
   *
   * @param remine - true to mine the replaced transactions again in the first new block; a function, to mine what it returns for
   * each of them; false to drop them
   */
  async reorganise(
    depth: number,
    { remine = false }: { readonly remine?: boolean | ((transfer: SandboxTransfer) => SandboxTransfer) } = {},
  ): Promise<void> {
    await this.#change(({ state, blocks }) => {
      assert(depth >= 1 && depth < blocks.length, `a reorganisation of ${depth} blocks`);
      const { state: shorter, dropped: gone } = cut(state, depth);
      const dropped = typeof remine === 'function' ? gone.map(remine) : gone;
      const first = remine !== false && dropped.length > 0 ? this.#append(shorter, 1, dropped) : shorter;
      const empty = depth + 1 - (first === shorter ? 0 : 1);
      return { state: this.#append(first, empty, []), result: undefined };
    });
  }

  async close(): Promise<void> {
    await this.#queue.settled();
  }

  #payingSide(hotXpub: string): ChainPayments {
    const { addressing, feeAsset } = this.#options;
    return new SandboxPayments({
      addressing,
      feeAsset,
      hot: addressing.fromPublicKey(new AccountKey(hotXpub).publicKey(0)),
      read: async () => (await this.#read()).blocks,
      mine: (decide) =>
        this.#change((view) => {
          const transfers = decide(view.blocks);
          return {
            state: transfers.length === 0 ? view.state : this.#append(view.state, 1, transfers),
            result: undefined,
          };
        }),
    });
  }

  async #pay(address: string, currency: CurrencyCode, units: bigint): Promise<string> {
    const { key } = this.#options.addressing.read(address) ?? { key: null };
    if (key === null) throw invalidField('address', `is not an address of ${this.code}`);
    if (units <= 0n) throw invalidField('amount', 'must be more than 0');
    this.#asset(currency);
    return this.#change(({ state }) => {
      const payments = state.payments + 1;
      const txid = sandboxHash(
        this.#options.addressing.hashPrefix,
        `${state.genesis} payment ${payments} ${key} ${currency} ${units}`,
      );
      const transfer = { txid, currency, units: units.toString(), key };
      return { state: this.#append({ ...state, payments }, 1, [transfer]), result: txid };
    });
  }

  async #mine(count: number): Promise<void> {
    if (!Number.isInteger(count) || count < 1 || count > MAX_MINED)
      throw invalidField('count', `must be a whole number from 1 to ${MAX_MINED}`);
    await this.#change(({ state }) => ({ state: this.#append(state, count, []), result: undefined }));
  }

  #append(state: SandboxState, count: number, transfers: SandboxBlock['transfers']): SandboxState {
    return append(
      state,
      { count, time: this.#options.clock.now(), transfers },
      this.#scannedTo,
      this.#options.addressing.hashPrefix,
    );
  }

  #transfersOf({ ref, transfers }: SandboxBlock, watch: Pick<WatchList, 'has'>): readonly ObservedTransfer[] {
    const { payer } = this.#options.addressing;
    const till = payer === null ? null : (this.payments?.hotAddress ?? null);
    return transfers
      .filter(({ key }) => watch.has(key))
      .map((transfer) => ({
        txid: transfer.txid,
        index: coinIndex(transfer),
        block: ref,
        currency: transfer.currency,
        units: BigInt(transfer.units),
        from: transfer.payout === undefined ? payer : till,
        toKey: transfer.key,
      }));
  }

  #asset(currency: CurrencyCode): Asset {
    const asset = this.assets.find((one) => one.currency === currency);
    if (asset === undefined)
      throw new TillgateError('UNSUPPORTED', `The pair ${this.code}/${currency} is not simulated.`);
    return asset;
  }

  #forgotten(height: number): TillgateError {
    return new TillgateError('NODE_FAILED', `The simulated chain ${this.code} no longer has block ${height}.`);
  }

  async #read(): Promise<View> {
    return (await this.#load()) ?? this.#change((view) => ({ state: view.state, result: view }));
  }

  /** The stored view; `null` before there is one. */
  async #load(): Promise<View | null> {
    const stored = await this.#options.documents.read(this.#documentKey);
    if (stored === null) return null;
    if (this.#view?.version === stored.version) return this.#view;
    const state = JSON.parse(stored.value) as SandboxState;
    assert(state.version === 1, `a document of the simulated chain ${this.code} of another version`);
    this.#view = { version: stored.version, state, blocks: blocksOf(state, this.#options.addressing.hashPrefix) };
    return this.#view;
  }

  get #documentKey(): string {
    return `chain:${this.code}`;
  }

  #change<T>(edit: (view: View) => Change<T>): Promise<T> {
    return this.#queue.run(() => this.#compareAndSet(edit));
  }

  async #compareAndSet<T>(edit: (view: View) => Change<T>): Promise<T> {
    const { addressing, documents, clock } = this.#options;
    for (let attempt = 0; attempt < WRITE_ATTEMPTS; attempt++) {
      const view =
        (await this.#load()) ??
        firstView(genesisState(addressing.hashPrefix, `${this.code} ${this.walletId}`, clock.now()));
      const { state, result } = edit(view);
      if (await documents.write(this.#documentKey, JSON.stringify(state), view.version)) {
        for (const listener of this.#listeners) listener();
        return result;
      }
      // Another instance wrote in between: its block comes first.
      await pause(Math.random() * Math.min(attempt + 1, 20));
    }
    throw new TillgateError('NODE_FAILED', `The simulated chain ${this.code} is too busy.`);
  }
}

function firstView(state: SandboxState): View {
  return { version: 0, state, blocks: [{ ref: state.base, transfers: [] }] };
}

function headOf({ blocks }: View): BlockRef {
  return present(blocks.at(-1), 'the head').ref;
}
