import type { CollectedMetric, CollectedValue } from './collected-metrics.ts';

/** Settings of a {@link BucketHistogram}. */
export interface BucketHistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Upper bounds in ascending order; those of prom-client by default. */
  readonly buckets?: readonly number[] | undefined;
}

const DEFAULT_BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The values that were observed with one set of labels. */
export class HistogramSeries {
  readonly #labels: Readonly<Record<string, string>>;
  readonly #buckets: readonly number[];
  /** The values of each bucket alone; the last number is that of the values above all bounds. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(labels: Readonly<Record<string, string>>, buckets: readonly number[]) {
    this.#labels = labels;
    this.#buckets = buckets;
    this.#counts = new Float64Array(buckets.length + 1);
  }

  /** @throws TypeError for a value that is no finite number */
  observe(value: number): void {
    if (!Number.isFinite(value)) throw new TypeError(`Value is not a valid number: ${value}`);
    const buckets = this.#buckets;
    let at = 0;
    while (at < buckets.length && value > (buckets[at] as number)) at += 1;
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#sum += value;
  }

  get empty(): boolean {
    return this.#counts.every((count) => count === 0);
  }

  reset(): void {
    this.#counts.fill(0);
    this.#sum = 0;
  }

  /** As prom-client reports a histogram's values: the count of a bucket includes those below it. */
  values(name: string): readonly CollectedValue[] {
    const labels = this.#labels;
    let count = 0;
    const buckets = [...this.#counts].map((own, at) => {
      count += own;
      return { metricName: `${name}_bucket`, labels: { le: this.#buckets[at] ?? '+Inf', ...labels }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: { ...labels }, value: this.#sum },
      { metricName: `${name}_count`, labels: { ...labels }, value: count },
    ];
  }
}

/**
 * A histogram in a registry of prom-client, which reads no more of a metric than is here. A series is looked up once for
 * many values, where prom-client's own histogram makes a new text of the labels for each value.
 */
export class BucketHistogram {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly #labelNames: readonly string[];
  readonly #buckets: readonly number[];
  readonly #series = new Map<string, HistogramSeries>();

  constructor({ name, help, labelNames, buckets = DEFAULT_BUCKETS }: BucketHistogramOptions) {
    this.name = name;
    this.help = help;
    this.#labelNames = labelNames;
    this.#buckets = buckets;
    // One without labels is reported before its first value.
    if (labelNames.length === 0) this.labels({});
  }

  /** The series with these labels; they have a value for each of the histogram's label names. */
  labels(labels: Readonly<Record<string, string>>): HistogramSeries {
    const key = this.#labelNames.map((name) => labels[name]).join('\0');
    const found = this.#series.get(key);
    if (found !== undefined) return found;
    const series = new HistogramSeries(labels, this.#buckets);
    this.#series.set(key, series);
    return series;
  }

  get(): Promise<CollectedMetric> {
    const { name, help, type, aggregator } = this;
    const labelled = this.#labelNames.length > 0;
    const values: CollectedValue[] = [];
    for (const series of this.#series.values()) if (!labelled || !series.empty) values.push(...series.values(name));
    return Promise.resolve({ name, help, type, aggregator, values });
  }

  /** Empties the series, which are in use. */
  reset(): void {
    for (const series of this.#series.values()) series.reset();
  }
}
