import { isContradiction, SHIB_ERC20, TillgateError } from '../../../core/index.ts';
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
  NodeStatus,
  PaymentTarget,
  PresentBalances,
  ScanOptions,
  ScannedRange,
  SettledBlocks,
  WatchList,
} from '../../../core/index.ts';
import { deriveInTurns } from '../derive-addresses.ts';
import { AccountKey } from '../account-key.ts';
import { policyOf } from '../chain-policy.ts';
import { JsonRpcClient } from '../json-rpc.ts';
import { StateReader } from './state-reader.ts';
import { TokenDecimals } from '../token-decimals.ts';
import { AccountBalances } from './account-balances.ts';
import { fetchBlock, fetchHead } from './blocks.ts';
import { fetchStatus } from './node-status.ts';
import { destinationProblem } from './destination-problem.ts';
import { fetchDecimals } from './erc20.ts';
import { evmAddress, evmKey, evmPaymentUri, normaliseEvmAddress } from './evm-address.ts';
import { EvmBalances } from './evm-balances.ts';
import { NO_TAGS } from './evm-options.ts';
import type { EvmChainOptions } from './evm-options.ts';
import { EvmPayments } from './evm-payments.ts';
import { EvmPresentBalances } from './evm-present.ts';
import { readPaymentReceipt } from './payment-receipts.ts';
import { RecentBlocks } from '../recent-blocks.ts';
import { asCount, asObject, asHash, inconsistent, isHash } from './rpc-values.ts';
import { RangeScanner } from './range-scanner.ts';
import { Settlement } from './settlement.ts';

/** 125,000 balances for each block, when the node reads 500 in one call. */
const MAX_BALANCE_CALLS = 250;
const DEFAULT_SCAN_BLOCKS = 200;

/**
 * An EVM chain, read through JSON-RPC. Addresses are derived from an account's public key; only the paying side can
 * spend.
 */
export class EvmChain implements ChainAdapter {
  readonly code: string;
  readonly name: string;
  readonly assets: readonly Asset[];
  readonly policy: ChainPolicy;
  readonly walletId: string;
  readonly startHeight: number | null;
  readonly payments: ChainPayments | null;
  readonly balances: ChainBalances;
  readonly simulator = null;
  readonly settled?: (cursor: BlockRef) => Promise<SettledBlocks>;
  readonly effects: ChainEffects;
  readonly present?: PresentBalances;
  readonly #chainId: number;
  readonly #client: JsonRpcClient;
  readonly #account: AccountKey;
  readonly #contracts: ReadonlyMap<CurrencyCode, string>;
  readonly #recent = new RecentBlocks();
  readonly #scanner: RangeScanner;
  readonly #decimals: TokenDecimals;
  /** The last scan failed because of a contradiction. */
  #contradicted = false;

