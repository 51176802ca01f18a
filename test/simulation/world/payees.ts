/**
 * What an address of a receiver does on the account chain. Most take what comes; a hostile one is a contract:
 *
 * - `refuses`: an estimate of its gas fails already
 * - `burns`: its estimate is an ordinary one, and each payment to it is mined without effect, at the full fee
 * - `outgrows`: its estimate is an ordinary one, and later it needs more than a block has, so that no miner takes it
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
