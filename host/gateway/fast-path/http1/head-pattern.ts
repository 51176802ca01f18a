import type { RequestHead } from '../../../../core/index.ts';
import { keyOf } from '../../request-head-cache.ts';
import { readField } from './field-lines.ts';
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
  /** The text before each varying line, and after the last one. */
  readonly #fixed: readonly string[];

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
        fixed.push(text.slice(from, at));
        from = next;
      }
      at = next;
    }
    this.#fixed = [...fixed, text.slice(from, head.request.length)];
  }

  /**
   * The request at the start of the text, as by {@link readPlainHead}; `null` if the head does not match the pattern.
   */
  read(text: string): PlainRequest | null {
    const { request, lines } = this.#head;
    const fixed = this.#fixed;
    const rawHeaders = request.rawHeaders.slice();
    let { contentLength } = request.head;
    let at = 0;
    for (let part = 0; part < fixed.length; part += 1) {
      const same = fixed[part] as string;
      if (text.slice(at, at + same.length) !== same) return null;
      at += same.length;
      if (part === this.#varying.length) break;
      const index = this.#varying[part] as number;
      const { name, use } = lines[index] as HeaderLine;
      const field: string[] = [];
      const next = readField(text, at, field);
      const [given = '', value = ''] = field;
      // A line that is incomplete or malformed has no name either.
      if (given.toLowerCase() !== name) return null;
      if (use === 'content-length') {
        const length = lengthOf(value, request.method);
        if (length === false) return null;
        contentLength = length;
      }
      rawHeaders[2 * index + 1] = value;
      at = next;
    }
    const { method, target, httpVersion, hostHeader, upgrade, close } = request;
    const head = withLength(request.head, contentLength);
    const headCache = keyOf(request.headCache);
    return { method, target, httpVersion, rawHeaders, hostHeader, upgrade, head, headCache, close, length: at };
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
