import { z } from 'zod';
import type { BuiltTransaction, SigningIntent, TransactionBuilder } from '../../../core/index.ts';
import { pathField, readIntent, unitsField } from '../intent-fields.ts';
import { normaliseEvmAddress } from './evm-address.ts';
import { digestOf, paymentTransaction } from './payment-transaction.ts';

/** An address, with its checksum from here on: one receiver has one name. */
const address = z
  .string()
  .refine((text) => normaliseEvmAddress(text) !== null)
  .transform((text) => normaliseEvmAddress(text) ?? '');

const schema = z.strictObject({
  family: z.literal('evm'),
  chain: z.string(),
  chainId: z.int().min(1),
  /** The path of the key that pays. */
  from: pathField,
  nonce: z.int().min(0),
  type: z.enum(['legacy', 'eip1559']),
  gas: unitsField,
  /** The most for one unit of gas, in wei. */
  price: unitsField,
  to: address,
  toPath: pathField.nullable(),
  units: unitsField,
  /** The token that is transferred (ERC-20 `transfer`); `null` for the chain's coin. No other call can be described. */
  contract: address.nullable(),
});

/** A payment of coin or of a token on an EVM chain. */
export type EvmIntent = SigningIntent & z.input<typeof schema>;

/** The transaction of an {@link EvmIntent} (EIP-155, EIP-1559). */
export const buildEvmTransaction: TransactionBuilder = (intent): BuiltTransaction => {
  const { chainId, nonce, from, to, toPath, units, contract, ...terms } = readIntent(schema, intent);
  const transaction = paymentTransaction(chainId, nonce, contract ?? '', { to, units }, terms);
  return {
    payments: [{ to, contract, units, ownPath: toPath }],
    feeUnits: terms.gas * terms.price,
    // A nonce is used up on one chain.
    spends: [{ ref: `${chainId}:${from}:${nonce}`, units: null }],
    inputs: [{ path: from, digest: digestOf(transaction) }],
  };
};
