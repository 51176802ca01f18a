import { readFields } from './field-lines.ts';

const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;
const MAX_SIZE_DIGITS = 12;
/** Limit for extensions and trailers together, in bytes. */
const MAX_ASIDE = 16 * 1024;
const EXTENSIONS =
  /^(?:;[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"[\t\x20!#-[\]-~\x80-\xff]*"))?)*$/;

type State = 'size' | 'extension' | 'sizeLf' | 'data' | 'dataCr' | 'dataLf' | 'trailer' | 'over' | 'malformed';

/**
 * Decodes a chunked body (RFC 9112, section 7.1), strictly: sizes are hexadecimal digits, lines end in CR LF, extensions
 * and trailers are well-formed and dropped.
 */
export class ChunkReader {
  #state: State = 'size';
  #left = 0;
  #digits = 0;
  /** The extensions of the current chunk, or the trailers so far. */
  #aside = '';
  #asideBytes = 0;

  /** True once the end of the body was read. */
  get over(): boolean {
    return this.#state === 'over';
  }

  /**
   * Reads the next bytes.
   *
   * @param take - called with each piece of data, which shares the bytes' memory
   * @returns how many of the bytes belong to the body; -1 for a malformed body, which cannot be read further
   */
  read(bytes: Buffer, from: number, take: (piece: Buffer) => void): number {
    let at = from;
    while (at < bytes.length && this.#state !== 'over') {
      if (this.#state === 'data') {
        const end = Math.min(bytes.length, at + this.#left);
        this.#left -= end - at;
        if (this.#left === 0) this.#state = 'dataCr';
        take(bytes.subarray(at, end));
        at = end;
      } else {
        this.#state = this.#next(bytes[at] as number);
        if (this.#state === 'malformed') return -1;
        at += 1;
      }
    }
    return at - from;
  }

  #next(byte: number): State {
    switch (this.#state) {
      case 'size':
        return this.#size(byte);
      case 'extension':
        if (byte !== CR) return this.#put(byte, 'extension');
        return EXTENSIONS.test(this.#aside) ? 'sizeLf' : 'malformed';
      case 'sizeLf':
        this.#aside = '';
        if (byte !== LF) return 'malformed';
        return this.#left > 0 ? 'data' : 'trailer';
      case 'dataCr':
        return byte === CR ? 'dataLf' : 'malformed';
      case 'dataLf':
        this.#digits = 0;
        return byte === LF ? 'size' : 'malformed';
      case 'trailer':
        return byte === LF ? this.#endLine() : this.#put(byte, 'trailer');
      default:
        return 'malformed';
    }
  }

  #size(byte: number): State {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.#left = (this.#digits === 0 ? 0 : this.#left) * 16 + digit;
      this.#digits += 1;
      return this.#digits > MAX_SIZE_DIGITS ? 'malformed' : 'size';
    }
    if (this.#digits === 0) return 'malformed';
    if (byte === CR) return 'sizeLf';
    return byte === SEMICOLON ? this.#put(byte, 'extension') : 'malformed';
  }

  #endLine(): State {
    const trailers = `${this.#aside}\n`;
    this.#aside = trailers;
    // An empty line ends the trailers and the body.
    if (trailers !== '\r\n' && !trailers.endsWith('\r\n\r\n')) return 'trailer';
    return readFields(trailers, 0, []) === trailers.length ? 'over' : 'malformed';
  }

  #put(byte: number, state: State): State {
    this.#asideBytes += 1;
    this.#aside += String.fromCharCode(byte);
    return this.#asideBytes > MAX_ASIDE || byte === LF ? 'malformed' : state;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
