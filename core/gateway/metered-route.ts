import { KNOWN_METHODS } from './known-methods.ts';
import type { GatewayRoute, RouteProtocol } from './route.ts';

/** A method under the name by which usage is counted. */
export interface MeteredMethod {
  readonly name: string;
  /** The cost of one call. */
  readonly units: number;
}

/** The name under which all methods without a name of their own are counted. */
export const OTHER_METHOD = 'other';
/** The entry of `units` for every method that it does not list. */
export const ANY_METHOD = '*';
const DEFAULT_UNITS = 1;

/** The method of a request that was refused before its calls were read. */
export const UNREAD: readonly string[] = [OTHER_METHOD];

/** Routes of the protocol `http` count HTTP methods. */
const VERBS: readonly string[] = ['GET', 'HEAD', 'POST'];
const KNOWN_NAMES: Readonly<Record<RouteProtocol, readonly string[]>> = {
  jsonrpc: KNOWN_METHODS,
  websocket: KNOWN_METHODS,
  http: VERBS,
};

/**
 * The methods of a route that usage distinguishes. They are a closed set, the known ones and those that the route
 * lists, so that a client with invented method names causes no more rows than any other.
 */
export class MeteredRoute {
  readonly host: string;
  readonly #methods = new Map<string, MeteredMethod>();
  readonly #other: MeteredMethod;

  constructor({ host, protocol, methods, units }: Pick<GatewayRoute, 'host' | 'protocol' | 'methods' | 'units'>) {
    this.host = host;
    const weights = new Map(Object.entries(units));
    const otherUnits = weights.get(ANY_METHOD) ?? DEFAULT_UNITS;
    this.#other = { name: OTHER_METHOD, units: otherUnits };
    const named = [...methods.allow, ...methods.deny, ...weights.keys()].filter((name) => !name.endsWith('*'));
    for (const name of [...KNOWN_NAMES[protocol], ...named]) {
      const method = { name, units: weights.get(name) ?? otherUnits };
      this.#methods.set(name, method);
      // Some nodes accept a name in any case, so every spelling costs the same.
      this.#methods.set(name.toLowerCase(), method);
    }
  }

  method(name: string): MeteredMethod {
    return this.#methods.get(name) ?? this.#methods.get(name.toLowerCase()) ?? this.#other;
  }

  /** The total cost of these calls. */
  unitsOf(methods: readonly string[]): number {
    let units = 0;
    for (const name of methods) units += this.method(name).units;
    return units;
  }
}
