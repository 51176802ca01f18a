import { TronWeb } from 'tronweb';
import { TronChain, openTronKeys, parseTronOptions, tronAddress, tronKey } from '../../../adapters/chains/index.ts';
import { definition as tron } from '../../../plugins/tron/definition.ts';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import { present } from '../../../core/index.ts';
import type { ChainPayments, PaymentLine, SignedPayout, SignedTransaction, WatchList } from '../../../core/index.ts';
import { FakeClock, MemoryLogger, START } from '../fakes.ts';
import { FakeTronNetwork } from './fake-tron-network.ts';
import { startTronNode } from './fake-tron-node.ts';
import type { FakeTronNode } from './fake-tron-node.ts';
import { keyNamed } from './tron-state.ts';

/** The mnemonic that is commonly used for tests. */
export const MNEMONIC = 'test test test test test test test test test test test junk';
const ACCOUNTS = { hot: "m/44'/195'/0'", deposit: "m/44'/195'/1'" } as const;
/** The payer's key. */
const PAYER_KEY = '11'.repeat(32);

export const USDT = 'USDT-TRC20';
export const USDC = 'USDC-TRC20';
/** Contracts of the fake network. */
export const CONTRACTS = { usdt: keyNamed('usdt'), usdc: keyNamed('usdc'), twin: keyNamed('twin') } as const;

/** A network with nodes, a chain that follows it with a wallet of its own, and a payer. */
export interface TronFixture {
  readonly network: FakeTronNetwork;
  readonly clock: FakeClock;
  readonly logger: MemoryLogger;
  readonly nodes: readonly FakeTronNode[];
  readonly node: FakeTronNode;
  readonly chain: TronChain;
  readonly payments: ChainPayments;
  readonly payer: TronWeb;
  readonly payerKey: string;
  readonly hotKey: string;
  /** The deposit address of an index and its key. */
  deposit(index: number): Promise<{ readonly address: string; readonly key: string }>;
  /** Sends a real transaction of the payer, made and signed by tronweb; returns its id. */
  pay(to: string, units: bigint, contract?: string): Promise<string>;
  /** Another chain over the same nodes. */
  open(options: Readonly<Record<string, unknown>>): Promise<TronChain>;
  stop(): Promise<void>;
}

/** Options of a fixture. */
export interface FixtureOptions {
  readonly nodes?: number;
  /** The start of the network's clock. */
  readonly start?: number;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Builds a {@link TronFixture}: the payer has 100,000 USDT and TRX, and some blocks exist. */
export async function openFixture({
  nodes: count = 1,
  options = {},
  start = START,
}: FixtureOptions = {}): Promise<TronFixture> {
  const clock = new FakeClock(start);
  const network = new FakeTronNetwork(clock);
  const nodes: FakeTronNode[] = [];
  for (let made = 0; made < count; made++) nodes.push(await startTronNode(network));
  const [node] = nodes as [FakeTronNode];
  const logger = new MemoryLogger();
  const payer = new TronWeb({ fullHost: node.url, privateKey: PAYER_KEY });
  const payerKey = present(
    tronKey(present(TronWeb.address.fromPrivateKey(PAYER_KEY) || null, 'the payer')),
    'the payer',
  );
  stock(network, payerKey);
  const wallet = new MnemonicWallet(MNEMONIC);
  const chains: TronChain[] = [];
  const open = async (more: Readonly<Record<string, unknown>>): Promise<TronChain> => {
    const { xpub, feeLimitSun, expirationMs, ...rest } = parseTronOptions(
      { apiUrls: nodes.map(({ url }) => url), network: 'test', tokens: TOKENS, ...options, ...more },
      tron,
    );
    const keys = await openTronKeys(wallet, ACCOUNTS, xpub);
    const chain = new TronChain(
      { ...rest, xpub: xpub ?? (await wallet.extendedPublicKey(ACCOUNTS.deposit)), requestTimeoutMs: 5_000 },
      logger,
      keys === null ? null : { keys, clock, feeLimitSun, expirationMs },
    );
    chains.push(chain);
    return chain;
  };
  const chain = await open({});
  const payments = present(chain.payments, 'the paying side');
  return {
    network,
    clock,
    logger,
    nodes,
    node,
    chain,
    payments,
    payer,
    payerKey,
    hotKey: present(tronKey(payments.hotAddress), 'the hot wallet'),
    deposit: async (index) => present((await chain.deriveAddresses(index, 1))[0], 'an address'),
    pay: (to, units, contract = CONTRACTS.usdt) => payToken(payer, contract, to, units),
    open,
    stop: async () => {
      await Promise.all([...chains.map((one) => one.close()), ...nodes.map((one) => one.stop())]);
    },
  };
}

/** The tokens in the format of settings. */
export const TOKENS = {
  [USDT]: { address: tronAddress(CONTRACTS.usdt), decimals: 6 },
  [USDC]: { address: tronAddress(CONTRACTS.usdc), decimals: 6 },
};

function stock(network: FakeTronNetwork, payerKey: string): void {
  network.deploy(CONTRACTS.usdt, 'usdt');
  network.deploy(CONTRACTS.usdc, 'standard');
  network.deploy(CONTRACTS.twin, 'standard');
  for (const contract of Object.values(CONTRACTS)) network.mint(contract, payerKey, 100_000_000_000n);
  network.fund(payerKey, 10_000_000_000n);
  network.produce(25);
}

async function payToken(payer: TronWeb, contract: string, to: string, units: bigint): Promise<string> {
  const { transaction } = await payer.transactionBuilder.triggerSmartContract(
    tronAddress(contract),
    'transfer(address,uint256)',
    { txLocal: true, feeLimit: 100_000_000 },
    [
      { type: 'address', value: to },
      { type: 'uint256', value: units.toString() },
    ],
    payer.defaultAddress.hex || '',
  );
  const signed = await payer.trx.sign(transaction);
  const { result, txid } = (await payer.trx.sendRawTransaction(signed)) as unknown as { result: boolean; txid: string };
  if (!result) throw new Error('the payment was not taken');
  return txid;
}

/** A watch list of some addresses. */
export function watching(...keys: readonly string[]): WatchList {
  return { has: (key) => keys.includes(key), nativeKeys: () => [] };
}

/** Prices and signs one payment. */
export async function signPayment(
  payments: ChainPayments,
  line: PaymentLine,
  source = { address: payments.hotAddress, index: null as number | null },
): Promise<SignedTransaction> {
  const priced = await payments.price({ source, lines: [line], coins: [], replaces: null });
  return payments.sign({ source, lines: [line], priced, nonce: null });
}

/** A payout in the form that the runner passes to `outcome`. */
export function payoutOf(payments: ChainPayments, ...attempts: readonly SignedTransaction[]): SignedPayout {
  return { source: { address: payments.hotAddress, index: null }, nonce: null, coins: [], attempts };
}
