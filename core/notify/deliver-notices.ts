import { HOUR_MS, isTillgateError, startOfHour } from '../kernel/index.ts';
import type { Clock, Deadline, Logger, Metrics, Millis, Random, Storage } from '../kernel/index.ts';
import type { ClaimedNotice } from './notice-store.ts';
import type { NoticeMessage, NoticeOutcome, Notifier } from './notifier.ts';
import type { Notice } from './notice.ts';
import { afterNotice } from './notice-schedule.ts';
import { readableTime } from './words.ts';

export interface DeliverNoticesDeps {
  readonly storage: Pick<Storage, 'notices'>;
  readonly notifiers: readonly Notifier[];
  readonly clock: Clock;
  readonly random: Random;
  readonly deadline: Deadline;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The last lines of every message: the name of the service and the URL of its dashboard. */
  readonly footer: () => readonly string[];
}

/** The timeout of one attempt, in milliseconds. */
export const NOTICE_TIMEOUT_MS = 15_000;
/** The most notices of each type in an hour: repeated changes neither flood a mailbox nor suppress other types. */
export const MOST_NOTICES = { account: 20, operators: 60 } as const;
/** The most notices that one notifier sends at once. */
const AT_ONCE = 8;

/**
 * Sends due notices, at least once each. The outcome is stored after the attempt; a crash in between sends the notice
 * again with the same id. Each notifier has its own passes, so one that hangs does not delay the others.
 */
export class DeliverNotices {
  readonly #deps: DeliverNoticesDeps;

  constructor(deps: DeliverNoticesDeps) {
    this.#deps = deps;
  }

  get notifiers(): readonly Notifier[] {
    return this.#deps.notifiers;
  }

  /** Sends due notices of a notifier, up to eight at once. Returns the number of attempts once all are done. */
  async run(name: string): Promise<number> {
    const { storage, clock, notifiers } = this.#deps;
    const notifier = notifiers.find((each) => each.name === name);
    if (notifier === undefined) return 0;
    const claims = await storage.notices.claimDue(name, clock.now(), NOTICE_TIMEOUT_MS * 3, AT_ONCE);
    await Promise.all(claims.map((claim) => this.#attempt(notifier, claim)));
    return claims.length;
  }

  async #attempt(notifier: Notifier, claim: ClaimedNotice): Promise<void> {
    const { logger, metrics } = this.#deps;
    const { id } = claim.notice;
    try {
      const outcome = await this.#sendAndRecord(notifier, claim);
      metrics.count('tillgate_notices_total', { notifier: notifier.name, outcome });
    } catch (error) {
      metrics.count('tillgate_notices_total', { notifier: notifier.name, outcome: 'unrecorded' });
      logger.error('the outcome of a notice could not be stored; it will be sent again', {
        noticeId: id,
        kind: nameOf(error),
      });
    }
  }

  async #sendAndRecord(notifier: Notifier, claim: ClaimedNotice): Promise<string> {
    const { storage, clock, random, logger } = this.#deps;
    const { notice } = claim;
    const hour = startOfHour(clock.now());
    const most = MOST_NOTICES[notice.accountId === null ? 'operators' : 'account'];
    const place = isBounded(notice) ? await storage.notices.admit(claim, hour, most) : 0;
    if (place === null) return 'held-back';
    const outcome = await this.#send(notifier, notice, place === most ? hour + HOUR_MS : null);
    const changes = afterNotice(outcome, notice.attempts, clock.now(), random);
    if (outcome.kind === 'failed')
      logger.warn('a notice was not sent', {
        noticeId: notice.id,
        notifier: notifier.name,
        reason: changes.lastError,
        status: changes.status,
      });
    if (!(await storage.notices.finish(claim, changes))) return 'lost';
    return { SENT: 'sent', PENDING: 'retry', DEAD: 'dead', HELD_BACK: 'held-back' }[changes.status];
  }

  /** @throws TillgateError `NOT_READY` when the database is unavailable; every other error is a failed attempt */
  async #send(notifier: Notifier, notice: Notice, moreFrom: Millis | null): Promise<NoticeOutcome> {
    try {
      const to = await this.#recipients(notice);
      if (to === null) return { kind: 'failed', reason: 'the account is gone', final: true };
      return await this.#inTime(notifier, this.#message(notice, to, moreFrom));
    } catch (error) {
      if (isTillgateError(error, 'NOT_READY')) throw error;
      return { kind: 'failed', reason: `not sent: ${nameOf(error)}` };
    }
  }

  async #recipients({ accountId }: Notice): Promise<readonly string[] | null> {
    const { notices } = this.#deps.storage;
    if (accountId === null) return notices.operators();
    const account = await notices.account(accountId);
    return account === null ? null : [account.email];
  }

  #message(notice: Notice, to: readonly string[], moreFrom: Millis | null): NoticeMessage {
    const { id, type, accountId, subject, text, createdAt: at } = notice;
    const last =
      moreFrom === null
        ? []
        : ['', `No more notices of this type are sent until ${readableTime(moreFrom)}. Check the dashboard meanwhile.`];
    const body = [text, ...last, '', '--', ...this.#deps.footer()].join('\n');
    return { id, type, audience: accountId === null ? 'operators' : 'account', to, subject, text: body, at };
  }

  /** Rejects at the deadline even when the notifier ignores the signal. */
  async #inTime(notifier: Notifier, message: NoticeMessage): Promise<NoticeOutcome> {
    const signal = this.#deps.deadline(NOTICE_TIMEOUT_MS);
    let onAbort = (): void => undefined;
    const late = new Promise<NoticeOutcome>((resolve) => {
      onAbort = () => resolve({ kind: 'failed', reason: 'timeout' });
      signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([notifier.send(message, signal), late]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

/** Retries were counted with the first attempt; the report on held-back notices is written once an hour anyway. */
const isBounded = ({ attempts, type }: Notice): boolean => attempts === 0 && type !== 'notices.held_back';

/** The error's name only, because its message may contain an address or a key. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
