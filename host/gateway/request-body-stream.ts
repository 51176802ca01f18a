import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

const HIGH_WATER_BYTES = 64 * 1024;

/** The events of every request body, read as a whole or streamed. */
export interface BodyStreamHandler {
  /** Bytes of the body arrived. Return false to stop reading a body that is not streamed; nothing more is reported of it. */
  onRequestData(bytes: number): boolean;
  /** The body exceeds its limit; nothing more is reported of it. */
  onRequestTooLarge(): void;
}

/**
 * A request's body on its way to an upstream. The upstream may destroy it without closing the client's connection, so
 * that the client can still be answered.
 */
export class RequestBodyStream extends Readable {
  readonly #req: IncomingMessage;
  readonly #onData: (chunk: Buffer) => void;
  #ended = false;
  readonly #onEnd = (): void => {
    this.#ended = true;
    this.push(null);
  };

  constructor(
    req: IncomingMessage,
    first: readonly Buffer[],
    received: number,
    maxBytes: number,
    handler: BodyStreamHandler,
  ) {
    super({ highWaterMark: HIGH_WATER_BYTES });
    this.#req = req;
    let size = received;
    this.#onData = (chunk) => {
      size += chunk.length;
      handler.onRequestData(chunk.length);
      if (size > maxBytes) {
        this.#release();
        handler.onRequestTooLarge();
      } else if (!this.push(chunk)) req.pause();
    };
    for (const chunk of first) this.push(chunk);
    req.on('data', this.#onData).on('end', this.#onEnd).pause();
  }

  /** True while it waits for bytes of the client. */
  get starved(): boolean {
    return !this.#ended && !this.#req.isPaused();
  }

  override _read(): void {
    this.#req.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#release();
    callback(error);
  }

  #release(): void {
    this.#req.off('data', this.#onData).off('end', this.#onEnd);
  }
}
