import { BITCOIN_METHODS, EVM_METHODS } from './known-methods.ts';
import type { MethodRules } from './route.ts';

/** Chains whose nodes have the same methods. */
export type MethodFamily = 'evm' | 'bitcoin';

const OFFERED: Readonly<Record<MethodFamily, readonly string[]>> = { evm: EVM_METHODS, bitcoin: BITCOIN_METHODS };

/** The methods of a route that lists none; for a chain of unknown family, the methods of all families. */
export function offeredMethods(family: MethodFamily | null): readonly string[] {
  return family === null ? Object.values(OFFERED).flat() : OFFERED[family];
}

/**
 * Methods of Ethereum-like and Bitcoin-like nodes for administration, mining, debugging and the node's wallet. They are
 * denied unless the route's own `allow` lists them.
 */
export const DENIED_BY_DEFAULT: readonly string[] = [
  'admin_*',
  'clique_*',
  'debug_*',
  'engine_*',
  'erigon_*',
  'les_*',
  'miner_*',
  'parity_*',
  'personal_*',
  'anvil_*',
  'hardhat_*',
  'evm_*',
  'eth_accounts',
  'eth_coinbase',
  'eth_mining',
  'eth_sendTransaction',
  'eth_sign',
  'eth_signTransaction',
  'eth_signTypedData*',
  'abandontransaction',
  'addnode',
  'backupwallet',
  'bumpfee',
  'clearbanned',
  'createwallet',
  'createwalletdescriptor',
  'disconnectnode',
  'dumpprivkey',
  'dumptxoutset',
  'dumpwallet',
  'encryptwallet',
  'generate*',
  'getbalance*',
  'getnewaddress',
  'getrawchangeaddress',
  'gettransaction',
  'getwalletinfo',
  'import*',
  'invalidateblock',
  'keypoolrefill',
  'list*',
  'loadtxoutset',
  'loadwallet',
  'lockunspent',
  'logging',
  'preciousblock',
  'pruneblockchain',
  'psbtbumpfee',
  'reconsiderblock',
  'removeprunedfunds',
  'rescanblockchain',
  'restorewallet',
  'send',
  'sendall',
  'sendmany',
  'sendtoaddress',
  'setban',
  'sethdseed',
  'setlabel',
  'setnetworkactive',
  'settxfee',
  'setwalletflag',
  'signmessage',
  'signrawtransactionwithwallet',
  'stop',
  'submitblock',
  'unloadwallet',
  'walletcreatefundedpsbt',
  'walletlock',
  'walletpassphrase*',
  'walletprocesspsbt',
];

/** Methods that broadcast a transaction, which the gateway never sends twice. */
const BROADCASTS: ReadonlySet<string> = new Set([
  'eth_sendrawtransaction',
  'eth_sendrawtransactionsync',
  'sendrawtransaction',
  'submitpackage',
  'eth_sendbundle',
]);

/** A method's name, or a prefix of names that ends in `*`. Restricted, because names are copied into reports unchanged. */
const METHOD = /^[A-Za-z0-9_.:/-]{0,127}[A-Za-z0-9_.:/*-]$/;

/** True for the name of a method, and for a prefix that ends in `*`. */
export function isMethodPattern(text: string): boolean {
  return METHOD.test(text);
}

/** A set of exact names and prefixes: exact names by look-up, the few prefixes by a scan. */
export class MethodSet {
  readonly #names: ReadonlySet<string>;
  readonly #prefixes: readonly string[];

  constructor(patterns: readonly string[]) {
    this.#names = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
    this.#prefixes = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1));
  }

  has(method: string): boolean {
    return this.#names.has(method) || this.#prefixes.some((prefix) => method.startsWith(prefix));
  }
}

/** A method set that ignores case. Some nodes accept a method in any case, so every spelling is denied. */
class FoldedMethodSet extends MethodSet {
  constructor(patterns: readonly string[]) {
    super(patterns.map((pattern) => pattern.toLowerCase()));
  }

  override has(method: string): boolean {
    return super.has(method.toLowerCase());
  }
}

const deniedByDefault = new FoldedMethodSet(DENIED_BY_DEFAULT);

/**
 * Methods without any effect, not even on the next answer. After a failure they may be sent to a second node. Methods
 * that are not listed here are not retried.
 */
const READS = new MethodSet([
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getAccount',
  'eth_getBalance',
  'eth_getBlock*',
  'eth_getCode',
  'eth_getHeader*',
  'eth_getLogs',
  'eth_getProof',
  'eth_getRawTransaction*',
  'eth_getStorage*',
  'eth_getTransaction*',
  'eth_getUncle*',
  'eth_blobBaseFee',
  'eth_maxPriorityFeePerGas',
  'eth_protocolVersion',
  'eth_syncing',
  'eth_simulateV1',
  'net_*',
  'web3_*',
  'trace_*',
  'debug_trace*',
  'combinerawtransaction',
  'decode*',
  'deriveaddresses',
  'estimate*',
  'getbest*',
  'getblock*',
  'getchain*',
  'getconnectioncount',
  'getdeploymentinfo',
  'getdescriptorinfo',
  'getdifficulty',
  'getindexinfo',
  'getmempool*',
  'getmininginfo',
  'getnettotals',
  'getnetwork*',
  'getrawmempool',
  'getrawtransaction',
  'gettxout*',
  'gettxspendingprevout',
  'help',
  'scanblocks',
  'testmempoolaccept',
  'uptime',
  'validateaddress',
  'verifymessage',
  'verifytxoutproof',
]);

/** The methods of a route: allowed ones match by exact case, denied ones in any case. */
export class MethodPolicy {
  readonly #allow: MethodSet;
  readonly #deny: FoldedMethodSet;
  readonly #lifted: MethodSet;

  /** @param offered - the methods that are allowed where the rules list none */
  constructor({ allow, deny }: MethodRules, offered: readonly string[]) {
    this.#allow = new MethodSet(allow.length === 0 ? offered : allow);
    this.#deny = new FoldedMethodSet(deny);
    // `eth_*` must not allow `eth_sendTransaction`: only its own name, or the exact pattern that denies it, does.
    this.#lifted = new MethodSet(
      allow.filter((pattern) => !pattern.endsWith('*') || DENIED_BY_DEFAULT.includes(pattern)),
    );
  }

  /** A route's `deny` takes precedence; a method that is denied by default must be listed in `allow`. */
  allows(method: string): boolean {
    if (this.#deny.has(method)) return false;
    if (deniedByDefault.has(method)) return this.#lifted.has(method);
    return this.#allow.has(method);
  }
}

/** True for a method that has an effect when it is sent a second time. */
export function isBroadcast(method: string): boolean {
  return BROADCASTS.has(method.toLowerCase());
}

/** True for a method that may be sent to a second node after the first one failed. */
export function isRead(method: string): boolean {
  return READS.has(method) && !isBroadcast(method);
}
