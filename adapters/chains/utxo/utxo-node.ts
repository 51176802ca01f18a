import { assert, TillgateError, isTillgateError } from '../../../core/index.ts';
import type { BlockRef, Logger, NodeStatus } from '../../../core/index.ts';
import { JsonRpcClient } from '../json-rpc.ts';
import type { RpcCall, RpcCaller } from '../json-rpc.ts';
import type { RpcReply } from '../json-rpc-replies.ts';
import { parseExactly } from './exact-replies.ts';
import { hash256, toHashText, fromHashText } from './hash256.ts';
import { asCount, asHash, asHex, asObject, asUnits, contradictory, isHash, malformed } from './node-values.ts';

/** The URLs and limits for reaching the nodes of one UTXO chain. */
export interface UtxoNodeOptions {
  /** The chain's name in messages. */
  readonly code: string;
  readonly urls: readonly string[];
  /** The accepted hashes of the first block. */
  readonly genesis: readonly string[];
  readonly network: string;
  readonly timeoutMs?: number;
}

/** An unspent output. */
export interface UnspentOutput {
  readonly units: bigint;
  /** The script in hexadecimal digits. */
  readonly script: string;
  /** 0 while it is unconfirmed. */
  readonly confirmations: number;
  /** The block at which the output was reported. */
  readonly bestBlock: string;
}

const NOT_THERE = -5;
const OUT_OF_RANGE = -8;
/** A search of all unspent outputs takes minutes on a main network. */
const SEARCH_TIMEOUT_MS = 15 * 60_000;
const OUTPUTS_LOOKED_AT = 50;

/** A node with Bitcoin Core's JSON-RPC. It needs no wallet and no index. */
export class UtxoNode {
  readonly #client: JsonRpcClient;
  readonly #slow: JsonRpcClient;
  readonly #options: UtxoNodeOptions;

  /** @throws TillgateError `CONFIG_INVALID` for an invalid URL */
  constructor(options: UtxoNodeOptions, logger: Logger) {
    this.#options = options;
    const client = (timeoutMs: number | undefined): JsonRpcClient =>
      new JsonRpcClient({
        urls: options.urls,
        logger,
        parse: parseExactly,
        admit: async (call) => {
          await this.#checkedGenesis(call);
        },
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
    this.#client = client(options.timeoutMs);
    this.#slow = client(Math.max(options.timeoutMs ?? 0, SEARCH_TIMEOUT_MS));
  }

  /** @throws TillgateError `CHAIN_HALTED` on another chain than the configured one */
  genesis(): Promise<string> {
    return this.#checkedGenesis((method, params) => this.#client.call(method, params));
  }

  /** One call. @throws TillgateError `NODE_FAILED` */
  call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return this.#client.call(method, params);
  }

  /** One call that may take minutes. @throws TillgateError `NODE_FAILED` */
  callSlowly(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return this.#slow.call(method, params);
  }

  /** Several calls in one request, each with its own outcome. @throws TillgateError `NODE_FAILED` when no node answers */
  batch(calls: readonly RpcCall[]): Promise<readonly RpcReply[]> {
    return this.#client.batch(calls);
  }

  async height(): Promise<number> {
    return asCount(await this.call('getblockcount'), 'the height');
  }

  async head(): Promise<BlockRef> {
    return this.header(asHash(await this.call('getbestblockhash'), 'the hash of the head'));
  }

  /**
   * Whether the node is at the network's head. Regtest has no peers and old blocks by nature, so neither is checked
   * there.
   */
  async status(): Promise<NodeStatus> {
    const [chain, network] = (
      await this.#client.batchResults([
        { method: 'getblockchaininfo', params: [] },
        { method: 'getnetworkinfo', params: [] },
      ])
    ).map((reply) => asObject(reply, 'the state of the node'));
    assert(chain !== undefined && network !== undefined, 'two calls have two replies');
    const [blocks, headers] = [asCount(chain['blocks'], 'blocks'), asCount(chain['headers'], 'headers')];
    const regtest = this.#options.network === 'regtest';
    const initialDownload = !regtest && chain['initialblockdownload'] === true;
    const firstBlock = chain['pruneheight'] === undefined ? 0 : asCount(chain['pruneheight'], 'the pruned height');
    const behind = initialDownload
      ? `is in its initial download, at block ${blocks} of ${headers}`
      : headers > blocks
        ? `has headers up to block ${headers}, but has read only up to block ${blocks}`
        : network['networkactive'] === false
          ? 'has its network switched off'
          : !regtest && network['connections'] === 0
            ? 'has no peers'
            : null;
    return { behind, initialDownload, firstBlock };
  }

  /** The hash at a height on the node's current chain; `null` above its head. */
  async hashAt(height: number): Promise<string | null> {
    try {
      return asHash(await this.call('getblockhash', height), 'a block hash');
    } catch (error) {
      if (refusedWith(error, OUT_OF_RANGE)) return null;
      throw error;
    }
  }

  async header(hash: string): Promise<BlockRef> {
    return readHeader(await this.call('getblockheader', hash), hash);
  }

  /** The block's bytes in the network format, unchecked: `readBlock` verifies them against the hash. */
  async rawBlock(hash: string): Promise<Buffer> {
    return Buffer.from(asHex(await this.call('getblock', hash, 0), `block ${hash}`), 'hex');
  }

  /**
   * The unspent outputs among these outpoints (`txid:number`), in their order; `null` for spent or unknown ones.
   *
   * @param withPool - includes unconfirmed transactions
   */
  async unspent(refs: readonly string[], withPool: boolean): Promise<readonly (UnspentOutput | null)[]> {
    const calls = refs.map((ref) => ({ method: 'gettxout', params: [...outpointOf(ref), withPool] }));
    const results = await this.#client.batchResults(calls);
    return results.map((result) => (result === null ? null : readUnspent(result)));
  }

  /**
   * The height of the block that holds a transaction; `null` when it is in no block, or cannot be found without an index. A
   * node without one (`-txindex`) finds a transaction by its first outputs, while one of them is unspent.
   */
  async heightOf(txid: string): Promise<number | null> {
    if (!isHash(txid)) return null;
    const hash = await this.#blockOf(txid);
    if (hash !== undefined) return hash === null ? null : (await this.header(hash)).height;
    const refs = Array.from({ length: OUTPUTS_LOOKED_AT }, (_, number) => `${txid}:${number}`);
    const output = (await this.unspent(refs, false)).find((found) => found !== null) ?? null;
    return output === null ? null : (await this.header(output.bestBlock)).height - output.confirmations + 1;
  }

  /** The block of a transaction, `null` while it is unconfirmed; `undefined` when the node does not find it by its id alone. */
  async #blockOf(txid: string): Promise<string | null | undefined> {
    try {
      const transaction = asObject(await this.call('getrawtransaction', txid, true), 'a transaction');
      return transaction['blockhash'] === undefined ? null : asHash(transaction['blockhash'], "a transaction's block");
    } catch (error) {
      if (refusedWith(error, NOT_THERE)) return undefined;
      throw error;
    }
  }

  /** Fees of an unconfirmed transaction and of those that spend it, in units; `null` when it is not in the mempool. */
  async waiting(txid: string): Promise<{ readonly descendantFees: bigint } | null> {
    try {
      const entry = asObject(await this.call('getmempoolentry', txid), 'a waiting transaction');
      return { descendantFees: asUnits(asObject(entry['fees'], 'its fees')['descendant'], 'its descendants’ fees') };
    } catch (error) {
      if (refusedWith(error, NOT_THERE)) return null;
      throw error;
    }
  }

  /** Tries another URL first from now on. */
  distrust(): void {
    this.#client.distrust();
  }

  close(): Promise<void> {
    return Promise.all([this.#client.close(), this.#slow.close()]).then(() => undefined);
  }

  async #checkedGenesis(call: RpcCaller): Promise<string> {
    const { genesis, network, code } = this.#options;
    const hash = asHash(await call('getblockhash', [0]), 'the hash of the first block');
    if (genesis.includes(hash)) return hash;
    throw new TillgateError(
      'CHAIN_HALTED',
      `The node's first block is ${hash}, which is not that of ${code} on its ${network} network.`,
    );
  }
}

