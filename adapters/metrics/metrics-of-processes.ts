import { AggregatorRegistry } from 'prom-client';
import { seriesKey } from './collected-metrics.ts';
import type { CollectedMetric, CollectedMetrics, CollectedValue } from './collected-metrics.ts';

/**
 * The metrics of several processes as those of one server. Counters and histograms are sums that never go back: what a process
 * had counted when it was last asked stays in the sum after its end. (Without it Prometheus would take the smaller sum for a
 * counter that began anew at 0, and add all of it once more.) Of a fact of the till the value that was set last counts.
 */
export class MetricsOfProcesses {
  readonly #last = new Map<number, CollectedMetrics>();
  #ended: CollectedMetrics = [];
  #ending: Promise<void> = Promise.resolve();

  /** Takes what a process has measured so far. */
  note(process: number, metrics: CollectedMetrics): void {
    this.#last.set(process, metrics);
  }

  /** The process has ended: what it counted stays, what it held itself is gone. */
  end(process: number): Promise<void> {
    const end = (): Promise<void> => this.#end(process);
    // One after the other: each adds to what the one before has left.
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

/** Leaves of each value that knows when it was set the newest one only. */
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
