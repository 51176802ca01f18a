import { isPermission } from '../../../adapters/http/greenfield/permission-table.ts';
import type { Permission } from '../../../adapters/http/greenfield/permission-table.ts';

/** What an application asks a merchant for, by a link to the dashboard. */
export interface ConnectRequest {
  /** As it calls itself; empty where it does not. */
  readonly application: string;
  readonly permissions: readonly Permission[];
  /** Where the key is posted; `null` to show it to the merchant. */
  readonly redirect: URL | null;
}

/** Why a request is refused: a key of the catalogue, and what it is about. */
export interface ConnectProblem {
  readonly problem: 'badRedirect' | 'unknownPermissions' | 'noPermissions' | 'badName';
  readonly about: string;
}

const MAX_NAME = 255;
const MAX_URL = 2048;
const MAX_PERMISSIONS = 32;
const CONTROL = /\p{Cc}|\p{Cf}/u;
const UNSOUND = /[\s\\]/;

/**
 * Where a key may be posted: an absolute http or https URL without credentials; `null` for any other text. A page that
 * was itself loaded over https sends no key over http, but to this machine.
 */
export function redirectOf(text: string, isSecure: boolean): URL | null {
  if (
    text.length > MAX_URL ||
    CONTROL.test(text) ||
    UNSOUND.test(text) ||
    !/^https?:\/\/[^/?#\\]/i.test(text) ||
    !URL.canParse(text)
  )
    return null;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return null;
  const isLocal = url.hostname === 'localhost' || url.hostname === '127.0.0.1' || url.hostname === '[::1]';
  return url.protocol === 'https:' || !isSecure || isLocal ? url : null;
}

/** Reads the query of the link. @param isSecure - whether the page was loaded over https */
export function connectRequest(query: URLSearchParams, isSecure: boolean): ConnectRequest | ConnectProblem {
  const application = (query.get('applicationName') ?? '').trim();
  if (application.length > MAX_NAME || CONTROL.test(application))
    return { problem: 'badName', about: String(MAX_NAME) };
  const asked = [...new Set([...query.getAll('permissions'), ...query.getAll('permissions[]')])].slice(
    0,
    MAX_PERMISSIONS + 1,
  );
  // Unless the application says otherwise, each permission that it asks for is needed.
  const isStrict = query.get('strict')?.toLowerCase() !== 'false';
  const unknown = asked.filter((name) => !isPermission(name));
  if (asked.length > MAX_PERMISSIONS || (isStrict && unknown.length > 0))
    return { problem: 'unknownPermissions', about: unknown.map((name) => name.slice(0, 80)).join(', ') };
  const permissions = asked.filter(isPermission);
  if (permissions.length === 0) return { problem: 'noPermissions', about: '' };
  const given = query.get('redirect');
  const redirect = given === null || given === '' ? null : redirectOf(given, isSecure);
  if (redirect === null && given !== null && given !== '') return { problem: 'badRedirect', about: given.slice(0, 80) };
  return { application, permissions, redirect };
}
