import type { AccountId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** A session of the management API. Only a keyed hash of its token is stored. */
export interface Session {
  readonly tokenHash: string;
  readonly accountId: AccountId;
  /** The account's `authVersion` at the login: sessions with an older one are invalid. */
  readonly authVersion: number;
  /** True for a browser's session, whose token is accepted only in a cookie. */
  readonly cookie: boolean;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
}
