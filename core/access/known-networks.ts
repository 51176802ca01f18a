import type { AccountId, Clock, Storage } from '../kernel/index.ts';
import { networkOf } from '../kernel/index.ts';

const DAY_MS = 86_400_000;
/** How long a network is known after a login from it. */
const KNOWN_MS = 30 * DAY_MS;
/** The least interval at which a login from a known network is stored. */
const NOTED_MS = DAY_MS;

export interface KnownNetworksDeps {
  readonly storage: Pick<Storage, 'accounts'>;
  readonly clock: Clock;
}

/** The networks from which accounts recently logged in. Their password checks have a queue of their own. */
export class KnownNetworks {
  readonly #deps: KnownNetworksDeps;

  constructor(deps: KnownNetworksDeps) {
    this.#deps = deps;
  }

  /**
   * The queue for the password check of a login; `null` for the queue of unknown networks.
   *
   * @param id - `null` for an unknown user, who costs the same look-up
   */
  async lane(id: AccountId | null, ip: string | null): Promise<AccountId | null> {
    if (ip === null) return null;
    const seen = await this.#deps.storage.accounts.networkSeen(id ?? ('0' as AccountId), networkOf(ip));
    return id !== null && seen !== null && this.#deps.clock.now() < seen + KNOWN_MS ? id : null;
  }

  /** Records the network of a successful login. */
  async note(id: AccountId, ip: string | null): Promise<void> {
    if (ip === null) return;
    const { storage, clock } = this.#deps;
    const [network, now] = [networkOf(ip), clock.now()];
    const seen = await storage.accounts.networkSeen(id, network);
    if (seen === null || seen + NOTED_MS <= now) await storage.accounts.noteNetwork(id, network, now);
  }
}
