import { followedMark, present } from '../../../core/index.ts';
import type {
  Asset,
  BlockRef,
  ChainAdapter,
  ChainBalances,
  ChainEffects,
  ChainMempool,
  ChainPayments,
  ChainPolicy,
  CurrencyCode,
  DerivedAddress,
  NodesInUse,
  NodeStatus,
  PaymentTarget,
  PresentBalances,
  ScanOptions,
  ScannedRange,
  SettledBlocks,
  WatchList,
} from '../../../core/index.ts';
import { valuesOf } from './node-group.ts';
import type { NodeGroup } from './node-group.ts';
import { groupStatus } from './group-status.ts';
import { QuorumEffects } from './quorum-effects.ts';
import { QuorumMempool } from './quorum-mempool.ts';
import { QuorumPresentBalances } from './quorum-present.ts';
import { QuorumPayments } from './quorum-payments.ts';
import type { AgreePrice } from './quorum-payments.ts';
import { blockText, rangeText } from './ranges.ts';

/**
 * A chain read through several nodes, which reports what enough of them report. Each node has a {@link ChainAdapter} of
 * its own whose answers are compared here, so this works for every family of chains.
 */
export class QuorumChain implements ChainAdapter {
  readonly code: string;
  readonly name: string;
  readonly assets: readonly Asset[];
  readonly policy: ChainPolicy;
  readonly walletId: string;
  readonly startHeight: number | null;
  readonly payments: ChainPayments | null;
  readonly balances: ChainBalances | null;
  readonly mempool?: ChainMempool;
  readonly keyOf: (address: string) => string;
  readonly heightOf?: (txid: string) => Promise<number | null>;
  readonly settled?: (cursor: BlockRef) => Promise<SettledBlocks>;
  readonly present?: PresentBalances;
  readonly effects?: ChainEffects | null;
  readonly simulator = null;
  readonly nodes: NodesInUse;
  readonly #own: ChainAdapter;
  readonly #group: NodeGroup;

  /** @param agreePrice - chooses the price of a payment among several */
  constructor(group: NodeGroup, nodes: NodesInUse, agreePrice: AgreePrice) {
    const own = present(group.nodes[0], 'a node').chain;
    this.code = own.code;
    this.name = own.name;
    this.assets = own.assets;
    this.policy = own.policy;
    this.walletId = own.walletId;
    this.startHeight = own.startHeight;
    this.payments = own.payments === null ? null : new QuorumPayments(own.payments, group, agreePrice);
    this.balances = own.balances === null ? null : balancesOf(own.balances, group);
    if (own.mempool !== undefined) this.mempool = new QuorumMempool(group);
    this.keyOf = own.keyOf.bind(own);
    if (own.heightOf !== undefined) this.heightOf = (txid) => this.#heightOf(txid);
    if (own.settled !== undefined) this.settled = (cursor) => this.#settled(cursor);
    if (own.present !== undefined) this.present = new QuorumPresentBalances(own.present, group);
    if (own.effects !== undefined) this.effects = own.effects === null ? null : new QuorumEffects(own.effects, group);
    this.nodes = nodes;
    this.#own = own;
    this.#group = group;
  }

  identify(): Promise<string> {
    const ask = (chain: ChainAdapter): Promise<string> => chain.identify();
    return this.#group.agree({ subject: 'identity', about: 'which chain it is', ask, textOf: String, isLie: always });
  }

