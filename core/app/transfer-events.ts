import type { Millis, Transaction, TransferId } from '../kernel/index.ts';
import { heldWords } from './event-words.ts';
import type { AmountWords, FindNoticeAccount, NoticeDraft, OutboxEvent, WebhookEvent } from '../notify/index.ts';
import { withMethods } from '../kernel/index.ts';
import type { TransactionRow } from '../ledger/index.ts';
import { isOwnMove } from '../payouts/index.ts';
import type { Transfer, TransferStatus } from '../payouts/index.ts';
import { WEBHOOK_EVENTS } from '../notify/index.ts';
import type { EventPresenter } from './event-presenter.ts';
import type { AddressedEvents, SubjectEvents } from './subject-events.ts';

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
};

/** The first steps of a transfer. */
export function firstSteps({ status }: Pick<Transfer, 'status'>): readonly TransferStep[] {
  return status === 'HELD' ? ['requested', 'held'] : ['requested'];
}

/** The events of a merchant's transfer, with its row after all steps. */
export function transferEvents(
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

/** Records the steps of merchants' transfers in a transaction, and creates their events at its end. */
export class TransferNotes implements SubjectEvents {
  readonly #steps = new Map<TransferId, TransferStep[]>();

  watch({ transfers }: Transaction): Partial<Transaction> {
    const noted = withMethods(transfers, {
      add: async (transfer) => {
        const added = await transfers.add(transfer);
        if (added && !isOwnMove(transfer)) for (const step of firstSteps(transfer)) this.#note(transfer.id, step);
        return added;
      },
      move: async (id, from, to, changes) => {
        const moved = await transfers.move(id, from, to, changes);
        const step = STEPS[to];
        if (moved && step !== undefined) this.#note(id, step);
        return moved;
      },
    });
    return { transfers: noted };
  }

  async events(tx: Transaction, presenter: EventPresenter, at: Millis): Promise<readonly AddressedEvents[]> {
    const found: AddressedEvents[] = [];
    for (const [id, steps] of this.#steps) {
      const endpoints = await tx.webhooks.enabledOfTransfer(id);
      if (endpoints.length === 0) continue;
      const row = await tx.deposits.findTransaction(id);
      // A transfer that is held and ends in the same transaction needs no decision.
      const told = steps.filter((step, index) => step !== 'held' || index === steps.length - 1);
      if (row !== null) found.push({ endpoints, events: transferEvents(presenter, row, told, at) });
    }
    return found;
  }

  /** Notices of transfers that are held at the end of the transaction. */
  async notices(tx: Transaction, find: FindNoticeAccount, amount: AmountWords): Promise<readonly NoticeDraft[]> {
    const drafts: NoticeDraft[] = [];
    for (const [id, steps] of this.#steps) {
      const transfer = steps.includes('held') ? await tx.transfers.lock(id) : null;
      if (transfer?.status !== 'HELD' || isOwnMove(transfer)) continue;
      drafts.push(await heldDraft(transfer, find, amount));
    }
    return drafts;
  }

  #note(id: TransferId, step: TransferStep): void {
    const steps = this.#steps.get(id);
    if (steps === undefined) this.#steps.set(id, [step]);
    else steps.push(step);
  }
}
