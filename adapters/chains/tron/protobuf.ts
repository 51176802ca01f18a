/** The two wire types (Protocol Buffers, "Encoding") that Tron's transactions use. */
const VARINT = 0;
const BYTES = 2;
const MAX_VARINT_BYTES = 10;
/** `int64` is 64 bits on the wire, for either sign. */
const WORD = 1n << 64n;
const MAX_INT64 = (1n << 63n) - 1n;

/** A field of a message in wire format. */
export interface ProtoField {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

/** A whole number from 0 to 2^63 - 1. Zero is omitted, as proto3 requires. */
export function intField(number: number, value: bigint): Uint8Array {
  if (value < 0n || value > MAX_INT64) throw new RangeError('a number beyond 64 bits');
  return value === 0n ? new Uint8Array() : Buffer.concat([varint(BigInt((number << 3) | VARINT)), varint(value)]);
}

/** Bytes, text or a nested message. Empty ones are omitted. */
export function bytesField(number: number, value: Uint8Array): Uint8Array {
  if (value.length === 0) return new Uint8Array();
  return Buffer.concat([varint(BigInt((number << 3) | BYTES)), varint(BigInt(value.length)), value]);
}

/** Concatenates fields in the order of their numbers, so that each message has exactly one encoding. */
export function message(...fields: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(fields));
}

/** @throws RangeError when the bytes are not a message of varints and bytes */
export function readFields(bytes: Uint8Array): readonly ProtoField[] {
  const fields: ProtoField[] = [];
  let at = 0;
  const next = (): bigint => {
    const [value, end] = readVarint(bytes, at);
    at = end;
    return value;
  };
  while (at < bytes.length) {
    const tag = Number(next());
    const number = tag >>> 3;
    const wire = tag & 7;
    if (wire === VARINT) fields.push({ number, value: next() });
    else if (wire === BYTES) {
      const length = Number(next());
      if (length > bytes.length - at) throw new RangeError('a message that ends too soon');
      fields.push({ number, value: bytes.subarray(at, at + length) });
      at += length;
    } else throw new RangeError('a field of an unknown kind');
  }
  return fields;
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  bytes.push(Number(left));
  return Uint8Array.from(bytes);
}

function readVarint(bytes: Uint8Array, start: number): readonly [value: bigint, end: number] {
  let value = 0n;
  for (let count = 0; count < MAX_VARINT_BYTES; count++) {
    const byte = bytes[start + count];
    if (byte === undefined) break;
    value |= BigInt(byte & 0x7f) << BigInt(7 * count);
    if (byte < 0x80) return [value % WORD, start + count + 1];
  }
  throw new RangeError('a number that ends too soon');
}
