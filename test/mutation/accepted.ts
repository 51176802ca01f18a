import type { Mutant } from './mutants.ts';

/** A mutant that changes nothing that anybody could see. */
export interface Accepted extends Pick<Mutant, 'file' | 'declaration' | 'operator' | 'nth'> {
  readonly reason: string;
}

/** Mutants that no test can kill, with the reason; they count neither as killed nor as survived. */
export const ACCEPTED: readonly Accepted[] = [];

export function isAccepted(mutant: Mutant, accepted: readonly Accepted[] = ACCEPTED): boolean {
  return accepted.some((each) => isSamePlace(each, mutant));
}

/** Entries without a mutant: the code has changed, and the entry has to go. */
export function staleEntries(
  mutants: readonly Mutant[],
  accepted: readonly Accepted[] = ACCEPTED,
): readonly Accepted[] {
  return accepted.filter((each) => !mutants.some((mutant) => isSamePlace(each, mutant)));
}

const isSamePlace = (accepted: Accepted, mutant: Mutant): boolean =>
  accepted.file === mutant.file &&
  accepted.declaration === mutant.declaration &&
  accepted.operator === mutant.operator &&
  accepted.nth === mutant.nth;
