import { KNOWN_METHODS } from './known-methods.ts';
import type { GatewayRoute, RouteProtocol } from './route.ts';

/** A method as usage counts it. */
export interface MeteredMethod {
  readonly name: string;
  /** What one call costs. */
  readonly units: number;
}

/** Under which everything is counted that cannot be put down to a method with a name of its own. */
export const OTHER_METHOD = 'other';
/** In `units`: every method that is not named there. */
export const ANY_METHOD = '*';
const DEFAULT_UNITS = 1;

/** The method of a request that was refused before its calls were read. */
export const UNREAD: readonly string[] = [OTHER_METHOD];

/** On routes of the protocol `http` the HTTP methods are counted. */
const VERBS: readonly string[] = ['GET', 'HEAD', 'POST'];
const KNOWN_NAMES: Readonly<Record<RouteProtocol, readonly string[]>> = {
  jsonrpc: KNOWN_METHODS,
  websocket: KNOWN_METHODS,
  http: VERBS,
};

/**
 * The methods of a route that usage tells apart. They are a closed set, the known ones and those that the route itself
 * names, so that a client with methods of its own invention makes no more rows than any other.
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
      // Some nodes take a name in any case: written otherwise it must cost the same.
      this.#methods.set(name.toLowerCase(), method);
    }
  }

  method(name: string): MeteredMethod {
    return this.#methods.get(name) ?? this.#methods.get(name.toLowerCase()) ?? this.#other;
  }

  /** What these calls cost together. */
  unitsOf(methods: readonly string[]): number {
    let units = 0;
    for (const name of methods) units += this.method(name).units;
    return units;
  }
}
