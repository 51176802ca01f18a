import assert from 'node:assert/strict';
import { MnemonicWallet } from '../../adapters/wallet/index.ts';
import { formatUnits } from '../../core/index.ts';
import type {
  ChainPayments,
  PaymentLine,
  Plugin,
  PluginContext,
  SignedPayout,
  SignedTransaction,
  Signer,
  SpendableCoin,
  WatchList,
} from '../../core/index.ts';
import type { UtxoChain } from '../../adapters/chains/index.ts';
import { bitcoin } from '../../plugins/bitcoin/index.ts';
import { litecoin } from '../../plugins/litecoin/index.ts';
import { FakeClock, MemoryLogger } from '../support/fakes.ts';
import { startDaemon } from './daemons.ts';
import type { Daemon, DaemonKind, DaemonOptions } from './daemons.ts';

export const MNEMONIC = 'test test test test test test test test test test test junk';
export const COIN = 100_000_000n;
const PLUGINS: Readonly<Record<DaemonKind, Plugin>> = { bitcoind: bitcoin.plugin, litecoind: litecoin.plugin };

/** A chain with its node, opened by its plugin as the host would, with the till's seed. */
export class UtxoFixture {
  readonly daemon: Daemon;
  readonly chain: UtxoChain;
  readonly logger: MemoryLogger;
  readonly wallet: MnemonicWallet;
  readonly currency: string;
  #nextIndex = 0;

  private constructor(daemon: Daemon, chain: UtxoChain, logger: MemoryLogger, wallet: MnemonicWallet) {
    this.daemon = daemon;
    this.chain = chain;
    this.logger = logger;
    this.wallet = wallet;
    this.currency = chain.code;
  }

  static async start(
    kind: DaemonKind,
    options: Readonly<Record<string, unknown>> = {},
    daemonOptions: DaemonOptions = {},
  ): Promise<UtxoFixture> {
    const daemon = await startDaemon(kind, daemonOptions);
    const wallet = new MnemonicWallet(MNEMONIC);
    const { chain, logger } = await openChain(daemon, options, wallet);
    return new UtxoFixture(daemon, chain, logger, wallet);
  }

  get payments(): ChainPayments {
    assert(this.chain.payments !== null);
    return this.chain.payments;
  }

  /** A chain object that knows nothing yet: the till after a restart, or with another seed. */
  reopen(options: Readonly<Record<string, unknown>> = {}, wallet = this.wallet): ReturnType<typeof openChain> {
    return openChain(this.daemon, options, wallet);
  }

