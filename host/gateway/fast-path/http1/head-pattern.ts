import type { RequestHead } from '../../../../core/index.ts';
import { keyOf } from '../../request-head-cache.ts';
import { readValue } from './field-lines.ts';
import { lengthOf } from './plain-request.ts';
import type { HeaderLine, PlainHead, PlainRequest } from './plain-request.ts';

/**
 * The common part of one client's heads. Lines that are the same in each head are compared as whole pieces of text;
 * only the lines that have varied are parsed: values that affect nothing, and the length of the body.
 */
export class HeadPattern {
  readonly #head: PlainHead;
  /** The indexes of the lines that vary. */
  readonly #varying: readonly number[];
  /** The text before each varying value, and after the last one. */
  readonly #fixed: readonly string[];
  #values: readonly string[] = [];
  #contentLength: number | null = null;
  #length = 0;

  /**
   * @param text - begins with the first byte of that head
   * @param former - the same client's previous pattern: its varying lines still vary if they still affect nothing
   */
  constructor(text: string, head: PlainHead, former: HeadPattern | null) {
    this.#head = head;
    this.#varying = (former === null ? null : former.#varyingWith(head)) ?? [];
    const fixed: string[] = [];
    let from = 0;
    let at = head.start.length;
    for (const [index, line] of head.lines.entries()) {
      const next = at + line.text.length;
      if (this.#varying.includes(index)) {
        fixed.push(text.slice(from, at + line.name.length + 1));
        from = next;
      }
      at = next;
    }
    this.#fixed = [...fixed, text.slice(from, head.request.length)];
  }

  /**
   * Whether the head at the start of the text matches. The values of its varying lines, the length of its body and its
   * own length are then those of this object, until the next call.
   */
  matches(text: string): boolean {
    const { request, lines } = this.#head;
    const fixed = this.#fixed;
    const values: string[] = [];
    this.#values = values;
    this.#contentLength = request.head.contentLength;
    let at = 0;
    for (let part = 0; part < fixed.length; part += 1) {
      const same = fixed[part] as string;
      if (text.slice(at, at + same.length) !== same) return false;
      at += same.length;
      if (part === this.#varying.length) break;
      at = readValue(text, at, values);
      // A line that is incomplete or malformed.
      if (at < 0) return false;
      if ((lines[this.#varying[part] as number] as HeaderLine).use !== 'content-length') continue;
      const length = lengthOf(values[part] as string, request.method);
      if (length === false) return false;
      this.#contentLength = length;
    }
    this.#length = at;
    return true;
  }

  /** The values of the varying lines of the head that matched last. */
  get values(): readonly string[] {
    return this.#values;
  }

  /** The length of the body of the head that matched last; `null` without one. */
  get contentLength(): number | null {
    return this.#contentLength;
  }

  /** The length of the head that matched last. */
  get length(): number {
    return this.#length;
  }

  /** True when the clients of these heads request to close the connection. */
  get close(): boolean {
    return this.#head.request.close;
  }

  /** The indexes of the lines that vary, in their order. */
  get varying(): readonly number[] {
    return this.#varying;
  }

  /**
   * The request at the start of the text, as by {@link readPlainHead}; `null` if the head does not match the pattern.
   */
  read(text: string): PlainRequest | null {
    return this.matches(text) ? this.matched() : null;
  }

  /** The request of the head that matched last. */
  matched(): PlainRequest {
    const { request } = this.#head;
    const rawHeaders = request.rawHeaders.slice();
    for (const [part, index] of this.#varying.entries()) rawHeaders[2 * index + 1] = this.#values[part] as string;
    const head = withLength(request.head, this.#contentLength);
    return { ...request, rawHeaders, head, headCache: keyOf(request.headCache), length: this.#length };
  }

  /** The indexes of the lines that vary between two heads; `null` if any of them affects how the request is read. */
  #varyingWith({ lines }: PlainHead): readonly number[] | null {
    const known = this.#head.lines;
    if (lines.length !== known.length) return null;
    const varying = lines.flatMap(({ text }, index) =>
      this.#varying.includes(index) || text !== known[index]?.text ? index : [],
    );
    const free = varying.every((index) => lines[index]?.use === 'other' || lines[index]?.use === 'content-length');
    return free ? varying : null;
  }
}

function withLength(head: RequestHead, contentLength: number | null): RequestHead {
  if (contentLength === head.contentLength) return head;
  const { authorization, chunked, encoded, expectsContinue, origin } = head;
  return { authorization, contentLength, chunked, encoded, expectsContinue, origin };
}
