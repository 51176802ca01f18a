import { present } from '../kernel/index.ts';
import type { RecordedEvent } from '../kernel/index.ts';
import type { NoticeDraft, OutboxEvent } from '../notify/index.ts';
import type { Claim } from '../payouts/index.ts';
import type { AddressedEvents, EventScope, NoticeScope } from './event-scope.ts';
import { claimWords } from './event-words.ts';

type ClaimEvent = Extract<RecordedEvent, { readonly type: `claim.${string}` }>;

const requested = { type: 'claim.requested' } as const;
const approved = { type: 'claim.approved' } as const;
const rejected = { type: 'claim.rejected' } as const;

/** The events of each change of a claim. One that is approved without a decision is requested and approved at once. */
function typesOf({ type, claim }: ClaimEvent): readonly Pick<OutboxEvent, 'type'>[] {
  const decided = claim.status === 'APPROVED' ? [approved] : claim.status === 'REJECTED' ? [rejected] : [];
  return type === 'claim.added' ? [requested, ...decided] : decided;
}

/** The events of claims that a transaction added or decided. */
export async function claimEvents(
  { tx, presenter, at }: EventScope,
  recorded: readonly ClaimEvent[],
): Promise<readonly AddressedEvents[]> {
  const found: AddressedEvents[] = [];
  for (const event of recorded) {
    const { claim } = event;
    const endpoints = await tx.webhooks.enabled(claim.accountId);
    if (endpoints.length === 0) continue;
    const pull = present(await tx.pullPayments.lock(claim.pullPaymentId), `pull payment of claim ${claim.id}`);
    const transfer = claim.transferId === null ? null : await tx.transfers.lock(claim.transferId);
    const data = (): string => presenter.claim({ claim, transfer, txHash: null }, pull.currency, at);
    // A record's events are sent in the order of their times, so each gets a later one.
    const events = typesOf(event).map(({ type }, index) => ({ type, subjectId: claim.id, at: at + index, data }));
    found.push({ endpoints, events });
  }
  return found;
}

/** The notices about claims that wait for the approval of their account. */
export async function claimNotices(
  { find, amount }: NoticeScope,
  recorded: readonly ClaimEvent[],
): Promise<readonly NoticeDraft[]> {
  const waiting = recorded.filter(({ type, claim }) => type === 'claim.added' && claim.status === 'AWAITING_APPROVAL');
  const drafts: NoticeDraft[] = [];
  for (const { claim } of waiting) {
    if ((await find(claim.accountId)) !== null) drafts.push(draftOf(claim, amount));
  }
  return drafts;
}

function draftOf(claim: Claim, amount: NoticeScope['amount']): NoticeDraft {
  const toAccount = claimWords(claim, amount(claim.currency, claim.units));
  return { type: 'claim.requested', accountId: claim.accountId, toAccount };
}
