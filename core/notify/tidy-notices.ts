import { DAY_MS, HOUR_MS, startOfHour } from '../kernel/index.ts';
import type { Clock, EventBus, IdGenerator, NoticeId, Storage } from '../kernel/index.ts';
import type { HeldBack } from './notice-store.ts';
import { newNotice } from './notice.ts';
import type { Notice, NoticeWords } from './notice.ts';
import { noticeWords, readableTime } from './words.ts';

export interface TidyNoticesDeps {
  readonly storage: Pick<Storage, 'notices' | 'transaction'>;
  readonly ids: IdGenerator;
  readonly clock: Clock;
  readonly events: EventBus;
}

/** How long finished notices are kept. */
export const NOTICE_RETENTION_MS = 30 * DAY_MS;
/** Longer than the schedule: a notice PENDING after this has a notifier that the till no longer has. */
const NEVER_SENT_MS = 3 * DAY_MS;
const BATCH = 500;

/** Reports how many notices were held back, gives up notices without a notifier, and deletes old ones. */
export class TidyNotices {
  readonly #deps: TidyNoticesDeps;

  constructor(deps: TidyNoticesDeps) {
    this.#deps = deps;
  }

  /** Handles a batch of each. @returns whether there may be more to do */
  async run(): Promise<boolean> {
    const { storage, clock } = this.#deps;
    const now = clock.now();
    const told = await this.#tellHeldBack();
    const given = await storage.notices.giveUp(now - NEVER_SENT_MS, 'no notifier with this name is configured', BATCH);
    const pruned = await storage.notices.prune(now - NOTICE_RETENTION_MS, BATCH);
    return Math.max(told, given, pruned) >= BATCH;
  }

  async #tellHeldBack(): Promise<number> {
    const { storage, clock, ids, events } = this.#deps;
    const at = clock.now();
    const rows = await storage.transaction(async (tx) => {
      const held = await tx.notices.takeHeldBack(startOfHour(at), BATCH);
      const row = (each: HeldBack): Notice => {
        const { notifier, accountId } = each;
        const id = ids.next() as NoticeId;
        return newNotice({ id, notifier, accountId, type: 'notices.held_back', day: null }, heldBackWords(each), at);
      };
      return tx.notices.add(held.map(row));
    });
    for (const notifier of new Set(rows.map((row) => row.notifier))) events.emit('notice.queued', { notifier });
    return rows.length;
  }
}

function heldBackWords({ accountId, type, hour, count }: HeldBack): NoticeWords {
  const of = `${count} more ${count === 1 ? 'notice' : 'notices'} of type ${type}`;
  return noticeWords(`${of} ${count === 1 ? 'was' : 'were'} not sent`, [
    `The hourly limit was reached between ${readableTime(hour)} and ${readableTime(hour + HOUR_MS)}.`,
    accountId === null
      ? 'See the notices, the alerts and the audit log in the dashboard.'
      : 'The audit log of your account lists all changes. If you do not recognise them, change your password and end all other sessions.',
  ]);
}
