import type { Refusal } from '../../../core/index.ts';
import type { Abortable } from '../guard-methods.ts';
import type { PendingResponse } from '../upstream-request.ts';

/** The request that a {@link JoinedRequest} answers. `RequestForwarder` implements it. */
export interface JoinedOwner extends Abortable {
  /** More of an answer has arrived that is not passed on yet. */
  onResponseProgress(): void;
  /** The complete answer. */
  onJoinedResponse(body: Buffer): void;
  /** There is none. @param executed - whether a node may have worked on it */
  onUnjoined(refusal: Refusal, executed: boolean): void;
}

/** A request whose answer is joined from those to several requests. */
export interface JoinedRequest extends PendingResponse {
  start(owner: JoinedOwner): void;
}
