import { readIpNetwork } from '../kernel/index.ts';
import type { FieldError, Millis } from '../kernel/index.ts';
import { isOrigin } from './cors.ts';
import { isMethodPattern } from './method-policy.ts';

/** What a key may do, beside the limits of its App. An empty list, and `null`, restrict nothing. */
export interface KeyRestrictions {
  /**
   * Methods by exact name or `prefix*`, among those that the route allows. On a route of the protocol `http` these are
   * the HTTP methods.
   */
  readonly methods: readonly string[];
  /** The networks of its clients in CIDR notation, of IPv4 and IPv6. */
  readonly networks: readonly string[];
  /** The pages that may use it, by the exact value of their header `Origin`; requests without one are refused. */
  readonly origins: readonly string[];
  /** The units that its calls may cost in a minute, on all routes together. */
  readonly unitsPerMinute: number | null;
}

/** The options of a new or changed key. An absent one is the default of a new key, and stays as it is of another. */
export interface KeyOptions extends Partial<KeyRestrictions> {
  /** The time from which the key is refused; `null` for none. */
  readonly expiresAt?: Millis | null;
}

/** The most entries of a key's lists, and the longest texts in them. */
export const KEY_BOUNDS = { methods: 100, networks: 100, origins: 100, methodLength: 128, textLength: 300 } as const;
const MAX_UNITS = 1_000_000_000;

const UNRESTRICTED: KeyRestrictions = { methods: [], networks: [], origins: [], unitsPerMinute: null };

/** The names of the restrictions, for records of their changes. */
export const RESTRICTIONS = Object.keys(UNRESTRICTED) as readonly (keyof KeyRestrictions)[];

/** The restrictions of a key with each field; `null` stands for none. */
export function restrictionsOf(restrictions: KeyRestrictions | null): KeyRestrictions {
  return restrictions ?? UNRESTRICTED;
}

/** The restrictions after a change; `null` when none are left. */
export function restrictedBy(former: KeyRestrictions | null, options: KeyOptions): KeyRestrictions | null {
  const base = restrictionsOf(former);
  const { methods = base.methods, networks = base.networks, origins = base.origins } = options;
  const { unitsPerMinute = base.unitsPerMinute } = options;
  const isFree = methods.length + networks.length + origins.length === 0 && unitsPerMinute === null;
  return isFree ? null : { methods, networks, origins, unitsPerMinute };
}

/** The form of each list's entries. */
const LISTS: readonly {
  readonly name: 'methods' | 'networks' | 'origins';
  readonly fits: (entry: string) => boolean;
  readonly form: string;
}[] = [
  { name: 'methods', fits: isMethodPattern, form: 'a method, or a prefix that ends in *' },
  {
    name: 'networks',
    fits: (entry) => readIpNetwork(entry) !== null,
    form: 'a network, such as 203.0.113.0/24 or 2001:db8::/32, without bits behind its prefix',
  },
  { name: 'origins', fits: isOrigin, form: 'an origin, such as https://app.example' },
];

/** Every invalid option of a key. */
export function keyOptionErrors(options: KeyOptions, now: Millis): readonly FieldError[] {
  const { unitsPerMinute = null, expiresAt = null } = options;
  const errors = LISTS.flatMap(({ name, fits, form }): FieldError[] => {
    const list = options[name] ?? [];
    if (list.length > KEY_BOUNDS[name])
      return [{ path: name, message: `must have at most ${KEY_BOUNDS[name]} entries` }];
    return list.flatMap((entry, index) =>
      fits(entry) ? [] : [{ path: `${name}.${index}`, message: `must be ${form}` }],
    );
  });
  if (unitsPerMinute !== null && !(Number.isSafeInteger(unitsPerMinute) && isAmount(unitsPerMinute)))
    errors.push({
      path: 'unitsPerMinute',
      message: `must be a whole number from 1 to ${MAX_UNITS}, or null for no limit`,
    });
  if (expiresAt !== null && expiresAt <= now) errors.push({ path: 'expiresAt', message: 'must be in the future' });
  return errors;
}

const isAmount = (units: number): boolean => units >= 1 && units <= MAX_UNITS;
