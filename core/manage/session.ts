import type { AccountId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** A login to the management API. Its token is never stored, only a keyed hash to find it by. */
export interface Session {
  readonly tokenHash: string;
  readonly accountId: AccountId;
  /** The account's `authVersion` at the login: a session of an older one is over. */
  readonly authVersion: number;
  /** True for a browser's session: its token comes in a cookie and nowhere else. */
  readonly cookie: boolean;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
}
