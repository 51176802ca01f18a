import type { CurrencyCode, Storage } from '../kernel/index.ts';
import { isTillgateError } from '../kernel/index.ts';
import type { ExpectedCoins } from '../chain/index.ts';
import type { GasBalance } from './transfer-store.ts';
import type { Holding } from './transfer.ts';
import type { PayingChain } from './payout-deps.ts';

/** One currency in the ledger and on chain, in units. */
export interface CustodyLine {
  readonly currency: CurrencyCode;
  /** What the chain holds by the ledger while nothing is in flight. */
  readonly expected: bigint;
  readonly onChain: bigint;
  /** The most that signed transactions may already have spent. */
  readonly inFlight: bigint;
  /** The missing units; 0 for none. For an excess see {@link findExcesses}. */
  readonly shortfall: bigint;
  /** False for a token whose balances the node does not report, unlike others': no shortfall is known. */
  readonly isRead: boolean;
}

const PAGE = 500;

/** Compares what the chain holds for the till with the ledger, by currency. @throws TillgateError `NODE_FAILED` */
export async function reconcile(
  chain: PayingChain,
  { storage }: { readonly storage: Pick<Storage, 'transfers'> },
): Promise<readonly CustodyLine[]> {
  const expected = await storage.transfers.expectedCustody(chain.code);
  const inFlight = await flight(chain, { storage });
  const onChain = new Map<CurrencyCode, bigint>();
  const hot = hotWalletOf(chain);
  const asked = new Set<string>();
  const unread = new Set<CurrencyCode>();
  let after: string | null = null;
  for (;;) {
    const page: readonly Holding[] = await storage.transfers.holdings(chain.code, after, PAGE);
    const coins = [
      ...(after === null ? hot : []),
      ...page.filter((holding) => askedFor(chain, holding, inFlight, asked)).map(coinOf(chain)),
    ];
    if (coins.length > 0) await addCustody(chain, coins, { onChain, unread });
    after = page.at(-1)?.ref ?? null;
    if (page.length < PAGE) break;
  }
  await addGas(chain, { storage }, { asked, onChain });
  const held = [...onChain].filter(([, units]) => units > 0n).map(([currency]) => currency);
  return [...new Set([...expected.keys(), ...held])].map((currency) => {
    const units = expected.get(currency) ?? 0n;
    return unread.has(currency)
      ? { currency, expected: units, onChain: 0n, inFlight: 0n, shortfall: 0n, isRead: false }
      : line(currency, units, onChain.get(currency) ?? 0n, inFlight.get(currency) ?? 0n);
  });
}

/** A token whose contract does not report balances does not prevent comparing the others. */
async function addCustody(
  { payments }: PayingChain,
  coins: readonly ExpectedCoins[],
  { onChain, unread }: { readonly onChain: Map<CurrencyCode, bigint>; readonly unread: Set<CurrencyCode> },
): Promise<void> {
  const native = payments.feeAsset.currency;
  const addAll = (shown: ReadonlyMap<CurrencyCode, bigint>): void => {
    for (const [currency, units] of shown) add(onChain, currency, units);
  };
  const asked = coins.filter(({ currency }) => !unread.has(currency));
  try {
    addAll(await payments.custody(asked));
    return;
  } catch (error) {
    if (!isTillgateError(error, 'NODE_FAILED') || payments.model === 'utxo') throw error;
  }
  // The native coin comes first: if its balances are not reported either, the node has failed.
  const currencies = [...new Set([native, ...asked.map(({ currency }) => currency)])];
  for (const currency of currencies) {
    const own = asked.filter((coin) => coin.currency === currency);
    try {
      if (own.length > 0) addAll(await payments.custody(own));
    } catch (error) {
      if (currency === native || !isTillgateError(error, 'NODE_FAILED')) throw error;
      unread.add(currency);
    }
  }
}

/** Reads the gas at deposit addresses; an address whose coins were read has shown it already. */
async function addGas(
  { code, payments }: PayingChain,
  { storage }: { readonly storage: Pick<Storage, 'transfers'> },
  sums: {
    readonly asked: ReadonlySet<string>;
    readonly onChain: Map<CurrencyCode, bigint>;
  },
): Promise<void> {
  const { currency } = payments.feeAsset;
  let after: string | null = null;
  for (;;) {
    const page: readonly GasBalance[] = await storage.transfers.gasBalances(code, after, PAGE);
    const unasked = page.filter(({ address }) => !sums.asked.has(`${address} ${currency}`));
    if (unasked.length > 0) {
      const shown = await payments.custody(unasked.map(({ address }) => ({ ref: '', address, currency })));
      for (const [held, units] of shown) add(sums.onChain, held, units);
    }
    after = page.at(-1)?.address ?? null;
    if (page.length < PAGE) return;
  }
}

function line(currency: CurrencyCode, expected: bigint, onChain: bigint, inFlight: bigint): CustodyLine {
  const missing = expected - onChain - inFlight;
  return { currency, expected, onChain, inFlight, shortfall: missing > 0n ? missing : 0n, isRead: true };
}

/** On account chains: sweep fees and payments of the hot wallet. On UTXO chains, taken coins, page by page. */
async function flight(
  { code, payments }: PayingChain,
  { storage }: { readonly storage: Pick<Storage, 'transfers'> },
): Promise<Map<CurrencyCode, bigint>> {
  const taken = new Map<CurrencyCode, bigint>();
  if (payments.model === 'utxo') return taken;
  for (const { sourceAddress, currency, units, nativeFeeUnits } of await storage.transfers.inFlight(code)) {
    // A sweep may be mined between the two reads of balances, and then counts at neither address.
    add(taken, currency, sourceAddress === payments.hotAddress ? units : 0n);
    add(taken, payments.feeAsset.currency, nativeFeeUnits);
  }
  return taken;
}

function askedFor(
  { payments }: PayingChain,
  holding: Holding,
  inFlight: Map<CurrencyCode, bigint>,
  asked: Set<string>,
): boolean {
  if (payments.model === 'utxo') {
    if (holding.status === 'TAKEN') add(inFlight, holding.currency, holding.units);
    return holding.status === 'FREE';
  }
  const key = `${holding.address} ${holding.currency}`;
  if (asked.has(key)) return false;
  asked.add(key);
  return true;
}

function coinOf({ payments }: PayingChain): (holding: Holding) => ExpectedCoins {
  return ({ ref, address, currency }) => ({ ref: payments.model === 'utxo' ? ref : '', address, currency });
}

function hotWalletOf({ assets, payments }: PayingChain): readonly ExpectedCoins[] {
  if (payments.model === 'utxo') return [];
  const currencies = new Set([...assets.map(({ currency }) => currency), payments.feeAsset.currency]);
  return [...currencies].map((currency) => ({ ref: '', address: payments.hotAddress, currency }));
}

function add(sums: Map<CurrencyCode, bigint>, currency: CurrencyCode, units: bigint): void {
  sums.set(currency, (sums.get(currency) ?? 0n) + units);
}
