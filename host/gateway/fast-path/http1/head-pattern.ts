import type { RequestHead } from '../../../../core/index.ts';
import { keyOf } from '../../request-head-cache.ts';
import { readField } from './field-lines.ts';
import { lengthOf } from './plain-request.ts';
import type { HeaderLine, PlainHead, PlainRequest } from './plain-request.ts';

/**
 * What the heads of one client have in common. Most of its lines are the same in each, byte for byte, and are compared together;
 * only those that have varied are read: values that decide nothing, and the length of the body.
 */
export class HeadPattern {
  readonly #head: PlainHead;
  /** Which lines vary. */
  readonly #varying: readonly number[];
  /** What stands before each of them, and behind the last one. */
  readonly #fixed: readonly string[];

  /**
   * @param text - from the first byte of that head on
   * @param former - of the same client: what varied then varies still, if it still decides nothing
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

  /** The request that this text begins with, as {@link readPlainHead} would read it; `null` where it is another head. */
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
      // No line at all has no name either.
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

  /** Which lines vary between this head and another one; `null` where more than values that decide nothing. */
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
