import { TillgateError } from '../kernel/index.ts';

/** The permissions of a credential: `read`; `create` orders; `move` money by refunds and withdrawals. */
export const SCOPES = ['read', 'create', 'move'] as const;
export type Scope = (typeof SCOPES)[number];

/** @throws TillgateError `FORBIDDEN` when the credential lacks the scope */
export function requireScope(scopes: readonly Scope[], wanted: Scope): void {
  if (scopes.includes(wanted)) return;
  throw new TillgateError(
    'FORBIDDEN',
    `This credential does not have the scope "${wanted}"; its scopes are: ${scopes.join(', ')}.`,
  );
}
