/** As much as is read at a time of a reply that is long. */
const LONG_BYTES = 128 * 1024;
/** So many buffers are kept for the next long reply. */
const KEPT = 8;

/**
 * Where replies are read to. Node would allocate 64 KiB for each read, and memory outside of its heap that comes and
 * goes at that rate makes it collect all of its garbage again and again: that took a third of the processor's time.
 */
class ReadBuffers {
  /** Of everybody, for as long as one read is looked at: whatever is to stay must be copied out of it. */
  readonly shared = Buffer.allocUnsafeSlow(32 * 1024);
  readonly #free: Buffer[] = [];

  /** A buffer for one long reply. */
  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(LONG_BYTES);
  }

  /** Gives a buffer back that nobody refers to. */
  give(buffer: Buffer): void {
    if (this.#free.length < KEPT) this.#free.push(buffer);
  }
}

/** The process's own. */
export const readBuffers = new ReadBuffers();
