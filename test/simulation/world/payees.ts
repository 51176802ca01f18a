/**
 * The behaviour of a receiver's address on the account chain. Most accept every payment; a hostile one is a contract:
 *
 * - `refuses`: already the gas estimate fails
 * - `burns`: the estimate is ordinary, and each payment to it is mined without effect, at the full fee
 * - `outgrows`: the estimate is ordinary, and later it needs more gas than a block has, so that no miner includes it
 */
export const BEHAVIOURS = ['refuses', 'burns', 'outgrows'] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** An address of a receiver with this behaviour. */
export function payeeThat(chain: string, behaviour: Behaviour, number: number): string {
  return `${chain.toLowerCase()}-${behaviour}-${number}`;
}

/** The behaviour of an address; `null` for an ordinary one. */
export function behaviourOf(address: string): Behaviour | null {
  return BEHAVIOURS.find((behaviour) => address.includes(`-${behaviour}-`)) ?? null;
}
