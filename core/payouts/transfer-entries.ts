import type { CurrencyCode, EntryId, Millis } from '../kernel/index.ts';
import { assert } from '../kernel/index.ts';
import { isOwnMove, isPromised, obtainedUnits } from './transfer.ts';
import type { Transfer } from './transfer.ts';
import {
  coldAccount,
  custodyAccount,
  FEES_ACCOUNT,
  gasAccount,
  merchantAccount,
  unassignedAccount,
} from '../ledger/index.ts';
import type { LedgerEntry, MerchantBalance, Posting } from '../ledger/index.ts';

/** The cost of a mined transaction, in units of the chain's native coin. */
export interface NetworkCost {
  readonly currency: CurrencyCode;
  readonly units: bigint;
  /** The change of the gas at a deposit address; 0 by default. */
  readonly gasUnits?: bigint;
}

/** The balance from which the amount of a transfer is reserved. */
export function reservedFrom(transfer: Transfer): MerchantBalance {
  return isPromised(transfer) ? 'claims' : 'available';
}

/** Reserves the amount of a transfer: moves it out of the balance that pays it. */
export function reserveEntry(id: EntryId, at: Millis, transfer: Transfer): LedgerEntry {
  return entryOf(id, at, 'transfer-reserved', transfer, moveBalance(transfer, reservedFrom(transfer), 'reserved'));
}

/**
 * Releases the reserve of a transfer that was never signed, or whose transaction can never be mined. The return of a
 * deposit has no reserve: only its costs are booked.
 *
 * @param kept - the cost of sweeps that were made for the transfer
 */
export function releaseEntry(id: EntryId, at: Millis, transfer: Transfer, kept = 0n): LedgerEntry {
  assert(!isOwnMove(transfer), `transfer ${transfer.id} has no owner`);
  return entryOf(id, at, 'transfer-released', transfer, giveBack({ ...transfer, feeUnits: kept }));
}

/**
 * Books a final payment. The merchant's reserve, or the unassigned account, pays the received amount and the charged
 * fee; the till pays the difference between the charged and the network's fee. For its own moves the till pays the
 * network's fee.
 */
export function paidEntry(id: EntryId, at: Millis, transfer: Transfer, cost: NetworkCost): LedgerEntry {
  return entryOf(id, at, 'transfer-paid', transfer, [...payout(transfer), ...networkFee(transfer, cost)]);
}

/** As {@link paidEntry}, for a payment that cost less than its reserve: the rest is released. */
export function cheaperPaidEntry(
  id: EntryId,
  at: Millis,
  reserved: Transfer,
  taken: Pick<Transfer, 'units' | 'feeUnits'>,
  cost: NetworkCost,
): LedgerEntry {
  const rest = { ...reserved, units: reserved.units - taken.units };
  const paid = { ...reserved, ...taken };
  return entryOf(id, at, 'transfer-paid', reserved, [
    ...moveBalance(rest, 'reserved', 'available'),
    ...payout(paid),
    ...networkFee(paid, cost),
  ]);
}

/**
 * Books a transaction that was mined without effect. Its owner pays the cost (`feeUnits`, in the transfer's currency)
 * from the reserve and gets the rest back; a return pays it from its deposit, and the till pays for its own moves.
 */
export function failedEntry(id: EntryId, at: Millis, transfer: Transfer, cost: NetworkCost): LedgerEntry {
  return entryOf(id, at, 'transfer-failed', transfer, [...giveBack(transfer), ...networkFee(transfer, cost)]);
}

const REFERENCES = {
  'transfer-reserved': 'reserved',
  'transfer-released': 'released',
  'transfer-paid': 'paid',
  'transfer-failed': 'failed',
} as const;

function entryOf(
  id: EntryId,
  at: Millis,
  kind: keyof typeof REFERENCES,
  transfer: Transfer,
  postings: readonly Posting[],
): LedgerEntry {
  return { id, at, kind, reference: `transfer:${transfer.id}:${REFERENCES[kind]}`, postings: merge(postings) };
}

function moveBalance(
  { id, accountId, currency, units }: Transfer,
  from: MerchantBalance,
  to: MerchantBalance,
): Posting[] {
  assert(accountId !== null, `transfer ${id} has no merchant`);
  return [
    { account: merchantAccount(accountId, from), currency, units: -units },
    { account: merchantAccount(accountId, to), currency, units },
  ];
}

/** Returns the reserve less the charged fee. */
function giveBack(transfer: Transfer): Posting[] {
  const { accountId, chain, currency, units, feeUnits } = transfer;
  if (isOwnMove(transfer)) return [];
  if (accountId === null) {
    return [
      { account: unassignedAccount(chain), currency, units: -feeUnits },
      { account: FEES_ACCOUNT, currency, units: feeUnits },
    ];
  }
  return [
    { account: merchantAccount(accountId, 'reserved'), currency, units: -units },
    { account: merchantAccount(accountId, 'available'), currency, units: units - feeUnits },
    { account: FEES_ACCOUNT, currency, units: feeUnits },
  ];
}

function payout(transfer: Transfer): Posting[] {
  const { kind, accountId, chain, currency, units, feeUnits } = transfer;
  const obtained = obtainedUnits(transfer);
  if (kind === 'cold') {
    return [
      { account: custodyAccount(chain), currency, units: obtained },
      { account: coldAccount(chain), currency, units: -obtained },
    ];
  }
  if (isOwnMove(transfer)) return [];
  return [
    {
      account: accountId === null ? unassignedAccount(chain) : merchantAccount(accountId, 'reserved'),
      currency,
      units: -units,
    },
    { account: custodyAccount(chain), currency, units: obtained },
    { account: FEES_ACCOUNT, currency, units: feeUnits },
  ];
}

function networkFee({ chain }: Transfer, { currency, units, gasUnits = 0n }: NetworkCost): Posting[] {
  return [
    { account: custodyAccount(chain), currency, units: units + gasUnits },
    { account: gasAccount(chain), currency, units: -gasUnits },
    { account: FEES_ACCOUNT, currency, units: -units },
  ];
}

/** One posting for each account and currency: charged and actual fee are booked to the same account. */
function merge(postings: readonly Posting[]): readonly Posting[] {
  const merged = new Map<string, Posting>();
  for (const posting of postings) {
    const key = `${posting.account} ${posting.currency}`;
    const former = merged.get(key);
    merged.set(key, former === undefined ? posting : { ...former, units: former.units + posting.units });
  }
  return [...merged.values()].filter(({ units }) => units !== 0n);
}
