/** A page of a list that goes on by cursors. */
interface CursorReply {
  readonly next_cursor?: string | null;
}

/** Lists that are remembered; the one that was read longest ago goes first. */
const MOST_LISTS = 50;

/** Page numbers for lists that know cursors alone: the cursor of each page that was seen is kept. */
export class Cursors {
  /** Of each list the cursors of its pages; the first page has none. */
  readonly #lists = new Map<string, (string | null)[]>();

  /**
   * Reads a page; from a page that was not seen yet, all that come before it are read first.
   *
   * @param list - a name for the list with its filters and its size
   * @param read - reads the page of a cursor
   */
  async page<R extends CursorReply>(
    list: string,
    page: number,
    read: (cursor: string | null) => Promise<R>,
  ): Promise<R> {
    const cursors = this.#cursorsOf(list);
    let at = Math.min(page, cursors.length);
    for (;;) {
      const reply = await read(cursors[at - 1] ?? null);
      const next = reply.next_cursor ?? null;
      // What was known of later pages belongs to the list as it was.
      cursors.length = at;
      if (next !== null) cursors.push(next);
      if (at === page || next === null) return reply;
      at += 1;
    }
  }

  #cursorsOf(list: string): (string | null)[] {
    const cursors = this.#lists.get(list) ?? [null];
    this.#lists.delete(list);
    this.#lists.set(list, cursors);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > MOST_LISTS && oldest !== undefined) this.#lists.delete(oldest);
    return cursors;
  }
}
