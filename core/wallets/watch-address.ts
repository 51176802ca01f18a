import type { ChainCode } from '../kernel/asset.ts';
import type { AccountId, WatchAddressId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** An address or extended public key of the merchant's own, whose balance it wants to see (endpoint 10). Never spent from. */
export interface WatchAddress {
  readonly id: WatchAddressId;
  readonly accountId: AccountId;
  readonly chain: ChainCode;
  readonly kind: 'address' | 'extended-key';
  readonly value: string;
  readonly label: string;
  readonly createdAt: Millis;
}
