import type { Millis, RecordedEvent, TransferId } from '../kernel/index.ts';
import { heldWords } from './event-words.ts';
import type { AmountWords, FindNoticeAccount, NoticeDraft, OutboxEvent, WebhookEvent } from '../notify/index.ts';
import type { TransactionRow } from '../ledger/index.ts';
import { isOwnMove } from '../payouts/index.ts';
import type { Transfer, TransferStatus } from '../payouts/index.ts';
import { WEBHOOK_EVENTS } from '../notify/index.ts';
import type { EventPresenter } from './event-presenter.ts';
import type { AddressedEvents, EventScope, NoticeScope } from './event-scope.ts';

type TransferStep = 'requested' | 'held' | 'succeeded' | 'failed';

/** The event step for each new status; other statuses are internal. */
const STEPS: Readonly<Partial<Record<TransferStatus, TransferStep>>> = {
  HELD: 'held',
  CONFIRMED: 'succeeded',
  FAILED: 'failed',
};

const GROUPS: Readonly<Partial<Record<TransactionRow['type'], string>>> = {
  WITHDRAW: 'withdrawal',
  REFUND: 'refund',
  PAYOUT: 'payout',
};

/** The first steps of a transfer. */
export function firstSteps({ status }: Pick<Transfer, 'status'>): readonly TransferStep[] {
  return status === 'HELD' ? ['requested', 'held'] : ['requested'];
}

/** The events of a merchant's transfer, with its row after all steps. */
export function eventsOfTransfer(
  presenter: EventPresenter,
  row: Omit<TransactionRow, 'number'>,
  steps: readonly TransferStep[],
  at: Millis,
): readonly OutboxEvent[] {
  const data = (): string => presenter.transfer(row);
  const types = steps.map((step) => eventOf(row, step)).filter((type) => type !== null);
  // A record's events are sent in the order of their times, so each gets a later one.
  return types.map((type, index) => ({ type, subjectId: row.id, at: at + index, data }));
}

function eventOf({ type }: Pick<TransactionRow, 'type'>, step: TransferStep): WebhookEvent | null {
  return WEBHOOK_EVENTS.find((event) => event === `${GROUPS[type]}.${step}`) ?? null;
}

/** The notice about a held payment: to its account, and to the operators, who decide about it. */
export async function heldDraft(
  transfer: Transfer,
  find: FindNoticeAccount,
  amount: AmountWords,
): Promise<NoticeDraft> {
  const { accountId } = transfer;
  const account = accountId === null ? null : await find(accountId);
  return { type: 'withdrawal.held', accountId, ...heldWords(transfer, account, amount) };
}

type TransferEvent = Extract<RecordedEvent, { readonly type: `transfer.${string}` }>;

/** The steps of merchants' transfers in a transaction. */
export function stepsById(recorded: readonly TransferEvent[]): ReadonlyMap<TransferId, readonly TransferStep[]> {
  const steps = new Map<TransferId, TransferStep[]>();
  const add = (id: TransferId, ...next: readonly TransferStep[]): void => {
    if (next.length > 0) steps.set(id, [...(steps.get(id) ?? []), ...next]);
  };
  for (const event of recorded) {
    if (event.type === 'transfer.moved') {
      const step = STEPS[event.to];
      if (step !== undefined) add(event.id, step);
    } else if (!isOwnMove(event.transfer)) add(event.transfer.id, ...firstSteps(event.transfer));
  }
  return steps;
}

export async function transferEvents(
  { tx, presenter, at }: EventScope,
  steps: ReadonlyMap<TransferId, readonly TransferStep[]>,
): Promise<readonly AddressedEvents[]> {
  const found: AddressedEvents[] = [];
  for (const [id, taken] of steps) {
    const endpoints = await tx.webhooks.enabledOfTransfer(id);
    if (endpoints.length === 0) continue;
    const row = await tx.deposits.findTransaction(id);
    // A transfer that is held and ends in the same transaction needs no decision.
    const told = taken.filter((step, index) => step !== 'held' || index === taken.length - 1);
    if (row !== null) found.push({ endpoints, events: eventsOfTransfer(presenter, row, told, at) });
  }
  return found;
}

/** Notices of transfers that are held at the end of the transaction. */
export async function heldNotices(
  { tx, find, amount }: NoticeScope,
  steps: ReadonlyMap<TransferId, readonly TransferStep[]>,
): Promise<readonly NoticeDraft[]> {
  const drafts: NoticeDraft[] = [];
  for (const [id, taken] of steps) {
    const transfer = taken.includes('held') ? await tx.transfers.lock(id) : null;
    if (transfer?.status === 'HELD' && !isOwnMove(transfer)) drafts.push(await heldDraft(transfer, find, amount));
  }
  return drafts;
}
