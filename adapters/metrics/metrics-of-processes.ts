import { AggregatorRegistry } from 'prom-client';
import { seriesKey } from './collected-metrics.ts';
import type { CollectedMetric, CollectedMetrics, CollectedValue } from './collected-metrics.ts';

/**
 * Combines the metrics of several processes into those of one server. Counters and histograms are sums that never
 * decrease: the last known values of a process stay in the sum after its end. (Otherwise Prometheus would take the
 * smaller sum for a counter that restarted at 0, and count it all once more.) For a gauge about the till, the value
 * that was set last counts.
 */
export class MetricsOfProcesses {
  readonly #last = new Map<number, CollectedMetrics>();
  #ended: CollectedMetrics = [];
  #ending: Promise<void> = Promise.resolve();

  /** Takes the latest metrics of a process. */
  note(process: number, metrics: CollectedMetrics): void {
    this.#last.set(process, metrics);
  }

  /** Removes a process that has ended: its counts stay, its gauges go. */
  end(process: number): Promise<void> {
    const end = (): Promise<void> => this.#end(process);
    // One after another, since each adds to the result of the previous one.
    this.#ending = this.#ending.then(end, end);
    return this.#ending;
  }

  async #end(process: number): Promise<void> {
    const last = this.#last.get(process);
    if (last === undefined) return;
    const kept = last.filter((metric) => accumulates(metric) || metric.values.some(({ at }) => at !== undefined));
    const ended = await together([this.#ended, kept]);
    // Both at once: a scrape in between would miss it, or have it twice.
    this.#ended = ended;
    this.#last.delete(process);
  }

  /** All of them in Prometheus' text format. */
  async text(): Promise<string> {
    const newest = onlyNewest([this.#ended, ...this.#last.values()]);
    return AggregatorRegistry.aggregate(newest as object[]).metrics();
  }
}

const accumulates = ({ type }: CollectedMetric): boolean => type === 'counter' || type === 'histogram';

async function together(all: readonly CollectedMetrics[]): Promise<CollectedMetrics> {
  const newest = onlyNewest(all);
  const times = new Map(
    newest.flat().flatMap((metric) => metric.values.map((value) => [keyOf(metric, value), value.at])),
  );
  const merged = await AggregatorRegistry.aggregate(newest as object[]).getMetricsAsJSON();
  return (merged as unknown as CollectedMetrics).map((metric) => ({
    ...metric,
    values: metric.values.map((value) => {
      const at = times.get(keyOf(metric, value));
      return at === undefined ? value : { ...value, at };
    }),
  }));
}

/** Keeps only the newest of the values that have a time. */
function onlyNewest(all: readonly CollectedMetrics[]): readonly CollectedMetrics[] {
  const newest = new Map<string, CollectedValue>();
  const timed = all.flat().flatMap((metric) => metric.values.map((value) => [keyOf(metric, value), value] as const));
  for (const [key, value] of timed) if ((value.at ?? -1) > (newest.get(key)?.at ?? -1)) newest.set(key, value);
  const counts = (metric: CollectedMetric, value: CollectedValue): boolean =>
    value.at === undefined || newest.get(keyOf(metric, value)) === value;
  return all.map((metrics) =>
    metrics.map((metric) => ({ ...metric, values: metric.values.filter((value) => counts(metric, value)) })),
  );
}

const keyOf = ({ name }: CollectedMetric, { labels, metricName }: CollectedValue): string =>
  `${name} ${metricName ?? ''} ${seriesKey(labels)}`;
