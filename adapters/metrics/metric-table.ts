import { ALERT_KINDS } from '../../core/index.ts';

export type MetricKind = 'counter' | 'gauge' | 'histogram';

/** The declaration of a metric. */
export interface MetricDefinition {
  readonly kind: MetricKind;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, in the metric's unit. */
  readonly buckets?: readonly number[];
  /**
   * How the values of a gauge from several processes of one server are aggregated; `latest` by default, for facts about
   * the till.
   */
  readonly together?: 'latest' | 'sum' | 'min';
  /**
   * Values of a counter's one label that exist with 0 from the start: `increase()` misses a series that is first seen
   * as 1.
   */
  readonly from?: readonly string[];
}

const counter = (help: string, ...labels: readonly string[]): MetricDefinition => ({ kind: 'counter', help, labels });
const gauge = (help: string, ...labels: readonly string[]): MetricDefinition => ({ kind: 'gauge', help, labels });
const seconds = (buckets: readonly number[], help: string, ...labels: readonly string[]): MetricDefinition => ({
  kind: 'histogram',
  help,
  labels,
  buckets,
});

const FAST = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * Every metric of Tillgate. Labels have values from small closed sets (operations, statuses, chains, sources): never an
 * id (except the App's in gateway metrics), an address, a URL or a key.
 */
export const METRIC_TABLE = {
  tillgate_http_requests_total: counter('Requests answered, by operation and HTTP status.', 'operation', 'status'),
  tillgate_http_request_seconds: seconds(FAST, 'Time from a request to its answer.', 'operation'),
  tillgate_orders_total: counter('Orders that entered a status.', 'status'),
  tillgate_callbacks_total: counter('Callback attempts, by how they ended.', 'outcome'),
  tillgate_notices_total: counter('Attempts to send a notice to persons, by how they ended.', 'notifier', 'outcome'),
  tillgate_deposits_total: counter('Deposits seen, credited, matured or orphaned.', 'chain', 'event'),
  tillgate_unconfirmed_payments_total: counter(
    'Unconfirmed payments that were first seen, went missing from the mempool, are gone or returned.',
    'chain',
    'event',
  ),
  tillgate_chain_height: gauge('Height of the last block that was followed.', 'chain'),
  tillgate_chain_lag_seconds: gauge(
    'Seconds by which the reading of a chain is behind its head; more than some minutes mean that its node lags.',
    'chain',
  ),
  tillgate_chain_halted: gauge('1 while a chain is stopped and waits for an operator.', 'chain'),
  tillgate_node_disagreements_total: counter(
    'Times that nodes of a chain contradicted each other, by the host of each that may be wrong.',
    'chain',
    'node',
  ),
  tillgate_transfers_total: counter('Outgoing transfers that entered a status.', 'chain', 'kind', 'status'),
  tillgate_transfers_waiting: gauge('Outgoing transfers that wait to be signed.', 'chain'),
  tillgate_payouts_stopped: gauge('1 while payments of a chain are stopped and wait for an operator.', 'chain'),
  tillgate_currency_payouts_stopped: gauge(
    '1 while payments in one currency of a chain are stopped, but those in its other currencies continue.',
    'chain',
    'currency',
  ),
  tillgate_custody_shortfall: gauge(
    '1 while a chain holds less of a currency than the ledger says.',
    'chain',
    'currency',
  ),
  tillgate_frozen_units: gauge(
    'Coins at deposit addresses that the contract of their token does not move, in units of a currency.',
    'chain',
    'currency',
  ),
  tillgate_solvency_units: gauge(
    'The holdings of a chain in the ledger less its debts, in units of a currency; below zero money is missing.',
    'chain',
    'currency',
  ),
  tillgate_clock_difference_seconds: gauge(
    "The database's time less this machine's; beyond 5 s the instance holds no leases.",
  ),
  tillgate_alerts_total: { ...counter('Alerts that were raised for an operator.', 'kind'), from: ALERT_KINDS },
  tillgate_rate_fetches_total: counter('Requests to rate sources, by how they ended.', 'source', 'outcome'),
  tillgate_rate_age_seconds: gauge('Seconds since a source last answered, when it was last asked.', 'source'),
  tillgate_gateway_requests_total: counter(
    'Requests to the node gateway, by route, App (its id; none without a key) and HTTP status.',
    'route',
    'app',
    'status',
  ),
  tillgate_gateway_units_total: counter(
    'Units that calls to nodes cost and that were stored, by route and App.',
    'route',
    'app',
  ),
  tillgate_gateway_admission_total: counter(
    'Decisions of admission about requests, with their reason.',
    'route',
    'app',
    'mode',
    'verdict',
    'reason',
  ),
  tillgate_gateway_request_seconds: seconds(FAST, 'Time from a request to the end of its answer.', 'route'),
  tillgate_gateway_bytes_total: counter(
    'Bytes of bodies that went through the gateway, in from clients and out to them.',
    'route',
    'app',
    'direction',
  ),
  tillgate_gateway_shared_reads_total: counter(
    'Reads that waited for the answer to an equal read (joined), got it (answered), or were sent themselves in the end (alone).',
    'route',
    'outcome',
  ),
  tillgate_gateway_cached_reads_total: counter(
    'Reads that could be answered from memory: those that were (hit) and those that were not (miss).',
    'route',
    'outcome',
  ),
  tillgate_gateway_shared_cache_reads_total: counter(
    'Reads that were looked up in the shared cache: those that it had (hit), those that it had not (miss), and those that it did not answer in time (failed).',
    'route',
    'outcome',
  ),
  tillgate_upstream_request_seconds: seconds(
    FAST,
    'Time from a request to an upstream until its answer began or it had none. Method class: read, logs, trace, write, subscribe, batch or other. Outcome: succeeded, refused (an answer that the call is wrong or that something is not there), fault (of the node), failed (the connection), timeout or cancelled (the client has left, or another upstream was faster).',
    'route',
    'upstream',
    'method_class',
    'outcome',
  ),
  tillgate_upstream_faults_total: counter(
    'Answers that an upstream owed, by the reason: unauthorised, rate_limited, timeout, internal, unavailable, no_method, no_state, no_block or range_limit.',
    'route',
    'upstream',
    'reason',
  ),
  tillgate_gateway_hedges_total: counter(
    'Reads with a slow upstream: a second upstream answered first (won), answered later (lost), or neither answered (unanswered); or none was asked, because too many reads were doubled (over_budget) or no other upstream could answer (no_upstream).',
    'route',
    'outcome',
  ),
  tillgate_gateway_read_cache_bytes: {
    ...gauge('Bytes of the answers in the read cache of the gateway.'),
    together: 'sum',
  },
  tillgate_gateway_upstream_up: {
    ...gauge('1 while an upstream of a route is available.', 'route', 'upstream'),
    together: 'min',
  },
  tillgate_gateway_websockets: { ...gauge('Open WebSocket connections.', 'route'), together: 'sum' },
  tillgate_settings_reloads_total: counter(
    'Times that the settings file was read again while the server ran: applied, or refused as invalid.',
    'outcome',
  ),
  tillgate_database_wait_seconds_total: counter('Seconds that work waited because every connection was in use.'),
  tillgate_worker_errors_total: counter('Runs of a worker that failed and are tried again.', 'loop'),
  tillgate_loop_success_timestamp_seconds: gauge(
    'Time of the last successful run of a worker on this instance, or of its start, in seconds since 1970.',
    'loop',
  ),
} as const satisfies Readonly<Record<string, MetricDefinition>>;
