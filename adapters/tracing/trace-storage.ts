import { SpanKind } from '@opentelemetry/api';
import type { NewOrder, Storage, Transaction } from '../../core/index.ts';
import { activeSpan, ORDER_ID, quietly, timeNow } from './spans.ts';
import type { Spans } from './spans.ts';
import { watchCalls } from './traced-calls.ts';
import type { EndedCall } from './traced-calls.ts';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Records the calls of the storage: those that a request makes, and everywhere the transactions that change an order. The polls of an idle
 * till are not recorded.
 */
export function traceStorage(storage: Storage, spans: Spans): Storage {
  const traced = watchCalls(
    storage,
    (call) => recordCall(spans, 'storage', call, []),
    (name, store) =>
      isObject(store)
        ? watchCalls(store, (call) => recordCall(spans, `storage ${name}`, call, ordersOf(name, call)))
        : store,
  );
  return new Proxy(traced, {
    get: (target, key) =>
      key === 'transaction'
        ? <T>(work: (tx: Transaction) => Promise<T>) => transaction(storage, spans, work)
        : (Reflect.get(target, key) as unknown),
  });
}

async function transaction<T>(storage: Storage, spans: Spans, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const startedAt = timeNow();
  let orders = new Set<string>();
  const noting = (tx: Transaction): Transaction =>
    watchCalls(tx, ignore, (name, store) =>
      name === 'orders' && isObject(store)
        ? watchCalls(store, (call) => ordersOf(name, call).forEach((id) => orders.add(id)))
        : store,
    );
  const ended = (error?: unknown): void => {
    quietly(() => recordCall(spans, 'storage', { method: 'transaction', args: [], startedAt, error }, [...orders]));
  };
  try {
    const result = await storage.transaction((tx) => {
      // A collision begins the work anew.
      orders = new Set();
      return work(noting(tx));
    });
    ended();
    return result;
  } catch (error) {
    ended(error);
    throw error;
  }
}

const ignore = (): void => undefined;

/** Calls of the store of orders whose first argument is an order's id. */
const BY_ID: readonly string[] = ['find', 'lock', 'move', 'update'];

function ordersOf(store: string, { method, args: [first] }: EndedCall): readonly string[] {
  if (store !== 'orders') return [];
  if (method === 'create') return [(first as NewOrder).order.id];
  return BY_ID.includes(method) ? [String(first)] : [];
}

function recordCall(spans: Spans, part: string, call: EndedCall, orders: readonly string[]): void {
  const within = activeSpan();
  if (within === null && (call.method !== 'transaction' || orders.length === 0)) return;
  const attributes = orders.length === 0 ? {} : { [ORDER_ID]: orders.length === 1 ? orders[0] : [...orders] };
  if (orders.length === 1) quietly(() => within?.setAttributes(attributes));
  const { method, startedAt, error } = call;
  spans.record({ name: `${part} ${method}`, kind: SpanKind.CLIENT, startedAt, attributes, error });
}
