import { assert } from '../../../core/index.ts';
import type {
  Asset,
  BlockRef,
  ChainAdapter,
  ChainBalances,
  ChainMempool,
  ChainPayments,
  ChainPolicy,
  DerivedAddress,
  Logger,
  NodeStatus,
  PaymentTarget,
  ScannedRange,
  WatchList,
} from '../../../core/index.ts';
import { deriveInTurns } from '../derive-addresses.ts';
import { AccountKey } from '../account-key.ts';
import { policyOf } from '../chain-policy.ts';
import { segwitAddress } from './segwit-address.ts';
import { RecentBlocks } from '../recent-blocks.ts';
import { BlockReader } from './block-reader.ts';
import { inconsistent } from './node-values.ts';
import { UnspentScans } from './unspent-scans.ts';
import { UtxoAddresses } from './utxo-addresses.ts';
import { UtxoBalances } from './utxo-balances.ts';
import { UtxoMempool } from './utxo-mempool.ts';
import { UtxoNode } from './utxo-node.ts';
import type { UtxoChainOptions } from './utxo-options.ts';
import { UtxoPayments } from './utxo-payments.ts';

const DEFAULT_SCAN_BLOCKS = 20;
const SCAN_TIMEOUT_MS = 600_000;

/**
 * A chain of Bitcoin's family, read block by block through its node's JSON-RPC. Only mined transactions are deposits: an
 * unconfirmed one can be replaced by its sender at any time and provides only the time when it was first seen.
 */
export class UtxoChain implements ChainAdapter {
  readonly code: string;
  readonly name: string;
  readonly assets: readonly Asset[];
  readonly policy: ChainPolicy;
  readonly walletId: string;
  readonly startHeight: number | null;
  readonly payments: ChainPayments | null;
  readonly balances: ChainBalances;
  readonly effects = null;
  readonly mempool: ChainMempool;
  readonly simulator = null;
  readonly #options: UtxoChainOptions;
  readonly #node: UtxoNode;
  readonly #patientNode: UtxoNode;
  readonly #account: AccountKey;
  readonly #addresses: UtxoAddresses;
  readonly #recent = new RecentBlocks();
  readonly #reader: BlockReader;

  /** @throws TillgateError `CONFIG_INVALID` for an invalid URL or key */
  constructor(options: UtxoChainOptions, logger: Logger) {
    const { coin, network, asset } = options;
    this.#options = options;
    this.code = coin.code;
    this.name = coin.name;
    this.assets = [asset];
    this.startHeight = options.startBlock ?? null;
    this.policy = tieredPolicy(options);
    this.#account = new AccountKey(options.xpub);
    this.walletId = this.#account.walletId;
    this.#addresses = new UtxoAddresses(coin, network);
    this.#node = openNode(options, logger, options.requestTimeoutMs);
    this.#patientNode = openNode(options, logger, options.scanTimeoutMs ?? SCAN_TIMEOUT_MS);
    this.#reader = new BlockReader(this.#node, asset.currency);
    this.mempool = new UtxoMempool(this.#node, asset.currency, logger);
    const scans = new UnspentScans(this.#patientNode);
    this.balances = new UtxoBalances(asset, coin.networks[network], scans);
    this.payments =
      options.spending === null
        ? null
        : new UtxoPayments({ options, node: this.#node, scans, addresses: this.#addresses, logger }, options.spending);
  }

  async identify(): Promise<string> {
    return `bip122:${await this.#node.genesis()}`;
  }

  /** @throws TillgateError `NODE_FAILED` while the node is behind what was read before */
  async head(): Promise<BlockRef> {
    const head = await this.#node.head();
    if (this.#recent.isBehind(head, this.policy.finalityBlocks)) {
      this.#node.distrust();
      throw inconsistent(`the head went back from ${this.#recent.height} to ${head.height} on the same chain`);
    }
    this.#recent.note(head);
    return head;
  }

  status(): Promise<NodeStatus> {
    return this.#node.status();
  }

  async blockAt(height: number): Promise<BlockRef | null> {
    const hash = await this.#node.hashAt(height);
    if (hash !== null) return this.#node.header(hash);
    if (height > this.#recent.height) return null;
    this.#node.distrust();
    throw inconsistent(`the block at height ${height} is missing below the head`);
  }

  heightOf(txid: string): Promise<number | null> {
    return this.#node.heightOf(txid.toLowerCase());
  }

  async scan(from: number, to: number, watch: WatchList): Promise<ScannedRange> {
    const range = await this.#reader.scan(from, to, watch);
    for (const block of range.blocks) this.#recent.noteScanned(block);
    return range;
  }

  deriveAddresses(first: number, count: number): Promise<readonly DerivedAddress[]> {
    const { addresses } = this.#options.coin.networks[this.#options.network];
    return deriveInTurns(this.code, [first, count], (index) =>
      segwitAddress(this.#account.publicKey(index), addresses),
    );
  }

  normaliseAddress(text: string): string | null {
    return this.#addresses.read(text)?.address ?? null;
  }

  addressProblem(text: string): string | null {
    return this.#addresses.read(text) === null ? this.#addresses.problem(text) : null;
  }

  keyOf(address: string): string {
    const read = this.#addresses.read(address);
    assert(read !== null, `an address of ${this.code}`);
    return read.key;
  }

  contractAddress(): string {
    return '';
  }

  paymentUri(target: PaymentTarget): string {
    return this.#addresses.paymentUri(target);
  }

  async close(): Promise<void> {
    await Promise.all([this.#node.close(), this.#patientNode.close()]);
  }
}

function openNode(
  { coin, network, rpcUrls }: UtxoChainOptions,
  logger: Logger,
  timeoutMs: number | undefined,
): UtxoNode {
  const { genesis } = coin.networks[network];
  return new UtxoNode(
    { code: coin.code, urls: rpcUrls, genesis, network, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
    logger,
  );
}

/** Larger deposits may need more confirmations. */
function tieredPolicy(options: UtxoChainOptions): ChainPolicy {
  const { confirmations, tiers } = options;
  return {
    ...policyOf(options, DEFAULT_SCAN_BLOCKS),
    confirmations: (_currency, units) => tiers.findLast(({ above }) => units > above)?.confirmations ?? confirmations,
  };
}
