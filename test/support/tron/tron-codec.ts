import { createHash } from 'node:crypto';
import { utils } from 'tronweb';
import { bytesField, intField, message } from '../../../adapters/chains/tron/protobuf.ts';

/** A transaction decoded by tronweb, not by the code under test. */
export interface DecodedTransaction {
  readonly txid: string;
  readonly rawDataHex: string;
  /** In the form of nodes' JSON. */
  readonly rawData: RawData;
  readonly type: 'TransferContract' | 'TriggerSmartContract';
  readonly signatures: readonly string[];
  /** Bytes of the whole transaction. */
  readonly size: number;
}

/** `raw_data` in the JSON of nodes. */
export interface RawData {
  readonly contract: readonly {
    readonly parameter: { readonly value: ContractValue; readonly type_url: string };
    readonly type: string;
  }[];
  readonly ref_block_bytes: string;
  readonly ref_block_hash: string;
  readonly expiration: number;
  readonly timestamp: number;
  readonly fee_limit?: number;
}

/** The two kinds of contract, with addresses in hexadecimal. */
export interface ContractValue {
  readonly owner_address: string;
  readonly to_address?: string;
  readonly amount?: number;
  readonly contract_address?: string;
  readonly data?: string;
}

interface TransactionMessage {
  getRawData(): { serializeBinary(): Uint8Array; getContractList(): readonly { getType(): number }[] };
  getSignatureList_asU8(): readonly Uint8Array[];
}

const TYPES: Readonly<Record<number, DecodedTransaction['type']>> = {
  1: 'TransferContract',
  31: 'TriggerSmartContract',
};

/** @throws Error when the bytes are no transaction of a known kind */
export function decodeTransaction(hex: string): DecodedTransaction {
  const { Transaction } = (
    globalThis as unknown as {
      TronWebProto: { Transaction: { deserializeBinary(bytes: Uint8Array): TransactionMessage } };
    }
  ).TronWebProto;
  const bytes = Buffer.from(hex, 'hex');
  const transaction = Transaction.deserializeBinary(new Uint8Array(bytes));
  const body = transaction.getRawData();
  const raw = Buffer.from(body.serializeBinary());
  const type = TYPES[body.getContractList()[0]?.getType() ?? 0];
  if (type === undefined) throw new Error('no such contract type');
  const rawDataHex = raw.toString('hex');
  return {
    txid: sha256(raw).toString('hex'),
    rawDataHex,
    rawData: tidy(utils.deserializeTx.deserializeTransaction(type, rawDataHex) as unknown as RawData),
    type,
    signatures: transaction.getSignatureList_asU8().map((part) => Buffer.from(part).toString('hex')),
    size: bytes.length,
  };
}

/** Nodes omit empty and zero values, and write hexadecimal digits in lower case. */
function tidy<T>(value: T): T {
  const replace = (_key: string, part: unknown): unknown => {
    if (part === 0 || part === '' || (Array.isArray(part) && part.length === 0)) return undefined;
    return typeof part === 'string' && /^[0-9A-F]+$/.test(part) ? part.toLowerCase() : part;
  };
  return JSON.parse(JSON.stringify(value, replace)) as T;
}

/** The signer's address as 40 digits; `null` when the signature is invalid. */
export function signerOf({ txid, signatures }: DecodedTransaction): string | null {
  try {
    return utils.crypto
      .ecRecover(txid, signatures[0] as string)
      .slice(2)
      .toLowerCase();
  } catch {
    return null;
  }
}

/** The bytes of a transaction in JSON form. */
export function encodeSigned(rawDataHex: string, signatures: readonly string[]): string {
  const parts = signatures.map((signature) => bytesField(2, Buffer.from(signature.replace(/^0x/, ''), 'hex')));
  return Buffer.from(message(bytesField(1, Buffer.from(rawDataHex, 'hex')), ...parts)).toString('hex');
}

/** The fields that a block's id depends on. */
export interface HeaderFields {
  readonly number: number;
  readonly timestamp: number;
  readonly parentHash: string;
  readonly txTrieRoot: string;
  readonly witnessAddress: string;
  readonly version: number;
}

/** A block's id: its number in 8 bytes, then the hash of its header without the first 8. */
export function blockIdOf({
  number,
  timestamp,
  parentHash,
  txTrieRoot,
  witnessAddress,
  version,
}: HeaderFields): string {
  const header = message(
    intField(1, BigInt(timestamp)),
    bytesField(2, Buffer.from(txTrieRoot, 'hex')),
    bytesField(3, Buffer.from(parentHash, 'hex')),
    intField(7, BigInt(number)),
    bytesField(9, Buffer.from(witnessAddress, 'hex')),
    intField(10, BigInt(version)),
  );
  return number.toString(16).padStart(16, '0') + sha256(header).toString('hex').slice(16);
}

export function sha256(bytes: Uint8Array | string): Buffer {
  return createHash('sha256').update(bytes).digest();
}
