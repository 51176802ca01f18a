import type { FieldError } from '../kernel/index.ts';
import { isMethodPattern } from './method-policy.ts';
import type { EffectiveLimits, MethodRate, MethodRates } from './route.ts';

/** The most methods of a route that have a rate of their own. */
export const MAX_METHOD_RATES = 100;
const MAX_RATE = 1_000_000_000;
const PATH = 'limits.methods';

/** Every invalid rate of a route's methods. */
export function methodRateErrors(rates: MethodRates): readonly FieldError[] {
  const names = Object.keys(rates);
  if (names.length > MAX_METHOD_RATES)
    return [{ path: PATH, message: `must have at most ${MAX_METHOD_RATES} methods` }];
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    return [{ path: PATH, message: 'must name each method once, in whatever case' }];
  return Object.entries(rates).flatMap(([name, rate]): FieldError[] => {
    if (!isMethodPattern(name)) return [{ path: PATH, message: 'must name methods, or prefixes that end in *' }];
    const message = rateProblem(rate);
    return message === null ? [] : [{ path: `${PATH}.${name}`, message }];
  });
}

function rateProblem({ requestsPerSecond, burst }: MethodRate): string | null {
  if (!(requestsPerSecond > 0 && requestsPerSecond <= MAX_RATE)) return 'must have a rate that is a number above 0';
  if (burst === null || (Number.isSafeInteger(burst) && burst >= 1 && burst <= MAX_RATE)) return null;
  return 'must have a burst that is a whole number from 1 up, or null';
}

/** The rate of the calls of one method, or of those with one prefix. */
export interface RatedMethod {
  /** As the route lists it. */
  readonly name: string;
  readonly limits: EffectiveLimits;
}

/** So many calls of a request that have the same rate. */
export interface RatedCalls {
  readonly rated: RatedMethod;
  count: number;
}

/**
 * Finds the rates of calls: that of the method's name, or else that of its longest prefix. The case does not count,
 * because some nodes accept a name in any.
 */
export class RatedMethods {
  readonly #names = new Map<string, RatedMethod>();
  /** The longest first. */
  readonly #prefixes: readonly (readonly [prefix: string, rated: RatedMethod])[];

  /** @param perAccount - the factor by which a rate is multiplied for all Apps of an account or buyer */
  constructor(rates: MethodRates, perAccount: number) {
    const prefixes: (readonly [string, RatedMethod])[] = [];
    for (const [name, rate] of Object.entries(rates)) {
      const rated = { name, limits: limitsOf(rate, perAccount) };
      const folded = name.toLowerCase();
      if (folded.endsWith('*')) prefixes.push([folded.slice(0, -1), rated]);
      else this.#names.set(folded, rated);
    }
    this.#prefixes = prefixes.toSorted(([a], [b]) => b.length - a.length);
  }

  /** The calls that have a rate, by rate. */
  among(methods: readonly string[]): readonly RatedCalls[] {
    const found: RatedCalls[] = [];
    for (const method of methods) {
      const rated = this.#find(method.toLowerCase());
      if (rated === undefined) continue;
      const same = found.find((each) => each.rated === rated);
      if (same === undefined) found.push({ rated, count: 1 });
      else same.count += 1;
    }
    return found;
  }

  #find(folded: string): RatedMethod | undefined {
    return this.#names.get(folded) ?? this.#prefixes.find(([prefix]) => folded.startsWith(prefix))?.[1];
  }
}

/** The rates of a route; `null` for a route without any. */
export function ratedMethods(rates: MethodRates | undefined, perAccount: number): RatedMethods | null {
  return rates === undefined || Object.keys(rates).length === 0 ? null : new RatedMethods(rates, perAccount);
}

function limitsOf({ requestsPerSecond, burst }: MethodRate, perAccount: number): EffectiveLimits {
  return {
    app: { requestsPerSecond, burst, concurrency: null },
    account: {
      requestsPerSecond: requestsPerSecond * perAccount,
      burst: burst === null ? null : burst * perAccount,
      concurrency: null,
    },
  };
}
