import { createHash } from 'node:crypto';
import { recoverAddress } from 'viem/utils';
import { TillgateError, assert } from '../../../core/index.ts';
import type { BlockRef, EcdsaSignature, Millis } from '../../../core/index.ts';
import { tronAddress } from './tron-address.ts';
import { bytesField, intField, message, readFields } from './protobuf.ts';
import type { ProtoField } from './protobuf.ts';
import { readTransferData, transferData } from './trc20.ts';
import { toHexAddress } from './tron-values.ts';

/** The payment that a transaction makes: in TRX without a contract, otherwise in its token. */
export interface TronPayment {
  readonly fromKey: string;
  readonly toKey: string;
  readonly units: bigint;
  readonly contractKey: string | null;
}

/** The signed fields apart from the transfer. */
export interface TransactionTerms {
  /** The transaction is valid only on a chain that contains this block. */
  readonly reference: Pick<BlockRef, 'hash'>;
  readonly expiresAt: Millis;
  /** Informative; the network does not check it. */
  readonly timestamp: Millis;
  /** The maximum amount burnt for energy, in sun; 0 for TRX. */
  readonly feeLimit: bigint;
}

/** The contents of a signed transaction. */
export interface ReadTransaction {
  readonly txid: string;
  readonly payment: TronPayment;
  readonly expiresAt: Millis;
  readonly feeLimit: bigint;
}

/** Field numbers of `Transaction`, `Transaction.raw` and `Transaction.Contract` in Tron's protocol definition. */
const TRANSACTION = { rawData: 1, signature: 2 } as const;
const RAW = { refBlockBytes: 1, refBlockHash: 4, expiration: 8, contract: 11, timestamp: 14, feeLimit: 18 } as const;
const CONTRACT = { type: 1, parameter: 2 } as const;
const ANY = { typeUrl: 1, value: 2 } as const;
/** The two kinds of contract that the till signs. */
const COIN = { type: 1n, url: 'type.googleapis.com/protocol.TransferContract', owner: 1, to: 2, amount: 3 } as const;
const TOKEN = {
  type: 31n,
  url: 'type.googleapis.com/protocol.TriggerSmartContract',
  owner: 1,
  contract: 2,
  data: 4,
} as const;
/** Added to the recovery bit, as in Bitcoin's signed messages. */
const RECOVERY_BASE = 27;
const SIGNATURE_BYTES = 65;

/** The bytes that are hashed and signed (`raw_data`). */
export function encodeRawData(
  payment: TronPayment,
  { reference, expiresAt, timestamp, feeLimit }: TransactionTerms,
): Uint8Array {
  const id = Buffer.from(reference.hash, 'hex');
  return message(
    // The last two bytes of the block's number, and bytes 8 to 15 of its id.
    bytesField(RAW.refBlockBytes, id.subarray(6, 8)),
    bytesField(RAW.refBlockHash, id.subarray(8, 16)),
    intField(RAW.expiration, BigInt(expiresAt)),
    bytesField(RAW.contract, encodeContract(payment)),
    intField(RAW.timestamp, BigInt(timestamp)),
    intField(RAW.feeLimit, feeLimit),
  );
}

function encodeContract({ fromKey, toKey, units, contractKey }: TronPayment): Uint8Array {
  const parameter =
    contractKey === null
      ? packed(
          COIN.url,
          bytesField(COIN.owner, addressBytes(fromKey)),
          bytesField(COIN.to, addressBytes(toKey)),
          intField(COIN.amount, units),
        )
      : packed(
          TOKEN.url,
          bytesField(TOKEN.owner, addressBytes(fromKey)),
          bytesField(TOKEN.contract, addressBytes(contractKey)),
          bytesField(TOKEN.data, Buffer.from(transferData(toKey, units), 'hex')),
        );
  return message(
    intField(CONTRACT.type, contractKey === null ? COIN.type : TOKEN.type),
    bytesField(CONTRACT.parameter, parameter),
  );
}

/** `google.protobuf.Any`. */
function packed(typeUrl: string, ...fields: readonly Uint8Array[]): Uint8Array {
  return message(bytesField(ANY.typeUrl, Buffer.from(typeUrl)), bytesField(ANY.value, message(...fields)));
}

