import type { CursorPage } from '../../../core/index.ts';

/** The records of one reply, and those that one request may look through. */
export const MAX_LIST = 200;
const MAX_LOOKED_THROUGH = 2_000;
const PAGE = 100;

/** The records of a list that a reply has, newest first, at most {@link MAX_LIST}. */
export async function collected<T>(
  read: (page: { readonly limit: number; readonly cursor?: string }) => Promise<CursorPage<T>>,
  isWanted: (item: T) => boolean,
): Promise<readonly T[]> {
  const found: T[] = [];
  let cursor: string | null = null;
  let looked = 0;
  do {
    const page: CursorPage<T> = await read({ limit: PAGE, ...(cursor !== null && { cursor }) });
    found.push(...page.items.filter(isWanted));
    looked += page.items.length;
    cursor = page.nextCursor;
  } while (cursor !== null && found.length < MAX_LIST && looked < MAX_LOOKED_THROUGH);
  return found.slice(0, MAX_LIST);
}
