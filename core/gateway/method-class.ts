import { KNOWN_METHODS } from './known-methods.ts';
import { isBroadcast, isRead } from './method-policy.ts';

/** The kinds of calls that metrics tell apart: a closed set, whatever names callers choose. */
export const METHOD_CLASSES = ['read', 'logs', 'trace', 'write', 'subscribe', 'batch', 'other'] as const;
export type MethodClass = (typeof METHOD_CLASSES)[number];

/** The first rule that fits gives the class; a method that none fits is `other`. */
const RULES: readonly (readonly [MethodClass, (method: string) => boolean])[] = [
  ['write', isBroadcast],
  ['logs', (method) => ['eth_getLogs', 'eth_getFilterLogs', 'eth_getFilterChanges'].includes(method)],
  ['trace', (method) => /^(?:trace_|debug_trace)/.test(method)],
  ['subscribe', (method) => /^eth_(?:un)?subscribe$/.test(method)],
  ['read', isRead],
];

const CLASSES: ReadonlyMap<string, MethodClass> = new Map(
  KNOWN_METHODS.map((method) => [method, RULES.find(([, fits]) => fits(method))?.[0] ?? 'other']),
);

/** The class of a JSON-RPC request. */
export function classOfCalls(methods: readonly string[], batch: boolean): MethodClass {
  return batch ? 'batch' : (CLASSES.get(methods[0] ?? '') ?? 'other');
}

/** The class of a request to an HTTP API, by its method: a POST may do anything. */
export function classOfHttp(method: string): MethodClass {
  return method === 'GET' || method === 'HEAD' ? 'read' : 'other';
}
