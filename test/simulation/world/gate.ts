import { TillgateError } from '../../../core/index.ts';
import type {
  ChainAdapter,
  ChainEffects,
  ChainPayments,
  ChainPolicy,
  ChangeFeed,
  LightningNode,
  Storage,
  Transaction,
} from '../../../core/index.ts';
import { nameOf } from '../../support/name-of.ts';
import type { SimNode } from './node.ts';

/** Simulates the end of the process: nothing after it runs. */
export class Crash extends Error {}

/** The fault of one call through a port, and its position among a step's calls. */
export interface Fault {
  readonly kind: 'crash-before' | 'crash-after' | 'fail-before' | 'fail-after' | 'pause';
  /** 1 for the first call. */
  readonly at: number;
}

type Method = (...args: unknown[]) => unknown;
type Port = 'storage' | 'node';

const AWAY: Readonly<Record<Port, () => Error>> = {
  storage: () => new TillgateError('NOT_READY', 'The database is away.'),
  node: () => new TillgateError('NODE_FAILED', 'The reply was lost.'),
};

/**
 * The boundary between one instance of the till and the world: every asynchronous call passes here, and at one of them
 * the instance may die, the call or its reply may be lost, or the world may change meanwhile.
 */
export class Gate {
  /** Called once when the process ends. */
  onDeath: () => void = () => undefined;
  #dead = false;
  #fault: Fault | null = null;
  #calls = 0;
  /** Runs other events while a call waits. */
  #meanwhile: () => Promise<void> = async () => undefined;
  #happening: Promise<void> = Promise.resolve();

  /** Sets the fault for the following calls. */
  arm(fault: Fault | null, meanwhile: () => Promise<void>): void {
    this.#fault = fault;
    this.#meanwhile = meanwhile;
    this.#calls = 0;
  }

  /** @returns true when the fault has happened */
  disarm(): boolean {
    const happened = this.#fault !== null && this.#calls >= this.#fault.at;
    this.#fault = null;
    return happened;
  }

  /** Waits for the concurrent events: an action may end without the call that waits for them. */
  async calm(): Promise<void> {
    await this.#happening;
  }

  get dead(): boolean {
    return this.#dead;
  }

  kill(): void {
    if (this.#dead) return;
    this.#dead = true;
    this.onDeath();
  }

  /** The storage as this instance reaches it. */
  storage(real: Storage): Storage {
    const direct = this.#watch(real, 'storage', false);
    return new Proxy(direct, {
      get: (target, name) => {
        if (name !== TRANSACTION) return Reflect.get(target, name) as unknown;
        return (work: (tx: Transaction) => Promise<unknown>) =>
          this.#call('storage', false, () => real.transaction((tx) => work(this.#inside(tx))));
      },
    });
  }

  /** Another port; objects inside it are watched as well. */
  node<T extends object>(real: T): T {
    return this.#watch(real, 'node', false);
  }

  /** One call of a standalone function. */
  call<T>(port: Port, body: () => Promise<T>): Promise<T> {
    return this.#call(port, false, body) as Promise<T>;
  }

  #inside(tx: Transaction): Transaction {
    return this.#fault === null ? tx : this.#watch(tx, 'storage', true);
  }

  #watch<T extends object>(target: T, port: Port, inside: boolean): T {
    const known = new Map<string | symbol, unknown>();
    return new Proxy(target, {
      get: (_target, name) => {
        if (name === 'webhooks') return Reflect.get(target, name, target);
        if (name === 'callbacks' && inside) return Reflect.get(target, name, target);
        const made = known.get(name);
        if (made !== undefined) return made;
        const value: unknown = Reflect.get(target, name, target);
        let watched: unknown;
        if (typeof value === 'function')
          watched = SYNCHRONOUS.has(name)
            ? (value as Method).bind(target)
            : this.#method(value as Method, target, port, inside);
        else if (isPort(name, value)) watched = this.#watch(value, port, inside);
        else return value;
        known.set(name, watched);
        return watched;
      },
    });
  }

  #method(method: Method, target: object, port: Port, inside: boolean): Method {
    return (...args) => this.#call(port, inside, () => method.apply(target, args));
  }

  #call(port: Port, inside: boolean, body: () => unknown): unknown {
    if (this.dead) return Promise.reject(new Crash('called by a dead process'));
    const fault = this.#fault;
    if (fault === null || (inside && fault.kind === 'pause')) return body();
    this.#calls += 1;
    return this.#calls === fault.at ? this.#mishap(fault.kind, port, body) : body();
  }

  async #mishap(kind: Fault['kind'], port: Port, body: () => unknown): Promise<unknown> {
    switch (kind) {
      case 'crash-before':
        this.kill();
        throw new Crash('crashed');
      case 'fail-before':
        throw AWAY[port]();
      case 'pause':
        await (this.#happening = this.#meanwhile());
        if (this.dead) throw new Crash('crashed meanwhile');
        return body();
      case 'crash-after':
        await body();
        this.kill();
        throw new Crash('crashed');
      case 'fail-after':
        await body();
        throw AWAY[port]();
    }
  }
}

/** Synchronous methods of ports, in which nothing can go wrong. */
const SYNCHRONOUS: ReadonlySet<string | symbol> = new Set([
  nameOf<Transaction>((tx) => tx.record),
  nameOf<ChainAdapter>((chain) => chain.normaliseAddress),
  nameOf<ChainAdapter>((chain) => chain.keyOf),
  nameOf<ChainAdapter>((chain) => chain.contractAddress),
  nameOf<ChainAdapter>((chain) => chain.paymentUri),
  nameOf<ChainPayments>((payments) => payments.dust),
  nameOf<ChainPolicy>((policy) => policy.confirmations),
  nameOf<ChainEffects>((effects) => effects.dependsOnBlock),
  nameOf<ChangeFeed>((feed) => feed.onNotification),
  nameOf<LightningNode>((node) => node.watch),
]);
/** Members of ports that are data, not ports. */
const PLAIN: ReadonlySet<string | symbol> = new Set([
  nameOf<ChainAdapter>((chain) => chain.policy),
  nameOf<ChainAdapter>((chain) => chain.assets),
  nameOf<ChainPayments>((payments) => payments.feeAsset),
  nameOf<SimNode>((node) => node.trouble),
  nameOf<SimNode>((node) => node.chain),
]);
const TRANSACTION = nameOf<Storage>((storage) => storage.transaction);

function isPort(name: string | symbol, value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map) && !PLAIN.has(name)
  );
}
