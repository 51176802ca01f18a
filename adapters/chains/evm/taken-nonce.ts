import type { PayoutOutcome } from '../../../core/index.ts';
import { keccak256, recoverAddress, serializeTransaction } from 'viem/utils';
import type { Hex, TransactionSerializable } from 'viem';
import { refusal } from '../json-rpc.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import { rivalPayment } from './rival-payment.ts';
import { asArray, asCount, asHash, asKey, asObject, asUnits, isStateGone, toQuantity } from './rpc-values.ts';
import type { RpcObject } from './rpc-values.ts';

/** A nonce that was used on the chain by an unknown transaction. */
export interface TakenNonce {
  readonly chainId: number;
  /** Checksummed. */
  readonly source: string;
  readonly nonce: number;
  readonly headHeight: number;
  /** The till's own transactions with this nonce. */
  readonly txids: readonly string[];
  /** The signed bytes of one of them. */
  readonly raw: string;
}

/** How many blocks back the transaction of a nonce is searched: a month of blocks every twelve seconds. */
const LOOK_BACK = 216_000;
/** A node may list a transaction shortly before it has its receipt. */
const SETTLING_BLOCKS = 3;

/**
 * Finds the transaction that used a nonce of the till, when none of its own attempts has a receipt.
 *
 * A transaction count proves nothing: a lagging, dishonest or wrong node must never cause a second payment. Only the
 * other transaction itself proves it, complete and with a signature of the same key that is valid on this chain.
 */
export async function explainTakenNonce(client: JsonRpcClient, taken: TakenNonce): Promise<PayoutOutcome> {
  const height = await heightOfNonce(client, taken);
  if (height === null) return unclear(`nonce ${taken.nonce} is said to be used, and no block shows by what`);
  const transaction = await transactionAt(client, taken, height);
  if (transaction === null)
    return unclear(`nonce ${taken.nonce} is said to be used in block ${height}, which holds no such transaction`);
  const txid = asHash(transaction['hash'], 'transaction hash');
  const confirmations = taken.headHeight - height + 1;
  if (taken.txids.includes(txid)) {
    return confirmations <= SETTLING_BLOCKS
      ? { kind: 'pending' }
      : unclear(`block ${height} holds ${txid}, and the node shows no receipt of it`);
  }
  const raw = await signedBytes(transaction, taken, txid);
  if (raw === null)
    return unclear(`block ${height} is said to hold ${txid} with nonce ${taken.nonce}, whose signature proves nothing`);
  const rival = rivalPayment(raw, taken.raw);
  return { kind: 'conflicted', txid, confirmations, ...(rival === null ? {} : { rival }) };
}

function unclear(reason: string): PayoutOutcome {
  return { kind: 'unclear', reason };
}

/**
 * The block in which the count passed the nonce, found by doubling steps back and then bisection; `null` when unknown.
 */
async function heightOfNonce(client: JsonRpcClient, { source, nonce, headHeight }: TakenNonce): Promise<number | null> {
  const isUsedAt = async (height: number): Promise<boolean | null> => {
    const [reply] = await client.batch([{ method: 'eth_getTransactionCount', params: [source, toQuantity(height)] }]);
    if (reply === undefined) return null;
    if (reply.problem === null) return asCount(reply.result, 'a nonce') > nonce;
    if (isStateGone(reply.problem.message)) return null;
    throw refusal('eth_getTransactionCount', reply.problem, client.host);
  };
  let used = headHeight;
  let free = headHeight;
  for (let step = 1; free === used; step *= 2) {
    const height = Math.max(0, headHeight - step);
    const there = await isUsedAt(height);
    if (there === null || (there && (height === 0 || step > LOOK_BACK))) return null;
    if (there) used = free = height;
    else free = height;
  }
  while (used - free > 1) {
    const middle = (free + used) >> 1;
    const there = await isUsedAt(middle);
    if (there === null) return null;
    if (there) used = middle;
    else free = middle;
  }
  return used;
}

async function transactionAt(
  client: JsonRpcClient,
  { source, nonce }: TakenNonce,
  height: number,
): Promise<RpcObject | null> {
  const block = await client.call('eth_getBlockByNumber', [toQuantity(height), true]);
  if (block === null) return null;
  const sender = source.slice(2).toLowerCase();
  const transactions = asArray(asObject(block, 'a block')['transactions'], 'the transactions of a block');
  const found = transactions
    .map((value) => asObject(value, 'a transaction'))
    .find(
      (transaction) =>
        asKey(transaction['from'], 'a sender') === sender && asCount(transaction['nonce'], 'a nonce') === nonce,
    );
  return found ?? null;
}

/** The bytes of the transaction, when its fields yield its hash and its signature the key of `source` on this chain. */
async function signedBytes(
  transaction: RpcObject,
  { source, nonce, chainId }: TakenNonce,
  txid: string,
): Promise<Hex | null> {
  try {
    const unsigned = readUnsigned(transaction, nonce, chainId);
    const signature = readSignature(transaction);
    if (unsigned === null) return null;
    const raw = serializeTransaction(unsigned, signature);
    if (keccak256(raw) !== txid) return null;
    const { r, s, v } = signature;
    // Every form of v contains the parity: 27 and 28, 35 and 36 plus twice the chain id, 0 and 1.
    const yParity = Number(v < 2n ? v : (v - 27n) % 2n);
    const signer = await recoverAddress({
      hash: keccak256(serializeTransaction(unsigned)),
      signature: { r, s, yParity },
    });
    return signer === source ? raw : null;
  } catch {
    // A transaction that cannot be serialised proves nothing.
    return null;
  }
}

const TYPES: Readonly<Record<string, 'legacy' | 'eip2930' | 'eip1559'>> = {
  '0x0': 'legacy',
  '0x1': 'eip2930',
  '0x2': 'eip1559',
};

/** `null` for a transaction type that the till never makes. */
function readUnsigned(transaction: RpcObject, nonce: number, chainId: number): TransactionSerializable | null {
  const kind = transaction['type'] ?? '0x0';
  const type = typeof kind === 'string' ? TYPES[kind] : undefined;
  if (type === undefined) return null;
  const units = (name: string): bigint => asUnits(transaction[name], name);
  const { to, input } = transaction;
  const body = {
    nonce,
    gas: units('gas'),
    value: units('value'),
    data: String(input) as Hex,
    ...(typeof to === 'string' ? { to: to as Hex } : {}),
  };
  const accessList = (transaction['accessList'] ?? []) as readonly { address: Hex; storageKeys: readonly Hex[] }[];
  if (type === 'eip2930') return { ...body, type, chainId, accessList, gasPrice: units('gasPrice') };
  if (type === 'eip1559') {
    return {
      ...body,
      type,
      chainId,
      accessList,
      maxFeePerGas: units('maxFeePerGas'),
      maxPriorityFeePerGas: units('maxPriorityFeePerGas'),
    };
  }
  // Before EIP-155 a signature was valid on every chain; since then v contains the chain id.
  const isOfAnyChain = units('v') === 27n || units('v') === 28n;
  return { ...body, ...(isOfAnyChain ? {} : { chainId }), type, gasPrice: units('gasPrice') };
}

function readSignature(transaction: RpcObject): {
  readonly r: Hex;
  readonly s: Hex;
  readonly v: bigint;
  readonly yParity?: number;
} {
  const word = (name: string): Hex => `0x${asUnits(transaction[name], name).toString(16).padStart(64, '0')}`;
  const v = asUnits(transaction['v'], 'v');
  return { r: word('r'), s: word('s'), v, ...(v < 2n ? { yParity: Number(v) } : {}) };
}
