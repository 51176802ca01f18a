import type { Deposit, DepositStatus } from '../chain/index.ts';
import { isDust } from '../kernel/index.ts';
import type { AccountId, DepositId, RecordedEvent } from '../kernel/index.ts';
import type { WebhookEvent } from '../notify/index.ts';
import type { AddressedEvents, EventScope } from './event-scope.ts';

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

/** The changes of one deposit in a transaction. */
interface DepositChange {
  readonly types: DepositEventType[];
  /** True when an operator assigned it to an order: its earlier status changes are new to the merchant. */
  assigned: boolean;
}

/** The events of the deposits that a transaction added or changed. */
export async function depositEvents(
  { tx, presenter, findAsset, at, deposits: read, subscribers }: EventScope,
  recorded: readonly DepositEvent[],
): Promise<readonly AddressedEvents[]> {
  const changes = changesById(recorded);
  const found: AddressedEvents[] = [];
  if (changes.size === 0) return found;
  const deposits = await read([...changes.keys()]);
  // Cached, so that thousands of payments to one order read the endpoints of its account once.
  const endpointsOf = oncePer((account) =>
    account === OPERATORS ? tx.webhooks.enabledOfAdmins() : subscribers(account),
  );
  for (const [id, change] of changes) {
    const deposit = deposits.get(id);
    if (deposit === undefined || isNothing(deposit, findAsset)) continue;
    const isOperators = change.types.includes(UNASSIGNED);
    const endpoints = await endpointsOf(isOperators ? OPERATORS : deposit.accountId);
    if (endpoints.length === 0) continue;
    const data = (): string => presenter.deposit(deposit);
    const types = isOperators ? [UNASSIGNED] : typesOfOwner(deposit, change);
    found.push({ endpoints, events: types.map((type) => ({ type, subjectId: id, at, data })) });
  }
  return found;
}

type DepositEvent = Extract<RecordedEvent, { readonly type: `deposit.${string}` }>;

/** Deposits without an event have no entry; those with one come before those that were only assigned. */
function changesById(recorded: readonly DepositEvent[]): ReadonlyMap<DepositId, DepositChange> {
  const changes = new Map<DepositId, DepositChange>();
  const changeOf = (id: DepositId): DepositChange => {
    const change = changes.get(id) ?? { types: [], assigned: false };
    changes.set(id, change);
    return change;
  };
  for (const event of recorded) {
    const type = typeOf(event);
    if (type !== undefined) changeOf(event.type === 'deposit.added' ? event.deposit.id : event.id).types.push(type);
  }
  for (const event of recorded)
    if (event.type === 'deposit.reassigned' && event.to === 'ORDER') changeOf(event.id).assigned = true;
  return changes;
}

function typeOf(event: DepositEvent): DepositEventType | undefined {
  if (event.type === 'deposit.moved') return EVENTS[event.to];
  if (event.type === 'deposit.reassigned') return event.to === 'UNASSIGNED' ? UNASSIGNED : undefined;
  const { assignment, status } = event.deposit;
  return assignment === 'UNASSIGNED' ? UNASSIGNED : EVENTS[status];
}

/** A deposit that was never credited and is below the least amount: thousands of them cost their sender next to nothing. */
function isNothing({ currency, units, credits }: Deposit, findAsset: EventScope['findAsset']): boolean {
  const asset = findAsset(currency);
  return credits === 0 && asset !== null && isDust(asset, units);
}

/** A deposit that belongs to no order is not reported to the account that once had its address. */
function typesOfOwner(
  { assignment, status }: Deposit,
  { types, assigned }: DepositChange,
): readonly DepositEventType[] {
  if (assignment !== 'ORDER') return [];
  const present = EVENTS[status];
  return assigned && present !== undefined ? [present] : types;
}