/** Whether the node itself refused a call with this code. */
export function refusedWith(error: unknown, code: number): boolean {
  return isTillgateError(error, 'NODE_FAILED') && error.details['rpcCode'] === code;
}

/** @returns the transaction's id and the output's number */
export function outpointOf(ref: string): readonly [string, number] {
  const [txid = '', number = ''] = ref.split(':');
  return [txid, Number(number)];
}

function readUnspent(value: unknown): UnspentOutput {
  const output = asObject(value, 'an output');
  return {
    units: asUnits(output['value'], 'an amount'),
    script: asHex(asObject(output['scriptPubKey'], 'a script')['hex'], 'a script'),
    confirmations: asCount(output['confirmations'], 'confirmations'),
    bestBlock: asHash(output['bestblock'], 'the best block'),
  };
}

/** The header, rebuilt from the node's fields: a wrong field gives another hash. */
function readHeader(value: unknown, hash: string): BlockRef {
  const header = asObject(value, 'a block header');
  const height = asCount(header['height'], 'a height');
  const time = asCount(header['time'], 'a block time');
  const parent = header['previousblockhash'];
  const parentHash = height === 0 && parent === undefined ? '0'.repeat(64) : asHash(parent, 'a parent hash');
  const bytes = Buffer.alloc(80);
  const { version } = header;
  if (typeof version !== 'number' || !Number.isInteger(version) || Math.abs(version) > 2 ** 31)
    throw malformed('a block version');
  bytes.writeInt32LE(version | 0, 0);
  bytes.set(fromHashText(parentHash), 4);
  bytes.set(fromHashText(asHash(header['merkleroot'], 'a merkle root')), 36);
  bytes.writeUInt32LE(time, 68);
  bytes.writeUInt32LE(Number.parseInt(asHex(header['bits'], 'bits'), 16), 72);
  bytes.writeUInt32LE(asCount(header['nonce'], 'a nonce'), 76);
  if (toHashText(hash256(bytes)) !== hash) throw contradictory(`the header of ${hash} has another hash`);
  return { height, hash, parentHash, time: time * 1000 };
}
