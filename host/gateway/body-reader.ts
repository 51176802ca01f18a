import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** What becomes of a body; each is called at most once, and nothing after it. */
export interface BodyListener {
  /** The body, complete. */
  whole(body: Buffer): void;
  /** It is larger than what is kept; the rest is to be had from the stream. */
  larger(stream: BodyStream): void;
  tooLarge(): void;
  /** Something came; false when it is to be the last. */
  progress(bytes: number): boolean;
}

/** How much is kept, and how much is taken at all. */
export interface BodyLimits {
  readonly keepBytes: number;
  readonly maxBytes: number;
}

/** Reads a request's body: whole where it is small, as a stream where it is not. */
export function readBody(req: IncomingMessage, limits: BodyLimits, listener: BodyListener): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = (): void => {
    req.off('data', onData).off('end', onEnd);
  };
  const onEnd = (): void => {
    stop();
    const [first] = chunks;
    listener.whole(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size));
  };
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    chunks.push(chunk);
    if (!listener.progress(chunk.length)) {
      stop();
    } else if (size > limits.maxBytes) {
      stop();
      listener.tooLarge();
    } else if (size > limits.keepBytes) {
      stop();
      req.pause();
      listener.larger(new BodyStream(req, chunks, size, limits.maxBytes, listener));
    }
  };
  req.on('data', onData).on('end', onEnd);
}

/**
 * A request's body on its way to an upstream, which may destroy it: the request itself, and with it the client's
 * connection, outlives that, so that the client can still be answered.
 */
export class BodyStream extends Readable {
  readonly #req: IncomingMessage;
  readonly #onData: (chunk: Buffer) => void;
  #ended = false;
  readonly #onEnd = (): void => {
    this.#ended = true;
    this.push(null);
  };

  constructor(req: IncomingMessage, first: readonly Buffer[], had: number, maxBytes: number, listener: Pick<BodyListener, 'progress' | 'tooLarge'>) {
    super({ highWaterMark: 64 * 1024 });
    this.#req = req;
    let size = had;
    this.#onData = (chunk) => {
      size += chunk.length;
      listener.progress(chunk.length);
      if (size > maxBytes) {
        this.#release();
        listener.tooLarge();
      } else if (!this.push(chunk)) req.pause();
    };
    for (const chunk of first) this.push(chunk);
    req.on('data', this.#onData).on('end', this.#onEnd).pause();
  }

  /** True while it waits for the client. */
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
