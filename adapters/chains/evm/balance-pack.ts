import { malformed } from './rpc-values.ts';

/** Addresses in one call: it sends 20 KB, returns 16 KB, and uses some five million gas that nobody pays. */
export const PACK_SIZE = 500;

const WORD_DIGITS = 64;
const ADDRESS_DIGITS = 40;

/**
 * EVM code that reads the addresses appended to it and returns the balance of each as 32 bytes. It runs as a contract's
 * constructor in `eth_call`: nothing is deployed, and every node that executes constructors can answer it.
 */
const CODE = [
  '6027', // PUSH1: the addresses begin behind these 39 bytes
  '6000', // PUSH1: the balances are written from here on
  '5b', // 4: loop
  '38821060 0e57', // CODESIZE DUP3 LT, PUSH1 14 JUMPI: while addresses are left
  '6000f3', // PUSH1 0, RETURN all that was written
  '5b', // 14: one address
  '60148282600c0139', // CODECOPY of 20 bytes to the low end of the next word
  '8051318152', // DUP1 MLOAD, BALANCE, DUP2 MSTORE
  '602001', // the next word
  '9060140190', // SWAP1, the next address, SWAP1
  '600456', // JUMP to the loop
]
  .join('')
  .replaceAll(' ', '');

/** The input of a call without recipient that returns the balances of these keys. */
export function packInput(keys: readonly string[]): string {
  return `0x${CODE}${keys.join('')}`;
}

/** The balances in the order of the keys; `null` for an answer of another form. */
export function readPack(result: unknown, count: number): readonly bigint[] | null {
  if (typeof result !== 'string' || result.length !== 2 + count * WORD_DIGITS) return null;
  return Array.from({ length: count }, (_, at) =>
    BigInt(`0x${result.slice(2 + at * WORD_DIGITS, 2 + (at + 1) * WORD_DIGITS)}`),
  );
}

/**
 * Checks the form of a key that the code reads. @throws TillgateError `NODE_FAILED` for another form, which would shift
 * all keys after it
 */
export function checkKey(key: string): string {
  if (key.length !== ADDRESS_DIGITS) throw malformed('a watch key');
  return key;
}