  /** @throws TillgateError `CONFIG_INVALID` for an invalid URL, key or contract */
  constructor(options: EvmChainOptions, logger: Logger) {
    this.code = options.code;
    this.name = options.name;
    this.#chainId = options.chainId;
    this.startHeight = options.startBlock ?? null;
    this.#contracts = new Map(
      options.tokens.map(({ asset, address }) => [asset.currency, checkedContract(asset.currency, address)]),
    );
    this.assets = [...(options.takesCoin ? [options.coin] : []), ...options.tokens.map(({ asset }) => asset)];
    this.policy = { ...policyOf(options, DEFAULT_SCAN_BLOCKS), clockSkewMs: CLOCK_SKEW_MS };
    this.#account = new AccountKey(options.xpub);
    this.walletId = this.#account.walletId;
    this.#client = new JsonRpcClient({
      urls: options.rpcUrls,
      logger,
      ...(options.requestTimeoutMs === undefined ? {} : { timeoutMs: options.requestTimeoutMs }),
      admit: async (call, host) => this.#checkChainId(await call('eth_chainId', []), host),
    });
    this.#scanner = new RangeScanner(this.#client, logger, {
      native: options.takesCoin ? options.coin.currency : null,
      contracts: this.#contracts,
      hotAddress: options.paying?.keys?.hotAddress ?? null,
      maxBalanceCalls: options.maxBalanceCalls ?? MAX_BALANCE_CALLS,
    });
    this.effects = this.#scanner.effects;
    this.#decimals = new TokenDecimals(this.code, options.tokens, (address) => fetchDecimals(this.#client, address));
    const { tags = NO_TAGS } = options;
    if (tags.credit !== 'latest' || tags.spend !== 'latest') {
      const settlement = new Settlement(this.#client, tags);
      this.settled = (cursor) => settlement.read(cursor);
    }
    if (options.takesCoin)
      this.present = new EvmPresentBalances(new StateReader(this.#client, logger), options.coin.currency);
    this.balances = balancesOf(this.#client, logger, options, this.#contracts);
    this.payments = paymentsOf(this.#client, logger, options, this.#contracts);
  }

  async identify(): Promise<string> {
    this.#checkChainId(await this.#client.call('eth_chainId', []), this.#client.host);
    const genesis = asObject(await this.#client.call('eth_getBlockByNumber', ['0x0', false]), 'the genesis block');
    return `eip155:${this.#chainId}/${asHash(genesis['hash'], 'genesis hash')}`;
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

  status(): Promise<NodeStatus> {
    return fetchStatus(this.#client, this.policy.finalityBlocks, (answer) =>
      this.#checkChainId(answer, this.#client.host),
    );
  }

  async blockAt(height: number): Promise<BlockRef | null> {
    const block = await fetchBlock(this.#client, height);
    if (block === null && height <= this.#recent.height) {
      this.#client.distrust();
      throw inconsistent(`the block at height ${height} is missing below the head`);
    }
    return block;
  }

  async heightOf(txid: string): Promise<number | null> {
    if (!isHash(txid)) return null;
    const wanted = txid.toLowerCase();
    return readPaymentReceipt(await this.#client.call('eth_getTransactionReceipt', [wanted]), wanted)?.height ?? null;
  }

  async scan(from: number, to: number, watch: WatchList, options: ScanOptions = {}): Promise<ScannedRange> {
    const range = await this.#scanner.scan(from, to, watch, options).catch((error: unknown) => {
      throw this.#judged(error);
    });
    this.#contradicted = false;
    if (options.thorough === true) return range;
    for (const block of range.blocks.slice(-RecentBlocks.KEPT)) this.#recent.noteScanned(block);
    return range;
  }

  /**
   * Some nodes answer for their latest block with the state of the next block, which is arriving at that moment. After
   * a first contradiction the range is read again, from another URL if there is one; a repeated contradiction is not
   * such a race.
   */
  #judged(error: unknown): unknown {
    if (!isContradiction(error)) return error;
    this.#client.distrust();
    const again = this.#contradicted;
    this.#contradicted = true;
    return again ? error : new TillgateError('NODE_FAILED', (error as TillgateError).message);
  }

  deriveAddresses(first: number, count: number): Promise<readonly DerivedAddress[]> {
    return deriveInTurns(this.code, [first, count], (index) => {
      const key = evmKey(this.#account.point(index));
      return { address: evmAddress(key), key };
    });
  }

  normaliseAddress(text: string): string | null {
    return normaliseEvmAddress(text);
  }

  destinationProblem(address: string): string | null {
    return destinationProblem(
      this.keyOf(address),
      [...this.#contracts.values()].map((contract) => this.keyOf(contract)),
    );
  }

  keyOf(address: string): string {
    return address.slice(2).toLowerCase();
  }

  contractAddress(currency: CurrencyCode): string {
    return this.#contracts.get(currency) ?? '';
  }

  paymentUri(target: PaymentTarget): string {
    return evmPaymentUri(this.#chainId, this.contractAddress(target.currency), target);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  #checkChainId(answer: unknown, host: string): void {
    const chainId = asCount(answer, 'chain id');
    if (chainId !== this.#chainId) {
      throw new TillgateError(
        'CHAIN_HALTED',
        `The node at ${host} is on chain ${chainId}, but ${this.code} is configured as chain ${this.#chainId}.`,
      );
    }
  }
}

function checkedContract(currency: CurrencyCode, text: string): string {
  const address = normaliseEvmAddress(text);
  if (address === null) throw new TillgateError('CONFIG_INVALID', `The contract of ${currency} is no valid address.`);
  return address;
}

/** Shown among self-custody balances even where no order accepts SHIB-ERC20. */
const SHIB_CONTRACT = '0x95aD61b0a150d79219dCF64E1E6Cc01f0B64C4cE';
const MAINNET_ID = 1;

function balancesOf(
  client: JsonRpcClient,
  logger: Logger,
  { coin, tokens, chainId }: EvmChainOptions,
  contracts: ReadonlyMap<CurrencyCode, string>,
): EvmBalances {
  const addsShib = chainId === MAINNET_ID && coin.chain === SHIB_ERC20.chain && !contracts.has(SHIB_ERC20.currency);
  const known = addsShib ? new Map([...contracts, [SHIB_ERC20.currency, SHIB_CONTRACT]]) : contracts;
  const assets = [coin, ...tokens.map(({ asset }) => asset), ...(addsShib ? [SHIB_ERC20] : [])];
  return new EvmBalances(client, new AccountBalances(client, logger, coin.currency, known), assets);
}

const MAX_GAS_PRICE = 500_000_000_000n;
const BUMP_AFTER_MS = 600_000;
const MAX_GAS = 300_000n;

function paymentsOf(
  client: JsonRpcClient,
  logger: Logger,
  { code, chainId, coin, paying, tags = NO_TAGS, layerOneFee = null }: EvmChainOptions,
  contracts: ReadonlyMap<CurrencyCode, string>,
): EvmPayments | null {
  const { keys = null, maxGasPrice = MAX_GAS_PRICE, bumpAfterMs = BUMP_AFTER_MS, maxGas = MAX_GAS } = paying ?? {};
  if (keys === null) return null;
  const balances = new AccountBalances(client, logger, coin.currency, contracts);
  const bounds = { maxGasPrice, bumpAfterMs, maxGas };
  const rules = { layerOneFee, finalTag: tags.spend };
  return new EvmPayments(client, balances, { code, chainId, coin, contracts, keys, ...bounds, ...rules });
}

/**
 * Nodes refuse blocks from the future, and block times increase; a larger skew is the fault of the till's own clock.
 */
const CLOCK_SKEW_MS = 900_000;
