import { accountNotFound } from '../access/index.ts';
import type {
  AccountId,
  ChainCode,
  Clock,
  IdGenerator,
  Storage,
  Transaction,
  WatchAddressId,
} from '../kernel/index.ts';
import { invalidField, TillgateError } from '../kernel/index.ts';
import type { ChainRegistry } from '../chain/index.ts';
import type { WatchAddress } from './watch-address.ts';

/** The most watched addresses of an account on one chain, because each is read from the node at every request. */
export const MAX_WATCHED = 50;

export interface WatchAddressesDeps {
  readonly storage: Pick<Storage, 'wallets'>;
  readonly chains: ChainRegistry;
  readonly ids: IdGenerator;
  readonly clock: Clock;
}

/** The address or extended public key to watch. */
export interface WatchInput {
  readonly chain: ChainCode;
  readonly value: string;
  /** A label for the account itself; empty by default. */
  readonly label?: string | undefined;
}

/** The addresses and extended public keys whose balances accounts watch. */
export class WatchAddresses {
  readonly #deps: WatchAddressesDeps;

  constructor(deps: WatchAddressesDeps) {
    this.#deps = deps;
  }

  /**
   * Checks the input and returns a record, not stored yet.
   *
   * @throws TillgateError `UNSUPPORTED` for a chain that is not configured or whose node provides no balances;
   *   `INVALID_FIELDS` for a value that is neither an address nor an extended public key of the chain, such as a
   *   private key; `STATE_CONFLICT` for more than {@link MAX_WATCHED} on one chain
   */
  async prepare(accountId: AccountId, { chain: code, value: text, label = '' }: WatchInput): Promise<WatchAddress> {
    const { chains, ids, clock, storage } = this.#deps;
    const chain = chains.get(code);
    if (chain === undefined || chain.balances === null)
      throw new TillgateError('UNSUPPORTED', `Balances on the chain ${code} cannot be read here.`);
    const key = chain.balances.readExtendedKey(text);
    const value = key ?? chain.normaliseAddress(text);
    // The message does not repeat the value, which may be a private key.
    if (value === null) throw invalidField('value', `must be an address or an extended public key on ${chain.name}`);
    const watched = (await storage.wallets.watched(accountId)).filter((each) => each.chain === code);
    if (watched.length >= MAX_WATCHED)
      throw new TillgateError(
        'STATE_CONFLICT',
        `An account watches at most ${MAX_WATCHED} addresses on one chain; remove one first.`,
      );
    return {
      id: ids.next() as WatchAddressId,
      accountId,
      chain: code,
      kind: key === null ? 'address' : 'extended-key',
      value,
      label,
      createdAt: clock.now(),
    };
  }

  /** @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` when the account already watches it or is archived */
  async add(tx: Pick<Transaction, 'accounts' | 'wallets'>, record: WatchAddress): Promise<void> {
    const account = await tx.accounts.lock(record.accountId);
    if (account === null) throw accountNotFound();
    if (account.status === 'archived')
      throw new TillgateError('STATE_CONFLICT', 'The account is archived; that is final.');
    if (!(await tx.wallets.addWatchAddress(record)))
      throw new TillgateError('STATE_CONFLICT', 'The account already watches this address or key.');
  }
}
