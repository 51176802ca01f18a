import type { Millis, RouteId } from '../kernel/index.ts';

/**
 * The subject of a count: the id of an App, `account:` and the id of an account, `buyer:` and an address, or `key:` and
 * the id of a key, whose units are counted. An App, an account or a buyer with a space and the name of a rate behind it
 * stands for the calls that count for this rate.
 */
export type UseSubject = string;

/** An instance's usage of one App's or one account's limits on one route. */
export interface AppUseCount {
  readonly subject: UseSubject;
  /** `*` for the units of a key. */
  readonly routeId: RouteId;
  /** Requests, calls or units charged since this instance started counting; never decreases while the instance runs. */
  readonly taken: number;
  readonly running: number;
}

/** The usage of another instance. */
export interface RemoteUse extends AppUseCount {
  readonly instance: string;
}

/** The result of an exchange. */
export interface SharedUseExchange {
  /** The time of the exchange, by the database's clock. */
  readonly at: Millis;
  readonly uses: readonly RemoteUse[];
}

/** Usage that the instances of one database share. */
export interface SharedUseStore {
  /**
   * Publishes this instance's counts. Returns those that others published since its last exchange or within the last
   * seconds, whichever is longer, but at most a minute. An instance that published nothing within the last seconds has
   * no requests in flight.
   *
   * @param lastAt - the time of this instance's last exchange; `null` for its first
   */
  exchange(instance: string, counts: readonly AppUseCount[], lastAt: Millis | null): Promise<SharedUseExchange>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    /** Usage that instances share for the limits of Apps; `null` where only one instance may run. */
    readonly uses: SharedUseStore | null;
  }
}
