/** A page of a list with cursors. */
interface CursorReply {
  readonly next_cursor?: string | null;
}

/** The maximum number of remembered lists; the least recently read is dropped first. */
const MOST_LISTS = 50;

/** Page numbers for lists that support only cursors: the cursor of each page that was read is kept. */
export class Cursors {
  /** The cursors of each list's pages; the first page has none. */
  readonly #lists = new Map<string, (string | null)[]>();

  /**
   * Reads a page; pages before it that were not read yet are read first.
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
      // Cursors of later pages are invalid after a change of the list.
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
