import { isDust } from '../../../core/index.ts';
import type { World } from '../world/world.ts';
import { TRANSFER_KIND } from './rows.ts';

interface ChangeRow {
  readonly record: 'orders' | 'deposits' | 'transfers' | 'claims';
  readonly id: string;
  readonly became: string;
}

interface OwnerRow {
  readonly id: string;
  readonly account_id: string | null;
  readonly kind?: string;
  readonly currency?: string;
  readonly units?: string;
  readonly credits?: number;
}

/** The events of each change, written down again: rules from the product would repeat its mistakes. */
const EVENTS: Readonly<Record<string, readonly string[]>> = {
  'orders PENDING': ['order.created'],
  'orders SUCCESS': ['order.succeeded'],
  'orders RESOLVED': ['order.succeeded'],
  'orders OVERDUE': ['order.timeout'],
  'orders PARTIAL': ['order.timeout'],
  'orders TERMINATED': ['order.terminated'],
  'orders REFUNDED': ['order.refunded'],
  'deposits SEEN': ['deposit.seen'],
  'deposits CREDITED': ['deposit.credited'],
  'deposits SPENDABLE': ['deposit.spendable'],
  'deposits ORPHANED': ['deposit.orphaned'],
  'deposits UNASSIGNED': ['deposit.unassigned'],
  'transfers REQUESTED': ['requested'],
  'transfers HELD AT ONCE': ['requested', 'held'],
  'transfers HELD': ['held'],
  'transfers CONFIRMED': ['succeeded'],
  'transfers FAILED': ['failed'],
  'claims AWAITING_APPROVAL': ['claim.requested'],
  'claims APPROVED AT ONCE': ['claim.requested', 'claim.approved'],
  'claims APPROVED': ['claim.approved'],
  'claims REJECTED': ['claim.rejected'],
};

/** Every change has exactly its events, and no event is without its change. */
export function eventBreach({ driver, assets, adminId }: World): string | null {
  if (adminId === null) return null;
  const owners = new Map(
    [
      ...driver.all<OwnerRow>('SELECT id, account_id FROM orders'),
      ...driver.all<OwnerRow>('SELECT id, account_id, currency, units, credits FROM deposits'),
      ...driver.all<OwnerRow>(`SELECT id, account_id, ${TRANSFER_KIND} AS kind FROM transfers`),
      ...driver.all<OwnerRow>('SELECT id, account_id FROM claims'),
    ].map((row) => [row.id, row]),
  );
  const expected = new Map<string, number>();
  const created = new Set<string>();
  for (const { record, id, became } of driver.all<ChangeRow>(
    'SELECT record, id, became FROM kept_changes ORDER BY place',
  )) {
    const owner = owners.get(id) as OwnerRow;
    if (record === 'deposits' && owner.credits === 0) {
      const asset = assets.find(owner.currency ?? '');
      if (asset !== null && isDust(asset, BigInt(owner.units ?? 0))) continue;
    }
    if (
      record === 'transfers' &&
      (owner.account_id === null || !['withdrawal', 'refund', 'payout'].includes(owner.kind ?? ''))
    )
      continue;
    // REQUESTED again is an approval, which is no event.
    const isAgain = record === 'transfers' && created.has(id) && became === 'REQUESTED';
    created.add(id);
    if (isAgain) continue;
    for (const name of EVENTS[`${record} ${became}`] ?? []) {
      if (owner.kind === 'refund' && name === 'held') continue;
      const event = record === 'transfers' ? `${owner.kind}.${name}` : name;
      const account = event === 'deposit.unassigned' ? adminId : (owner.account_id ?? '');
      const key = `${event} of ${id} to ${account}`;
      expected.set(key, (expected.get(key) ?? 0) + 1);
    }
  }
  for (const row of driver.all<{ account_id: string; subject_id: string; event: string }>(
    'SELECT * FROM kept_events',
  )) {
    const key = `${row.event} of ${row.subject_id} to ${row.account_id}`;
    const left = (expected.get(key) ?? 0) - 1;
    if (left < 0) return `events: ${key} reports nothing that happened`;
    expected.set(key, left);
  }
  const missing = [...expected].find(([, count]) => count > 0);
  return missing === undefined ? null : `events: ${missing[0]} is missing`;
}
