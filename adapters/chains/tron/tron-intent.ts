import { z } from 'zod';
import type { BuiltTransaction, SigningIntent, TransactionBuilder } from '../../../core/index.ts';
import { pathField, readIntent, unitsField } from '../intent-fields.ts';
import { tronAddress, tronKey } from './tron-address.ts';
import { digestOf, encodeRawData, signedSize } from './transaction.ts';

/** An address in base58, from which the transaction's other forms of it are derived. */
const address = z.string().refine((text) => {
  const key = tronKey(text);
  return key !== null && tronAddress(key) === text;
});
/** TRX are counted in an int64, tokens in 256 bits. */
const MAX_INT64 = 2n ** 63n;
const int64 = unitsField.refine((units) => units < MAX_INT64);

const schema = z
  .strictObject({
    family: z.literal('tron'),
    chain: z.string(),
    /** The path of the paying key, and its address, which the transaction contains. */
    from: pathField,
    fromAddress: address,
    to: address,
    toPath: pathField.nullable(),
    units: unitsField,
    /** The token that is transferred (TRC-20 `transfer`); `null` for TRX. Other contracts cannot be described. */
    contract: address.nullable(),
    /** The id of a block that the chain must contain, 64 digits. */
    referenceBlock: z.string().regex(/^[0-9a-f]{64}$/),
    expiresAt: z.int().min(0),
    timestamp: z.int().min(0),
    /** The maximum amount burnt for energy, in sun. */
    feeLimit: int64,
  })
  .refine(({ contract, units }) => contract !== null || units < MAX_INT64, { path: ['units'] });

/** A payment of TRX or of a token on Tron. */
export type TronIntent = SigningIntent & z.input<typeof schema>;

/** The sun burnt for a byte, and for an account that a payment creates, which the fee limit does not cover. */
const SUN_PER_BYTE = 1_000n;
const NEW_ACCOUNT_SUN = 1_100_000n;

/** The bytes of a {@link TronIntent} that are signed (`raw_data`). */
export function rawDataOf(intent: SigningIntent): Uint8Array {
  return encode(readIntent(schema, intent));
}

function encode({ fromAddress, to, units, contract, referenceBlock, ...terms }: z.output<typeof schema>): Uint8Array {
  const keyOf = (text: string): string => tronKey(text) ?? '';
  const payment = {
    ...{ fromKey: keyOf(fromAddress), toKey: keyOf(to), units },
    contractKey: contract === null ? null : keyOf(contract),
  };
  return encodeRawData(payment, { ...terms, reference: { hash: referenceBlock } });
}

/**
 * The transaction of a {@link TronIntent}. It has no nonce: two transactions that differ in anything can both be mined.
 */
export const buildTronTransaction: TransactionBuilder = (intent): BuiltTransaction => {
  const fields = readIntent(schema, intent);
  const { from, to, toPath, units, contract, feeLimit } = fields;
  const rawData = encode(fields);
  const digest = digestOf(rawData);
  return {
    payments: [{ to, contract, units, ownPath: toPath }],
    feeUnits: feeLimit + BigInt(signedSize(rawData)) * SUN_PER_BYTE + NEW_ACCOUNT_SUN,
    spends: [{ ref: Buffer.from(digest).toString('hex'), units: null }],
    inputs: [{ path: from, digest }],
  };
};
