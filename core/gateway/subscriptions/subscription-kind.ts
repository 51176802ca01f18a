import { logFilterKey, readLogFilter } from './log-filter.ts';
import type { LogFilter } from './log-filter.ts';

/** A subscription that clients can share. Those with the same key get the same notifications. */
export type SharedKind =
  | { readonly kind: 'newHeads'; readonly key: string }
  | { readonly kind: 'logs'; readonly key: string; readonly filter: LogFilter }
  | { readonly kind: 'newPendingTransactions'; readonly key: string; readonly full: boolean };

/**
 * The parameters of `eth_subscribe` as a kind that is shared. `null` for every other kind, and for parameters that only
 * a node can judge.
 */
export function readSharedKind(params: unknown): SharedKind | null {
  if (!Array.isArray(params)) return null;
  const [kind, option, ...more] = params as readonly unknown[];
  if (more.length > 0) return null;
  const plain = option === undefined || option === null;
  if (kind === 'newHeads') return plain ? { kind, key: kind } : null;
  if (kind === 'newPendingTransactions') {
    if (!plain && typeof option !== 'boolean') return null;
    const full = option === true;
    return { kind, key: `${kind} ${full}`, full };
  }
  if (kind !== 'logs') return null;
  const filter = readLogFilter(plain ? {} : option);
  return filter === null ? null : { kind, key: `${kind} ${logFilterKey(filter)}`, filter };
}
