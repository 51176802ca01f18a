import type { OwnHeaders, RouteProtocol } from '../../core/index.ts';

/** A request's target and key, read and found in order. */
export interface Opened {
  /** Path and query without the key. */
  readonly rest: string;
  /** A secret: never to be logged, measured or sent. */
  readonly keyText: string;
}

/**
 * What follows from a request's head and the route's settings, and from nothing that changes: for a client that sends
 * the same head again it is worked out once. Whether the key is good, and the request admitted, is none of that.
 */
export interface Memo {
  protocol: RouteProtocol | null;
  opened: Opened | null;
  /** The upstream's own headers that `headers` were made with. */
  own: OwnHeaders | null;
  headers: readonly string[] | null;
}

export function newMemo(): Memo {
  return { protocol: null, opened: null, own: null, headers: null };
}
