import type { Labels, MethodClass } from '../../core/index.ts';

/** What became of a request to an upstream. */
export const UPSTREAM_OUTCOMES = ['succeeded', 'refused', 'fault', 'failed', 'timeout', 'cancelled'] as const;
export type UpstreamOutcome = (typeof UPSTREAM_OUTCOMES)[number];

/** Durations that are kept until they are passed on. */
const KEPT = 64;

/** The latest durations of one series, in seconds. */
export interface TimeSeries {
  readonly labels: Labels;
  readonly seconds: Float64Array;
  count: number;
  /** Whether it is passed on at the next flush. */
  listed: boolean;
}

/** Where durations are passed on. */
export interface TimesSink {
  /** Adds a series, whose durations are passed on at the next flush. */
  list(series: TimeSeries): void;
  /** Passes its durations on at once and empties it. */
  pass(series: TimeSeries): void;
}

/** The durations of the requests of one method class to an upstream. */
export class ClassTimes {
  readonly #sink: TimesSink;
  readonly #labels: Labels;
  readonly #series = new Map<UpstreamOutcome, TimeSeries>();

  constructor(sink: TimesSink, labels: Labels) {
    this.#sink = sink;
    this.#labels = labels;
  }

  record(outcome: UpstreamOutcome, seconds: number): void {
    const series = this.#series.get(outcome) ?? this.#begin(outcome);
    series.seconds[series.count] = seconds;
    series.count += 1;
    if (!series.listed) {
      series.listed = true;
      this.#sink.list(series);
    } else if (series.count === KEPT) this.#sink.pass(series);
  }

  #begin(outcome: UpstreamOutcome): TimeSeries {
    const labels = { ...this.#labels, outcome };
    const series = { labels, seconds: new Float64Array(KEPT), count: 0, listed: false };
    this.#series.set(outcome, series);
    return series;
  }
}

/** The durations of the requests to one upstream. */
export class UpstreamTimes {
  readonly route: string;
  readonly #sink: TimesSink;
  readonly #upstream: string;
  readonly #classes = new Map<MethodClass, ClassTimes>();

  /** @param upstream - `name:port` */
  constructor(sink: TimesSink, route: string, upstream: string) {
    this.#sink = sink;
    this.route = route;
    this.#upstream = upstream;
  }

  of(methodClass: MethodClass): ClassTimes {
    return this.#classes.get(methodClass) ?? this.#begin(methodClass);
  }

  #begin(methodClass: MethodClass): ClassTimes {
    const labels = { route: this.route, upstream: this.#upstream, method_class: methodClass };
    const times = new ClassTimes(this.#sink, labels);
    this.#classes.set(methodClass, times);
    return times;
  }
}
