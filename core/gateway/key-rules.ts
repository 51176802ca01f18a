import { isInNetwork, readIpAddress, readIpNetwork } from '../kernel/index.ts';
import type { IpNetwork } from '../kernel/index.ts';
import type { KeyRestrictions } from './key-restrictions.ts';
import { MethodSet } from './method-policy.ts';
import { NO_LIMITS } from './route.ts';
import type { EffectiveLimits } from './route.ts';

/** The restrictions of a key in a form in which requests are checked. */
export class KeyRules {
  /** The limit of its units; `null` for none. */
  readonly units: EffectiveLimits | null;
  /** Whether {@link allowsAddress} depends on the address. */
  readonly hasNetworks: boolean;
  readonly #methods: MethodSet | null;
  readonly #networks: readonly IpNetwork[];
  readonly #origins: ReadonlySet<string> | null;

  constructor({ methods, networks, origins, unitsPerMinute }: KeyRestrictions) {
    this.#methods = methods.length === 0 ? null : new MethodSet(methods);
    // An entry that is no network allows no address: the list is not empty.
    this.#networks = networks.flatMap((network) => readIpNetwork(network) ?? []);
    this.hasNetworks = networks.length > 0;
    this.#origins = origins.length === 0 ? null : new Set(origins);
    this.units = unitsPerMinute === null ? null : perMinute(unitsPerMinute);
  }

  /** The first of these methods that the key may not call. The case counts, as in the list of a route. */
  foreign(methods: readonly string[]): string | undefined {
    const allowed = this.#methods;
    return allowed === null ? undefined : methods.find((method) => !allowed.has(method));
  }

  /** @param origin - the request's header `Origin`, compared byte for byte; `null` without one */
  allowsOrigin(origin: string | null): boolean {
    return this.#origins === null || (origin !== null && this.#origins.has(origin));
  }

  /** @param text - the client's address; text that is none is in no network */
  allowsAddress(text: string): boolean {
    if (!this.hasNetworks) return true;
    const address = readIpAddress(text);
    return address !== null && this.#networks.some((network) => isInNetwork(address, network));
  }
}

/** A bucket that holds the units of a minute. */
function perMinute(units: number): EffectiveLimits {
  return { app: { requestsPerSecond: units / 60, burst: units, concurrency: null }, account: NO_LIMITS };
}