/** A transaction's id is the hash of the signed bytes; the signature is not part of it. */
export function digestOf(rawData: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(rawData).digest());
}

/** The transaction in the format of the nodes, hexadecimal. */
export function attachSignature(rawData: Uint8Array, signature: Uint8Array): string {
  return Buffer.from(
    message(bytesField(TRANSACTION.rawData, rawData), bytesField(TRANSACTION.signature, signature)),
  ).toString('hex');
}

/** The size of the signed transaction in bytes. */
export function signedSize(rawData: Uint8Array): number {
  return attachSignature(rawData, new Uint8Array(SIGNATURE_BYTES)).length / 2;
}

/**
 * The transaction with its signature, and its id.
 *
 * @throws TillgateError `NOT_READY` when the signature is not that of `fromKey`: such bytes must never be stored
 */
export async function assemble(
  rawData: Uint8Array,
  { bytes, recovery }: EcdsaSignature,
  fromKey: string,
): Promise<{ readonly txid: string; readonly raw: string }> {
  assert(bytes.length === SIGNATURE_BYTES - 1 && (recovery === 0 || recovery === 1), 'a signature of another form');
  const signature = Uint8Array.from([...bytes, RECOVERY_BASE + recovery]);
  const digest = digestOf(rawData);
  const signer = (await recoverAddress({ hash: digest, signature })).slice(2).toLowerCase();
  if (signer !== fromKey)
    throw new TillgateError(
      'NOT_READY',
      `The signer signs for ${tronAddress(signer)}, not for ${tronAddress(fromKey)}.`,
    );
  return { txid: Buffer.from(digest).toString('hex'), raw: attachSignature(rawData, signature) };
}

/** Parses the result of {@link assemble}; any other input is a defect. */
export function readTransaction(raw: string): ReadTransaction {
  const fields = readFields(Buffer.from(raw, 'hex'));
  const rawData = bytesOf(fields, TRANSACTION.rawData);
  const body = readFields(rawData);
  return {
    txid: Buffer.from(digestOf(rawData)).toString('hex'),
    payment: readContract(readFields(bytesOf(body, RAW.contract))),
    expiresAt: Number(intOf(body, RAW.expiration)),
    feeLimit: intOf(body, RAW.feeLimit),
  };
}

function readContract(contract: readonly ProtoField[]): TronPayment {
  const parameter = readFields(bytesOf(contract, CONTRACT.parameter));
  const value = readFields(bytesOf(parameter, ANY.value));
  if (intOf(contract, CONTRACT.type) === COIN.type) {
    return {
      fromKey: keyOf(value, COIN.owner),
      toKey: keyOf(value, COIN.to),
      units: intOf(value, COIN.amount),
      contractKey: null,
    };
  }
  assert(intOf(contract, CONTRACT.type) === TOKEN.type, 'a transaction of an unknown kind');
  const transfer = readTransferData(Buffer.from(bytesOf(value, TOKEN.data)).toString('hex'));
  assert(transfer !== null, 'a transaction that is no transfer');
  return { fromKey: keyOf(value, TOKEN.owner), contractKey: keyOf(value, TOKEN.contract), ...transfer };
}

function bytesOf(fields: readonly ProtoField[], number: number): Uint8Array {
  const found = fields.filter((field) => field.number === number).map(({ value }) => value);
  const [only] = found;
  assert(found.length === 1 && only instanceof Uint8Array, `a transaction with ${found.length} fields ${number}`);
  return only;
}

function intOf(fields: readonly ProtoField[], number: number): bigint {
  const found = fields.find((field) => field.number === number)?.value ?? 0n;
  assert(typeof found === 'bigint', `a transaction whose field ${number} is no number`);
  return found;
}

function keyOf(fields: readonly ProtoField[], number: number): string {
  const hex = Buffer.from(bytesOf(fields, number)).toString('hex');
  assert(hex.length === 42 && hex.startsWith('41'), 'a transaction with an address of another network');
  return hex.slice(2);
}

function addressBytes(key: string): Uint8Array {
  return Buffer.from(toHexAddress(key), 'hex');
}
