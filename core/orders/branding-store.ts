import type { Branding, Logo } from './branding.ts';
import type { AccountId } from '../kernel/index.ts';

/** How accounts are presented to payers. */
export interface BrandingStore {
  /** The account's branding; `null` when it has none, or when the account is unknown. */
  of(accountId: AccountId): Promise<Branding | null>;
  /** The logo with this id, if an account uses it now; otherwise `null`. */
  logo(id: string): Promise<Logo | null>;
}

/** Writes of branding, inside a transaction. */
export interface BrandingWrites {
  of(accountId: AccountId): Promise<Branding | null>;
  /** The account whose name has this key; `null` when no account has it. */
  ownerOfName(nameKey: string): Promise<AccountId | null>;
  /**
   * Saves an account's branding and increments its version.
   *
   * @param nameKey - the key of the name; no two accounts have the same
   * @param bytes - the bytes of a new logo; `null` keeps the stored ones
   * @returns false, with nothing written, when another account has the name
   */
  save(branding: Branding, nameKey: string | null, bytes: Uint8Array | null): Promise<boolean>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    /** How accounts are presented to payers. */
    readonly branding: BrandingStore;
  }
  interface Transaction {
    readonly branding: BrandingWrites;
  }
}
