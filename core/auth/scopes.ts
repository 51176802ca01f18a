import { TillgateError } from '../kernel/errors.ts';

/** What a credential may do: read, create orders, and move money: refunds and withdrawals (decisions, section 11). */
export const SCOPES = ['read', 'create', 'move'] as const;
export type Scope = (typeof SCOPES)[number];

/** @throws TillgateError `FORBIDDEN` for a call outside the scopes of its credential */
export function requireScope(scopes: readonly Scope[], wanted: Scope): void {
  if (scopes.includes(wanted)) return;
  throw new TillgateError('FORBIDDEN', `This credential has not the scope "${wanted}"; it has: ${scopes.join(', ')}.`);
}
