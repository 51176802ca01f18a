import type { Deposit, DepositStatus } from '../deposits/deposit.ts';
import type { DepositId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import { withMethods } from '../kernel/with-methods.ts';
import type { Transaction } from '../ports/storage.ts';
import type { EventPresenter } from './event-presenter.ts';
import type { WebhookEvent } from './event-types.ts';
import type { AddressedEvents, SubjectEvents } from './subject-events.ts';

type DepositEventType = Extract<WebhookEvent, `deposit.${string}`>;

/** What becoming one of these is called; DUST is credited as nothing, and nobody waits for it. */
const EVENTS: Readonly<Partial<Record<DepositStatus, DepositEventType>>> = {
  SEEN: 'deposit.seen',
  CREDITED: 'deposit.credited',
  SPENDABLE: 'deposit.spendable',
  ORPHANED: 'deposit.orphaned',
};
const UNASSIGNED: DepositEventType = 'deposit.unassigned';

/** Notes what a transaction makes of deposits, and knows their events at its end. */
export class DepositNotes implements SubjectEvents {
  readonly #types = new Map<DepositId, DepositEventType[]>();
  /** Those that an operator gave to an order: what has become of them meanwhile is new to its merchant. */
  readonly #assigned = new Set<DepositId>();

  watch({ deposits }: Transaction): Partial<Transaction> {
    const noted = withMethods(deposits, {
      add: async (deposit) => {
        const added = await deposits.add(deposit);
        if (added) this.#note(deposit.id, deposit.assignment === 'UNASSIGNED' ? UNASSIGNED : EVENTS[deposit.status]);
        return added;
      },
      move: async (id, from, to, changes) => {
        const moved = await deposits.move(id, from, to, changes);
        if (moved) this.#note(id, EVENTS[to]);
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
    for (const id of new Set([...this.#types.keys(), ...this.#assigned])) {
      const types = this.#types.get(id) ?? [];
      const isOperators = types.includes(UNASSIGNED);
      const endpoints = isOperators ? await tx.webhooks.enabledOfAdmins() : await tx.webhooks.enabledOfDeposit(id);
      const deposit = endpoints.length === 0 ? null : await tx.deposits.lock(id);
      if (deposit === null) continue;
      const data = (): string => presenter.deposit(deposit);
      const told = isOperators ? [UNASSIGNED] : this.#ofOwner(deposit, types);
      found.push({ endpoints, events: told.map((type) => ({ type, subjectId: id, at, data })) });
    }
    return found;
  }

  /** One that belongs to no order is no business of the account that once had its address. */
  #ofOwner({ id, assignment, status }: Deposit, types: readonly DepositEventType[]): readonly DepositEventType[] {
    if (assignment !== 'ORDER') return [];
    const own = EVENTS[status];
    return this.#assigned.has(id) && own !== undefined ? [own] : types;
  }

  #note(id: DepositId, type: DepositEventType | undefined): void {
    if (type === undefined) return;
    const types = this.#types.get(id);
    if (types === undefined) this.#types.set(id, [type]);
    else types.push(type);
  }
}
