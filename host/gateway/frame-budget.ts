/** The maximum number of frames per second with no message or a tiny fragment of one. */
const MAX_PER_SECOND = 100;
/** Clients that fragment their messages do so in pieces of a kilobyte and more. */
const SMALL_FRAGMENT_BYTES = 128;

const FIN = 0x80;
const CONTROL = 0x08;
const OPCODE = 0x0f;
const MASKED = 0x80;
const LENGTH = 0x7f;
const MASK_BYTES = 4;

/**
 * Counts the frames of one side of a WebSocket that carry little: control frames, empty messages and small fragments.
 * Each costs as much as a request, and no limit counts it. Only the frames' heads are read (RFC 6455, section 5.2).
 */
export class FrameBudget {
  /** The head of the frame that is being read: at most two bytes and a length of eight. */
  readonly #head = new DataView(new ArrayBuffer(10));
  #headBytes = 0;
  /** Bytes of the current frame that have not arrived yet. */
  #left = 0;
  #count = 0;
  #since = -Infinity;

  /**
   * Returns false once there were too many; the rest of the chunk is not read, because the connection ends.
   *
   * @param chunk - the next bytes of the connection
   * @param now - in milliseconds
   */
  take(chunk: Uint8Array, now: number): boolean {
    if (now - this.#since >= 1000) {
      this.#since = now;
      this.#count = 0;
    }
    for (let at = 0; at < chunk.length;) {
      if (this.#left > 0) {
        const size = Math.min(this.#left, chunk.length - at);
        this.#left -= size;
        at += size;
      } else {
        this.#head.setUint8(this.#headBytes, chunk[at] as number);
        this.#headBytes += 1;
        at += 1;
        if (this.#headBytes > 1) this.#readHead();
        if (this.#count > MAX_PER_SECOND) return false;
      }
    }
    return true;
  }

  #readHead(): void {
    const head = this.#head;
    const length = head.getUint8(1) & LENGTH;
    const size = length < 126 ? 2 : length === 126 ? 4 : 10;
    if (this.#headBytes < size) return;
    const payload = size === 2 ? length : size === 4 ? head.getUint16(2) : Number(head.getBigUint64(2));
    if (isOverhead(head.getUint8(0), payload)) this.#count += 1;
    this.#left = payload + ((head.getUint8(1) & MASKED) === 0 ? 0 : MASK_BYTES);
    this.#headBytes = 0;
  }
}

/** The last fragment of a message may be small, because its first one was not. */
function isOverhead(first: number, payload: number): boolean {
  if ((first & CONTROL) !== 0) return true;
  if ((first & FIN) === 0) return payload < SMALL_FRAGMENT_BYTES;
  return payload === 0 && (first & OPCODE) !== 0;
}
