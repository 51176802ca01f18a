/** The headers that many responses have in common: what a node sends with each of them. */
export class HeaderList {
  static readonly NONE = new HeaderList([]);
  /** Names and values in turn. */
  readonly pairs: readonly string[];
  #lines: string | null = null;
  #dated: boolean | null = null;

  constructor(pairs: readonly string[]) {
    this.pairs = pairs;
  }

  /** As the lines of a head. The caller makes sure that no value contains a line break. */
  get lines(): string {
    return (this.#lines ??= headerLines(this.pairs));
  }

  /** True with a header `Date`. */
  get dated(): boolean {
    return (this.#dated ??= this.pairs.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'date'));
  }
}

/** @param pairs - names and values in turn, of which none contains a line break */
export function headerLines(pairs: readonly string[]): string {
  let lines = '';
  for (let at = 0; at < pairs.length; at += 2) lines += `${pairs[at] as string}: ${pairs[at + 1] as string}\r\n`;
  return lines;
}
