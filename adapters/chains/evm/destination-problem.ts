/** Addresses up to here are the network's built-in contracts, on every network so far. */
const LAST_BUILT_IN = 0xffffn;

/**
 * Why a payment to this address is lost for certain, without asking a node; it completes "the address …". `null` when
 * nothing is known against it. Tron's addresses have the same keys.
 *
 * @param key - 40 lower-case hexadecimal digits
 * @param contractKeys - of the token contracts that the till takes
 */
export function destinationProblem(key: string, contractKeys: Iterable<string>): string | null {
  const number = BigInt(`0x${key}`);
  if (number === 0n) return 'is the zero address, which nobody can spend from';
  if (number <= LAST_BUILT_IN) return 'belongs to the network itself: it is a built-in contract';
  for (const contract of contractKeys)
    if (contract === key) return 'is the contract of a token; what it receives is lost';
  return null;
}
