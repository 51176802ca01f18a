import type { ChainCode, CurrencyCode } from '../kernel/asset.ts';
import type { Millis } from '../kernel/time.ts';
import type { BuiltSpend } from '../ports/signer.ts';
import type { Outflow } from './signing-policy.ts';

/** A transaction that was signed, or is about to be. */
export interface JournalEntry {
  /** The hash of everything that is signed. */
  readonly id: string;
  readonly chain: ChainCode;
  readonly at: Millis;
  /** One of what it spends. Transactions with the same one exclude each other, and count as the largest of them. */
  readonly group: string;
  readonly outflow: Outflow;
  /** What it takes beyond the others of its group. */
  readonly counted: Outflow;
}

/** What the journal knows that matters to one transaction. */
export interface JournalView {
  /** The same was signed before. */
  readonly known: boolean;
  /** When the last entry of any chain was made: time never goes back behind it. */
  readonly latestAt: Millis | null;
  /** By ref, what the entries of that group take at most. */
  readonly groups: ReadonlyMap<string, Outflow>;
  /** What coins were said to be worth when they were first signed for. */
  readonly coins: ReadonlyMap<string, bigint>;
  /** What was counted on this chain since a time. */
  readonly taken: Outflow & { readonly transactions: number };
}

/** Sums of outflows, which are what a journal keeps. */
export function addOutflows(a: Outflow, b: Outflow): Outflow {
  return mergeOutflows(a, b, (one, other) => one + other);
}

/** For each currency the larger. */
export function largestOutflow(a: Outflow, b: Outflow): Outflow {
  return mergeOutflows(a, b, (one, other) => (one > other ? one : other));
}

/** What `a` takes beyond `b`. */
export function outflowBeyond(a: Outflow, b: Outflow): Outflow {
  const { payments, feeUnits } = mergeOutflows(a, b, (one, other) => (one > other ? one - other : 0n));
  return { feeUnits, payments: new Map([...payments].filter(([, units]) => units > 0n)) };
}

export const NO_OUTFLOW: Outflow = { payments: new Map(), feeUnits: 0n };

function mergeOutflows(a: Outflow, b: Outflow, merge: (a: bigint, b: bigint) => bigint): Outflow {
  const currencies = new Set<CurrencyCode>([...a.payments.keys(), ...b.payments.keys()]);
  return {
    feeUnits: merge(a.feeUnits, b.feeUnits),
    payments: new Map(
      [...currencies].map((currency) => [
        currency,
        merge(a.payments.get(currency) ?? 0n, b.payments.get(currency) ?? 0n),
      ]),
    ),
  };
}

/** What a signer has signed. An entry is durable before its signature leaves. */
export interface SigningJournal {
  /** What matters to a transaction that spends these refs; what was taken counts from `since` on. */
  read(query: {
    readonly id: string;
    readonly chain: ChainCode;
    readonly refs: readonly string[];
    readonly since: (latestAt: Millis | null) => Millis;
  }): Promise<JournalView>;
  /** Resolves once it is durable. Entries older than `keepSince` are dropped; the worth of coins is kept. */
  append(entry: JournalEntry, coins: readonly BuiltSpend[], keepSince: Millis): Promise<void>;
  /** Why nothing is signed; `null` while it is. */
  stop(): Promise<string | null>;
  setStop(reason: string | null): Promise<void>;
}
