import type { AccountId, Millis } from '../kernel/index.ts';

/** The formats of logos. Never SVG, which can run script. */
export const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type LogoType = (typeof LOGO_TYPES)[number];

/** A logo without its bytes. */
export interface LogoRef {
  /** SHA-256 of the bytes, 64 hexadecimal digits. */
  readonly id: string;
  readonly type: LogoType;
}

/** A logo. */
export interface Logo extends LogoRef {
  readonly bytes: Uint8Array;
}

/** How the payer's page presents an account; `null` for values that the account has not set. */
export interface Branding {
  readonly accountId: AccountId;
  readonly name: string | null;
  /** `#rrggbb` in lower case. */
  readonly colour: string | null;
  /** A mail address, or an https URL. */
  readonly support: string | null;
  readonly logo: LogoRef | null;
  /** The number of the change, from 1. */
  readonly version: number;
  readonly updatedAt: Millis;
}

/** The branding of an account that has set nothing. */
export function noBranding(accountId: AccountId): Branding {
  return { accountId, name: null, colour: null, support: null, logo: null, version: 1, updatedAt: 0 };
}
