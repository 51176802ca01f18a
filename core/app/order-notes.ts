import type { DepositId, Transaction } from '../kernel/index.ts';
import { withMethods } from '../kernel/index.ts';
import { undecidedWords } from './event-words.ts';
import type { AmountWords, FindNoticeAccount, NoticeDraft } from '../notify/index.ts';
import { UNDECIDED_RULES } from '../orders/index.ts';
import type { OrderHistoryEntry } from '../orders/index.ts';
import type { AddressedEvents, SubjectEvents } from './subject-events.ts';

const UNDECIDED: ReadonlySet<string> = new Set(UNDECIDED_RULES);

/** Records payments that a merchant must decide about, for notices. Their events are those of the deposits. */
export class OrderNotes implements SubjectEvents {
  readonly #undecided: OrderHistoryEntry[] = [];

  watch({ orders }: Transaction): Partial<Transaction> {
    const noted = withMethods(orders, {
      addHistory: async (entry) => {
        await orders.addHistory(entry);
        if (UNDECIDED.has(entry.rule)) this.#undecided.push(entry);
      },
    });
    return { orders: noted };
  }

  async events(): Promise<readonly AddressedEvents[]> {
    return [];
  }

  async notices(tx: Transaction, _find: FindNoticeAccount, amount: AmountWords): Promise<readonly NoticeDraft[]> {
    const drafts: NoticeDraft[] = [];
    for (const entry of this.#undecided) {
      const deposit = await tx.deposits.lock(entry.inputs['depositId'] as DepositId);
      const order = await tx.orders.lock(entry.orderId);
      if (deposit === null || order === null) continue;
      drafts.push({
        type: 'payment.undecided',
        accountId: order.accountId,
        toAccount: undecidedWords(entry, order, amount(deposit.currency, deposit.units)),
      });
    }
    return drafts;
  }
}
