import type { Deposit, DepositStatus } from '../chain/index.ts';
import { isDust, withMethods } from '../kernel/index.ts';
import type { AccountId, AssetCatalogue, DepositId, Millis, Transaction } from '../kernel/index.ts';
import type { EventPresenter } from './event-presenter.ts';
import type { WebhookEvent } from '../notify/index.ts';
import type { AddressedEvents, SubjectEvents } from './subject-events.ts';

type DepositEventType = Extract<WebhookEvent, `deposit.${string}`>;

/** The event for each new status. DUST has none, because it is credited as nothing. */
const EVENTS: Readonly<Partial<Record<DepositStatus, DepositEventType>>> = {
  SEEN: 'deposit.seen',
  CREDITED: 'deposit.credited',
  SPENDABLE: 'deposit.spendable',
  ORPHANED: 'deposit.orphaned',
};
const UNASSIGNED: DepositEventType = 'deposit.unassigned';

/** Stands for an account: deposits that belong to no order are reported to the operators. */
const OPERATORS = null;

type Endpoints = AddressedEvents['endpoints'];

function oncePer(
  find: (account: AccountId | typeof OPERATORS) => Promise<Endpoints>,
): (account: AccountId | typeof OPERATORS) => Promise<Endpoints> {
  const known = new Map<AccountId | typeof OPERATORS, Promise<Endpoints>>();
  return (account) => {
    const found = known.get(account) ?? find(account);
    known.set(account, found);
    return found;
  };
}

/** Records the changes of deposits in a transaction, and creates their events at its end. */
export class DepositNotes implements SubjectEvents {
  readonly #assets: Pick<AssetCatalogue, 'find'>;
  readonly #types = new Map<DepositId, DepositEventType[]>();
  /** Deposits that an operator assigned to an order: their earlier status changes are new to the merchant. */
  readonly #assigned = new Set<DepositId>();

  constructor(assets: Pick<AssetCatalogue, 'find'>) {
    this.#assets = assets;
  }

  watch({ deposits }: Transaction): Partial<Transaction> {
    const noted = withMethods(deposits, {
      add: async (deposit) => {
        const added = await deposits.add(deposit);
        if (added) this.#noteNew(deposit);
        return added;
      },
      addAll: async (added) => {
        await deposits.addAll(added);
        for (const deposit of added) this.#noteNew(deposit);
      },
      move: async (id, from, to, changes) => {
        const moved = await deposits.move(id, from, to, changes);
        if (moved) this.#note(id, EVENTS[to]);
        return moved;
      },
      moveAll: async (ids, from, to) => {
        const moved = await deposits.moveAll(ids, from, to);
        if (moved) for (const id of ids) this.#note(id, EVENTS[to]);
        return moved;
      },
      reassign: async (id, from, to, changes) => {
        const reassigned = await deposits.reassign(id, from, to, changes);
        if (reassigned && to === 'UNASSIGNED') this.#note(id, UNASSIGNED);
        if (reassigned && to === 'ORDER') this.#assigned.add(id);
        return reassigned;
      },
    });
    return { deposits: noted };
  }

  async events(tx: Transaction, presenter: EventPresenter, at: Millis): Promise<readonly AddressedEvents[]> {
    const found: AddressedEvents[] = [];
    const ids = [...new Set([...this.#types.keys(), ...this.#assigned])];
    if (ids.length === 0) return found;
    const deposits = new Map((await tx.deposits.lockAll(ids)).map((deposit) => [deposit.id, deposit]));
    // Cached, so that thousands of payments to one order read the endpoints of its account once.
    const endpointsOf = oncePer((account) =>
      account === OPERATORS ? tx.webhooks.enabledOfAdmins() : tx.webhooks.enabled(account),
    );
    for (const id of ids) {
      const deposit = deposits.get(id);
      if (deposit === undefined || this.#isNothing(deposit)) continue;
      const types = this.#types.get(id) ?? [];
      const isOperators = types.includes(UNASSIGNED);
      const endpoints = await endpointsOf(isOperators ? OPERATORS : deposit.accountId);
      if (endpoints.length === 0) continue;
      const data = (): string => presenter.deposit(deposit);
      const told = isOperators ? [UNASSIGNED] : this.#ofOwner(deposit, types);
      found.push({ endpoints, events: told.map((type) => ({ type, subjectId: id, at, data })) });
    }
    return found;
  }

  /** A deposit that was never credited and is below the least amount: thousands of them cost their sender next to nothing. */
  #isNothing({ currency, units, credits }: Deposit): boolean {
    const asset = this.#assets.find(currency);
    return credits === 0 && asset !== null && isDust(asset, units);
  }

  /** A deposit that belongs to no order is not reported to the account that once had its address. */
  #ofOwner({ id, assignment, status }: Deposit, types: readonly DepositEventType[]): readonly DepositEventType[] {
    if (assignment !== 'ORDER') return [];
    const own = EVENTS[status];
    return this.#assigned.has(id) && own !== undefined ? [own] : types;
  }

  #noteNew({ id, assignment, status }: Deposit): void {
    this.#note(id, assignment === 'UNASSIGNED' ? UNASSIGNED : EVENTS[status]);
  }

  #note(id: DepositId, type: DepositEventType | undefined): void {
    if (type === undefined) return;
    const types = this.#types.get(id);
    if (types === undefined) this.#types.set(id, [type]);
    else types.push(type);
  }
}
