import type { AccountId, NewestQuery, Storage, WatchAddressId } from '../kernel/index.ts';
import { formatInstant, isId, partOf } from '../kernel/index.ts';
import type { WatchAddress } from './watch-address.ts';
import type { WatchAddresses } from './watch-addresses.ts';
import type { AddressPosition } from './wallet-store.ts';
import { addressInForce } from './withdrawal-address.ts';
import type { WithdrawalAddress } from './withdrawal-address.ts';
import type { WithdrawalAddresses } from './withdrawal-addresses.ts';
import {
  accountNotFound,
  addAuditRow,
  changesOf,
  createdWith,
  listPage,
  listScope,
  newestPage,
  recordNotFound,
  requireAccess,
  targetAccount,
} from '../access/index.ts';
import type { AccountListInput, Actor, AuditChanges, AuditDeps, CursorPage, ListDeps } from '../access/index.ts';

/** Audited characters of an extended public key; the whole key would reveal every payment of its owner. */
const SHOWN_OF_KEY = 16;

/** A registered withdrawal address and the one in force. */
export interface RegisteredAddress {
  readonly record: WithdrawalAddress;
  /** `null` during the hold of the first one. */
  readonly inForce: string | null;
}

/** A new withdrawal address; only admins may set one for another account. */
export interface RegisterAddressInput {
  readonly accountId?: AccountId;
  readonly chain: string;
  readonly address: string;
}

/** A new watch address; only admins may add one for another account. */
export interface ManagedWatchInput {
  readonly accountId?: AccountId;
  readonly chain: string;
  readonly value: string;
  readonly label?: string;
}

export interface ManageAddressesDeps extends AuditDeps, ListDeps {
  readonly storage: Pick<Storage, 'accounts' | 'wallets' | 'transaction'>;
  readonly withdrawalAddresses: WithdrawalAddresses;
  readonly watchAddresses: WatchAddresses;
}

/** Withdrawal and watch addresses of accounts. */
export class ManageAddresses {
  readonly #deps: ManageAddressesDeps;

  constructor(deps: ManageAddressesDeps) {
    this.#deps = deps;
  }

  /**
   * Withdrawal addresses, by chain and then by account.
   *
   * @throws TillgateError `INVALID_FIELDS` for a limit out of range or a cursor of another list; `NOT_FOUND` for
   *   another account
   */
  async list(actor: Actor, { accountId, ...page }: AccountListInput): Promise<CursorPage<RegisteredAddress>> {
    const scope = listScope(actor, accountId);
    const { wallets } = this.#deps.storage;
    const { items, nextCursor } = await listPage(
      ['withdrawal-addresses', actor.accountId, scope],
      page,
      this.#deps,
      async (limit, after: { readonly id: string } | null) =>
        partOf(await wallets.withdrawalAddresses(scope, after && positionOf(after.id), limit + 1), limit, (record) => ({
          id: idOf(record),
        })),
    );
    return { items: items.map((record) => this.#registered(record)), nextCursor };
  }

  /**
   * Sets the withdrawal address of an account on a chain; it is in force after its hold.
   *
   * @param atOnce - true for no hold; for an operator at the command line
   * @throws TillgateError `NOT_FOUND`, `UNSUPPORTED`, `INVALID_FIELDS`, `STATE_CONFLICT`
   */
  async register(actor: Actor, input: RegisterAddressInput, atOnce = false): Promise<RegisteredAddress> {
    const accountId = targetAccount(actor, input.accountId);
    const { storage, withdrawalAddresses } = this.#deps;
    if ((await storage.accounts.find(accountId)) === null) throw accountNotFound();
    const address = await withdrawalAddresses.read(input.chain, input.address);
    const record = await storage.transaction(async (tx) => {
      const change = await withdrawalAddresses.set(tx, accountId, input.chain, address, atOnce);
      const changes = addressChanges(change.former, change.record);
      if (Object.keys(changes).length > 0) {
        addAuditRow(this.#deps, tx, actor, {
          action: 'withdrawal_address.set',
          accountId,
          subjectId: idOf(change.record),
          changes,
        });
      }
      return change.record;
    });
    return this.#registered(record);
  }

  /**
   * Watched addresses, newest first.
   *
   * @throws TillgateError `INVALID_FIELDS` for a limit out of range or a cursor of another list; `NOT_FOUND` for
   *   another account
   */
  async watched(actor: Actor, { accountId, ...page }: AccountListInput): Promise<CursorPage<WatchAddress>> {
    const scope = listScope(actor, accountId);
    const list = ['watch-addresses', actor.accountId, scope];
    const read = (query: NewestQuery<WatchAddressId>) => this.#deps.storage.wallets.watchAddresses(scope, query);
    return newestPage(list, page, this.#deps, read, ({ id }) => id);
  }

  /** @throws TillgateError `NOT_FOUND`, `UNSUPPORTED`, `INVALID_FIELDS`, `STATE_CONFLICT` */
  async watch(actor: Actor, { accountId: wanted, chain, value, label = '' }: ManagedWatchInput): Promise<WatchAddress> {
    const accountId = targetAccount(actor, wanted);
    const { storage, watchAddresses } = this.#deps;
    if ((await storage.accounts.find(accountId)) === null) throw accountNotFound();
    const record = await watchAddresses.prepare(accountId, { chain, value, label });
    await storage.transaction(async (tx) => {
      await watchAddresses.add(tx, record);
      const changes = createdWith({ chain, kind: record.kind, value: shown(record), label });
      addAuditRow(this.#deps, tx, actor, {
        action: 'watch_address.create',
        accountId,
        subjectId: record.id,
        changes,
      });
    });
    return record;
  }

  /** Removes a watch address. @throws TillgateError `NOT_FOUND`, also for a record of another account */
  async unwatch(actor: Actor, id: WatchAddressId): Promise<WatchAddress> {
    if (!isId(id)) throw recordNotFound();
    return this.#deps.storage.transaction(async (tx) => {
      const record = await tx.wallets.findWatchAddress(id);
      if (record === null) throw recordNotFound();
      requireAccess(actor, record.accountId);
      if (!(await tx.wallets.removeWatchAddress(id))) throw recordNotFound();
      const changes = { chain: { from: record.chain, to: null }, value: { from: shown(record), to: null } };
      addAuditRow(this.#deps, tx, actor, {
        action: 'watch_address.remove',
        accountId: record.accountId,
        subjectId: id,
        changes,
      });
      return record;
    });
  }

  #registered(record: WithdrawalAddress): RegisteredAddress {
    return { record, inForce: addressInForce(record, this.#deps.clock.now()) };
  }
}

/** The name of a record that has no id of its own. */
const idOf = ({ accountId, chain }: AddressPosition): string => `${accountId}:${chain}`;

function positionOf(id: string): AddressPosition {
  const [accountId = '', ...chain] = id.split(':');
  return { accountId: accountId as AccountId, chain: chain.join(':') };
}

/** The old and the new address, with the start of the new one. */
function addressChanges(former: WithdrawalAddress | null, record: WithdrawalAddress): AuditChanges {
  const fields = ({ chain, address, activeFrom }: WithdrawalAddress) => ({
    chain,
    address,
    activeFrom: formatInstant(activeFrom),
  });
  if (former === null) return createdWith(fields(record));
  return changesOf(fields(former), fields(record), ['chain', 'address', 'activeFrom']);
}

function shown({ kind, value }: WatchAddress): string {
  return kind === 'address' ? value : `${value.slice(0, SHOWN_OF_KEY)}…`;
}
