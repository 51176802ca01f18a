/** One value of a metric. */
export interface CollectedValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** For a histogram: `…_bucket`, `…_sum` or `…_count`. */
  readonly metricName?: string;
  /** For a gauge whose latest value counts: the time at which it was set, in epoch milliseconds. */
  readonly at?: number;
}

/** A metric with all its values. */
export interface CollectedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  /** How prom-client aggregates the values of several processes. */
  readonly aggregator: string;
  readonly values: readonly CollectedValue[];
}

/** The metrics of one process, which can be sent as JSON. */
export type CollectedMetrics = readonly CollectedMetric[];

/** The labels as one text, whatever their order. */
export function seriesKey(labels: CollectedValue['labels']): string {
  return JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
