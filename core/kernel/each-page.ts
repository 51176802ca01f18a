/** A part of a list; `next` is the start of the next part, `null` on the last. */
export interface ListPart<T, P> {
  readonly items: readonly T[];
  readonly next: P | null;
}

/** The records of a list that is sorted by id, newest first, that a store reads. */
export interface NewestQuery<Id extends string = string> {
  /** Only records before this id, which is the last one of the part before; `null` for the newest ones. */
  readonly before: Id | null;
  readonly limit: number;
}

/** The part of a list of which up to `limit + 1` records were read, to see whether there are more. */
export function partOf<T, P>(found: readonly T[], limit: number, positionOf: (item: T) => P): ListPart<T, P> {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : positionOf(last) };
}

/**
 * The parts of a list one after another. The first one is read at once, so that a refusal comes before anything is
 * sent; each further one when it is requested.
 */
export async function eachPage<T, P>(
  read: (after: P | null) => Promise<ListPart<T, P>>,
): Promise<AsyncIterable<readonly T[]>> {
  return partsFrom(await read(null), read);
}

async function* partsFrom<T, P>(
  first: ListPart<T, P>,
  read: (after: P | null) => Promise<ListPart<T, P>>,
): AsyncGenerator<readonly T[]> {
  for (let part = first; ; part = await read(part.next)) {
    yield part.items;
    if (part.next === null) return;
  }
}
