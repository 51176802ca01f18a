import type { AccountId, AppId, ChainCode, Millis } from '../kernel/index.ts';
import type { Quota } from './quota.ts';
import type { AdmissionLimits, AdmissionMode } from './route.ts';

/** An App of an account, the owner of gateway keys. */
export interface App {
  readonly id: AppId;
  readonly accountId: AccountId;
  readonly name: string;
  readonly enabled: boolean;
  /** Revision of the record, from 1. */
  readonly version: number;
  readonly providerId: string | null;
  /** The chains whose gateways the App may use. */
  readonly chains: readonly ChainCode[];
  /** Can only be stricter than the route's mode; `null` for the route's own. */
  readonly admissionMode: AdmissionMode | null;
  /** Can only be stricter than the route's limits; `null` for the route's own. */
  readonly limits: AdmissionLimits | null;
  /** The units that the App may use of all routes together; `null` for no limit. */
  readonly quota: Quota | null;
  /** True when the App may use only the units that were bought for it. */
  readonly prepaid: boolean;
  /**
   * The address that paid for the App at the gate, in its chain's usual form; `null` for an App that its owner created.
   * Apps of one buyer share limits as Apps of one account do.
   */
  readonly buyer: string | null;
  readonly createdAt: Millis;
  readonly modifiedAt: Millis;
}
