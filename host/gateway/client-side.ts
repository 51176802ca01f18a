import type { Refusal } from '../../core/index.ts';
import type { BodyLimits, BodyListener } from './body-reader.ts';
import type { Visit } from './visit.ts';

/** Who is told what a client does while its request is under way. */
export interface ClientListener {
  /** It left; nothing can be written any more. */
  left(): void;
  /** It takes more again. */
  drained(): void;
  /** Its request took longer than any may. */
  late(): void;
}

/** The client of an exchange, whatever reads and writes its bytes. */
export interface ClientSide {
  /** True once all of the request was read. */
  readonly complete: boolean;
  /** True while it does not take what there is for it. */
  readonly blocked: boolean;
  /** True while a chunk that was written may still be referred to. */
  readonly holding: boolean;
  /** `null` for nobody any more. */
  listen(listener: ClientListener | null): void;
  /** Says that the body is wanted. */
  sayContinue(): void;
  readBody(limits: BodyLimits, listener: BodyListener): void;
  /**
   * Writes a reply that is there as a whole.
   *
   * @param headers - names and values in turn
   * @param idleMs - how long the client may take nothing of it
   */
  whole(status: number, headers: string[], body: readonly Buffer[], size: number, idleMs: number): void;
  /**
   * Begins a reply whose body follows. False when it could not be written: the connection has ended.
   *
   * @param headers - names and values in turn
   * @param measured - whether its end is known without a framing of our own: by a length, or as there is no body
   */
  begin(status: number, headers: string[], measured: boolean): boolean;
  /** False when it is to be waited for. */
  write(chunk: Buffer): boolean;
  /**
   * The reply is complete.
   *
   * @param idleMs - how long the client may take nothing of what is left for it
   */
  end(idleMs: number): void;
  /** Answers with a refusal. One that comes `early`, before the body was read, closes the connection. */
  refuse(refusal: Refusal, visit: Visit, early: boolean): void;
  /** Ends the connection now. */
  destroy(): void;
}
