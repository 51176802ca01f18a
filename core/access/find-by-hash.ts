/**
 * Finds a record by its keyed hashes, the current master key's first. During a rotation, a record can change from the
 * previous hash to the current one between two look-ups, so the current one is tried once more.
 */
export async function findByHash<T>(
  hashes: readonly string[],
  find: (hash: string) => Promise<T | null>,
): Promise<T | null> {
  const [current, ...former] = hashes;
  if (current === undefined) return null;
  for (const hash of former.length === 0 ? [current] : [current, ...former, current]) {
    const found = await find(hash);
    if (found !== null) return found;
  }
  return null;
}
