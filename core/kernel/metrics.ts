import { token } from './token.ts';

/** Label values; never a key, an address or any other value without a fixed set. */
export type Labels = Readonly<Record<string, string>>;

/** Counters, gauges and histograms, by name. */
export interface Metrics {
  count(name: string, labels?: Labels, by?: number): void;
  gauge(name: string, value: number, labels?: Labels): void;
  observe(name: string, value: number, labels?: Labels): void;
}

export const METRICS = token<Metrics>('Metrics');
