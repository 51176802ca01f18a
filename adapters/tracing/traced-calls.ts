import { quietly, timeNow } from './spans.ts';

type Method = (...args: never[]) => unknown;

/** What a call through a port was, once it has ended. */
export interface EndedCall {
  readonly method: string;
  readonly args: readonly unknown[];
  readonly startedAt: number;
  readonly result?: unknown;
  readonly error?: unknown;
}

/**
 * A port whose calls are watched: `ended` gets each asynchronous one, after it has ended. What is computed at once has no span.
 *
 * @param member - may give something else in place of a member that is not a method
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
