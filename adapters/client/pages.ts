import type { ListPage } from './records.ts';

/**
 * Iterates over a list page by page, newest first. Items added in the meantime shift the others, so that the end of a
 * page may appear again on the next one; each item is returned only once.
 *
 * @param idOf - returns an item's id
 */
export async function* eachItem<T>(
  first: number,
  load: (page: number) => Promise<ListPage<T>>,
  idOf: (item: T) => string,
): AsyncGenerator<T, void, undefined> {
  const given = new Set<string>();
  for (let page = first; ; page++) {
    const { data, max_page } = await load(page);
    for (const item of data) {
      const id = idOf(item);
      if (given.has(id)) continue;
      given.add(id);
      yield item;
    }
    if (data.length === 0 || page >= max_page) return;
  }
}