  /** A deposit address that was not used before. */
  async address(): Promise<{ readonly index: number; readonly address: string; readonly key: string }> {
    const [derived] = await this.chain.deriveAddresses(this.#nextIndex++, 1);
    assert(derived !== undefined);
    return derived;
  }

  /** Coins at a fresh deposit address, mined. */
  async deposit(amount: string): Promise<SpendableCoin> {
    const { address, index } = await this.address();
    const txid = await this.daemon.pay(address, amount);
    const [block = ''] = await this.daemon.mine();
    const { tx } = await this.daemon.rpc<{ tx: string[] }>('getblock', block);
    assert(tx.includes(txid), `block ${block} has the payment ${txid}`);
    return this.coin(txid, address, index);
  }

  /** The output of a mined or waiting transaction to an address. */
  async coin(txid: string, address: string, index: number | null): Promise<SpendableCoin> {
    const [found] = (await this.outputsOf(txid)).filter((output) => output.address === address);
    assert(found !== undefined, `${txid} pays ${address}`);
    return { ref: `${txid}:${found.number}`, address, index, units: found.units };
  }

  async outputsOf(txid: string): Promise<readonly { number: number; address: string; units: bigint }[]> {
    const raw = await this.daemon.rpc<{ hex: string }>('gettransaction', txid).catch(() => null);
    const hex = raw?.hex ?? (await this.daemon.rpc<string>('getrawtransaction', txid));
    const { vout } = await this.daemon.rpc<{ vout: Output[] }>('decoderawtransaction', hex);
    return vout.map(({ n, value, scriptPubKey }) => ({
      number: n,
      address: scriptPubKey.address ?? scriptPubKey.addresses?.[0] ?? '',
      units: toUnits(value),
    }));
  }

  /** Spends one coin of the purse, again and again as often as it is called with it: each time replaces the time before. */
  async spend(coin: Unspent, to: string, fee: bigint): Promise<string> {
    const { rpc } = this.daemon;
    const input = { txid: coin.txid, vout: coin.vout, sequence: 0xfffffffd };
    const raw = await rpc('createrawtransaction', [input], { [to]: toAmount(toUnits(coin.amount) - fee) });
    const { hex } = await rpc<{ hex: string }>('signrawtransactionwithwallet', raw);
    return rpc<string>('sendrawtransaction', hex);
  }

  /** A ripe coin of the purse. */
  async purseCoin(): Promise<Unspent> {
    const [coin] = await this.daemon.rpc<Unspent[]>('listunspent');
    assert(coin !== undefined);
    return coin;
  }

  /** An address of somebody else's. */
  foreign(type: 'bech32' | 'legacy' | 'p2sh-segwit' = 'bech32'): Promise<string> {
    return this.daemon.rpc('getnewaddress', '', type);
  }

  async received(address: string): Promise<bigint> {
    return toUnits(await this.daemon.rpc<string | number>('getreceivedbyaddress', address, 1));
  }

  /** Prices and signs, with the fee shared among the lines as the core does it. */
  async sign(
    lines: readonly { readonly to: string; readonly units: bigint }[],
    coins: readonly SpendableCoin[],
  ): Promise<SignedPayment> {
    const gross = this.lines(lines);
    const source = { address: this.payments.hotAddress, index: null };
    const priced = await this.payments.price({ source, lines: gross, coins, replaces: null });
    const share = priced.feeUnits / BigInt(gross.length);
    const nets = gross.map((line, at) => ({
      ...line,
      units: line.units - (at === 0 ? priced.feeUnits - share * BigInt(gross.length - 1) : share),
    }));
    const signed = await this.payments.sign({ source, lines: nets, priced, nonce: null });
    return { signed, nets, coins: priced.coins };
  }

  /** The same payment at a higher fee. */
  async bump({ signed, nets, coins }: SignedPayment): Promise<SignedPayment> {
    const source = { address: this.payments.hotAddress, index: null };
    const priced = await this.payments.price({ source, lines: nets, coins, replaces: signed });
    return {
      signed: await this.payments.sign({ source, lines: nets, priced, nonce: null }),
      nets,
      coins: priced.coins,
    };
  }

  /** All coins of it back to the till. */
  async cancel({ signed, coins }: SignedPayment): Promise<SignedPayment> {
    const { hotAddress, cancel } = this.payments;
    assert(cancel !== undefined);
    const request = { source: { address: hotAddress, index: null }, coins, nonce: null, replaces: signed };
    return { signed: await cancel.call(this.payments, request), nets: [], coins };
  }

  payout(...attempts: readonly SignedPayment[]): SignedPayout {
    const [first] = attempts;
    assert(first !== undefined);
    const source = { address: this.payments.hotAddress, index: null };
    return {
      source,
      nonce: null,
      coins: first.coins.map(({ ref }) => ref),
      attempts: attempts.map(({ signed }) => signed),
    };
  }

  lines(lines: readonly { readonly to: string; readonly units: bigint }[]): readonly PaymentLine[] {
    return lines.map((line) => ({ ...line, currency: this.currency }));
  }

  /** Replaces the last blocks by others, one more, that hold no transaction. */
  async forkEmpty(depth: number): Promise<void> {
    const { rpc } = this.daemon;
    const height = await this.daemon.height();
    await rpc('invalidateblock', await rpc('getblockhash', height - depth + 1));
    const purse = await this.foreign();
    for (let count = 0; count <= depth; count++) await rpc('generateblock', purse, []);
  }

  /** Has the purse's transaction wait to be mined, whether or not it does already. */
  async resend(txid: string): Promise<void> {
    const { hex } = await this.daemon.rpc<{ hex: string }>('gettransaction', txid);
    await this.daemon.rpc('sendrawtransaction', hex);
  }

  async stop(): Promise<void> {
    await this.chain.close();
    await this.daemon.stop();
  }
}

export interface SignedPayment {
  readonly signed: SignedTransaction;
  readonly nets: readonly PaymentLine[];
  readonly coins: readonly SpendableCoin[];
}

export interface Unspent {
  readonly txid: string;
  readonly vout: number;
  readonly amount: string | number;
}

interface Output {
  readonly n: number;
  readonly value: string | number;
  readonly scriptPubKey: { readonly address?: string; readonly addresses?: readonly string[] };
}

/** Has the coin's plugin set its chain up. */
export async function openChain(
  daemon: Pick<Daemon, 'kind' | 'url' | 'user' | 'password'>,
  options: Readonly<Record<string, unknown>>,
  wallet: PluginContext<unknown>['wallet'] & Partial<Signer>,
): Promise<{ readonly chain: UtxoChain; readonly logger: MemoryLogger }> {
  const plugin = PLUGINS[daemon.kind];
  const logger = new MemoryLogger();
  const chains: unknown[] = [];
  const { origin } = new URL(daemon.url.replace(/\/\/.*@/, '//'));
  const given = { rpcUrl: origin, rpcUser: daemon.user, rpcPassword: daemon.password, network: 'regtest', ...options };
  const { rpcUrl, ...rest } = given;
  await plugin.setup({
    options: plugin.options('rpcUrls' in options ? rest : { ...rest, rpcUrl }),
    logger,
    clock: new FakeClock(),
    wallet,
    signer: wallet instanceof MnemonicWallet ? wallet : null,
    documents: { read: async () => null, write: async () => false },
    addChain: (chain) => void chains.push(chain),
    addLightning: () => undefined,
    addRateSource: () => undefined,
    addNotifier: () => undefined,
    onClose: () => undefined,
  });
  return { chain: chains[0] as UtxoChain, logger };
}

/** Coins as decimal text, or whole, as units. */
export function toUnits(amount: string | number): bigint {
  const [whole = '0', fraction = ''] = String(amount).split('.');
  return BigInt(whole) * COIN + BigInt(fraction.padEnd(8, '0'));
}

export function toAmount(units: bigint): string {
  return formatUnits(units, 8);
}

export function watching(...keys: readonly string[]): WatchList {
  const set = new Set(keys);
  return { has: (key) => set.has(key), nativeKeys: () => set };
}
