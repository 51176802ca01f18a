import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transaction } from '../../core/index.ts';
import { UndiciCallbackTransport } from '../../adapters/callbacks/undici-callback-transport.ts';
import { EvmChain } from '../../adapters/chains/evm/evm-chain.ts';
import { EvmPayments } from '../../adapters/chains/evm/evm-payments.ts';
import { LndNode } from '../../adapters/lightning/lnd/lnd-node.ts';
import { Connection } from '../../adapters/storage/knex/connections.ts';
import { KnexStorage } from '../../adapters/storage/knex/knex-storage.ts';
import { KnexCallbackStore } from '../../adapters/storage/knex/stores/callback-store.ts';
import { KnexChainStore } from '../../adapters/storage/knex/stores/chain-store.ts';
import { KnexChangeFeed } from '../../adapters/storage/knex/stores/change-feed.ts';
import { KnexOrderStore } from '../../adapters/storage/knex/stores/order-store.ts';
import { KnexTransferStore } from '../../adapters/storage/knex/stores/transfer-store.ts';
import { pathOf } from './crash-point.ts';
import type { KillablePorts, Moment } from './crash-point.ts';

/** A call of a port, as it happens. */
export interface ObservedCall {
  readonly path: string;
  readonly args: readonly unknown[];
  /** How many SQL statements it has run so far. */
  statements: number;
}

/** Receives each moment of each call, synchronously. */
export type Observe = (moment: Moment, call: ObservedCall) => void;

type Method = (this: unknown, ...args: unknown[]) => unknown;

const running = new AsyncLocalStorage<ObservedCall>();

function observed(path: string, method: Method, observe: Observe): Method {
  return function (this: unknown, ...args) {
    const call: ObservedCall = { path, args, statements: 0 };
    const ended = <T>(result: T): T => {
      observe('after', call);
      return result;
    };
    observe('before', call);
    const result = running.run(call, () => method.apply(this, args));
    return result instanceof Promise ? result.then(ended) : ended(result);
  };
}

/** Observes every method of a class that implements a port. */
function observeClass<Port extends object>(select: (ports: KillablePorts) => Port, implementation: { readonly prototype: NoInfer<Port> }, observe: Observe): void {
  const { prototype } = implementation;
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value !== 'function' || name === 'constructor') continue;
    Object.defineProperty(prototype, name, { value: observed(`${pathOf(select)}.${name}`, value as Method, observe), configurable: true, writable: true });
  }
}

/** The stores of one transaction, observed. */
function observedTransaction(tx: Transaction, observe: Observe): Transaction {
  const port = pathOf((ports) => ports.tx);
  const observedStore = (name: string, store: object): object =>
    new Proxy(store, {
      get: (target, method) => {
        const value: unknown = Reflect.get(target, method);
        return typeof value === 'function' ? observed(`${port}.${name}.${String(method)}`, (value as Method).bind(target), observe) : value;
      },
    });
  return new Proxy(tx, { get: (target, name) => observedStore(String(name), Reflect.get(target, name) as object) });
}

function observeTransactions(observe: Observe): void {
  const { transaction } = KnexStorage.prototype;
  KnexStorage.prototype.transaction = async function <T>(this: KnexStorage, work: (tx: Transaction) => Promise<T>): Promise<T> {
    let made: ObservedCall[] = [];
    const note: Observe = (moment, call) => {
      if (moment === 'before') made.push(call);
      observe(moment, call);
    };
    const result = await transaction.call(this, (tx) => {
      // A collision begins the work anew.
      made = [];
      return work(observedTransaction(tx, note));
    });
    for (const call of made) observe('committed', call);
    return result as T;
  };
}

function observeStatements(observe: Observe): void {
  const { run } = Connection.prototype;
  Connection.prototype.run = async function (this: Connection, ...args) {
    const rows = await run.apply(this, args);
    const call = running.getStore();
    if (call !== undefined) {
      call.statements += 1;
      observe('statement', call);
    }
    return rows;
  };
}

/** Observes the calls of the ports in this process, of those implementations that the tests' tills use. */
export function observePorts(observe: Observe): void {
  observeClass(({ storage }) => storage, KnexStorage, observe);
  observeClass(({ storage }) => storage.callbacks, KnexCallbackStore, observe);
  observeClass(({ storage }) => storage.chains, KnexChainStore, observe);
  observeClass(({ storage }) => storage.feed, KnexChangeFeed, observe);
  observeClass(({ storage }) => storage.orders, KnexOrderStore, observe);
  observeClass(({ storage }) => storage.transfers, KnexTransferStore, observe);
  observeClass(({ chain }) => chain, EvmChain, observe);
  observeClass(({ payments }) => payments, EvmPayments, observe);
  observeClass(({ lightning }) => lightning, LndNode, observe);
  observeClass(({ callbackTransport }) => callbackTransport, UndiciCallbackTransport, observe);
  observeTransactions(observe);
  observeStatements(observe);
}
