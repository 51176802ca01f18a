/** A part of a list; `next` is the start of the next part, `null` on the last. */
export interface ListPart<T, P> {
  readonly items: readonly T[];
  readonly next: P | null;
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