  async verifyAsset(currency: CurrencyCode): Promise<void> {
    await this.#group.agree({
      subject: `asset ${currency}`,
      about: `the decimals of ${currency}`,
      ask: async (chain) => chain.verifyAsset?.(currency),
      textOf: () => 'as the settings say',
      isLie: always,
    });
  }

  /** The highest block that enough nodes have. */
  async head(): Promise<BlockRef> {
    const answers = await this.#group.askAll((chain) => chain.head(), 'head');
    const known = new Map<ChainAdapter, BlockRef>();
    for (const answer of answers) {
      if ('error' in answer) throw answer.error;
      known.set(answer.chain, answer.value);
    }
    const heads = [...known].sort(([, a], [, b]) => b.height - a.height);
    const { height } = present(heads[this.#group.quorum - 1], 'the head of enough nodes')[1];
    this.#group.noteBehind(heads.filter(([, head]) => head.height < height).map(([chain]) => chain));
    return present(await this.#block('head', height, known), `block ${height}`);
  }

  blockAt(height: number): Promise<BlockRef | null> {
    return this.#block('block', height, new Map());
  }

  status(): Promise<NodeStatus> {
    return groupStatus(this.#group);
  }

  /** A block that one of the agreeing nodes could not see completely is reported as unseen. */
  async scan(from: number, to: number, watch: WatchList, options?: ScanOptions): Promise<ScannedRange> {
    const { value, values } = await this.#group.agreed({
      subject: options?.thorough === true ? 'blocks read again' : 'blocks',
      about: `the blocks ${from} to ${to}`,
      ask: (chain) => chain.scan(from, to, watch, options),
      textOf: rangeText,
      isLie: haveOneTip,
    });
    return values.some(({ unseen }) => unseen === true) ? { ...value, unseen: true } : value;
  }

  deriveAddresses(first: number, count: number): Promise<readonly DerivedAddress[]> {
    return this.#own.deriveAddresses(first, count);
  }

  normaliseAddress(text: string): string | null {
    return this.#own.normaliseAddress(text);
  }

  addressProblem(text: string): string | null {
    return this.#own.addressProblem?.(text) ?? null;
  }

  destinationProblem(address: string): string | null {
    return this.#own.destinationProblem?.(address) ?? null;
  }

  contractAddress(currency: CurrencyCode): string {
    return this.#own.contractAddress(currency);
  }

  paymentUri(target: PaymentTarget): string {
    return this.#own.paymentUri(target);
  }

  async close(): Promise<void> {
    await Promise.all(this.#group.nodes.map(({ chain }) => chain.close()));
  }

  #heightOf(txid: string): Promise<number | null> {
    return this.#group.agree({
      subject: 'transaction',
      about: `the block of ${txid}`,
      ask: async (chain) => (await chain.heightOf?.(txid)) ?? null,
      textOf: String,
    });
  }

  /** The highest blocks that enough nodes have marked, at most the cursor. */
  async #settled(cursor: BlockRef): Promise<SettledBlocks> {
    const answers = await this.#group.askAll(async (chain) => (await chain.settled?.(cursor)) ?? {}, 'marks');
    return agreedMarks(valuesOf(answers), this.#group.quorum, cursor);
  }

  /** @param known - the blocks that nodes have just returned for this height or a higher one */
  #block(subject: string, height: number, known: ReadonlyMap<ChainAdapter, BlockRef>): Promise<BlockRef | null> {
    return this.#group.agree({
      subject,
      about: `the block at height ${height}`,
      ask: async (chain) => {
        const block = known.get(chain);
        return block?.height === height ? block : chain.blockAt(height);
      },
      textOf: (block) => (block === null ? 'there is none' : blockText(block)),
    });
  }
}

/**
 * For each mark, the highest block that a quorum of nodes has reached. A node without marks has reached none, and
 * neither has one on another branch than the followed one.
 */
function agreedMarks(said: readonly SettledBlocks[], quorum: number, cursor: BlockRef): SettledBlocks {
  const agreed = (mark: 'credit' | 'spend'): BlockRef | null =>
    said
      .map((blocks) => followedMark(blocks[mark] ?? null, blocks.shown, cursor))
      .sort((a, b) => (b?.height ?? -1) - (a?.height ?? -1))[quorum - 1] ?? null;
  const marks = (['credit', 'spend'] as const).filter((mark) => said.some((blocks) => blocks[mark] !== undefined));
  return Object.fromEntries(marks.map((mark) => [mark, agreed(mark)]));
}

const always = (): boolean => true;

/** The same blocks have the same content, so only reads of different blocks may differ between two honest nodes. */
function haveOneTip(ranges: readonly ScannedRange[]): boolean {
  return new Set(ranges.map(({ blocks }) => blocks.at(-1)?.hash)).size === 1;
}

/** Balances of any address, for its owner to see; no decision depends on them. */
function balancesOf(own: ChainBalances, group: NodeGroup): ChainBalances {
  const of = (chain: ChainAdapter): ChainBalances => present(chain.balances, 'balances');
  return {
    assets: own.assets,
    readExtendedKey: (text) => own.readExtendedKey(text),
    ofAddress: (address) => group.first((chain) => of(chain).ofAddress(address)),
    ofExtendedKey: (key) => group.first((chain) => of(chain).ofExtendedKey(key)),
  };
}
