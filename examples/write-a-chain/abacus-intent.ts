/** The signing intent: the whole payment, and how it becomes the bytes that are signed. */
import { z } from 'zod';
import { TillgateError, present } from 'tillgate/plugin';
import type { EcdsaSignature, Signer, SigningIntent, TransactionBuilder } from 'tillgate/plugin';
import { transactionId, transactionSchema } from './abacus-wire.ts';
import type { WireTransaction } from './abacus-wire.ts';

type Unsigned = Omit<WireTransaction, 'signature'>;

interface AbacusIntent extends SigningIntent {
  /** The path of the paying key. */
  readonly path: string;
  readonly transaction: Unsigned;
}

const schema = z.strictObject({
  family: z.literal('abacus'),
  chain: z.literal('ABC'),
  path: z.string(),
  transaction: z.strictObject(transactionSchema.omit({ signature: true }).shape),
});

/** Pure and strict: a signer in a separate process would run it on input from a server that may be compromised. */
export const buildAbacus: TransactionBuilder = (intent) => {
  const read = schema.safeParse(intent);
  if (!read.success) throw new TillgateError('SIGNING_REFUSED', 'The intent is no payment of Abacus.');
  const { path, transaction } = read.data;
  return {
    payments: [{ to: transaction.to, contract: null, units: BigInt(transaction.amount), ownPath: null }],
    feeUnits: BigInt(transaction.fee),
    spends: [{ ref: `${transaction.from}:${transaction.nonce}`, units: null }],
    inputs: [{ path, digest: Buffer.from(transactionId(transaction), 'hex') }],
  };
};

export async function signTransaction(signer: Signer, path: string, transaction: Unsigned): Promise<EcdsaSignature> {
  const intent: AbacusIntent = { family: 'abacus', chain: 'ABC', path, transaction };
  const [signature] = await signer.sign(intent, buildAbacus);
  return present(signature, 'a signature');
}
