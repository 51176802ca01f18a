import type { AccountId, ChainCode, Millis, WatchAddressId } from '../kernel/index.ts';

/** A merchant's own address or extended public key whose balance is displayed. Never spent from. */
export interface WatchAddress {
  readonly id: WatchAddressId;
  readonly accountId: AccountId;
  readonly chain: ChainCode;
  readonly kind: 'address' | 'extended-key';
  readonly value: string;
  readonly label: string;
  readonly createdAt: Millis;
}
