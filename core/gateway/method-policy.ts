import { BITCOIN_METHODS, EVM_METHODS } from './known-methods.ts';
import type { MethodRules } from './route.ts';

/** Chains whose nodes have the same methods. */
export type MethodFamily = 'evm' | 'bitcoin';

const OFFERED: Readonly<Record<MethodFamily, readonly string[]>> = { evm: EVM_METHODS, bitcoin: BITCOIN_METHODS };

/** What a route takes that names no methods; of a chain whose family is not known, the methods of all of them. */
export function offeredMethods(family: MethodFamily | null): readonly string[] {
  return family === null ? Object.values(OFFERED).flat() : OFFERED[family];
}

/**
 * Never for sale unless a route's own `allow` names them: a node's administration, its miner, its debugger and its
 * wallet, of Ethereum-like and of Bitcoin-like nodes.
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

/** Methods that put a transaction on its way: the gateway never sends one of these twice. */
const BROADCASTS: ReadonlySet<string> = new Set([
  'eth_sendrawtransaction',
  'eth_sendrawtransactionsync',
  'sendrawtransaction',
  'submitpackage',
  'eth_sendbundle',
]);

/** Set look-up for exact names, a scan over the few prefixes. */
class MethodSet {
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

/** The same without case. Some nodes take a method in any case: what is denied must be so however it is written. */
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
 * Methods that change nothing anywhere, not even which answer comes next: these may be asked of a second node when the
 * first one failed. Methods that are not known as reads are not retried.
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

/** Which methods a route takes: what it allows in exactly that case, what it denies in any. */
export class MethodPolicy {
  readonly #allow: MethodSet;
  readonly #deny: FoldedMethodSet;
  readonly #lifted: MethodSet;

  /** @param offered - what is allowed where the rules allow nothing by name */
  constructor({ allow, deny }: MethodRules, offered: readonly string[]) {
    this.#allow = new MethodSet(allow.length === 0 ? offered : allow);
    this.#deny = new FoldedMethodSet(deny);
    // `eth_*` must not let `eth_sendTransaction` in: only its own name, or the very pattern that denies it, does.
    this.#lifted = new MethodSet(
      allow.filter((pattern) => !pattern.endsWith('*') || DENIED_BY_DEFAULT.includes(pattern)),
    );
  }

  /** A route's `deny` wins over everything; what is denied by default must be named by `allow`. */
  allows(method: string): boolean {
    if (this.#deny.has(method)) return false;
    if (deniedByDefault.has(method)) return this.#lifted.has(method);
    return this.#allow.has(method);
  }
}

/** True for a method whose second sending could matter. */
export function isBroadcast(method: string): boolean {
  return BROADCASTS.has(method.toLowerCase());
}

/** True for a method that a second node may be asked when the first one failed. */
export function isRead(method: string): boolean {
  return READS.has(method) && !isBroadcast(method);
}
