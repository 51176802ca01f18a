import { getAddress, keccak256, parseTransaction, recoverAddress, serializeTransaction, toBytes } from 'viem/utils';
import type { Hex, TransactionSerializable, TransactionSerialized } from 'viem';
import { TillgateError, assert } from '../../../core/index.ts';
import type { EcdsaSignature, PaymentLine } from '../../../core/index.ts';
import { authorizationInput, readAuthorizationInput } from './authorization-call.ts';
import { readTransferInput, transferInput } from './erc20.ts';
import type { PaymentTerms } from './payment-terms.ts';

/** The payment that a signed transaction makes. */
export interface PaymentReading {
  readonly to: string;
  readonly units: bigint;
  /** The token's contract, checksummed; empty for the native coin. */
  readonly contract: string;
  readonly price: bigint;
  /** The account whose tokens an authorization moves; absent when they are the sender's. */
  readonly payer?: string;
}

/**
 * Half of the curve's order: a larger s would give the same transaction a second id, and no node accepts it (EIP-2).
 */
const HIGHEST_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** The transaction of a payment, to be signed; it always contains the chain id (EIP-155). */
export function paymentTransaction(
  chainId: number,
  nonce: number,
  contract: string,
  { to, units, charge }: Pick<PaymentLine, 'to' | 'units' | 'charge'>,
  { type, gas, price }: Pick<PaymentTerms, 'type' | 'gas' | 'price'>,
): TransactionSerializable {
  const receiver = { to: (contract === '' ? to : contract) as Hex, value: contract === '' ? units : 0n };
  const data = charge === undefined ? transferInput(to, units) : authorizationInput(to, charge);
  const input = contract === '' ? {} : { data };
  const common = { chainId, nonce, gas, ...receiver, ...input };
  return type === 'legacy'
    ? { ...common, type, gasPrice: price }
    : { ...common, type, maxFeePerGas: price, maxPriorityFeePerGas: price };
}

/** The digest of a transaction that is signed. */
export function digestOf(transaction: TransactionSerializable): Uint8Array {
  return toBytes(keccak256(serializeTransaction(transaction)));
}

/**
 * The transaction with its signature, and its id.
 *
 * @throws TillgateError `NOT_READY` when the signature is not that of `source`: such bytes must never be stored
 */
export async function assemble(
  transaction: TransactionSerializable,
  { bytes, recovery }: EcdsaSignature,
  source: string,
): Promise<{ readonly txid: string; readonly raw: string }> {
  assert(bytes.length === 64 && (recovery === 0 || recovery === 1), 'a signature of another form');
  const hex = Buffer.from(bytes).toString('hex');
  const [r, s]: [Hex, Hex] = [`0x${hex.slice(0, 64)}`, `0x${hex.slice(64)}`];
  assert(BigInt(s) <= HIGHEST_S, 'a signature with a high s');
  // oxlint-disable-next-line typescript/no-deprecated -- a legacy transaction is serialized by `v` alone
  const raw = serializeTransaction(transaction, { r, s, yParity: recovery, v: BigInt(27 + recovery) });
  const signer = await recoverAddress({ hash: digestOf(transaction), signature: { r, s, yParity: recovery } });
  if (signer !== source) throw new TillgateError('NOT_READY', `The signer signs for ${signer}, not for ${source}.`);
  return { txid: keccak256(raw), raw };
}

/** Reads the payment of a signed transaction. */
export function readPayment(raw: string): PaymentReading {
  const { to, value = 0n, data, ...rest } = parseTransaction(raw as TransactionSerialized);
  assert(typeof to === 'string', 'a payment without a receiver');
  const price = ('maxFeePerGas' in rest ? rest.maxFeePerGas : 'gasPrice' in rest ? rest.gasPrice : undefined) ?? 0n;
  // A payment of the native coin has no input.
  const transfer = data === undefined ? null : (readTransferInput(data) ?? readAuthorizationInput(data));
  const contract = transfer === null ? '' : getAddress(to);
  return { ...(transfer ?? { to: getAddress(to), units: value }), contract, price };
}
