import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { Histogram } from 'prom-client';
import type { Labels, Logger, Metrics } from '../../core/index.ts';
import { BucketHistogram } from './bucket-histogram.ts';
import { seriesKey } from './collected-metrics.ts';
import type { CollectedMetrics } from './collected-metrics.ts';
import { METRIC_TABLE } from './metric-table.ts';
import type { MetricDefinition, MetricKind } from './metric-table.ts';

/** A metric that is not declared so is dropped, with one warning. */
type Instrument =
  | { readonly kind: 'counter'; readonly metric: Counter }
  | { readonly kind: 'gauge'; readonly metric: Gauge }
  /** An application's registry may have a histogram of prom-client by that name. */
  | { readonly kind: 'histogram'; readonly metric: BucketHistogram | Histogram };

/** A declared metric, and the labels that a value is counted under. */
interface Found {
  readonly instrument: Instrument;
  readonly labels: Record<string, string>;
}

interface Series {
  readonly instrument: Instrument;
  readonly labels: readonly string[];
  /** The label values seen so far, joined. */
  readonly seen: Set<string>;
}

/** The label value of all further series when a metric has its maximum. */
const OTHER = 'other';

/** Settings of {@link PromMetrics}; each has a default. */
export interface PromMetricsOptions {
  /** The application's own registry; a new one by default. Metrics that it has already are reused. */
  readonly registry?: Registry;
  /** Adds the metrics of the process: memory, CPU, event loop, garbage collection. */
  readonly processMetrics?: boolean;
  /** The maximum of label values of one metric; further ones are counted together. */
  readonly maxSeries?: number;
  /** More metrics, of plugins or of the embedding application. */
  readonly table?: Readonly<Record<string, MetricDefinition>>;
}

/**
 * {@link Metrics} on prom-client, in its own registry or the application's. Only declared metrics are recorded: an
 * unknown name or label is logged once and dropped, so that no label can contain something unexpected.
 */
export class PromMetrics implements Metrics {
  readonly #registry: Registry;
  readonly #series = new Map<string, Series>();
  readonly #complaints = new Set<string>();
  /** When each gauge was last set: by name, and by its label values. */
  readonly #setAt = new Map<string, Map<string, number>>();
  readonly #logger: Logger;
  readonly #maxSeries: number;
  /** The latest series that was observed: the gateway passes on many values of one in a row, with the same labels. */
  #latest: {
    readonly name: string;
    readonly given: Labels;
    readonly series: { observe(value: number): void } | null;
  } | null = null;

  constructor(
    logger: Logger,
    { processMetrics = true, maxSeries = 500, table = {}, registry = new Registry() }: PromMetricsOptions = {},
  ) {
    this.#registry = registry;
    this.#logger = logger;
    this.#maxSeries = maxSeries;
    for (const [name, definition] of Object.entries<MetricDefinition>({ ...METRIC_TABLE, ...table })) {
      this.#series.set(name, {
        instrument: this.#register(name, definition),
        labels: definition.labels,
        seen: new Set(),
      });
    }
    for (const [name, { labels, from = [] }] of Object.entries<MetricDefinition>({ ...METRIC_TABLE, ...table }))
      for (const value of from) this.count(name, { [labels[0] ?? '']: value }, 0);
    if (processMetrics) collectDefaultMetrics({ register: this.#registry });
  }

  count(name: string, labels: Labels = {}, by = 1): void {
    const found = this.#find(name, 'counter', labels);
    if (found?.instrument.kind === 'counter' && by >= 0) found.instrument.metric.inc(found.labels, by);
  }

  gauge(name: string, value: number, labels: Labels = {}): void {
    const found = this.#find(name, 'gauge', labels);
    if (found?.instrument.kind !== 'gauge') return;
    found.instrument.metric.set(found.labels, value);
    this.#setAt.get(name)?.set(seriesKey(found.labels), Date.now());
  }

  observe(name: string, value: number, labels: Labels = {}): void {
    let latest = this.#latest;
    if (latest === null || latest.name !== name || latest.given !== labels) {
      const found = this.#find(name, 'histogram', labels);
      const series = found?.instrument.kind === 'histogram' ? found.instrument.metric.labels(found.labels) : null;
      latest = { name, given: labels, series };
      this.#latest = latest;
    }
    latest.series?.observe(value);
  }

  /** All metrics in Prometheus' text format. */
  async text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** All metrics as data, which `MetricsOfProcesses` aggregates with those of other processes. */
  async collect(): Promise<CollectedMetrics> {
    const all = (await this.#registry.getMetricsAsJSON()) as unknown as CollectedMetrics;
    return all.map((metric) => {
      const times = this.#setAt.get(metric.name);
      if (times === undefined) return metric;
      const values = metric.values.map((each) => ({ ...each, at: times.get(seriesKey(each.labels)) ?? 0 }));
      return { ...metric, values };
    });
  }

  /** The content type of {@link text}. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  #register(name: string, { kind, help, labels, buckets, together = 'latest' }: MetricDefinition): Instrument {
    const known = this.#registry.getSingleMetric(name);
    if (known !== undefined) return { kind, metric: known } as Instrument;
    const common = { name, help, labelNames: [...labels], registers: [this.#registry] };
    if (kind === 'counter') return { kind, metric: new Counter(common) };
    if (kind === 'gauge') {
      if (together === 'latest') this.#setAt.set(name, new Map());
      return { kind, metric: new Gauge({ ...common, aggregator: together === 'latest' ? 'first' : together }) };
    }
    const metric = new BucketHistogram({ name, help, labelNames: labels, buckets });
    // The type of a metric in a registry is the one of its class with all methods.
    this.#registry.registerMetric(metric as unknown as Histogram);
    return { kind, metric };
  }

  #find(name: string, kind: MetricKind, labels: Labels): Found | null {
    const series = this.#series.get(name);
    const given = Object.keys(labels);
    if (
      series?.instrument.kind !== kind ||
      given.length !== series.labels.length ||
      !series.labels.every((label) => given.includes(label))
    ) {
      this.#complain(name, kind, given);
      return null;
    }
    return { instrument: series.instrument, labels: this.#bounded(series, labels) };
  }

  #bounded({ seen, labels: names }: Series, labels: Labels): Record<string, string> {
    const key = names.map((name) => labels[name]).join('\0');
    if (!seen.has(key)) {
      if (seen.size >= this.#maxSeries) return Object.fromEntries(names.map((name) => [name, OTHER]));
      seen.add(key);
    }
    return { ...labels };
  }

  #complain(name: string, kind: MetricKind, labels: readonly string[]): void {
    const key = `${kind} ${name} ${labels.join(',')}`;
    if (this.#complaints.has(key) || this.#complaints.size >= this.#maxSeries) return;
    this.#complaints.add(key);
    this.#logger.warn('undeclared metric dropped', { metric: name, kind, labels });
  }
}
