/** Addresses up to this one are built-in contracts on every network so far. */
const LAST_BUILT_IN = 0xffffn;

/**
 * The reason why a payment to this address would certainly be lost, found without a node; it completes "the address …".
 * `null` when no reason is found. Tron's addresses have the same keys.
 *
 * @param key - 40 lower-case hexadecimal digits
 * @param contractKeys - the contracts of the accepted tokens
 */
export function destinationProblem(key: string, contractKeys: Iterable<string>): string | null {
  const number = BigInt(`0x${key}`);
  if (number === 0n) return 'is the zero address, which nobody can spend from';
  if (number <= LAST_BUILT_IN) return 'belongs to the network itself: it is a built-in contract';
  for (const contract of contractKeys)
    if (contract === key) return 'is the contract of a token; what it receives is lost';
  return null;
}
