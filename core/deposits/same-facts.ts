import type { Deposit, ObservedTransfer, WatchedAddress } from '../chain/index.ts';

/** The facts of a transfer, with its receiver's address in the chain's usual form. */
export type TransferFacts = Pick<ObservedTransfer, 'currency' | 'units' | 'from'> & Pick<WatchedAddress, 'address'>;

/**
 * True when currency, amount, sender and receiver of a deposit are what the chain says now. A transaction id does not
 * commit to them where a contract decides: in another block, the same transaction may pay more, less, or someone else.
 */
export function hasFacts(
  { currency, units, fromAddress, toAddress }: Pick<Deposit, 'currency' | 'units' | 'fromAddress' | 'toAddress'>,
  facts: TransferFacts,
): boolean {
  return (
    currency === facts.currency && units === facts.units && fromAddress === facts.from && toAddress === facts.address
  );
}
