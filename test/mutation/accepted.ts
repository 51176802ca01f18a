import type { Mutant } from './mutants.ts';

/** A mutant that changes nothing that anybody could see. */
export interface Accepted extends Pick<Mutant, 'file' | 'declaration' | 'operator' | 'nth'> {
  readonly reason: string;
}

const STORES = 'adapters/storage/knex/stores';
const RESERVE = `${STORES}/reserve-transfers.ts`;
const LOCK_ORDER = 'the order of locks matters only where two transactions overlap, which SQLite never lets happen';
const REMEMBERED = 'the median is only remembered here; made again it is the same';

const SAME_BLOCK = 'what is remembered is what reading it again finds';

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
  {
    file: `${STORES}/ledger-transfers.ts`,
    declaration: 'liveTransfers',
    operator: 'right only',
    nth: 1,
    reason: 'an empty page is shorter than a full one',
  },
  {
    file: `${STORES}/ledger-sums.ts`,
    declaration: 'postings',
    operator: 'logic',
    nth: 1,
    reason: 'after the last page one more is read, and it is empty',
  },
  {
    file: `${STORES}/sweep-candidates.ts`,
    declaration: 'currencies',
    operator: 'branch second',
    nth: 1,
    reason: 'min() without groups always gives a row',
  },
  {
    file: `${STORES}/sweep-candidates.ts`,
    declaration: 'summed',
    operator: 'literal +1',
    nth: 1,
    reason: 'only coins with an index are read',
  },
  {
    file: 'core/deposits/find-ancestor.ts',
    declaration: 'findAncestor',
    operator: 'branch second',
    nth: 2,
    reason: SAME_BLOCK,
  },
  {
    file: 'core/deposits/follow-chain.ts',
    declaration: 'ChainFollower.#begin',
    operator: 'branch second',
    nth: 2,
    reason: SAME_BLOCK,
  },
  {
    file: 'core/transfers/payout-runner.ts',
    declaration: 'PayoutRunner.step',
    operator: 'right only',
    nth: 1,
    reason: 'a chain without a state has no cursor',
  },
  {
    file: 'core/transfers/send-payouts.ts',
    declaration: 'PayoutSender.#noteSent',
    operator: 'condition true',
    nth: 2,
    reason: 'the own moves of the till have no transaction row that could be updated',
  },
  {
    file: 'core/orders/choose-payment.ts',
    declaration: 'ChoosePayment.choose',
    operator: 'left only',
    nth: 1,
    reason: 'each currency is on one chain',
  },
  {
    file: 'core/transfers/recover-coins.ts',
    declaration: 'recoverCoins',
    operator: 'literal -1',
    nth: 2,
    reason: 'an epoch starts after 1970, so that a chain that was never read is as far back at 0 as at -1',
  },
  {
    file: 'core/transfers/finish-payout.ts',
    declaration: 'finishMined',
    operator: 'logic',
    nth: 3,
    reason: 'payouts of account chains hold no coins, and on chains of coins only a cancel is mined without paying',
  },
  {
    file: 'core/deposits/record-transfer.ts',
    declaration: 'fitCoin',
    operator: 'logic',
    nth: 1,
    reason: 'each currency is on one chain',
  },
  {
    file: 'core/deposits/watch-mempool.ts',
    declaration: 'MempoolWatcher.#byOrder',
    operator: 'branch first',
    nth: 2,
    reason: 'no keys have no owners: it saves a query',
  },
  {
    file: 'core/lightning/node-holdings.ts',
    declaration: 'NodeHoldings.check',
    operator: 'guard',
    nth: 1,
    reason: 'it saves reading the books again, which have not changed since',
  },
  {
    file: 'core/transfers/sign-transfers.ts',
    declaration: 'SignTransfers.#defer',
    operator: 'condition true',
    nth: 2,
    reason: 'to give up no transfers changes none',
  },
  {
    file: 'core/transfers/sign-transfers.ts',
    declaration: 'byAccount',
    operator: 'logic',
    nth: 1,
    reason: LOCK_ORDER,
  },
  {
    file: 'core/deposits/follow-chain.ts',
    declaration: 'ChainFollower.#caughtUp',
    operator: 'guard',
    nth: 1,
    reason: 'it saves writing the same time more often than once a second',
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
