import type { ChainCode } from '../kernel/asset.ts';
import type { AccountId, AppId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Quota } from '../gateway/quota.ts';
import type { AdmissionLimits, AdmissionMode } from '../gateway/route.ts';

/** An App of an account, the owner of gateway keys (specification, "Management interface records", AppItem). */
export interface App {
  readonly id: AppId;
  readonly accountId: AccountId;
  readonly name: string;
  readonly enabled: boolean;
  /** Revision of the record, from 1. */
  readonly version: number;
  readonly providerId: string | null;
  /** Chains whose gateways it may use. */
  readonly chains: readonly ChainCode[];
  /** Makes a route's mode stricter, never looser; `null` for the route's own. */
  readonly admissionMode: AdmissionMode | null;
  /** Make a route's limits stricter, never looser; `null` for the route's own. */
  readonly limits: AdmissionLimits | null;
  /** How much it may use of all routes together; `null` for no limit. */
  readonly quota: Quota | null;
  /** Uses what was bought for it, and no more. */
  readonly prepaid: boolean;
  readonly createdAt: Millis;
  readonly modifiedAt: Millis;
}
