import { encodeFunctionData } from 'viem/utils';
import type { Logger } from '../../../core/index.ts';
import { refusal } from '../json-rpc.ts';
import type { JsonRpcClient, RpcCall } from '../json-rpc.ts';
import type { RpcReply } from '../json-rpc-replies.ts';
import { PACK_SIZE, checkKey, packInput, readPack } from './balance-pack.ts';
import { ERC20 } from './erc20.ts';
import { asUnits, atBlock, isStateGone, malformed, toQuantity } from './rpc-values.ts';

/** A block whose state is read: by its hash, or by its height where the node does not accept hashes. */
export interface StateAt {
  readonly height: number;
  readonly hash: string;
}

/** One balance to read. */
export interface BalanceQuestion {
  readonly key: string;
  readonly at: StateAt;
}

/** `gone`: the node keeps no state of so old a block. */
export type BalanceAnswer = bigint | 'gone';

/** JSON-RPC's "invalid params", the answer of nodes without EIP-1898. */
const INVALID_PARAMS = -32602;
/** "Limit exceeded" of EIP-1474. */
const RATE_LIMITED = -32005;
/** The message of geth and related nodes for a reverted call. */
const REVERTED = 3;

/** Reads balances of past blocks. */
export class StateReader {
  readonly #client: JsonRpcClient;
  readonly #logger: Logger;
  #byHash = true;
  #packs = true;

  constructor(client: JsonRpcClient, logger: Logger) {
    this.#client = client;
    this.#logger = logger;
  }

  /** The number of balances of one block that a call reads. */
  get perCall(): number {
    return this.#packs ? PACK_SIZE : 1;
  }

  /**
   * Balances of the native coin in the order of the questions, read in as few calls for each block as the node allows.
   */
  async coins(questions: readonly BalanceQuestion[]): Promise<readonly BalanceAnswer[]> {
    const packs = packsOf(questions, this.perCall);
    const replies = await this.#ask(packs, ({ keys, at }) =>
      keys.length === 1
        ? { method: 'eth_getBalance', params: [`0x${keys[0] as string}`, this.#block(at)] }
        : { method: 'eth_call', params: [{ data: packInput(keys) }, this.#block(at)] },
    );
    const answers: BalanceAnswer[] = [];
    packs.forEach(({ keys, places }, index) => {
      const read = this.#readPack(replies[index] as RpcReply, keys.length);
      places.forEach((place, at) => (answers[place] = read[at] as BalanceAnswer));
    });
    return answers;
  }

  #readPack(reply: RpcReply, count: number): readonly BalanceAnswer[] {
    if (count === 1) return [this.#answer('eth_getBalance', reply)];
    if (reply.problem !== null && isStateGone(reply.problem.message))
      return new Array<BalanceAnswer>(count).fill('gone');
    const balances = reply.problem === null ? readPack(reply.result, count) : null;
    if (balances !== null) return balances;
    if (reply.problem === null || !isBusy(reply.problem)) {
      this.#packs = false;
      this.#logger.warn('the node cannot read several balances in one call: each is read by a call of its own', {
        host: this.#client.host,
      });
    }
    throw reply.problem === null ? malformed('balances') : refusal('eth_call', reply.problem, this.#client.host);
  }

  /** Balances of a token. A contract that does not exist yet or that reverts holds nothing for anyone. */
  async tokens(
    questions: readonly (BalanceQuestion & { readonly tokenKey: string })[],
  ): Promise<readonly BalanceAnswer[]> {
    const replies = await this.#ask(questions, ({ key, tokenKey, at }) => ({
      method: 'eth_call',
      params: [{ to: `0x${tokenKey}`, data: balanceOf(key) }, this.#block(at)],
    }));
    return replies.map((reply, at) => {
      if (reply.problem !== null && (reply.problem.code === REVERTED || /revert/i.test(reply.problem.message))) {
        this.#logger.error('the contract of a token does not return a balance; nothing is credited', {
          token: `0x${questions[at]?.tokenKey ?? ''}`,
        });
        return 0n;
      }
      return reply.result === '0x' ? 0n : this.#answer('eth_call', reply);
    });
  }

  async #ask<Q extends { readonly at: StateAt }>(
    questions: readonly Q[],
    call: (question: Q) => RpcCall,
  ): Promise<readonly RpcReply[]> {
    if (questions.length === 0) return [];
    const replies = await this.#client.batch(questions.map(call));
    if (
      !this.#byHash ||
      !replies.some(({ problem }) => problem?.code === INVALID_PARAMS && !isStateGone(problem.message))
    )
      return replies;
    // Heights are weaker than hashes; the scan checks its last header again at the end.
    this.#byHash = false;
    return this.#client.batch(questions.map(call));
  }

  #block({ height, hash }: StateAt): unknown {
    return this.#byHash ? atBlock(hash) : toQuantity(height);
  }

  #answer(method: string, reply: RpcReply): BalanceAnswer {
    if (reply.problem === null) {
      const { result } = reply;
      // A call returns 32 bytes; anything that a contract appends is ignored.
      if (method === 'eth_call' && (typeof result !== 'string' || result.length < 66)) throw malformed('balanceOf');
      return asUnits(method === 'eth_call' ? (result as string).slice(0, 66) : result, 'a balance');
    }
    if (isStateGone(reply.problem.message)) return 'gone';
    throw refusal(method, reply.problem, this.#client.host);
  }
}

/** Questions about one block that share a call. */
interface Pack {
  readonly at: StateAt;
  readonly keys: string[];
  /** The positions of the pack's questions among all questions. */
  readonly places: number[];
}

function packsOf(questions: readonly BalanceQuestion[], size: number): readonly Pack[] {
  const packs: Pack[] = [];
  const open = new Map<string, Pack>();
  questions.forEach(({ key, at }, place) => {
    let pack = open.get(at.hash);
    if (pack === undefined || pack.keys.length >= size) {
      pack = { at, keys: [], places: [] };
      open.set(at.hash, pack);
      packs.push(pack);
    }
    pack.keys.push(checkKey(key));
    pack.places.push(place);
  });
  return packs;
}

/** The node works, but is busy. */
function isBusy({ code, message }: { readonly code: number; readonly message: string }): boolean {
  return code === RATE_LIMITED || /limit|too many|busy|capacity|timeout|timed out/i.test(message);
}

function balanceOf(key: string): string {
  return encodeFunctionData({ abi: ERC20, functionName: 'balanceOf', args: [`0x${key}`] });
}
