import { TillgateError } from '../../../core/index.ts';
import type {
  Asset,
  BlockRef,
  ChainAdapter,
  ChainBalances,
  ChainEffects,
  ChainPayments,
  ChainPolicy,
  CurrencyCode,
  DerivedAddress,
  Logger,
  PaymentTarget,
  ScannedRange,
  WatchList,
} from '../../../core/index.ts';
import { deriveInTurns } from '../derive-addresses.ts';
import { AccountKey } from '../account-key.ts';
import { policyOf } from '../chain-policy.ts';
import { destinationProblem } from '../evm/destination-problem.ts';
import { evmKey } from '../evm/evm-address.ts';
import { tronAddress, tronKey } from './tron-address.ts';
import { RecentBlocks } from '../recent-blocks.ts';
import { TokenDecimals } from '../token-decimals.ts';
import { fetchBlock, fetchHead } from './blocks.ts';
import { NetworkCheck } from './network.ts';
import { TransferScanner } from './transfer-scanner.ts';
import { AccountReader } from './account-reader.ts';
import { TronBalances } from './tron-balances.ts';
import { TronClient } from './tron-client.ts';
import type { TronChainOptions, TronPaymentOptions } from './tron-options.ts';
import { TronPayments } from './tron-payments.ts';
import type { TronPayer } from './tron-payments.ts';
import { readTransactionInfo } from './transaction-info.ts';
import { asObject, contradictory, inconsistent, isHash, requireKey } from './tron-values.ts';

const DEFAULT_SCAN_BLOCKS = 50;
const CODE = 'TRX';

/** Tron, read through a full node's HTTP API. It accepts TRC-20 tokens; TRX only pays fees. */
export class TronChain implements ChainAdapter {
  readonly code = CODE;
  readonly name = 'Tron';
  readonly assets: readonly Asset[];
  readonly policy: ChainPolicy;
  readonly walletId: string;
  readonly startHeight: number | null;
  readonly payments: ChainPayments | null;
  readonly balances: ChainBalances;
  readonly simulator = null;
  readonly #client: TronClient;
  readonly #network: NetworkCheck;
  readonly #account: AccountKey;
  readonly #contracts: ReadonlyMap<CurrencyCode, string>;
  readonly #recent = new RecentBlocks();
  readonly #scanner: TransferScanner;
  readonly #decimals: TokenDecimals;

  /**
   * @param payer - the paying side; `null` for a watch-only chain
   * @throws TillgateError `CONFIG_INVALID` for an invalid URL, key or contract
   */
  constructor(options: TronChainOptions, logger: Logger, payer: (TronPayer & TronPaymentOptions) | null = null) {
    this.startHeight = options.startBlock ?? null;
    this.#contracts = new Map(
      options.tokens.map(({ asset, address }) => [asset.currency, checkedContract(asset.currency, address)]),
    );
    this.assets = options.tokens.map(({ asset }) => asset);
    this.policy = policyOf(options, DEFAULT_SCAN_BLOCKS);
    this.#account = new AccountKey(options.xpub);
    this.walletId = this.#account.walletId;
    this.#network = new NetworkCheck(options.network);
    this.#client = clientOf(options, logger, this.#network);
    const keys = new Map([...this.#contracts].map(([currency, address]) => [currency, requireKey(address)]));
    this.#scanner = new TransferScanner(this.#client, new Map([...keys].map(([currency, key]) => [key, currency])));
    const reader = new AccountReader(this.#client, keys);
    this.#decimals = new TokenDecimals(CODE, options.tokens, (address) => reader.decimals(requireKey(address)));
    this.balances = new TronBalances(reader, this.assets);
    this.payments = payer === null ? null : new TronPayments(this.#client, reader, keys, payer);
  }

  async identify(): Promise<string> {
    return `tron:${await this.#client.withNode((node) => this.#network.admit(node))}`;
  }

  verifyAsset(currency: CurrencyCode): Promise<void> {
    return this.#decimals.verify(currency);
  }

  /** @throws TillgateError `NODE_FAILED` while the node is behind what was read before */
  async head(): Promise<BlockRef> {
    const head = await fetchHead(this.#client);
    if (this.#recent.isBehind(head, this.policy.finalityBlocks)) {
      this.#client.distrust();
      throw inconsistent(`the head went back from ${this.#recent.height} to ${head.height} on the same chain`);
    }
    this.#recent.note(head);
    return head;
  }

  async blockAt(height: number): Promise<BlockRef | null> {
    const block = await fetchBlock(this.#client, height);
    if (block === null && height <= this.#recent.height) {
      this.#client.distrust();
      throw inconsistent(`the block at height ${height} is missing below the head`);
    }
    return block?.ref ?? null;
  }

  async heightOf(txid: string): Promise<number | null> {
    if (!isHash(txid)) return null;
    const value = txid.toLowerCase();
    const info = asObject(await this.#client.ask('/wallet/gettransactioninfobyid', { value }), 'an outcome');
    // A node answers with an empty object for a transaction that is in no block.
    if (info['id'] === undefined) return null;
    const { txid: found, height } = readTransactionInfo(info);
    if (found !== value) throw contradictory(`the outcome of ${value} is another transaction's`);
    return height;
  }

  async scan(from: number, to: number, watch: WatchList): Promise<ScannedRange> {
    const range = await this.#scanner.scan(from, to, watch);
    for (const block of range.blocks.slice(-RecentBlocks.KEPT)) this.#recent.noteScanned(block);
    return range;
  }

  /** A contract's transfers depend on its block, so the outcome of each transaction is read once more. */
  readonly effects: ChainEffects = {
    dependsOnBlock: () => true,
    read: async ({ height, hash }, recorded) => {
      const wanted = new Set(recorded.map(({ txid }) => txid));
      const { blocks, transfers } = await this.#scanner.scan(height, height, { has: () => true }, wanted);
      return blocks[0]?.hash === hash ? transfers : null;
    },
  };

  deriveAddresses(first: number, count: number): Promise<readonly DerivedAddress[]> {
    return deriveInTurns(this.code, [first, count], (index) => {
      const key = evmKey(this.#account.point(index));
      return { address: tronAddress(key), key };
    });
  }

  normaliseAddress(text: string): string | null {
    const key = tronKey(text);
    return key === null ? null : tronAddress(key);
  }

  destinationProblem(address: string): string | null {
    return destinationProblem(requireKey(address), [...this.#contracts.values()].map(requireKey));
  }

  keyOf(address: string): string {
    return requireKey(address);
  }

  contractAddress(currency: CurrencyCode): string {
    return this.#contracts.get(currency) ?? '';
  }

  /** The plain address, since Tron wallets have no common URI format. */
  paymentUri({ address }: PaymentTarget): string {
    return address;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

function clientOf(options: TronChainOptions, logger: Logger, network: NetworkCheck): TronClient {
  return new TronClient({
    urls: options.apiUrls,
    ...(options.solidityUrls == null ? {} : { solidityUrls: options.solidityUrls }),
    apiKey: options.apiKey ?? null,
    logger,
    ...(options.requestTimeoutMs === undefined ? {} : { timeoutMs: options.requestTimeoutMs }),
    admit: async (node) => {
      await network.admit(node);
    },
  });
}

function checkedContract(currency: CurrencyCode, text: string): string {
  const key = tronKey(text);
  if (key === null) throw new TillgateError('CONFIG_INVALID', `The contract of ${currency} is no valid address.`);
  return tronAddress(key);
}
