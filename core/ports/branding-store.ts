import type { Branding, Logo } from '../branding/branding.ts';
import type { AccountId } from '../kernel/ids.ts';

/** How accounts are presented to payers. */
export interface BrandingStore {
  /** `null` for an account that has said nothing, and for an unknown one. */
  of(accountId: AccountId): Promise<Branding | null>;
  /** A logo that an account has now, by its id; `null` for any other. */
  logo(id: string): Promise<Logo | null>;
}

/** Writes of branding, inside a transaction. */
export interface BrandingWrites {
  of(accountId: AccountId): Promise<Branding | null>;
  /**
   * Saves an account's branding with its next version.
   *
   * @param nameKey - of its name: no two accounts have the same
   * @param bytes - of its logo, where that is new; `null` leaves the stored ones
   * @returns false when another account has the name; nothing is written then
   */
  save(branding: Branding, nameKey: string | null, bytes: Uint8Array | null): Promise<boolean>;
}
