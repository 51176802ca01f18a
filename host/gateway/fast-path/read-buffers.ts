/** How much of a long response is read at a time. */
const LONG_BYTES = 128 * 1024;
/** How many free buffers are kept. */
const MAX_FREE = 8;
const OVERWRITTEN = 0xdb;

/**
 * The buffers that responses are read into. By default Node allocates 64 KiB for each read. Memory outside of its heap
 * that comes and goes at that rate makes it collect all garbage again and again, which took a third of the CPU time.
 */
class ReadBuffers {
  /**
   * For tests: bytes that are no longer valid are overwritten at once, and not some time later by another response, so that
   * whoever still reads them is found out.
   */
  overwrites = false;
  /** Common to all connections, and valid only while one read is processed: bytes to keep must be copied. */
  readonly shared = Buffer.allocUnsafeSlow(32 * 1024);
  readonly #free: Buffer[] = [];

  /** A buffer for one long response. */
  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(LONG_BYTES);
  }

  /** Returns a buffer that nothing references any more. */
  give(buffer: Buffer): void {
    this.invalidate(buffer);
    if (this.#free.length < MAX_FREE) this.#free.push(buffer);
  }

  /** Bytes that nothing references any more, and the next read overwrites. */
  invalidate(bytes: Buffer): void {
    if (this.overwrites) bytes.fill(OVERWRITTEN);
  }
}

export const readBuffers = new ReadBuffers();
