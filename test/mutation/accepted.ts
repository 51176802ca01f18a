import type { Mutant } from './mutants.ts';

/** A mutant that changes nothing that anybody could see. */
export interface Accepted extends Pick<Mutant, 'file' | 'declaration' | 'operator' | 'nth'> {
  readonly reason: string;
}

const RESERVE = 'adapters/storage/knex/stores/reserve-transfers.ts';
const LOCK_ORDER = 'the order of locks matters only where two transactions overlap, which SQLite never lets happen';
const REMEMBERED = 'the median is only remembered here; made again it is the same';

/** Mutants that no test can kill, with the reason; they count neither as killed nor as survived. */
export const ACCEPTED: readonly Accepted[] = [
  { file: RESERVE, declaration: 'claim', operator: 'negation', nth: 2, reason: LOCK_ORDER },
  { file: RESERVE, declaration: 'inOrder', operator: 'negation', nth: 1, reason: LOCK_ORDER },
  { file: RESERVE, declaration: 'numbered', operator: 'negation', nth: 1, reason: LOCK_ORDER },
  {
    file: RESERVE,
    declaration: 'numbered',
    operator: 'statement',
    nth: 2,
    reason: 'numbers are unique by an index: it refuses the batch, and each of its items is then reserved alone',
  },
  {
    file: RESERVE,
    declaration: 'reserveTransfers',
    operator: 'guard',
    nth: 1,
    reason: 'without new reservations, what follows finds the same answers and writes nothing',
  },
  { file: 'core/rates/price-board.ts', declaration: 'PriceBoard.price', operator: 'guard', nth: 1, reason: REMEMBERED },
  {
    file: 'core/rates/price-board.ts',
    declaration: 'PriceBoard.price',
    operator: 'statement',
    nth: 1,
    reason: REMEMBERED,
  },
  {
    file: 'core/rates/median.ts',
    declaration: 'medianPrice',
    operator: 'branch second',
    nth: 1,
    reason: 'without a median no candidate has a price, and none can be an outlier',
  },
  {
    file: 'core/rates/median.ts',
    declaration: 'dropOutlier',
    operator: 'boundary',
    nth: 1,
    reason: 'of two equal prices the distance is 0 either way',
  },
];

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
