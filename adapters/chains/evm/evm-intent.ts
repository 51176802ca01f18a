import { z } from 'zod';
import { TillgateError } from '../../../core/index.ts';
import type { BuiltTransaction, SigningIntent, TransactionBuilder } from '../../../core/index.ts';
import { pathField, readIntent, unitsField } from '../intent-fields.ts';
import { normaliseEvmAddress } from './evm-address.ts';
import { digestOf, paymentTransaction } from './payment-transaction.ts';

/** An address, checksummed from here on, so that each receiver has exactly one spelling. */
const address = z
  .string()
  .refine((text) => normaliseEvmAddress(text) !== null)
  .transform((text) => normaliseEvmAddress(text) ?? '');

const hex = (bytes: number): z.ZodString => z.string().regex(new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`));

const charge = z.strictObject({
  currency: z.string(),
  units: unitsField,
  from: address,
  validAfter: unitsField,
  validBefore: unitsField,
  nonce: hex(32),
  signature: hex(65),
});

const schema = z.strictObject({
  family: z.literal('evm'),
  chain: z.string(),
  chainId: z.int().min(1),
  /** The path of the paying key. */
  from: pathField,
  nonce: z.int().min(0),
  type: z.enum(['legacy', 'eip1559']),
  gas: unitsField,
  /** The maximum price of one unit of gas, in wei. */
  price: unitsField,
  to: address,
  toPath: pathField.nullable(),
  units: unitsField,
  /** The token that is transferred (ERC-20 `transfer`); `null` for the native coin. Other calls cannot be described. */
  contract: address.nullable(),
  /** A payer's authorization to execute at the contract (EIP-3009) in favour of `to`: it moves no coins of the till. */
  charge: charge.optional(),
});

/** A payment of the native coin or of a token on an EVM chain. */
export type EvmIntent = SigningIntent & z.input<typeof schema>;

/** Builds the transaction of an {@link EvmIntent} (EIP-155, EIP-1559). */
export const buildEvmTransaction: TransactionBuilder = (intent): BuiltTransaction => {
  const {
    chainId,
    nonce,
    from,
    to,
    toPath,
    units,
    contract,
    charge: authorized,
    ...terms
  } = readIntent(schema, intent);
  const line = { to, units, ...(authorized === undefined ? {} : { charge: authorized }) };
  if (authorized !== undefined && (contract === null || units !== 0n))
    throw new TillgateError('SIGNING_REFUSED', 'An authorization is sent to a token and pays nothing itself.');
  const transaction = paymentTransaction(chainId, nonce, contract ?? '', line, terms);
  return {
    // An authorization has 0 units; the signer's rules for the token and the receiver apply to it too.
    payments: [{ to, contract, units, ownPath: toPath }],
    feeUnits: terms.gas * terms.price,
    // A nonce is used once on each chain.
    spends: [{ ref: `${chainId}:${from}:${nonce}`, units: null }],
    inputs: [{ path: from, digest: digestOf(transaction) }],
  };
};
