import { AdmissionTally } from '../../core/index.ts';
import type { AdmissionCount, AdmissionVerdict, AppId, Labels, Metrics, NodeFault } from '../../core/index.ts';
import type { HedgeOutcome } from './reads/hedged-request.ts';
import { UpstreamTimes } from './upstream-times.ts';
import type { TimeSeries } from './upstream-times.ts';
import type { Upstream } from './upstream.ts';

/** The metrics of one request. */
export interface RequestStats {
  /** The route's host; `unknown` without a route. */
  readonly route: string;
  /** The App's id; `none` before a key was accepted. */
  readonly app: string;
  readonly status: number;
  readonly seconds: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

interface Pending {
  readonly name: string;
  readonly labels: Labels;
  count: number;
}

interface VerdictCount {
  readonly mode: AdmissionVerdict['mode'];
  readonly verdict: AdmissionVerdict['verdict'];
  readonly reason: string;
  count: number;
}

/** The counts of one App on one route. They are found by existing names, without building new strings. */
class AppCounts {
  readonly requests = new Map<number, number>();
  readonly admission: VerdictCount[] = [];
  bytesIn = 0;
  bytesOut = 0;
}

/** The requests of an App on a route that were admitted alike and answered with 200, since the last flush. */
export class AnsweredCounts {
  readonly route: string;
  readonly app: AppId;
  readonly admission: AdmissionVerdict;
  requests = 0;
  bytesIn = 0;
  bytesOut = 0;

