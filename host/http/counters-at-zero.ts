import { ALERT_KINDS, ORDER_STATUSES, TRANSFER_KINDS, TRANSFER_STATUSES } from '../../core/index.ts';
import type { ChainAdapter, Labels } from '../../core/index.ts';
import type { Till } from '../boot/container.ts';

const CALLBACK_OUTCOMES = ['delivered', 'retry', 'dead', 'lost', 'busy', 'unrecorded'];
const NOTICE_OUTCOMES = ['sent', 'retry', 'dead', 'held-back', 'lost', 'unrecorded'];
const DEPOSIT_EVENTS = ['seen', 'credited', 'dust', 'orphaned'];
const RATE_OUTCOMES = ['ok', 'failed'];

/**
 * Starts the counters whose label values are known at 0. A series that first appears at 1 has no increase for a rule
 * such as `increase(tillgate_alerts_total[5m]) > 0`, so the first alert of a kind would go unnoticed.
 *
 * @param sources - the names of the rate sources
 */
export function beginCountersAtZero(
  { metrics, chains, deliverNotices }: Pick<Till, 'metrics' | 'chains' | 'deliverNotices'>,
  sources: readonly string[],
): void {
  const begin = (name: string, label: string, values: readonly string[], rest: Labels = {}): void => {
    for (const value of values) metrics.count(name, { ...rest, [label]: value }, 0);
  };
  metrics.count('tillgate_database_wait_seconds_total', {}, 0);
  begin('tillgate_settings_reloads_total', 'outcome', ['applied', 'refused']);
  begin('tillgate_orders_total', 'status', ORDER_STATUSES);
  begin('tillgate_alerts_total', 'kind', ALERT_KINDS);
  begin('tillgate_callbacks_total', 'outcome', CALLBACK_OUTCOMES);
  for (const { name: notifier } of deliverNotices.notifiers)
    begin('tillgate_notices_total', 'outcome', NOTICE_OUTCOMES, { notifier });
  for (const source of sources) begin('tillgate_rate_fetches_total', 'outcome', RATE_OUTCOMES, { source });
  for (const chain of chains.values()) beginOfChain(chain, begin);
}

type Begin = (name: string, label: string, values: readonly string[], rest: Labels) => void;

function beginOfChain({ code: chain, payments, nodes }: ChainAdapter, begin: Begin): void {
  begin('tillgate_deposits_total', 'event', DEPOSIT_EVENTS, { chain });
  begin('tillgate_node_disagreements_total', 'node', nodes?.hosts ?? [], { chain });
  if (payments === null) return;
  for (const kind of TRANSFER_KINDS) begin('tillgate_transfers_total', 'status', TRANSFER_STATUSES, { chain, kind });
}
