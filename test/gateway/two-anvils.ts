import assert from 'node:assert/strict';
import { startAnvil } from '../support/anvil.ts';
import type { Anvil } from '../support/anvil.ts';

const START_SECONDS = 1_900_000_000;
/** Emits two logs, whose topic is the first word of the call's data. */
const EMITTER_CODE = '0x60003560006000a160003560006000a100';
export const EMITTER = `0x${'e1'.repeat(20)}`;
const SENDERS = 8;

/** A block that a client was told of. */
export interface SeenHead {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
}

/** A log that a client was told of. */
export interface SeenLog {
  readonly blockHash: string;
  readonly logIndex: number;
  readonly removed: boolean;
}

interface NodeBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
}

/** Real nodes that make the same blocks, with reorganisations, each when it is told to. */
export class TwinChain {
  readonly anvils: readonly Anvil[];
  readonly #accounts: readonly string[];
  /** What each block is made of: the same for every node. */
  readonly #steps: (() => (anvil: Anvil) => Promise<void>)[] = [];
  readonly #done: number[];
  readonly #ended = new Set<Anvil>();

  private constructor(anvils: readonly Anvil[], accounts: readonly string[]) {
    this.anvils = anvils;
    this.#accounts = accounts;
    this.#done = anvils.map(() => 0);
  }

  /** @param blocks - how many are made, of which some are replaced later */
  static async start(blocks: number): Promise<TwinChain> {
    const args = ['--no-mining', '--timestamp', String(START_SECONDS), '--hardfork', 'cancun'];
    const anvils = await Promise.all([startAnvil({ args }), startAnvil({ args })]);
    for (const { rpc } of anvils) await rpc('anvil_setCode', [EMITTER, EMITTER_CODE]);
    const chain = new TwinChain(anvils, await anvils[0].rpc<string[]>('eth_accounts'));
    chain.#plan(blocks);
    return chain;
  }

  get steps(): number {
    return this.#steps.length;
  }

  /** Takes a node up to a step. */
  async advance(anvil: Anvil, step: number): Promise<void> {
    const at = this.anvils.indexOf(anvil);
    for (let done = this.#done[at] ?? 0; done < step; done++) {
      if (this.#ended.has(anvil)) return;
      await this.#steps[done]?.()(anvil);
      this.#done[at] = done + 1;
    }
  }

  /** Kills a node with all its connections. */
  async kill(anvil: Anvil): Promise<void> {
    this.#ended.add(anvil);
    await anvil.stop();
  }

  async stop(): Promise<void> {
    await Promise.all(this.anvils.filter((anvil) => !this.#ended.has(anvil)).map((anvil) => anvil.stop()));
  }

  /** Every seventh step replaces the last one to four blocks by others, and goes one further. */
  #plan(blocks: number): void {
    for (let made = 0; made < blocks; made++) {
      const depth = made % 7 === 6 ? 1 + (made % 4) : 0;
      this.#steps.push(() => async (anvil) => {
        if (depth > 0) await anvil.rpc('anvil_rollback', [depth]);
        for (let block = 0; block <= depth; block++) await this.#mine(anvil, made, block);
      });
    }
  }

  async #mine({ rpc }: Anvil, step: number, block: number): Promise<void> {
    for (let call = 0; call < step % 3; call++)
      await rpc('eth_sendTransaction', [
        {
          from: this.#accounts[(step + call) % SENDERS],
          to: EMITTER,
          gas: '0x30d40',
          gasPrice: '0x2540be400',
          data: `0x${(step * 1_000 + block * 10 + call).toString(16).padStart(64, '0')}`,
        },
      ]);
    const { timestamp } = await rpc<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false]);
    // Another branch has other times, and so other hashes.
    await rpc('evm_mine', [{ timestamp: Number(timestamp) + 2 + (step % 5) }]);
  }
}

/**
 * Compares what a client was told of from a block on with the chain of a node.
 *
 * @throws AssertionError where a block or a log is missing, came twice, or in the wrong place
 */
export async function assertSawChain(
  { rpc }: Anvil,
  from: number,
  heads: readonly SeenHead[],
  logs: readonly SeenLog[],
): Promise<void> {
  const head = Number(await rpc<string>('eth_blockNumber'));
  const blocks = await Promise.all(
    Array.from({ length: head - from }, (_, at) =>
      rpc<NodeBlock>('eth_getBlockByNumber', [`0x${(from + 1 + at).toString(16)}`, false]),
    ),
  );
  assert.deepEqual(
    chainOf(heads, from).map(({ hash }) => hash),
    blocks.map(({ hash }) => hash),
  );
  const range = { fromBlock: `0x${(from + 1).toString(16)}`, toBlock: 'latest', address: EMITTER };
  const present = await rpc<{ blockHash: string; logIndex: string }[]>('eth_getLogs', [range]);
  assert.deepEqual(
    logsOf(logs),
    present.map(({ blockHash, logIndex }) => `${blockHash} ${Number(logIndex)}`),
  );
}

/** The chain that a client has after all heads, of which each is behind one that it had. */
function chainOf(heads: readonly SeenHead[], from: number): readonly SeenHead[] {
  const chain: SeenHead[] = [];
  const seen = new Set<string>();
  for (const head of heads) {
    assert(!seen.has(head.hash), `block ${head.number} came twice`);
    seen.add(head.hash);
    chain.splice(Math.max(0, head.number - from - 1));
    const last = chain.at(-1);
    assert.equal(head.number, from + chain.length + 1, `before ${head.number} blocks are missing`);
    if (last !== undefined) assert.equal(head.parentHash, last.hash, `${head.number} is of another branch`);
    chain.push(head);
  }
  return chain;
}

/** The logs that a client has after all of them: removed ones go, the latest first. */
function logsOf(logs: readonly SeenLog[]): readonly string[] {
  const present: string[] = [];
  const seen = new Set<string>();
  for (const { blockHash, logIndex, removed } of logs) {
    const name = `${blockHash} ${logIndex}`;
    if (removed) assert.equal(present.pop(), name, 'another log was removed than the last one');
    else {
      assert(!seen.has(name), `${name} came twice`);
      seen.add(name);
      present.push(name);
    }
  }
  return present;
}
