import type { ChainCode, CurrencyCode, Millis } from '../kernel/index.ts';
import type { BuiltSpend } from './signer.ts';
import type { Outflow } from './signing-policy.ts';

/** A transaction that was signed, or is about to be. */
export interface JournalEntry {
  /** The hash of all digests to sign. */
  readonly id: string;
  readonly chain: ChainCode;
  readonly at: Millis;
  /** One of the nonces or coins that it spends. Of transactions with the same one, the largest counts. */
  readonly group: string;
  readonly outflow: Outflow;
  /** The outflow of the transaction beyond that of the others in its group. */
  readonly counted: Outflow;
}

/** The part of the journal that matters to one transaction. */
export interface JournalView {
  /** True when the same transaction was signed before. */
  readonly known: boolean;
  /** The time of the last entry of any chain; the signer's time never goes back before it. */
  readonly latestAt: Millis | null;
  /** The most that the entries of each group take, by ref. */
  readonly groups: ReadonlyMap<string, Outflow>;
  /** The stated amounts of coins when they were first signed for. */
  readonly coins: ReadonlyMap<string, bigint>;
  /** The amounts counted on this chain since a time. */
  readonly taken: Outflow & { readonly transactions: number };
}

/** Sums of outflows, as kept by a journal. */
export function addOutflows(a: Outflow, b: Outflow): Outflow {
  return mergeOutflows(a, b, (one, other) => one + other);
}

/** The larger of both amounts for each currency. */
export function largestOutflow(a: Outflow, b: Outflow): Outflow {
  return mergeOutflows(a, b, (one, other) => (one > other ? one : other));
}

/** The outflow of `a` beyond that of `b`. */
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

/** The transactions that a signer has signed. An entry is durable before its signature is returned. */
export interface SigningJournal {
  /** The entries that matter to a transaction that spends these refs; `taken` counts from `since` on. */
  read(query: {
    readonly id: string;
    readonly chain: ChainCode;
    readonly refs: readonly string[];
    readonly since: (latestAt: Millis | null) => Millis;
  }): Promise<JournalView>;
  /** Resolves once the entry is durable. Entries older than `keepSince` are deleted; the amounts of coins are kept. */
  append(entry: JournalEntry, coins: readonly BuiltSpend[], keepSince: Millis): Promise<void>;
  /** Why signing is stopped; `null` while it is not. */
  stop(): Promise<string | null>;
  setStop(reason: string | null): Promise<void>;
}
