/** The size of a buffer for a long response. */
const LONG_BYTES = 128 * 1024;
const MAX_FREE = 8;
const OVERWRITTEN = 0xdb;

/**
 * The buffers that responses are read into. By default Node allocates 64 KiB for each read. Memory outside its heap
 * that comes and goes at that rate causes frequent full garbage collections, which took a third of the CPU time.
 */
class ReadBuffers {
  /** For tests: overwrites invalid bytes at once instead of by a later response, to expose code that reads them. */
  overwrites = false;
  /** Shared by all connections, and valid only while one read is processed: copy bytes to keep. */
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

  /** Marks bytes that nothing references any more and that the next read overwrites. */
  invalidate(bytes: Buffer): void {
    if (this.overwrites) bytes.fill(OVERWRITTEN);
  }
}

export const readBuffers = new ReadBuffers();
