import type { IdGenerator, Millis, RecordedEvent, TransferId } from '../kernel/index.ts';
import type { Callback } from '../notify/index.ts';
import type { TransferStatus } from '../payouts/index.ts';
import { formatRows, ofFormats } from './report-format.ts';
import type { FormattedSubscriber, ReportFormat } from './report-format.ts';
import type { ReportScope } from './order-reports.ts';
import type { ClaimReport, ClaimStep } from './reports.ts';

type Change = Extract<RecordedEvent, { readonly type: `claim.${string}` | 'transfer.moved' }>;
type ClaimChange = Exclude<Change, { readonly type: 'transfer.moved' }>;

/** The statuses of a transfer that are a step for its payee. Sent is as signed, and requested again as before. */
const STEPS: readonly TransferStatus[] = ['SIGNED', 'HELD', 'CONFIRMED', 'FAILED'];

function stepsOf({ type, claim: { status } }: ClaimChange): readonly ClaimStep[] {
  const decided: readonly ClaimStep[] = status === 'APPROVED' ? ['approved'] : status === 'REJECTED' ? ['changed'] : [];
  return type === 'claim.added' ? ['requested', ...decided] : decided;
}

/** The rows of the outbox for what happened to claims in a transaction, for endpoints of another format. */
export async function claimReportRows(
  { tx, subscribers, at }: Pick<ReportScope, 'tx' | 'subscribers'> & { readonly at: Millis },
  changes: readonly Change[],
  formats: readonly ReportFormat[],
  ids: IdGenerator,
): Promise<readonly Callback[]> {
  const rows: Callback[] = [];
  const add = (to: readonly FormattedSubscriber[], reports: readonly ClaimReport[]): void => {
    rows.push(...formatRows(ids, to, reports, (format, report) => format.claim(report), reportSubject, at));
  };
  for (const change of changes) {
    if (change.type === 'transfer.moved') {
      if (!STEPS.includes(change.to)) continue;
      const to = ofFormats(await tx.webhooks.enabledOfTransfer(change.id), formats);
      const report = to.length === 0 ? null : await paymentReport(tx, change.id);
      if (report !== null) add(to, [report]);
      continue;
    }
    const { claim } = change;
    const to: readonly FormattedSubscriber[] = ofFormats(await subscribers(claim.accountId), formats);
    if (to.length === 0) continue;
    const transfer = claim.transferId === null ? null : await tx.transfers.lock(claim.transferId);
    add(
      to,
      stepsOf(change).map((step) => ({ claim, transfer, step })),
    );
  }
  return rows;
}

const reportSubject = ({ claim }: ClaimReport): string => claim.id;

/** A step of a claim's payment; `null` for any other transfer. */
async function paymentReport(tx: ReportScope['tx'], id: TransferId): Promise<ClaimReport | null> {
  const transfer = await tx.transfers.lock(id);
  const claimId = transfer?.claimId ?? null;
  const claim = claimId === null ? null : await tx.pullPayments.findClaim(claimId);
  return claim === null ? null : { claim, transfer, step: 'changed' };
}