  constructor(route: string, app: AppId, admission: AdmissionVerdict) {
    this.route = route;
    this.app = app;
    this.admission = admission;
  }
}

const FLUSH_MS = 500;
const MAX_PENDING = 5_000;
/**
 * This many durations of a route are recorded together: consecutive ones take half the time, and no turn takes long.
 */
const DURATIONS = 256;

/**
 * The gateway's metrics. Counts are added up here and passed on twice a second: passing on each one would cost more
 * than the checks of a request.
 */
export class GatewayMetrics {
  readonly #metrics: Metrics;
  readonly #tally = new AdmissionTally();
  readonly #open = new Map<string, number>();
  #cacheBytes = 0;
  /** By route and App. */
  #apps = new Map<string, Map<string, AppCounts>>();
  #appCounts = 0;
  /** The durations of completed requests, in seconds, by route. */
  readonly #durations = new Map<string, number[]>();
  readonly #pending = new Map<string, Pending>();
  /** Those with requests. */
  #answered: AnsweredCounts[] = [];
  /** The durations of requests to upstreams that are passed on at the next flush. */
  readonly #times: TimeSeries[] = [];
  readonly #timesSink = {
    list: (series: TimeSeries) => void this.#times.push(series),
    pass: (series: TimeSeries) => this.#passTimes(series),
  };
  readonly #timer = setInterval(() => this.flush(), FLUSH_MS).unref();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  request({ route, app, status, seconds, bytesIn, bytesOut }: RequestStats): void {
    const counts = this.#of(route, app);
    counts.requests.set(status, (counts.requests.get(status) ?? 0) + 1);
    counts.bytesIn += bytesIn;
    counts.bytesOut += bytesOut;
    this.#took(route, seconds);
  }

  /** As {@link admission} and {@link request}. */
  answered(counts: AnsweredCounts, seconds: number, bytesIn: number, bytesOut: number): void {
    if (counts.requests === 0) this.#answered.push(counts);
    counts.requests += 1;
    counts.bytesIn += bytesIn;
    counts.bytesOut += bytesOut;
    this.#took(counts.route, seconds);
  }

  bytes(route: string, app: string, bytesIn: number, bytesOut: number): void {
    const counts = this.#of(route, app);
    counts.bytesIn += bytesIn;
    counts.bytesOut += bytesOut;
  }

  admission(route: string, app: AppId, admission: AdmissionVerdict, count = 1): void {
    const { mode, verdict, refusal } = admission;
    const reason = refusal?.reason ?? 'none';
    this.#tally.add(app, route, admission, count);
    const counts = this.#of(route, app).admission;
    const found = counts.find((each) => each.mode === mode && each.verdict === verdict && each.reason === reason);
    if (found === undefined) counts.push({ mode, verdict, reason, count });
    else found.count += count;
  }

  coalescedRead(route: string, outcome: 'joined' | 'answered' | 'alone'): void {
    this.#add('tillgate_gateway_shared_reads_total', `${route} ${outcome}`, 1, () => ({ route, outcome }));
  }

  cachedRead(route: string, outcome: 'hit' | 'miss', cacheBytes: number): void {
    this.#cacheBytes = cacheBytes;
    this.#add('tillgate_gateway_cached_reads_total', `${route} ${outcome}`, 1, () => ({ route, outcome }));
  }

  sharedCacheRead(route: string, outcome: 'hit' | 'miss' | 'failed'): void {
    this.#add('tillgate_gateway_shared_cache_reads_total', `${route} ${outcome}`, 1, () => ({ route, outcome }));
  }

  hedge(route: string, outcome: HedgeOutcome | 'over_budget' | 'no_upstream'): void {
    this.#add('tillgate_gateway_hedges_total', `${route} ${outcome}`, 1, () => ({ route, outcome }));
  }

  /** A node did not answer a request. */
  fault(route: string, upstream: string, reason: NodeFault): void {
    this.#add('tillgate_upstream_faults_total', `${route} ${upstream} ${reason}`, 1, () => ({
      route,
      upstream,
      reason,
    }));
  }

  /** Where the durations of requests to an upstream are recorded. @param route - the route's present host */
  timesOf(route: string, upstream: Upstream): UpstreamTimes {
    if (upstream.times?.route !== route) upstream.times = new UpstreamTimes(this.#timesSink, route, upstream.host);
    return upstream.times;
  }

  upstream(route: string, upstream: string, up: boolean): void {
    this.#metrics.gauge('tillgate_gateway_upstream_up', up ? 1 : 0, { route, upstream });
  }

  connections(route: string, change: 1 | -1): void {
    const open = (this.#open.get(route) ?? 0) + change;
    this.#open.set(route, open);
    this.#metrics.gauge('tillgate_gateway_websockets', open, { route });
  }

  tally(app: AppId): readonly AdmissionCount[] {
    this.#addAnswered();
    return this.#tally.of(app);
  }

  flush(): void {
    this.#addAnswered();
    for (const [route, apps] of this.#apps) for (const [app, counts] of apps) this.#pass(route, app, counts);
    this.#apps = new Map();
    this.#appCounts = 0;
    for (const [route, durations] of this.#durations) this.#observe(route, durations);
    this.#durations.clear();
    for (const series of this.#times.splice(0)) {
      series.listed = false;
      this.#passTimes(series);
    }
    for (const { name, labels, count } of this.#pending.values()) this.#metrics.count(name, labels, count);
    this.#pending.clear();
    if (this.#cacheBytes > 0) this.#metrics.gauge('tillgate_gateway_read_cache_bytes', this.#cacheBytes);
  }

  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }

  #addAnswered(): void {
    const answered = this.#answered;
    this.#answered = [];
    for (const each of answered) {
      const { route, app, admission, requests, bytesIn, bytesOut } = each;
      each.requests = 0;
      each.bytesIn = 0;
      each.bytesOut = 0;
      this.admission(route, app, admission, requests);
      const counts = this.#of(route, app);
      counts.requests.set(200, (counts.requests.get(200) ?? 0) + requests);
      counts.bytesIn += bytesIn;
      counts.bytesOut += bytesOut;
    }
  }

  #took(route: string, seconds: number): void {
    const durations = this.#durations.get(route);
    if (durations === undefined) this.#durations.set(route, [seconds]);
    else if (durations.push(seconds) >= DURATIONS) this.#observe(route, durations.splice(0));
  }

  #observe(route: string, durations: readonly number[]): void {
    const labels = { route };
    for (const seconds of durations) this.#metrics.observe('tillgate_gateway_request_seconds', seconds, labels);
  }

  #passTimes(series: TimeSeries): void {
    const { labels, seconds } = series;
    for (let n = 0; n < series.count; n++)
      this.#metrics.observe('tillgate_upstream_request_seconds', seconds[n] as number, labels);
    series.count = 0;
  }

  #of(route: string, app: string): AppCounts {
    return this.#apps.get(route)?.get(app) ?? this.#begin(route, app);
  }

  #begin(route: string, app: string): AppCounts {
    if (this.#appCounts >= MAX_PENDING) this.flush();
    const counts = new AppCounts();
    const apps = this.#apps.get(route) ?? new Map<string, AppCounts>();
    this.#apps.set(route, apps.set(app, counts));
    this.#appCounts += 1;
    return counts;
  }

  #pass(route: string, app: string, { requests, admission, bytesIn, bytesOut }: AppCounts): void {
    const metrics = this.#metrics;
    for (const [status, count] of requests)
      metrics.count('tillgate_gateway_requests_total', { route, app, status: String(status) }, count);
    for (const { mode, verdict, reason, count } of admission)
      metrics.count('tillgate_gateway_admission_total', { route, app, mode, verdict, reason }, count);
    for (const [direction, bytes] of Object.entries({ in: bytesIn, out: bytesOut }))
      if (bytes > 0) metrics.count('tillgate_gateway_bytes_total', { route, app, direction }, bytes);
  }

  #add(name: string, series: string, by: number, labels: () => Labels): void {
    const key = `${name} ${series}`;
    const pending = this.#pending.get(key);
    if (pending !== undefined) {
      pending.count += by;
      return;
    }
    if (this.#pending.size >= MAX_PENDING) this.flush();
    this.#pending.set(key, { name, labels: labels(), count: by });
  }
}
