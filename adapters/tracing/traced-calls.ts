import { quietly, timeNow } from './spans.ts';

type Method = (...args: never[]) => unknown;

/** A call through a port that has ended. */
export interface EndedCall {
  readonly method: string;
  readonly args: readonly unknown[];
  readonly startedAt: number;
  readonly result?: unknown;
  readonly error?: unknown;
}

/**
 * Wraps a port so that `ended` is called for each asynchronous call once it has ended. Synchronous calls have no span.
 *
 * @param member - may replace a member that is not a method
 */
export function watchCalls<Port extends object>(
  port: Port,
  ended: (call: EndedCall) => void,
  member: (name: string, value: unknown) => unknown = (_name, value) => value,
): Port {
  return new Proxy(port, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function' || typeof key === 'symbol') return member(String(key), value);
      return (...args: never[]) => {
        const call = { method: key, args, startedAt: timeNow() };
        const result = (value as Method).apply(target, args);
        if (!(result instanceof Promise)) return result;
        return result.then(
          (settled: unknown) => {
            quietly(() => ended({ ...call, result: settled }));
            return settled;
          },
          (error: unknown) => {
            quietly(() => ended({ ...call, error }));
            throw error;
          },
        );
      };
    },
  });
}
