import type { AccountId } from '../kernel/ids.ts';
import { networkOf } from '../kernel/network.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage.ts';

const DAY_MS = 86_400_000;
/** For how long a network is known after a login from it. */
const KNOWN_MS = 30 * DAY_MS;
/** How often that is written. */
const NOTED_MS = DAY_MS;

export interface KnownNetworksDeps {
  readonly storage: Pick<Storage, 'accounts'>;
  readonly clock: Clock;
}

/** The networks that accounts have logged in from lately: their passwords are verified in a lane that strangers cannot fill. */
export class KnownNetworks {
  readonly #deps: KnownNetworksDeps;

  constructor(deps: KnownNetworksDeps) {
    this.#deps = deps;
  }

  /**
   * The lane of a login; `null` for that of strangers.
   *
   * @param id - `null` for an unknown user, who costs the same look-up
   */
  async lane(id: AccountId | null, ip: string | null): Promise<AccountId | null> {
    if (ip === null) return null;
    const seen = await this.#deps.storage.accounts.networkSeen(id ?? ('0' as AccountId), networkOf(ip));
    return id !== null && seen !== null && this.#deps.clock.now() < seen + KNOWN_MS ? id : null;
  }

  /** After a login. */
  async note(id: AccountId, ip: string | null): Promise<void> {
    if (ip === null) return;
    const { storage, clock } = this.#deps;
    const [network, now] = [networkOf(ip), clock.now()];
    const seen = await storage.accounts.networkSeen(id, network);
    if (seen === null || seen + NOTED_MS <= now) await storage.accounts.noteNetwork(id, network, now);
  }
}
