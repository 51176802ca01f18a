import { MAX_NODE, TillgateError } from '../core/index.ts';
import type { Clock, IdGenerator, Lease, LeaseStore, Random } from '../core/index.ts';
import { SnowflakeIds } from '../adapters/system/index.ts';

export interface NodeNumberTools {
  readonly leases: LeaseStore;
  readonly owner: string;
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * The ids of this instance, made with a node number that is leased from the database: no two live instances share one.
 * An instance that could not prolong its lease makes no more ids until it has one again.
 */
export class NodeNumber implements IdGenerator {
  readonly #tools: NodeNumberTools;
  #lease: Lease;
  #ids: IdGenerator;
  #goodUntil: number;

  private constructor(tools: NodeNumberTools, node: number, lease: Lease, goodUntil: number) {
    this.#tools = tools;
    this.#lease = lease;
    this.#goodUntil = goodUntil;
    this.#ids = new SnowflakeIds(tools.clock, node, tools.random);
  }

  /** @throws TillgateError `NOT_READY` when all numbers are taken */
  static async take(tools: NodeNumberTools): Promise<NodeNumber> {
    const asked = tools.clock.now();
    const { node, lease } = await takeNode(tools);
    return new NodeNumber(tools, node, lease, asked + tools.ttlMs);
  }

  next(): string {
    if (this.#tools.clock.now() >= this.#goodUntil) {
      throw new TillgateError('NOT_READY', 'This instance lost touch with its database and makes no ids until it is back.');
    }
    return this.#ids.next();
  }

  /** Prolongs the lease, or takes another number when this one was lost. */
  async renew(): Promise<void> {
    const asked = this.#tools.clock.now();
    const renewed = await this.#tools.leases.acquire(this.#lease.name, this.#tools.owner, this.#tools.ttlMs);
    if (renewed !== null) {
      this.#lease = renewed;
    } else {
      const { node, lease } = await takeNode(this.#tools);
      this.#lease = lease;
      this.#ids = new SnowflakeIds(this.#tools.clock, node, this.#tools.random);
    }
    this.#goodUntil = asked + this.#tools.ttlMs;
  }

  /** Gives the number back. */
  async release(): Promise<void> {
    this.#goodUntil = 0;
    await this.#tools.leases.release(this.#lease);
  }
}

async function takeNode({ leases, owner, ttlMs }: NodeNumberTools): Promise<{ node: number; lease: Lease }> {
  const taken = await leases.acquireNode(owner, ttlMs, MAX_NODE);
  if (taken === null) throw new TillgateError('NOT_READY', 'Every instance number is taken; stop instances that are not needed.');
  return taken;
}
