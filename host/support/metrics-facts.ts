import { METRIC_TABLE } from '../../adapters/metrics/index.ts';
import type { MetricDefinition } from '../../adapters/metrics/index.ts';

/** The metrics of a till that runs on this machine. */
export type MetricsFacts = { readonly unknown: string } | Readonly<Record<string, number>>;

const TIMEOUT_MS = 3_000;
/** Labels with the till's codes as values. Names chosen by the operator (routes, Apps, nodes, …) are hidden. */
const SHOWN_LABELS: ReadonlySet<string> = new Set([
  'operation',
  'status',
  'outcome',
  'chain',
  'event',
  'kind',
  'currency',
  'loop',
]);
const VALUE = /^[A-Za-z0-9 _.-]{1,64}$/;
const SERIES = /^(tillgate_\w+?)(_sum|_count)?(?:\{(.*)\})? (-?[0-9.eE+-]+)$/;
const LABEL = /(\w+)="([^"\\]*)"(?:,|$)/g;
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::', '']);

/** Requests the metrics from a till at the configured port of this machine; only declared series are kept. */
export async function metricsFacts({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): Promise<MetricsFacts> {
  const local = EVERYWHERE.has(host) ? '127.0.0.1' : host;
  const name = local.includes(':') ? `[${local}]` : local;
  try {
    const reply = await fetch(`http://${name}:${port}/metrics`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    });
    return reply.ok ? readMetrics(await reply.text()) : { unknown: `status ${reply.status}` };
  } catch {
    return { unknown: 'no till answers at its port of this machine' };
  }
}

/** The declared series of a text in Prometheus' format, without histograms' buckets. */
export function readMetrics(text: string): Readonly<Record<string, number>> {
  const table: Readonly<Record<string, MetricDefinition | undefined>> = METRIC_TABLE;
  const found: Record<string, number> = {};
  for (const line of text.split('\n')) {
    const [, metric = '', part = '', labels = '', value = ''] = SERIES.exec(line) ?? [];
    const declared = table[metric];
    if (declared === undefined || !declared.labels.every((label) => SHOWN_LABELS.has(label))) continue;
    const given = [...labels.matchAll(LABEL)];
    if (given.some(([, label = '', each = '']) => !declared.labels.includes(label) || !VALUE.test(each))) continue;
    const words = given.map(([, label, each]) => `${label}=${each}`).join(',');
    found[`${metric}${part}${words === '' ? '' : `{${words}}`}`] = Number(value);
  }
  return found;
}
