import type { AppId } from '../kernel/index.ts';
import type { AdmissionVerdict } from './admission.ts';
import type { RefusalReason } from './refusal.ts';
import type { AdmissionMode } from './route.ts';

/** The number of requests of an App on a route with the same verdict. */
export interface AdmissionCount {
  /** The route's host. */
  readonly route: string;
  readonly mode: AdmissionMode;
  readonly verdict: AdmissionVerdict['verdict'];
  /** `none` for allowed requests. */
  readonly reason: RefusalReason | 'none';
  readonly count: number;
}

type Counting = { -readonly [Field in keyof AdmissionCount]: AdmissionCount[Field] };

const MAX_APPS = 10_000;
/** More than all combinations on a dozen routes. Beyond it, an App's new combinations are not counted. */
const MAX_COUNTS = 500;

/** Verdicts by App, route and reason since this instance started. Bounded; the oldest App is removed first. */
export class AdmissionTally {
  readonly #apps = new Map<AppId, Counting[]>();
  readonly #maxApps: number;

  constructor(maxApps = MAX_APPS) {
    this.#maxApps = maxApps;
  }

  add(app: AppId, route: string, { mode, verdict, refusal }: AdmissionVerdict, count = 1): void {
    const counts = this.#apps.get(app) ?? this.#begin(app);
    const reason = refusal?.reason ?? 'none';
    const found = counts.find(
      (each) => each.route === route && each.mode === mode && each.verdict === verdict && each.reason === reason,
    );
    if (found !== undefined) found.count += count;
    else if (counts.length < MAX_COUNTS) counts.push({ route, mode, verdict, reason, count });
  }

  of(app: AppId): readonly AdmissionCount[] {
    return (this.#apps.get(app) ?? []).map((count) => ({ ...count }));
  }

  #begin(app: AppId): Counting[] {
    const [first] = this.#apps.keys();
    if (this.#apps.size >= this.#maxApps && first !== undefined) this.#apps.delete(first);
    const counts: Counting[] = [];
    this.#apps.set(app, counts);
    return counts;
  }
}
