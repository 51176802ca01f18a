/** One round of the loop: JUMPDEST, PUSH1 1, SWAP1, SUB, DUP1, PUSH1 4, JUMPI. */
const GAS_OF_ROUND = 26;

/** The code of a contract that accepts every payment and needs about this much gas for it. */
export function burnerOf(gas: number): `0x${string}` {
  const rounds = Math.floor((gas - 21_000) / GAS_OF_ROUND);
  return `0x62${rounds.toString(16).padStart(6, '0')}5b60019003806004575000`;
}

/** The code of a contract that reverts every payment. */
export const REFUSER = '0x60006000fd';
