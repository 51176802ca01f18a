/** Reads Bitcoin's serialisation from a buffer. Reading past the end throws `RangeError`. */
export class WireReader {
  at = 0;

  constructor(readonly bytes: Buffer) {}

  skip(count: number): number {
    const from = this.at;
    if (count > this.bytes.length - from) throw new RangeError('the bytes end too early');
    this.at = from + count;
    return from;
  }

  byte(): number {
    return this.bytes[this.skip(1)] as number;
  }

  /** A CompactSize, the format of lengths and counts. */
  size(): number {
    const first = this.byte();
    if (first < 0xfd) return first;
    if (first === 0xfd) return this.bytes.readUInt16LE(this.skip(2));
    if (first === 0xfe) return this.bytes.readUInt32LE(this.skip(4));
    // No block contains this many bytes.
    throw new RangeError('a length beyond 32 bits');
  }
}
