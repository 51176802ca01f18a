import { AsyncLocalStorage } from 'node:async_hooks';
import { Connection } from '../../adapters/storage/knex/connections.ts';
import type { ChainAdapter, PortWrappers, Storage, Transaction } from '../../core/index.ts';
import { pathOf } from './crash-point.ts';
import type { KillablePorts, Moment } from './crash-point.ts';

/** A call of a port, as it happens. */
export interface ObservedCall {
  readonly path: string;
  readonly args: readonly unknown[];
  /** The number of SQL statements that it has run so far. */
  statements: number;
}

/** Receives each moment of each call, synchronously. */
export type Observe = (moment: Moment, call: ObservedCall) => void;

type Method = (...args: unknown[]) => unknown;

const running = new AsyncLocalStorage<ObservedCall>();

function observedMethod(path: string, method: Method, observe: Observe): Method {
  return (...args) => {
    const call: ObservedCall = { path, args, statements: 0 };
    const ended = <T>(result: T): T => {
      observe('after', call);
      return result;
    };
    observe('before', call);
    const result = running.run(call, () => method(...args));
    return result instanceof Promise ? result.then(ended) : ended(result);
  };
}

type SelectPort = (ports: KillablePorts) => unknown;

/** The port with its methods observed; `member` may replace a member that is not a method. */
function observed<Port extends object>(
  select: SelectPort,
  port: Port,
  observe: Observe,
  member = (_name: string, value: unknown): unknown => value,
): Port {
  const path = pathOf(select);
  return new Proxy(port, {
    get: (target, key) => {
      const name = String(key);
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function'
        ? observedMethod(`${path}.${name}`, (value as Method).bind(target), observe)
        : member(name, value);
    },
  });
}

/** The stores inside a port, each observed as a part of it. */
const observedStores =
  (select: SelectPort, observe: Observe) =>
  (name: string, store: unknown): unknown =>
    typeof store === 'object' && store !== null
      ? observed((ports) => Reflect.get(select(ports) as object, name) as unknown, store, observe)
      : store;

function observedStorage(storage: Storage, observe: Observe): Storage {
  const select: SelectPort = (ports) => ports.storage;
  const transaction = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    let made: ObservedCall[] = [];
    const note: Observe = (moment, call) => {
      if (moment === 'before') made.push(call);
      observe(moment, call);
    };
    const result = await storage.transaction((tx) => {
      // A collision restarts the work.
      made = [];
      const inside: SelectPort = (ports) => ports.tx;
      return work(observed(inside, tx, note, observedStores(inside, note)));
    });
    for (const call of made) observe('committed', call);
    return result;
  };
  return new Proxy(observed(select, storage, observe, observedStores(select, observe)), {
    get: (target, name) =>
      Reflect.get(storage, name) === storage.transaction ? transaction : (Reflect.get(target, name) as unknown),
  });
}

/** The additional ports of a chain, beside the paying side. */
const CHAIN_PARTS: ReadonlySet<string> = new Set<keyof ChainAdapter>(['balances', 'effects', 'mempool', 'present']);

function observedChain(chain: ChainAdapter, observe: Observe): ChainAdapter {
  const select: SelectPort = ({ chain: port }) => port;
  const part = observedStores(select, observe);
  return observed(select, chain, observe, (name, value) => {
    if (value !== null && value === chain.payments) return observed((ports) => ports.payments, value, observe);
    return CHAIN_PARTS.has(name) ? part(name, value) : value;
  });
}

/** Observes the SQL statements of this process, each as a part of the call that runs it. */
export function observeStatements(observe: Observe): void {
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

/** The application's handler, observed as a port. */
export function observedHandler(
  handle: KillablePorts['application']['handle'],
  observe: Observe,
): KillablePorts['application']['handle'] {
  return observed(({ application }) => application, { handle }, observe).handle;
}

/** Wrappers that observe the calls of a host's ports. */
export const observePorts = (observe: Observe): PortWrappers => ({
  storage: (storage) => observedStorage(storage, observe),
  chains: (chains) => new Map([...chains].map(([code, chain]) => [code, observedChain(chain, observe)])),
  lightning: (node) => (node === null ? null : observed((ports) => ports.lightning, node, observe)),
  callbackTransport: (transport) => observed((ports) => ports.callbackTransport, transport, observe),
});
