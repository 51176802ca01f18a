/** A request's target as it is written. */
const TARGET = /^[!-~]+$/;
/** Any other byte in a field value would end its line. */
const BREAKS_LINE = /[^\t\x20-\x7e\x80-\xff]/;
/** Stands for the value of a header that varies; no value that was received contains it. */
const VARYING = '\u0000';

/** The place of a value in a {@link RequestText}. @param index - of the value */
export const varyingValue = (index: number): string => `${VARYING}${index}`;

/** The text of requests that differ only in the values of some headers, in their length and in their body. */
export class RequestText {
  readonly #fixed: readonly string[];
  readonly #indexes: readonly number[];

  private constructor(fixed: readonly string[], indexes: readonly number[]) {
    this.#fixed = fixed;
    this.#indexes = indexes;
  }

  /**
   * @param headers - names alternating with values, without `host` and the framing; some are {@link varyingValue}
   * @returns `null` if writing it would change the request
   */
  static of(host: string, method: string, path: string, headers: readonly string[]): RequestText | null {
    if (!TARGET.test(path)) return null;
    const fixed: string[] = [];
    const indexes: number[] = [];
    let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
    for (let at = 0; at < headers.length; at += 2) {
      const value = headers[at + 1] as string;
      text += `${headers[at] as string}: `;
      if (value.startsWith(VARYING)) {
        indexes.push(Number(value.slice(VARYING.length)));
        fixed.push(text);
        text = '\r\n';
      } else if (BREAKS_LINE.test(value)) return null;
      else text += `${value}\r\n`;
    }
    return new RequestText([...fixed, text], indexes);
  }

  /**
   * The head of one request up to the framing.
   *
   * @param values - by index; read from a head, so that none contains a line break
   */
  with(values: readonly string[]): string {
    let text = this.#fixed[0] as string;
    for (let part = 0; part < this.#indexes.length; part += 1)
      text += (values[this.#indexes[part] as number] as string) + (this.#fixed[part + 1] as string);
    return text;
  }
}
