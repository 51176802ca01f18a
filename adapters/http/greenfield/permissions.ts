import { SCOPES, TillgateError } from '../../../core/index.ts';
import type { AccountId, Principal, Scope } from '../../../core/index.ts';
import { PERMISSIONS, withStore } from './permission-table.ts';
import type { Permission, PermissionRow } from './permission-table.ts';

const ROWS: Readonly<Record<string, PermissionRow>> = PERMISSIONS;
const NAMES = Object.keys(PERMISSIONS) as readonly Permission[];

/**
 * The permissions that a list contains, with those that they include.
 *
 * @param scopes - the scopes of the key: a permission without its scope is left out, with what it includes
 */
function withIncluded(names: readonly string[], scopes: readonly Scope[] = SCOPES): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (name: string): void => {
    const scope = ROWS[name]?.scope ?? null;
    if (found.has(name) || (scope !== null && !scopes.includes(scope))) return;
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
    const { scope, impliedBy: needed = scope, byName } = ROWS[name] as PermissionRow;
    return byName !== true && (needed === null || scopes.includes(needed));
  };
  return NAMES.filter((name) => [...withIncluded([name])].every(isImplied));
}

/** The permissions of a key: exactly those that it was granted, otherwise those that its scopes imply. */
export function permissionsOf({ granted }: Pick<Principal, 'granted'>): readonly string[] {
  return granted?.permissions ?? impliedBy(granted?.scopes ?? SCOPES);
}

/** The permissions of a key as replies name them: each with the store to which it belongs. */
export function namedPermissions(permissions: readonly string[], store: AccountId): readonly string[] {
  return permissions.map((name) => withStore(name, store));
}

/** Whether a key has a permission. It may have fewer scopes than its permissions need, and then it can do less by them. */
export function hasPermission(principal: Principal, permission: Permission): boolean {
  return withIncluded(permissionsOf(principal), principal.granted?.scopes ?? SCOPES).has(permission);
}

/** @throws TillgateError `FORBIDDEN`, with the permission that is missing */
export function requirePermission(principal: Principal, permission: Permission): void {
  if (!hasPermission(principal, permission)) throw forbidden(permission);
}

/** The error of a key without a permission, or of one of another store. */
export function forbidden(permission: string): TillgateError {
  return new TillgateError('FORBIDDEN', `The key does not have the permission ${permission} for this store.`, {
    missingPermission: permission,
  });
}
