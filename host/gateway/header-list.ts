/** Headers that many responses share: those that a node sends with each of them. */
export class HeaderList {
  static readonly NONE = new HeaderList([]);
  /** Names alternating with values. */
  readonly pairs: readonly string[];
  #lines: string | null = null;
  #dated: boolean | null = null;

  constructor(pairs: readonly string[]) {
    this.pairs = pairs;
  }

  /** The lines of a head. The caller ensures that no value contains a line break. */
  get lines(): string {
    return (this.#lines ??= headerLines(this.pairs));
  }

  get dated(): boolean {
    return (this.#dated ??= this.pairs.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'date'));
  }
}

/** @param pairs - names alternating with values, none of which contains a line break */
export function headerLines(pairs: readonly string[]): string {
  let lines = '';
  for (let at = 0; at < pairs.length; at += 2) lines += `${pairs[at] as string}: ${pairs[at + 1] as string}\r\n`;
  return lines;
}
