const [QUOTE, BACKSLASH, COMMA, COLON, MINUS] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d] as const;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;
const [ZERO, NINE, DOT, PLUS] = [0x30, 0x39, 0x2e, 0x2b] as const;
/** Deeper parameters are parsed. */
const MAX_DEPTH = 16;
const MAX_ID = 256;
const MAX_METHOD = 128;
/** The members of a request; each has a bit. */
const MEMBERS = ['jsonrpc', 'id', 'method', 'params'] as const;
const [VERSION, ID, METHOD, PARAMS] = [1, 2, 4, 8] as const;
const WORDS = ['true', 'false', 'null'] as const;

/**
 * The method of a JSON-RPC call whose text says it without being parsed: one object of printable ASCII without an
 * escape, with the members `id` and `method` and no member twice. `null` for every other text: it is for
 * {@link readJsonRpc}, which accepts every text that this function accepts, with the same method.
 *
 * @param text - one character for each byte
 */
export function methodOfPlainCall(text: string, from: number, to: number): string | null {
  return new PlainCallReader(text, to).read(from);
}

class PlainCallReader {
  readonly #text: string;
  readonly #end: number;
  #method: string | null = null;

  constructor(text: string, end: number) {
    this.#text = text;
    this.#end = end;
  }

  read(from: number): string | null {
    let at = this.#past(from);
    if (this.#code(at) !== OPEN_OBJECT) return null;
    let found = 0;
    do {
      at = this.#past(at + 1);
      const member = this.#member(at);
      if (member === 0 || (found & member) !== 0) return null;
      found |= member;
      at = this.#past(this.#string(at));
      if (this.#code(at) !== COLON) return null;
      const start = this.#past(at + 1);
      const end = this.#value(start, 0);
      if (end < 0 || !this.#takes(member, start, end)) return null;
      at = this.#past(end);
    } while (this.#code(at) === COMMA);
    const complete = (found & (ID | METHOD)) === (ID | METHOD);
    return complete && this.#code(at) === CLOSE_OBJECT && this.#past(at + 1) === this.#end ? this.#method : null;
  }

  /** The bit of the member whose name begins here; 0 for another name. */
  #member(at: number): number {
    const text = this.#text;
    for (let index = 0; index < MEMBERS.length; index += 1) {
      const name = MEMBERS[index] as string;
      const end = at + 1 + name.length;
      if (text.charCodeAt(at) === QUOTE && text.charCodeAt(end) === QUOTE && text.startsWith(name, at + 1))
        return 1 << index;
    }
    return 0;
  }

  /** Whether the member may have the value between these places. */
  #takes(member: number, start: number, end: number): boolean {
    if (member === VERSION || member === PARAMS) return true;
    const first = this.#text.charCodeAt(start);
    if (member === ID) return end - start <= MAX_ID && (first === QUOTE || (first >= ZERO && first <= NINE));
    if (first !== QUOTE || end - start < 3 || end - start - 2 > MAX_METHOD) return false;
    const method = this.#text.slice(start + 1, end - 1);
    this.#method = method;
    return !method.includes(' ');
  }

  /** Past the end of the text there is no character. */
  #code(at: number): number {
    return at >= 0 && at < this.#end ? this.#text.charCodeAt(at) : -1;
  }

  /** Past the blanks that begin here. */
  #past(from: number): number {
    let at = from;
    for (;;) {
      const code = this.#code(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
      at += 1;
    }
  }

  /** The end of the value that begins here; -1 for none that is plain. */
  #value(at: number, depth: number): number {
    const code = this.#code(at);
    if (code === QUOTE) return this.#string(at);
    if (code === OPEN_LIST || code === OPEN_OBJECT) return depth < MAX_DEPTH ? this.#container(at, code, depth) : -1;
    if (code === MINUS || (code >= ZERO && code <= NINE)) return this.#number(at);
    for (const word of WORDS)
      if (this.#text.startsWith(word, at) && at + word.length <= this.#end) return at + word.length;
    return -1;
  }

  #container(from: number, opening: number, depth: number): number {
    const closing = opening === OPEN_LIST ? CLOSE_LIST : CLOSE_OBJECT;
    let at = this.#past(from + 1);
    if (this.#code(at) === closing) return at + 1;
    for (;;) {
      if (opening === OPEN_OBJECT) {
        if (this.#code(at) !== QUOTE) return -1;
        at = this.#past(this.#string(at));
        if (this.#code(at) !== COLON) return -1;
        at = this.#past(at + 1);
      }
      at = this.#value(at, depth + 1);
      if (at < 0) return -1;
      at = this.#past(at);
      if (this.#code(at) === closing) return at + 1;
      if (this.#code(at) !== COMMA) return -1;
      at = this.#past(at + 1);
    }
  }

  /** The end of the string that begins here; -1 where it has an escape or a character beside printable ASCII. */
  #string(from: number): number {
    for (let at = from + 1; at < this.#end; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) return at + 1;
      if (code === BACKSLASH || code < 0x20 || code > 0x7e) return -1;
    }
    return -1;
  }

  #number(from: number): number {
    let at = this.#code(from) === MINUS ? from + 1 : from;
    const first = at;
    at = this.#digits(at);
    if (at === first || (at - first > 1 && this.#code(first) === ZERO)) return -1;
    if (this.#code(at) === DOT) {
      const end = this.#digits(at + 1);
      if (end === at + 1) return -1;
      at = end;
    }
    if ((this.#code(at) | 0x20) === 0x65) {
      const sign = this.#code(at + 1);
      const digits = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
      const end = this.#digits(digits);
      if (end === digits) return -1;
      at = end;
    }
    return at;
  }

  #digits(from: number): number {
    let at = from;
    for (let code = this.#code(at); code >= ZERO && code <= NINE; code = this.#code(at)) at += 1;
    return at;
  }
}
