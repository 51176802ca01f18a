import { SCOPES, TillgateError } from '../../../core/index.ts';
import type { AccountId, Principal, Scope } from '../../../core/index.ts';

/** A permission of a key, as shop plugins name it. */
interface PermissionRow {
  /** The scope that its calls need; `null` for calls that no scope covers elsewhere. */
  readonly scope: Scope | null;
  /** Permissions that it has besides. */
  readonly includes?: readonly string[];
  /** Only a key to which it was granted by its name has it: no scope allows the same over the other APIs. */
  readonly byName?: true;
  /** It belongs to the person, and is written without a store. */
  readonly ofUser?: true;
}

/**
 * Every permission that a key can have. A key's scopes are those of its permissions, so that it can do nothing over the
 * other APIs that it was not granted.
 */
export const PERMISSIONS = {
  'btcpay.store.canviewinvoices': { scope: 'read' },
  'btcpay.store.cancreateinvoice': { scope: 'create' },
  'btcpay.store.canmodifyinvoices': { scope: null, byName: true, includes: ['btcpay.store.canviewinvoices'] },
  'btcpay.store.canviewstoresettings': { scope: 'read' },
  'btcpay.store.webhooks.canmodifywebhooks': { scope: null, byName: true },
  'btcpay.store.canviewpullpayments': { scope: 'read' },
  'btcpay.store.cancreatenonapprovedpullpayments': { scope: 'create' },
  'btcpay.store.cancreatepullpayments': {
    scope: 'move',
    includes: ['btcpay.store.cancreatenonapprovedpullpayments'],
  },
  'btcpay.store.canmanagepayouts': { scope: 'move' },
  'btcpay.store.canmanagepullpayments': {
    scope: 'move',
    includes: ['btcpay.store.cancreatepullpayments', 'btcpay.store.canviewpullpayments'],
  },
  'btcpay.store.canmodifystoresettings': {
    scope: null,
    byName: true,
    includes: [
      'btcpay.store.canviewstoresettings',
      'btcpay.store.canmodifyinvoices',
      'btcpay.store.cancreateinvoice',
      'btcpay.store.webhooks.canmodifywebhooks',
      'btcpay.store.canmanagepullpayments',
      'btcpay.store.canmanagepayouts',
    ],
  },
  'btcpay.user.canviewprofile': { scope: null, ofUser: true },
  unrestricted: {
    scope: null,
    byName: true,
    ofUser: true,
    includes: ['btcpay.store.canmodifystoresettings', 'btcpay.user.canviewprofile'],
  },
} as const satisfies Readonly<Record<string, PermissionRow>>;

export type Permission = keyof typeof PERMISSIONS;

const ROWS: Readonly<Record<string, PermissionRow>> = PERMISSIONS;
const NAMES = Object.keys(PERMISSIONS) as readonly Permission[];

/** Whether a text names a permission. */
export const isPermission = (name: string): name is Permission => Object.hasOwn(PERMISSIONS, name);

/** The permissions that a list contains, with those that they include. */
function withIncluded(names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    ROWS[name]?.includes?.forEach(add);
  };
  names.forEach(add);
  return found;
}

/** The scopes of a key that is granted these permissions. */
export function scopesOf(permissions: readonly string[]): readonly Scope[] {
  const needed = new Set([...withIncluded(permissions)].map((name) => ROWS[name]?.scope));
  return SCOPES.filter((scope) => needed.has(scope));
}

/** The permissions that scopes alone imply: those of which the other APIs allow the same. */
function impliedBy(scopes: readonly Scope[]): readonly Permission[] {
  const isImplied = (name: string): boolean => {
    const { scope, byName } = ROWS[name] as PermissionRow;
    return byName !== true && (scope === null || scopes.includes(scope));
  };
  return NAMES.filter((name) => [...withIncluded([name])].every(isImplied));
}

/** The permissions of a key: exactly those that it was granted, otherwise those that its scopes imply. */
export function permissionsOf({ granted }: Pick<Principal, 'granted'>): readonly string[] {
  return granted?.permissions ?? impliedBy(granted?.scopes ?? SCOPES);
}

/** The permissions of a key as replies name them: each with the store to which it belongs. */
export function namedPermissions(permissions: readonly string[], store: AccountId): readonly string[] {
  return permissions.map((name) => (ROWS[name]?.ofUser === true ? name : `${name}:${store}`));
}

/** The scope that calls with a permission need. */
export const scopeFor = (permission: Permission): Scope | null => ROWS[permission]?.scope ?? null;

/** @throws TillgateError `FORBIDDEN`, with the permission that is missing */
export function requirePermission(principal: Principal, permission: Permission): void {
  const scope = scopeFor(permission);
  const scopes = principal.granted?.scopes ?? SCOPES;
  // A key may have fewer scopes than its permissions need, and then it can do less by them.
  const isGranted = withIncluded(permissionsOf(principal)).has(permission);
  if (!isGranted || (scope !== null && !scopes.includes(scope))) throw forbidden(permission);
}

/** The error of a key without a permission, or of one of another store. */
export function forbidden(permission: string): TillgateError {
  return new TillgateError('FORBIDDEN', `The key does not have the permission ${permission} for this store.`, {
    missingPermission: permission,
  });
}
