import { DAY_MS, startOfDay } from '../kernel/index.ts';
import type { AccountId, Clock, EventBus, IdGenerator, Millis, Storage } from '../kernel/index.ts';
import type { NoticeDraft, NoticeSettings } from '../notify/index.ts';
import { isUneventful, summaryWords } from './summary-words.ts';
import type { DaySummary } from './summary-words.ts';
import { noticeRows } from '../notify/index.ts';

export interface DailySummaryDeps {
  readonly storage: Pick<Storage, 'notices' | 'overview' | 'transfers' | 'alerts' | 'transaction'>;
  readonly ids: IdGenerator;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly notices: NoticeSettings;
}

/** The delay after midnight, UTC, by which changes just before midnight are counted. */
const AFTER_MIDNIGHT_MS = 5 * 60_000;
const PAGE = 100;

/**
 * Writes the summary of the day before, once it has ended: for the operators, and for each account that has chosen it
 * and had any activity. The day is part of a key, so each summary is stored once, also with several instances and after
 * a restart. A day that ended while the till was not running has none.
 */
export class DailySummary {
  readonly #deps: DailySummaryDeps;
  #written: Millis | null = null;

  constructor(deps: DailySummaryDeps) {
    this.#deps = deps;
  }

  /** @returns the number of written summaries */
  async run(): Promise<number> {
    const { clock, notices, storage } = this.#deps;
    const now = clock.now();
    const today = startOfDay(now);
    if (now < today + AFTER_MIDNIGHT_MS || this.#written === today || notices.channels().length === 0) return 0;
    const day = today - DAY_MS;
    let written = await this.#write(null, await this.#ofTill(day));
    for (let after: AccountId | null = null; ;) {
      const accounts: readonly AccountId[] = await storage.notices.summarised(after, PAGE);
      for (const accountId of accounts) {
        const summary = await this.#ofAccount(accountId, day);
        if (!isUneventful(summary)) written += await this.#write(accountId, summary);
      }
      after = accounts.at(-1) ?? null;
      if (accounts.length < PAGE) break;
    }
    this.#written = today;
    return written;
  }

  async #ofTill(day: Millis): Promise<DaySummary> {
    const { transfers, alerts } = this.#deps.storage;
    const waiting = { withdrawals: await transfers.countOf('HELD'), alerts: await alerts.countOf('OPEN') };
    return { ...(await this.#ofAccount(null, day)), waiting };
  }

  async #ofAccount(accountId: AccountId | null, day: Millis): Promise<DaySummary> {
    const { overview } = this.#deps.storage;
    const query = { accountId, from: day, to: day + DAY_MS };
    return { day, orders: await overview.orders(query), callbacks: await overview.callbacks(query), waiting: null };
  }

  async #write(accountId: AccountId | null, summary: DaySummary): Promise<number> {
    const { storage, ids, clock, events, notices } = this.#deps;
    const words = summaryWords(summary, notices.amount);
    const draft: NoticeDraft = {
      type: 'summary.daily',
      accountId,
      ...(accountId === null ? { toOperators: words } : { toAccount: words }),
    };
    const added = await storage.transaction(async (tx) => {
      const find = (id: AccountId) => tx.notices.account(id);
      const rows = await noticeRows(ids, notices.channels(), draft, find, clock.now(), summary.day);
      return tx.notices.add(rows);
    });
    for (const notifier of new Set(added.map((row) => row.notifier))) events.emit('notice.queued', { notifier });
    return added.length;
  }
}
